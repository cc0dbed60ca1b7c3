#include "index/row_set.h"

#include <roaring/roaring.h>

#include "base/error.h"

namespace mica {

void RowSet::Free::operator()(roaring_bitmap_s* bitmap) const {
  roaring_bitmap_free(bitmap);
}

RowSet::RowSet() : bitmap_(roaring_bitmap_create()) {}
RowSet::RowSet(const RowSet& other) : bitmap_(roaring_bitmap_copy(other.bitmap_.get())) {}
RowSet& RowSet::operator=(RowSet other) noexcept {
  bitmap_.swap(other.bitmap_);
  return *this;
}

RowSet RowSet::All(uint32_t count) {
  RowSet rows;
  roaring_bitmap_add_range(rows.bitmap_.get(), 0, count);
  return rows;
}

RowSet RowSet::Of(const std::vector<uint32_t>& positions) {
  RowSet rows;
  roaring_bitmap_add_many(rows.bitmap_.get(), positions.size(), positions.data());
  return rows;
}

namespace {

// What a bitmap says of itself may be wrong in damaged bytes: its size, the order of its values.
struct Walk {
  int64_t last = -1;
  int64_t count = 0;
  static bool Step(uint32_t value, void* walk) {
    auto* self = static_cast<Walk*>(walk);
    const bool ascending = value > self->last;
    self->last = value;
    ++self->count;
    return ascending;
  }
};

}  // namespace

RowSet RowSet::Parse(std::string_view bytes) {
  roaring_bitmap_t* bitmap = roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size());
  if (bitmap == nullptr) throw Corrupt("A bitmap of {} bytes in an index cannot be read", bytes.size());
  RowSet rows(bitmap);
  Walk walk;
  if (!roaring_iterate(bitmap, &Walk::Step, &walk) || walk.count != rows.count()) {
    throw Corrupt("A bitmap of {} bytes in an index is damaged", bytes.size());
  }
  return rows;
}

RowSet RowSet::Take(std::string_view* bytes) {
  RowSet rows = Parse(*bytes);
  bytes->remove_prefix(roaring_bitmap_portable_deserialize_size(bytes->data(), bytes->size()));
  return rows;
}

std::string RowSet::Serialize() const {
  roaring_bitmap_run_optimize(bitmap_.get());
  std::string bytes(roaring_bitmap_portable_size_in_bytes(bitmap_.get()), '\0');
  roaring_bitmap_portable_serialize(bitmap_.get(), bytes.data());
  return bytes;
}

void RowSet::Add(uint32_t position) {
  roaring_bitmap_add(bitmap_.get(), position);
}
RowSet& RowSet::operator|=(const RowSet& other) {
  roaring_bitmap_or_inplace(bitmap_.get(), other.bitmap_.get());
  return *this;
}
RowSet& RowSet::operator&=(const RowSet& other) {
  roaring_bitmap_and_inplace(bitmap_.get(), other.bitmap_.get());
  return *this;
}
RowSet& RowSet::operator-=(const RowSet& other) {
  roaring_bitmap_andnot_inplace(bitmap_.get(), other.bitmap_.get());
  return *this;
}

bool RowSet::empty() const {
  return roaring_bitmap_is_empty(bitmap_.get());
}
int64_t RowSet::count() const {
  return static_cast<int64_t>(roaring_bitmap_get_cardinality(bitmap_.get()));
}
bool RowSet::Contains(uint32_t position) const {
  return roaring_bitmap_contains(bitmap_.get(), position);
}

std::vector<int64_t> RowSet::positions() const {
  std::vector<uint32_t> narrow(static_cast<size_t>(count()));
  roaring_bitmap_to_uint32_array(bitmap_.get(), narrow.data());
  return {narrow.begin(), narrow.end()};
}

}  // namespace mica
