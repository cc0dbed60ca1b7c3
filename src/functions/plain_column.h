// A column of plain values (no arrays, maps or structs) and the texts that Spark writes for them in JSON and CSV.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mica::sql {

class PlainColumn {
 public:
  PlainColumn(duckdb::Vector& column, duckdb::idx_t count);

  bool IsNull(duckdb::idx_t row) const { return !format_.validity.RowIsValid(format_.sel->get_index(row)); }

  // The value, which is not NULL, without quotes.
  void Append(duckdb::idx_t row, std::string* out) const;

  // Numbers, but NaN and infinite ones, and booleans, which stand in JSON without quotes.
  bool IsBare(duckdb::idx_t row) const;

 private:
  template <typename T>
  T Get(duckdb::idx_t row) const {
    return duckdb::UnifiedVectorFormat::GetData<T>(format_)[format_.sel->get_index(row)];
  }

  duckdb::LogicalType type_;
  duckdb::UnifiedVectorFormat format_;
  std::unique_ptr<duckdb::Vector> text_;  // values that a cast has written
};

}  // namespace mica::sql
