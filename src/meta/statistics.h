// The statistics file of ANALYZE TABLE, `statistics/stat-<uuid>-<n>` (Format 3.5; M-1206): what a planner wants to know of a
// table at one snapshot. A snapshot names its file; later ones of the same schema inherit it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "types/value.h"

namespace mica {

struct ColumnStatistics {
  int32_t column_id = 0;
  std::optional<int64_t> distinct_count;
  std::optional<std::string> min;  // StatisticsText of the value; none for text and binary
  std::optional<std::string> max;
  std::optional<int64_t> null_count;
  std::optional<int64_t> average_length;
  std::optional<int64_t> max_length;
  bool operator==(const ColumnStatistics&) const = default;
};

struct TableStatistics {
  int64_t snapshot_id = 0;
  int64_t schema_id = 0;
  std::optional<int64_t> merged_record_count;
  std::optional<int64_t> merged_record_bytes;  // absent or -1: unknown
  std::map<std::string, ColumnStatistics> columns;  // by name

  // Throws Corrupt naming `what`.
  static TableStatistics FromJson(std::string_view text, std::string_view what);
  std::string ToJson() const;
  // The columns alone, as `$statistics` shows them.
  std::string ColumnsJson() const;
  bool operator==(const TableStatistics&) const = default;
};

// A value as the file writes it: DATE and TIME as their number, the rest as the cast to STRING gives it.
std::string StatisticsText(const Value& value, const DataType& type);

}  // namespace mica
