// Columns that are selected by name only (M-0502), as the engine's virtual columns. Their ids lie far above those of the
// multi-file scan itself.
#pragma once

namespace mica::sql {

inline constexpr duckdb::column_t kBucketColumn = UINT64_C(9223372036854775808) + 100;
inline constexpr duckdb::column_t kPartitionColumn = kBucketColumn + 1;
// Of tables with row tracking.
inline constexpr duckdb::column_t kRowIdColumn = kBucketColumn + 2;
inline constexpr duckdb::column_t kSequenceColumn = kBucketColumn + 3;

inline bool IsTracked(duckdb::column_t column) { return column == kRowIdColumn || column == kSequenceColumn; }

}  // namespace mica::sql
