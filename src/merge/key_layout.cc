#include "merge/key_layout.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/bytes.h"
#include "base/error.h"
#include "types/value.h"

namespace mica {
namespace {

constexpr uint64_t kSign64 = uint64_t{1} << 63;

// Bits of the value piece in its first word; text and everything of 64 bits or more fills it.
int32_t BitsOf(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return 1;
    case TypeRoot::kTinyInt:
      return 8;
    case TypeRoot::kSmallInt:
      return 16;
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
    case TypeRoot::kFloat:
      return 32;
    case TypeRoot::kBigInt:
    case TypeRoot::kDouble:
    case TypeRoot::kDecimal:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return 64;
    default:
      throw Unsupported("Cannot order rows by a column of type '{}'", type.ToString());
  }
}

// Bits so that unsigned order is the order of the numbers, with all NaN equal and greatest.
uint32_t OrderedBits(float value) {
  if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

uint64_t OrderedBits(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  return (bits & kSign64) != 0 ? ~bits : bits | kSign64;
}

uint64_t PrefixWord(std::string_view text) {
  if (text.size() >= 8) return LoadBig<uint64_t>(text.data());
  uint64_t word = 0;
  std::memcpy(&word, text.data(), text.size());
  return SwapBytes(word);
}

template <typename T>
T LoadAt(const void* values, int64_t row) {
  return LoadLittle<T>(static_cast<const char*>(values) + row * static_cast<int64_t>(sizeof(T)));
}

// View of an Arrow array in the project's Arrow form; text goes to `strings`.
ColumnView ViewOf(const arrow::Array& array, std::vector<std::string_view>* strings) {
  ColumnView view;
  const arrow::ArrayData& data = *array.data();
  if (array.null_count() != 0 && data.buffers[0] != nullptr) {
    view.validity = data.buffers[0]->data();
    view.validity_offset = data.offset;
  }
  if (array.type_id() == arrow::Type::BOOL) {
    view.form = ColumnView::Form::kBits;
    view.values = data.buffers[1]->data();
    view.bit_offset = data.offset;
    return view;
  }
  if (arrow::is_base_binary_like(array.type_id())) {
    view.form = ColumnView::Form::kStrings;
    strings->resize(static_cast<size_t>(array.length()));
    const auto fill = [&](const auto& typed) {
      for (int64_t i = 0; i < typed.length(); ++i) (*strings)[static_cast<size_t>(i)] = typed.GetView(i);
    };
    if (arrow::is_large_binary_like(array.type_id())) {
      fill(static_cast<const arrow::LargeBinaryArray&>(array));
    } else {
      fill(static_cast<const arrow::BinaryArray&>(array));
    }
    view.strings = strings->data();
    return view;
  }
  const int32_t bits = array.type()->bit_width();
  if (bits <= 0 || bits % 8 != 0) {
    throw Unsupported("Cannot order rows by an Arrow column of type '{}'", array.type()->ToString());
  }
  view.width = bits / 8;
  view.values = data.buffers[1]->data() + data.offset * view.width;
  return view;
}

}  // namespace

int64_t EncodedRows::memory_bytes() const {
  size_t bytes = words_.capacity() * sizeof(uint64_t);
  for (const auto& column : strings_) bytes += column.capacity() * sizeof(std::string_view);
  return static_cast<int64_t>(bytes);
}

void EncodedRows::Clear() {
  *this = EncodedRows();
}

int32_t KeyLayout::Place(int32_t bits, int32_t* shift, bool* first) {
  *first = free_bits_ < bits;
  if (*first) {
    ++word_count_;
    free_bits_ = 64;
  }
  free_bits_ -= bits;
  *shift = free_bits_;
  return word_count_ - 1;
}

void KeyLayout::Add(const DataType& type, bool nullable) {
  Column column;
  column.type = type;
  const int32_t bits = BitsOf(type);
  if (nullable) column.flag_word = Place(1, &column.flag_shift, &column.flag_first);
  column.word = Place(bits, &column.shift, &column.first);
  if (type.root() == TypeRoot::kDecimal && !type.IsCompactDecimal()) {
    column.wide = true;
    int32_t shift;
    bool first;
    Place(64, &shift, &first);
  }
  if (type.IsString() || type.IsBinary()) {
    column.string = static_cast<int32_t>(strings_.size());
    strings_.push_back({.word = column.word, .descending = descending_});
  }
  columns_.push_back(std::move(column));
}

KeyLayout KeyLayout::ForKey(std::span<const DataType> types) {
  KeyLayout layout;
  for (const DataType& type : types) layout.Add(type, false);
  return layout;
}

KeyLayout KeyLayout::ForSequence(std::span<const DataType> types, bool ascending) {
  KeyLayout layout;
  layout.descending_ = !ascending;
  for (const DataType& type : types) layout.Add(type, true);
  return layout;
}

// `load` gives the ordered bits of a row's value, at most as many as `mask` has.
template <typename Load>
void KeyLayout::Put(const Column& column, const ColumnView& view, int64_t row_count, uint64_t mask, uint64_t* words,
                    Load load) const {
  const int64_t stride = word_count_;
  const uint64_t flip = descending_ ? mask : 0;
  const int32_t shift = column.shift;
  uint64_t* out = words + column.word;
  if (column.flag_word < 0) {
    if (column.first) {
      for (int64_t i = 0; i < row_count; ++i) out[i * stride] = (load(i) ^ flip) << shift;
    } else {
      for (int64_t i = 0; i < row_count; ++i) out[i * stride] |= (load(i) ^ flip) << shift;
    }
    return;
  }
  uint64_t* flags = words + column.flag_word;
  for (int64_t i = 0; i < row_count; ++i) {
    const bool valid = view.IsValid(i);
    const uint64_t flag = static_cast<uint64_t>(valid) << column.flag_shift;
    flags[i * stride] = column.flag_first ? flag : flags[i * stride] | flag;
    const uint64_t value = valid ? (load(i) ^ flip) << shift : 0;
    out[i * stride] = column.first ? value : out[i * stride] | value;
  }
}

void KeyLayout::EncodeColumn(const Column& column, const ColumnView& view, int64_t row_count, EncodedRows* out) const {
  uint64_t* words = out->words_.data();
  const void* values = view.values;
  const auto put = [&](uint64_t mask, auto load) { Put(column, view, row_count, mask, words, load); };
  constexpr uint64_t kAll = ~uint64_t{0};
  switch (column.type.root()) {
    case TypeRoot::kBoolean:
      if (view.form == ColumnView::Form::kBits) {
        const auto* bits = static_cast<const uint8_t*>(values);
        put(1, [=, offset = view.bit_offset](int64_t i) -> uint64_t {
          const int64_t bit = i + offset;
          return (bits[bit >> 3] >> (bit & 7)) & 1;
        });
      } else {
        put(1, [=](int64_t i) -> uint64_t { return LoadAt<uint8_t>(values, i) != 0; });
      }
      return;
    case TypeRoot::kTinyInt:
      put(0xff, [=](int64_t i) -> uint64_t { return LoadAt<uint8_t>(values, i) ^ 0x80u; });
      return;
    case TypeRoot::kSmallInt:
      put(0xffff, [=](int64_t i) -> uint64_t { return LoadAt<uint16_t>(values, i) ^ 0x8000u; });
      return;
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      put(0xffffffff, [=](int64_t i) -> uint64_t { return LoadAt<uint32_t>(values, i) ^ 0x80000000u; });
      return;
    case TypeRoot::kFloat:
      put(0xffffffff, [=](int64_t i) -> uint64_t { return OrderedBits(LoadAt<float>(values, i)); });
      return;
    case TypeRoot::kDouble:
      put(kAll, [=](int64_t i) { return OrderedBits(LoadAt<double>(values, i)); });
      return;
    case TypeRoot::kBigInt:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      put(kAll, [=](int64_t i) { return LoadAt<uint64_t>(values, i) ^ kSign64; });
      return;
    case TypeRoot::kDecimal: {
      const auto load = [values, width = view.width](int64_t i) -> Int128 {
        if (width == 16) return LoadAt<Int128>(values, i);
        if (width == 8) return LoadAt<int64_t>(values, i);
        if (width == 4) return LoadAt<int32_t>(values, i);
        return LoadAt<int16_t>(values, i);
      };
      if (!column.wide) {
        put(kAll, [=](int64_t i) { return static_cast<uint64_t>(load(i)) ^ kSign64; });
        return;
      }
      put(kAll, [=](int64_t i) { return static_cast<uint64_t>(load(i) >> 64) ^ kSign64; });
      const uint64_t flip = descending_ ? kAll : 0;
      for (int64_t i = 0; i < row_count; ++i) {
        words[i * word_count_ + column.word + 1] =
            column.flag_word < 0 || view.IsValid(i) ? static_cast<uint64_t>(load(i)) ^ flip : 0;
      }
      return;
    }
    default: {
      MICA_CHECK(column.string >= 0 && view.form == ColumnView::Form::kStrings);
      const std::string_view* strings = view.strings;
      put(kAll, [=](int64_t i) { return PrefixWord(strings[i]); });
      auto& kept = out->strings_[static_cast<size_t>(column.string)];
      if (kept.data() != strings) kept.assign(strings, strings + row_count);
      if (column.flag_word >= 0 && view.validity != nullptr) {
        for (int64_t i = 0; i < row_count; ++i) {
          if (!view.IsValid(i)) kept[static_cast<size_t>(i)] = {};
        }
      }
      return;
    }
  }
}

void KeyLayout::Encode(std::span<const ColumnView> columns, int64_t row_count, EncodedRows* out) const {
  MICA_CHECK(columns.size() == columns_.size());
  out->row_count_ = row_count;
  out->words_.resize(static_cast<size_t>(row_count * word_count_));
  out->strings_.resize(strings_.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns_[c].flag_word < 0 && columns[c].validity != nullptr) {
      for (int64_t i = 0; i < row_count; ++i) {
        if (!columns[c].IsValid(i)) throw Corrupt("A key column is NULL in row {} of a batch", i);
      }
    }
    EncodeColumn(columns_[c], columns[c], row_count, out);
  }
  out->string_pointers_.clear();
  for (const auto& strings : out->strings_) out->string_pointers_.push_back(strings.data());
}

void KeyLayout::Encode(const arrow::RecordBatch& batch, std::span<const int> columns, EncodedRows* out) const {
  MICA_CHECK(columns.size() == columns_.size());
  out->strings_.resize(strings_.size());
  std::vector<ColumnView> views;
  views.reserve(columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    const int32_t string = columns_[c].string;
    views.push_back(
        ViewOf(*batch.column(columns[c]), string < 0 ? nullptr : &out->strings_[static_cast<size_t>(string)]));
  }
  Encode(views, batch.num_rows(), out);
}

int KeyLayout::CompareAt(const uint64_t* a, const std::string_view* const* a_strings, int64_t a_row, const uint64_t* b,
                         const std::string_view* const* b_strings, int64_t b_row) const {
  int32_t word = 0;
  for (size_t s = 0; s < strings_.size(); ++s) {
    for (; word <= strings_[s].word; ++word) {
      if (a[word] != b[word]) return a[word] < b[word] ? -1 : 1;
    }
    const int order = a_strings[s][a_row].compare(b_strings[s][b_row]);
    if (order != 0) return (order < 0) != strings_[s].descending ? -1 : 1;
  }
  for (; word < word_count_; ++word) {
    if (a[word] != b[word]) return a[word] < b[word] ? -1 : 1;
  }
  return 0;
}

}  // namespace mica
