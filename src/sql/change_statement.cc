// UPDATE and DELETE (M-0413, M-0414): an INSERT of changed rows, or, where whole partitions go, a commit without rows.
#include "base/text.h"
#include "dialect/tokenizer.h"
#include "engine/duck_types.h"
#include "sql/attached_catalog.h"
#include "sql/errors.h"
#include "sql/session.h"
#include "sql/system_name.h"
#include "table/partitions.h"

namespace mica::sql {

namespace {

bool IsTrue(const std::optional<dialect::Expression>& where) {
  return !where || (where->literal && where->literal->kind == dialect::Literal::Kind::kBoolean && where->literal->text == "true");
}

std::string WhereOf(const std::optional<dialect::Expression>& where) { return where ? " WHERE " + where->sql : std::string(); }

}  // namespace

ChangedTable Session::OpenChanged(const dialect::Name& name, const std::optional<std::string>& alias) {
  TableAddress address = Resolve(name);
  RefuseSystemTable(address);
  TablePtr table = address.Open();
  TablePtr seen = table->WithOptions(state_->DynamicOptions(address.catalog_name, address.name));
  if (!TimeTravelOf(seen->options()).empty()) {
    throw InvalidArgument("Cannot change table '{}' while a session option reads an older state of it. RESET the option "
                          "'scan...' first", address.name.ToString());
  }
  return ChangedTable(std::move(address), std::move(table), alias);
}

std::string Session::ChangesText(const ChangedTable& target, const std::string& query) {
  WriteRequest request;
  request.changes = true;
  state_->write_request = std::move(request);
  return "INSERT INTO " + target.ChangesSql() + " " + query;
}

std::string Session::PrepareUpdate(const dialect::Update& update) {
  ChangedTable target = OpenChanged(update.target, update.alias);
  std::vector<std::string> values = target.UpdatedValues(*connection_->context, update.assignments, {});
  return ChangesText(target, update.with + "SELECT " + Join(target.UpdatedRow(values), ", ") + " FROM " + target.FromSql() +
                                 WhereOf(update.where));
}

std::string Session::PrepareDelete(const dialect::Delete& body) {
  ChangedTable target = OpenChanged(body.target, body.alias);
  target.rules().CheckDelete(target.address().ToString());
  return ChangesText(target, body.with + "SELECT " + Join(target.DeletedRow(), ", ") + " FROM " + target.FromSql() +
                                 WhereOf(body.where));
}

bool Session::DropsPartitions(const dialect::Delete& body) {
  // In a transaction the rows stay until the commit.
  if (!autocommit()) return false;
  ChangedTable target = OpenChanged(body.target, body.alias);
  const Table& table = target.table();
  const TableSchema& schema = table.schema();
  if (schema.has_primary_key() && table.options().Bool("delete.force-produce-changelog", false)) return false;
  TableCommit commit(target.table_ptr(), NewCommitSettings(*target.address().catalog));
  if (IsTrue(body.where)) {
    commit.Truncate();
    return true;
  }
  if (schema.partition_keys.empty() || !body.with.empty()) return false;
  if (!IsOfColumns(body.where->sql, target.name(), schema.partition_keys)) return false;
  std::vector<DataField> keys = schema.PartitionFields();
  // Their comparison needs the column's own collation.
  if (std::any_of(keys.begin(), keys.end(), [](const DataField& key) { return key.type.root() == TypeRoot::kChar; })) return false;

  std::optional<Snapshot> latest = table.snapshots().Latest();
  if (!latest) return true;
  ThreadExecutor executor;
  std::vector<std::map<std::string, Value>> partitions;
  std::string rows, names = "\"mica_partition\"";
  for (const DataField& key : keys) names += ", " + dialect::QuoteName(key.name);
  for (const PartitionSummary& summary : ListPartitions(table, *latest, {}, executor)) {
    std::vector<Value> values = BinaryRow::Deserialize(summary.partition).Values(table.partition_types());
    std::map<std::string, Value> spec;
    rows += fmt::format("{}({}", partitions.empty() ? "" : ", ", partitions.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      rows += fmt::format(", CAST({} AS {})", ToDuckValue(values[i], keys[i].type).ToSQLString(), ToDuckType(keys[i].type).ToString());
      spec[keys[i].name] = values[i];
    }
    rows += ")";
    partitions.push_back(std::move(spec));
  }
  if (partitions.empty()) return true;
  auto result = connection_->Query(fmt::format("SELECT mica_partition FROM (VALUES {}) AS {}({}) WHERE {}", rows,
                                               dialect::QuoteName(target.name()), names, body.where->sql));
  if (result->HasError()) Fail(result->GetErrorObject());
  std::vector<std::map<std::string, Value>> gone;
  while (auto chunk = result->Fetch()) {
    for (duckdb::idx_t i = 0; i < chunk->size(); ++i) gone.push_back(partitions[chunk->GetValue(0, i).GetValue<size_t>()]);
  }
  if (!gone.empty()) commit.DropPartitions(gone);
  return true;
}

Session::ResultPtr Session::Execute(const dialect::Update& update) { return RunText(PrepareUpdate(update), false); }

Session::ResultPtr Session::Execute(const dialect::Delete& body) {
  if (DropsPartitions(body)) return NoResult();
  return RunText(PrepareDelete(body), false);
}

}  // namespace mica::sql
