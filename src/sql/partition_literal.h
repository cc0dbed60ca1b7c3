// Values of partition columns as PARTITION (...) writes them and SHOW PARTITIONS shows them: an instant without a zone is one
// of the session's zone, as in every other place of a statement.
#pragma once

#include <string>

#include "dialect/statement.h"
#include "meta/table_schema.h"
#include "types/partition_path.h"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace mica::sql {

// As ParsePartitionValue reads it. Throws InvalidArgument naming type and text.
Value PartitionLiteral(duckdb::ClientContext& context, const std::string& text, const DataType& type,
                       const PartitionNaming& naming);

// The spec with its instants as texts of UTC. Columns that are not the table's stay as they are.
dialect::PartitionSpec InUtc(duckdb::ClientContext& context, dialect::PartitionSpec spec, const TableSchema& schema);

// An instant (TIMESTAMP_LTZ) on the clock of the session's zone: "2024-01-01 10:00:00".
std::string InstantText(duckdb::ClientContext& context, const Value& instant);

}  // namespace mica::sql
