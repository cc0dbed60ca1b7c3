// Turns key (and user sequence) columns into order-preserving uint64 words, so that sorting and merging rows is
// comparing integers and knows nothing of Arrow or DuckDB. Order of Format 6.4: type semantics, text and binary by
// unsigned bytes, -0.0 before 0.0, NaN greatest. Small columns share a word; text and binary give their first 8 bytes,
// and a tie there is resolved by the whole value. Immutable after construction.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica {

// A column as a library holds it in memory. All sources of one merge must use the same time units.
struct ColumnView {
  enum class Form { kBits, kFixed, kStrings };
  Form form = Form::kFixed;
  const uint8_t* validity = nullptr;  // bit i + validity_offset is row i, LSB first; nullptr: no nulls
  int64_t validity_offset = 0;
  const void* values = nullptr;  // kBits: bits from `bit_offset`; kFixed: `width` bytes a row, the first row first
  int64_t bit_offset = 0;
  int32_t width = 0;                          // kFixed. Decimals may be 2, 4, 8 or 16 bytes, BOOLEAN 1 byte
  const std::string_view* strings = nullptr;  // kStrings

  bool IsValid(int64_t row) const {
    const int64_t bit = row + validity_offset;
    return validity == nullptr || ((validity[bit >> 3] >> (bit & 7)) & 1) != 0;
  }
};

// Rows as a KeyLayout encoded them; does not own.
struct KeyRows {
  const uint64_t* words = nullptr;                   // row-major, KeyLayout::word_count() a row
  const std::string_view* const* strings = nullptr;  // one array for each text or binary column
};

// Rows that own their words. The views in `strings` point into the columns that were encoded.
class EncodedRows {
 public:
  KeyRows rows() const { return {words_.data(), string_pointers_.data()}; }
  int64_t row_count() const { return row_count_; }
  int64_t memory_bytes() const;
  void Clear();

 private:
  friend class KeyLayout;
  int64_t row_count_ = 0;
  std::vector<uint64_t> words_;
  std::vector<std::vector<std::string_view>> strings_;
  std::vector<const std::string_view*> string_pointers_;
};

class KeyLayout {
 public:
  struct StringColumn {
    int32_t word = 0;  // that holds the first bytes; equal words up to here ask for the whole values
    bool descending = false;
  };

  KeyLayout() = default;
  // Columns without nulls. Throws Unsupported for types that cannot be a key.
  static KeyLayout ForKey(std::span<const DataType> types);
  // Engine 2.1: nulls come first (oldest) in both directions.
  static KeyLayout ForSequence(std::span<const DataType> types, bool ascending);

  int32_t word_count() const { return word_count_; }
  bool empty() const { return columns_.empty(); }
  // Lowest bits of the last word that are zero in every row.
  int32_t unused_bits() const { return free_bits_; }
  // Whether the words alone decide.
  bool exact() const { return strings_.empty(); }
  const std::vector<StringColumn>& strings() const { return strings_; }

  // One view a column of the layout. Throws Corrupt where a key is null.
  void Encode(std::span<const ColumnView> columns, int64_t row_count, EncodedRows* out) const;
  // The same for columns of an Arrow batch by position (types/arrow_types.h). The batch must outlive `out`'s strings.
  void Encode(const arrow::RecordBatch& batch, std::span<const int> columns, EncodedRows* out) const;

  // Negative, zero or positive.
  int Compare(const KeyRows& a, int64_t a_row, const KeyRows& b, int64_t b_row) const {
    return CompareAt(a.words + a_row * word_count_, a.strings, a_row, b.words + b_row * word_count_, b.strings, b_row);
  }

 private:
  struct Column {
    DataType type;
    int32_t flag_word = -1;  // nullable columns: bit `flag_shift` is set for a value
    int32_t flag_shift = 0;
    int32_t word = 0;  // the value's (high) word
    int32_t shift = 0;
    bool wide = false;  // goes on in the next word
    int32_t string = -1;
    bool flag_first = false, first = false;  // the first piece of its word is stored, others are added
  };

  void Add(const DataType& type, bool nullable);
  int32_t Place(int32_t bits, int32_t* shift, bool* first);
  template <typename Load>
  void Put(const Column& column, const ColumnView& view, int64_t row_count, uint64_t mask, uint64_t* words,
           Load load) const;
  void EncodeColumn(const Column& column, const ColumnView& view, int64_t row_count, EncodedRows* out) const;
  int CompareAt(const uint64_t* a, const std::string_view* const* a_strings, int64_t a_row, const uint64_t* b,
                const std::string_view* const* b_strings, int64_t b_row) const;

  std::vector<Column> columns_;
  std::vector<StringColumn> strings_;
  int32_t word_count_ = 0;
  int32_t free_bits_ = 0;  // of the last word
  bool descending_ = false;
};

// The three ways to compare: a key is loaded once and then compared as a value.
struct OneWordOrder {
  using Key = uint64_t;
  const KeyLayout* layout;
  Key At(const KeyRows& rows, int64_t row) const { return rows.words[row]; }
  bool Less(Key a, Key b) const { return a < b; }
  bool Equal(Key a, Key b) const { return a == b; }
};

struct TwoWordOrder {
  struct Key {
    uint64_t high, low;
  };
  const KeyLayout* layout;
  Key At(const KeyRows& rows, int64_t row) const { return {rows.words[2 * row], rows.words[2 * row + 1]}; }
  bool Less(Key a, Key b) const { return a.high < b.high || (a.high == b.high && a.low < b.low); }
  bool Equal(Key a, Key b) const { return a.high == b.high && a.low == b.low; }
};

struct AnyOrder {
  struct Key {
    uint64_t first;
    const KeyRows* rows;
    int64_t row;
  };
  const KeyLayout* layout;
  Key At(const KeyRows& rows, int64_t row) const { return {rows.words[row * layout->word_count()], &rows, row}; }
  bool Less(const Key& a, const Key& b) const {
    if (a.first != b.first) return a.first < b.first;
    return layout->Compare(*a.rows, a.row, *b.rows, b.row) < 0;
  }
  bool Equal(const Key& a, const Key& b) const {
    return a.first == b.first && layout->Compare(*a.rows, a.row, *b.rows, b.row) == 0;
  }
};

// Calls `use` with the cheapest order that a layout allows.
template <typename Use>
auto WithOrder(const KeyLayout& layout, Use use) {
  if (layout.exact() && layout.word_count() == 1) return use(OneWordOrder{&layout});
  if (layout.exact() && layout.word_count() == 2) return use(TwoWordOrder{&layout});
  return use(AnyOrder{&layout});
}

}  // namespace mica
