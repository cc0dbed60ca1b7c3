// What the index of one column in one data file says of a condition on that column (Format 11).
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "index/row_set.h"
#include "predicate/predicate.h"

namespace mica {

inline constexpr std::string_view kBloomIndex = "bloom-filter";
inline constexpr std::string_view kBitmapIndex = "bitmap";
inline constexpr std::string_view kBsiIndex = "bsi";
inline constexpr std::string_view kRangeBitmapIndex = "range-bitmap";

// Rows of a file that may match.
struct IndexAnswer {
  enum class Kind { kUnknown, kNone, kRows } kind = Kind::kUnknown;
  RowSet rows;  // of kRows: no other row matches

  static IndexAnswer None() { return {Kind::kNone, {}}; }
  static IndexAnswer Of(RowSet rows) {
    if (rows.empty()) return None();
    return {Kind::kRows, std::move(rows)};
  }
};
IndexAnswer operator&(IndexAnswer a, const IndexAnswer& b);
IndexAnswer operator|(IndexAnswer a, const IndexAnswer& b);

class ColumnIndex {
 public:
  virtual ~ColumnIndex() = default;
  // `leaf` is a comparison of the column with literals of its type.
  virtual IndexAnswer Ask(const Predicate& leaf) const = 0;
};

// `body` stays as long as the index. nullptr for an index of an unknown kind or on a type that it does not take; throws
// Corrupt.
std::unique_ptr<ColumnIndex> OpenColumnIndex(std::string_view kind, std::string_view body, const DataType& type);
// An index without any value: all rows are NULL.
std::unique_ptr<ColumnIndex> OpenEmptyIndex();

// The kinds, each in a file of its own.
std::unique_ptr<ColumnIndex> OpenBloomIndex(std::string_view body, const DataType& type);
std::unique_ptr<ColumnIndex> OpenBitmapIndex(std::string_view body, const DataType& type);
std::unique_ptr<ColumnIndex> OpenBsiIndex(std::string_view body, const DataType& type);
std::unique_ptr<ColumnIndex> OpenRangeBitmapIndex(std::string_view body, const DataType& type);

}  // namespace mica
