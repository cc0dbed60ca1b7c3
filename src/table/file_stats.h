// The statistics that a new file's manifest entry keeps (Format 9): which columns, how much of a value, dense or not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/data_file.h"
#include "meta/manifest.h"
#include "meta/table_options.h"

namespace mica {

// metadata.stats-mode and its like.
struct StatsMode {
  enum class Kind { kNone, kCounts, kTruncate, kFull } kind = Kind::kTruncate;
  int32_t length = 16;
};
StatsMode ParseStatsMode(std::string_view text);

// What remains of the statistics of one column; text is cut to whole code points, an upper bound stays one.
ColumnStats ApplyStatsMode(ColumnStats stats, const DataType& type, StatsMode mode);

class FileStats {
 public:
  // Modes of one level; `format` decides how key columns are kept.
  FileStats(const TableSchema& schema, int32_t level, std::string_view format);

  // `stats` are those of the key columns, in key order.
  SimpleStats Keys(const std::vector<ColumnStats>& stats) const;
  // `stats` are those of the value columns in table order; `columns` gets _VALUE_STATS_COLS.
  SimpleStats Values(const std::vector<ColumnStats>& stats, std::optional<std::vector<std::string>>* columns) const;

 private:
  std::vector<DataField> fields_;
  std::vector<DataField> keys_;
  std::vector<StatsMode> modes_;
  StatsMode key_mode_;
  bool dense_;
};

// "0:avro,5:parquet" at one level; nothing when the level is not named.
std::optional<std::string> OptionAtLevel(const TableOptions& options, std::string_view key, int32_t level);

}  // namespace mica
