// System tables about a state of the table and its rows; see tables.h.
#pragma once

#include "system/system_table.h"

namespace mica {

std::vector<DataField> BranchesFields(const Table& table);
std::unique_ptr<BatchReader> ReadBranches(TablePtr table);
std::vector<DataField> ConsumersFields(const Table& table);
std::unique_ptr<BatchReader> ReadConsumers(TablePtr table);
std::vector<DataField> PartitionsFields(const Table& table);
std::unique_ptr<BatchReader> ReadPartitions(TablePtr table);
std::vector<DataField> BucketsFields(const Table& table);
std::unique_ptr<BatchReader> ReadBuckets(TablePtr table);
std::vector<DataField> AggregationFieldsFields(const Table& table);
std::unique_ptr<BatchReader> ReadAggregationFields(TablePtr table);
std::vector<DataField> TableIndexesFields(const Table& table);
std::unique_ptr<BatchReader> ReadTableIndexes(TablePtr table);
std::vector<DataField> FileKeyRangesFields(const Table& table);
std::unique_ptr<BatchReader> ReadFileKeyRanges(TablePtr table);
std::vector<DataField> AuditLogFields(const Table& table);
std::unique_ptr<BatchReader> ReadAuditLog(TablePtr table);
std::vector<DataField> BinlogFields(const Table& table);
std::unique_ptr<BatchReader> ReadBinlog(TablePtr table);
// Rows of the table with _VALUE_KIND last as those of its $binlog, of which `table` tells the columns.
std::unique_ptr<BatchReader> PackUpdates(const Table& table, std::unique_ptr<BatchReader> rows);

std::vector<DataField> ReadOptimizedFields(const Table& table);
std::unique_ptr<BatchReader> ReadReadOptimized(TablePtr table);
// Throws InvalidArgument for a table without row tracking.
std::vector<DataField> RowTrackingFields(const Table& table);
std::unique_ptr<BatchReader> ReadRowTracking(TablePtr table);

// The table itself where its options ask for an increment: rows of kind -U and -D are left out (M-0516).
const SystemTable& IncrementTable();

}  // namespace mica
