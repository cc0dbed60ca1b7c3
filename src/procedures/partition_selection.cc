#include "procedures/partition_selection.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "procedures/argument_text.h"
#include "procedures/sql_session.h"
#include "table/partitions.h"
#include "types/binary_row.h"

namespace mica {

KeepPartition PartitionsNamed(const Table& table, std::string_view text) {
  std::vector<DataField> fields = table.schema().PartitionFields();
  std::vector<std::vector<std::pair<size_t, Value>>> wanted;
  for (const auto& part : ParsePartitions(table, text)) {
    auto& columns = wanted.emplace_back();
    for (const auto& [name, value] : part) columns.emplace_back(static_cast<size_t>(FindField(fields, name)), value);
  }
  return [wanted = std::move(wanted)](const std::vector<Value>& partition) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const auto& columns) {
      return std::all_of(columns.begin(), columns.end(),
                         [&](const auto& column) { return partition[column.first] == column.second; });
    });
  };
}

KeepPartition PartitionsWhere(ProcedureCall& call, const Table& table, const std::string& condition) {
  std::vector<std::vector<Value>> partitions;
  if (auto latest = table.snapshots().Latest()) {
    for (const PartitionSummary& partition : ListPartitions(table, *latest, {}, call.executor())) {
      partitions.push_back(BinaryRow::Deserialize(partition.partition).Values(table.partition_types()));
    }
  }
  return PartitionsWhere(call, table.name(), table.schema().PartitionFields(), partitions, condition);
}

KeepPartition PartitionsWhere(ProcedureCall& call, const TableName& table, const std::vector<DataField>& fields,
                              const std::vector<std::vector<Value>>& partitions, const std::string& condition) {
  if (fields.empty()) {
    throw InvalidArgument("Only partition columns can stand in 'where', and table '{}' has none", table.ToString());
  }
  auto quoted = [](const std::string& text, char quote) {
    std::string result(1, quote);
    for (char c : text) {
      if (c == quote) result += quote;
      result += c;
    }
    return result + quote;
  };
  auto row = [&](const std::string& number, const std::vector<Value>* values) {
    std::string text = "SELECT " + number + " AS `partition number`";
    for (size_t i = 0; i < fields.size(); ++i) {
      bool null = values == nullptr || IsNull((*values)[i]);
      text += fmt::format(", CAST({} AS {}) AS {}", null ? "NULL" : quoted(ValueToString((*values)[i], fields[i].type), '\''),
                          fields[i].type.WithNullable(true).ToString(), quoted(fields[i].name, '`'));
    }
    return text;
  };
  // A first row that is never wanted, so that the condition is checked without partitions too.
  std::string rows = row("-1", nullptr);
  for (size_t i = 0; i < partitions.size(); ++i) rows += " UNION ALL " + row(std::to_string(i), &partitions[i]);
  std::set<std::vector<Value>> kept;
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  try {
    auto result = call.setting().sql().Run(
        fmt::format("SELECT `partition number` FROM ({}) AS p WHERE ({})", rows, condition));
    for (const auto& columns : result->Rows()) {
      int64_t number = *ParseInteger(*columns[0]);
      if (number >= 0) kept.insert(partitions[static_cast<size_t>(number)]);
    }
  } catch (Error& error) {
    throw InvalidArgument("The argument 'where' must be a condition on the partition columns [{}] of table '{}': {}",
                          Join(names, ", "), table.ToString(), error.message());
  }
  return [kept = std::move(kept)](const std::vector<Value>& partition) { return kept.contains(partition); };
}

}  // namespace mica
