// INSERT as the engine's text, and what the engine's text cannot say as the write request (M-0401 to M-0411).
#include "base/text.h"
#include "catalog/schema_merge.h"
#include "engine/duck_types.h"
#include "meta/branch.h"
#include "sql/attached_catalog.h"
#include "sql/errors.h"
#include "sql/followed_table.h"
#include "sql/session.h"
#include "sql/system_name.h"

namespace mica::sql {

namespace {

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The clause PARTITION (a = 1, b): values of partition columns, of which no one else may speak.
void TakePartition(const dialect::Insert& insert, const TableSchema& schema, const TableName& name, WriteRequest* request) {
  for (const auto& item : insert.partition) {
    if (!Holds(schema.partition_keys, item.column)) {
      throw InvalidArgument("The column '{}' is not a partition column of '{}'{}", item.column, name.ToString(),
                            DidYouMean(item.column, schema.partition_keys));
    }
    if (!item.value) continue;
    if (item.value->kind == dialect::Literal::Kind::kNull) {
      request->null_partition.push_back(item.column);
    } else {
      request->static_partition[item.column] = item.value->text;
    }
    if (Holds(insert.columns, item.column)) {
      throw InvalidArgument("The column '{}' has a value in PARTITION and is in the column list too", item.column);
    }
  }
}

bool IsStatic(const WriteRequest& request, const std::string& column) {
  return request.static_partition.contains(column) || Holds(request.null_partition, column);
}

// The columns that the query fills, in its order; empty for all of the table.
std::vector<std::string> ColumnsOf(const dialect::Insert& insert, const TableSchema& schema, const WriteRequest& request,
                                   bool hive_style) {
  if (!insert.columns.empty() || insert.by_name) return insert.columns;
  std::vector<std::string> columns;
  if (hive_style && insert.has_partition_clause) {
    // Dynamic partition columns come last in the query.
    for (const DataField& field : schema.fields) {
      if (!Holds(schema.partition_keys, field.name)) columns.push_back(field.name);
    }
    for (const auto& item : insert.partition) {
      if (!item.value) columns.push_back(item.column);
    }
  } else if (!request.static_partition.empty() || !request.null_partition.empty()) {
    for (const DataField& field : schema.fields) {
      if (!IsStatic(request, field.name)) columns.push_back(field.name);
    }
  }
  return columns;
}

// The branch that a hint names has columns of its own, so it is the target itself.
void TakeBranch(Options* options, TableName* name) {
  auto branch = options->find("branch");
  if (branch == options->end()) return;
  name->table = WithBranch(SplitBranch(name->table).table, branch->second);
  options->erase(branch);
}

}  // namespace

// Only names can tell which columns are new, so only BY NAME merges (M-0420).
void Session::MergeSchema(const dialect::Insert& insert) {
  TableAddress address = Resolve(insert.target);
  if (!insert.by_name || ParseTableReference(address.name.table).system_table) return;
  Options hints = insert.options;
  TakeBranch(&hints, &address.name);
  TablePtr table = address.Open();
  TableName base{address.name.database, SplitBranch(address.name.table).table};
  Options merged = table->schema().options;
  for (const auto& [key, value] : state_->DynamicOptions(address.catalog_name, base)) merged[key] = value;
  for (const auto& [key, value] : hints) merged[key] = value;
  TableOptions options(merged);
  if (!options.Bool("write.merge-schema", false)) return;
  RefuseInTransaction("INSERT that merges schemas");
  auto prepared = connection_->Prepare(insert.query.sql);
  if (prepared->HasError()) throw FromDuck(prepared->error, insert.query.sql);
  std::vector<DataField> incoming;
  for (size_t i = 0; i < prepared->GetNames().size(); ++i) {
    DataField field;
    field.name = prepared->GetNames()[i];
    field.type = FromDuckType(prepared->GetTypes()[i], field.name);
    incoming.push_back(std::move(field));
  }
  prepared.reset();
  SchemaMerge merge;
  merge.type_widening = options.Bool("write.merge-schema.type-widening", false);
  merge.explicit_cast = merge.type_widening && options.Bool("write.merge-schema.explicit-cast", false);
  std::vector<SchemaChange> changes = MergeChanges(table->schema().fields, incoming, merge);
  if (changes.empty()) return;
  CheckWritable(table->schema());
  address.catalog->AlterTable(address.name, changes);
}

std::string Session::PrepareInsert(const dialect::Insert& insert) {
  TableAddress address = Resolve(insert.target);
  RefuseSystemTable(address);
  WriteRequest request;
  request.overwrite = insert.overwrite;
  request.options = insert.options;
  TakeBranch(&request.options, &address.name);
  const TableName& name = address.name;
  TablePtr table = address.Open();
  TakePartition(insert, table->schema(), name, &request);
  RefuseFollowing(*connection_, insert.query.sql);
  auto hive_style = state_->settings.find("spark.paimon.write.hive-style-dynamic-partition.enabled");
  bool dynamic_last = hive_style != state_->settings.end() && EqualsIgnoreCase(hive_style->second, "true");
  std::string sql = "INSERT INTO " + address.Sql();
  std::vector<std::string> columns = ColumnsOf(insert, table->schema(), request, dynamic_last);
  for (size_t i = 0; i < columns.size(); ++i) sql += (i > 0 ? ", " : " (") + dialect::QuoteName(columns[i]);
  if (!columns.empty()) sql += ")";
  if (insert.by_name) sql += " BY NAME";
  state_->write_request = std::move(request);
  return sql + " " + insert.query.sql;
}

}  // namespace mica::sql
