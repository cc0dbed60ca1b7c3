#include "index/key_places.h"

#define XXH_INLINE_ALL
#include <arrow/api.h>
#include <xxhash.h>

#include "base/error.h"

namespace mica {

namespace {

// Growing one of many small tables at a time keeps what is copied small.
constexpr size_t kParts = 256;
constexpr size_t kFirstEntries = 16;

}  // namespace

KeyPlaces::KeyPlaces(std::vector<int> columns, std::vector<DataType> types)
    : columns_(std::move(columns)), types_(std::move(types)), parts_(kParts) {}

void KeyPlaces::HashKeys(const arrow::RecordBatch& batch, const std::vector<int>& columns,
                         std::vector<Hash>* hashes) const {
  const auto rows = static_cast<size_t>(batch.num_rows());
  hashes->assign(rows, Hash{0, 0});
  const auto mix = [](Hash* hash, const void* bytes, size_t size) {
    // What came before is the seed of what follows.
    const XXH128_hash_t next = XXH3_128bits_withSeed(bytes, size, hash->low);
    *hash = {next.high64 ^ (hash->high * 0x9e3779b97f4a7c15U), next.low64};
  };
  for (const int column : columns) {
    const arrow::Array& array = *batch.column(column);
    if (array.null_count() != 0) throw Internal("A key column holds NULL");
    const auto type = array.type_id();
    if (type == arrow::Type::STRING || type == arrow::Type::BINARY) {
      const auto& text = static_cast<const arrow::BinaryArray&>(array);
      for (size_t i = 0; i < rows; ++i) {
        const std::string_view value = text.GetView(static_cast<int64_t>(i));
        mix(&(*hashes)[i], value.data(), value.size());
      }
    } else if (type == arrow::Type::BOOL) {
      const auto& flags = static_cast<const arrow::BooleanArray&>(array);
      for (size_t i = 0; i < rows; ++i) {
        const uint8_t value = flags.Value(static_cast<int64_t>(i)) ? 1 : 0;
        mix(&(*hashes)[i], &value, 1);
      }
    } else {
      const auto width = static_cast<size_t>(static_cast<const arrow::FixedWidthType&>(*array.type()).bit_width()) / 8;
      const uint8_t* values = array.data()->buffers[1]->data() + static_cast<size_t>(array.offset()) * width;
      for (size_t i = 0; i < rows; ++i) mix(&(*hashes)[i], values + i * width, width);
    }
  }
}

size_t KeyPlaces::StartOf(const std::array<uint32_t, 3>& hash, size_t size) {
  return static_cast<size_t>((static_cast<unsigned __int128>(uint64_t{hash[0]} << 32 | hash[1]) * size) >> 64);
}

void KeyPlaces::Grow(Part* part) {
  std::vector<Entry> old(std::max(kFirstEntries, part->entries.size() + part->entries.size() / 4));
  old.swap(part->entries);
  for (const Entry& entry : old) {
    if (entry.place == 0) continue;
    size_t at = StartOf(entry.hash, part->entries.size());
    while (part->entries[at].place != 0) at = at + 1 == part->entries.size() ? 0 : at + 1;
    part->entries[at] = entry;
  }
}

void KeyPlaces::Note(const arrow::RecordBatch& batch) {
  HashKeys(batch, columns_, &hashes_);
  for (const Hash& hash : hashes_) {
    Part& part = parts_[hash.low & (kParts - 1)];
    if ((part.used + 1) * 10 > part.entries.size() * 9) Grow(&part);
    const std::array<uint32_t, 3> rest = {static_cast<uint32_t>(hash.high >> 32), static_cast<uint32_t>(hash.high),
                                          static_cast<uint32_t>(hash.low >> 32)};
    size_t at = StartOf(rest, part.entries.size());
    while (part.entries[at].place != 0 && part.entries[at].hash != rest) {
      at = at + 1 == part.entries.size() ? 0 : at + 1;
    }
    if (part.entries[at].place != 0) continue;
    part.entries[at] = {rest, kNowhere};
    ++part.used;
    ++key_count_;
  }
}

void KeyPlaces::Find(const arrow::RecordBatch& batch, const std::vector<int>& columns, std::vector<Found>* out) const {
  std::vector<Hash> hashes;
  HashKeys(batch, columns, &hashes);
  out->assign(hashes.size(), Found{});
  for (size_t i = 0; i < hashes.size(); ++i) {
    const auto number = static_cast<uint32_t>(hashes[i].low & (kParts - 1));
    const Part& part = parts_[number];
    if (part.entries.empty()) continue;
    const std::array<uint32_t, 3> rest = {static_cast<uint32_t>(hashes[i].high >> 32),
                                          static_cast<uint32_t>(hashes[i].high),
                                          static_cast<uint32_t>(hashes[i].low >> 32)};
    size_t at = StartOf(rest, part.entries.size());
    while (part.entries[at].place != 0 && part.entries[at].hash != rest) {
      at = at + 1 == part.entries.size() ? 0 : at + 1;
    }
    if (part.entries[at].place != 0) (*out)[i] = {{number, static_cast<uint32_t>(at)}, true};
  }
}

int64_t KeyPlaces::memory_bytes() const {
  int64_t bytes = 0;
  for (const Part& part : parts_) bytes += static_cast<int64_t>(part.entries.capacity() * sizeof(Entry));
  return bytes;
}

void KeyPlaces::Clear() {
  for (Part& part : parts_) part = Part();
  key_count_ = 0;
}

}  // namespace mica
