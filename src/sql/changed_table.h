// The table that UPDATE, DELETE or MERGE INTO changes. Such a statement becomes one INSERT of changed rows into a name that
// only the binder of that statement knows: `t$changes`, with the columns of the table, the kind of the row and, without a
// primary key, its place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/statement.h"
#include "sql/catalogs.h"
#include "table/change_rules.h"

namespace duckdb {
class ClientContext;
}

namespace mica::sql {

inline constexpr std::string_view kChangesSuffix = "$changes";
inline constexpr const char* kPathColumn = "__paimon_file_path";
inline constexpr const char* kRowColumn = "__paimon_row_index";
inline constexpr const char* kBucketColumnName = "__paimon_bucket";

// Kinds of changed rows, as row kinds are numbered.
inline constexpr int kInsertedRow = 0;
inline constexpr int kUpdatedRow = 2;
inline constexpr int kDeletedRow = 3;
inline constexpr int kUnchangedRow = -1;  // matched by a MERGE that leaves it as it is

class ChangedTable {
 public:
  // Throws Unsupported for what cannot be written.
  ChangedTable(TableAddress address, TablePtr table, const std::optional<std::string>& alias);

  const TableAddress& address() const { return address_; }
  const Table& table() const { return *table_; }
  const TablePtr& table_ptr() const { return table_; }
  const std::vector<DataField>& fields() const { return table_->schema().fields; }
  bool keyed() const { return table_->schema().has_primary_key(); }
  const ChangeRules& rules() const { return rules_; }
  // How expressions of the statement call the table: its alias, or its name.
  const std::string& name() const { return name_; }
  std::string Column(const std::string& column) const;  // quoted, with the name in front

  // What stands after FROM and after INSERT INTO.
  std::string FromSql() const;
  std::string ChangesSql() const;

  // The values of all columns after an update by `assignments`, absent ones as they are. Throws InvalidArgument for an
  // unknown column, Unsupported for a key column or a field that cannot be set. `equal_keys`: key columns that may be
  // assigned, since the statement says that they stay the same.
  std::vector<std::string> UpdatedValues(duckdb::ClientContext& context, const std::vector<dialect::Assignment>& assignments,
                                         const std::vector<std::string>& equal_keys) const;
  // The columns of the changed rows. Columns of `values` that are empty stay as they are.
  std::vector<std::string> UpdatedRow(const std::vector<std::string>& values) const;
  std::vector<std::string> DeletedRow() const;
  std::vector<std::string> InsertedRow(const std::vector<std::string>& values) const;
  std::vector<std::string> UnchangedRow() const;
  // Position of a column; throws InvalidArgument with the nearest name.
  size_t Find(const std::string& column) const;

 private:
  std::vector<std::string> Row(std::vector<std::string> columns, int kind, bool placed) const;
  std::string Nothing(size_t column) const;

  TableAddress address_;
  TablePtr table_;
  ChangeRules rules_;
  std::string name_;
  std::optional<std::string> alias_;
};

}  // namespace mica::sql
