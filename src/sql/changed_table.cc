#include "sql/changed_table.h"

#include "base/text.h"
#include "dialect/tokenizer.h"
#include "engine/duck_types.h"
#include "sql/column_default.h"
#include "sql/expression_text.h"
#include "sql/system_name.h"

namespace mica::sql {

namespace {

std::string TypeText(const DataType& type) { return ToDuckType(type).ToString(); }

std::string KindText(int kind) { return fmt::format("CAST({} AS TINYINT)", kind); }

// Assignments inside of one value: all of it, or some of its fields.
using Parts = std::vector<std::pair<const dialect::Assignment*, size_t>>;  // and how much of the path is known

// A value with some fields changed: struct_update(s, "x" := 1, "y" := struct_update(s.y, ...)).
std::string NewValue(const std::string& holder, const DataType& type, const std::string& path, const Parts& parts) {
  if (parts.size() == 1 && parts[0].first->path.size() == parts[0].second) return parts[0].first->value.sql;
  if (type.root() != TypeRoot::kRow) {
    throw InvalidArgument("Cannot set '{}': '{}' is of type {}, and only fields of ROW can be set one by one",
                          Join(parts[0].first->path, "."), path, type.ToString());
  }
  std::vector<std::pair<const DataField*, Parts>> fields;
  for (const auto& [assignment, known] : parts) {
    const std::string& name = assignment->path[known];
    auto field = std::find_if(type.fields().begin(), type.fields().end(),
                              [&](const DataField& candidate) { return EqualsIgnoreCase(candidate.name, name); });
    if (field == type.fields().end()) {
      std::vector<std::string> names;
      for (const DataField& candidate : type.fields()) names.push_back(candidate.name);
      throw InvalidArgument("'{}' has no field '{}'{}", path, name, DidYouMean(name, names));
    }
    auto same = std::find_if(fields.begin(), fields.end(), [&](const auto& item) { return item.first == &*field; });
    if (same == fields.end()) same = fields.insert(fields.end(), {&*field, {}});
    same->second.emplace_back(assignment, known + 1);
  }
  std::string text = "struct_update(" + holder;
  for (const auto& [field, inner] : fields) {
    const std::string name = dialect::QuoteName(field->name);
    text += ", " + name + " := CAST(" + NewValue(holder + "." + name, field->type, path + "." + field->name, inner) + " AS " +
            TypeText(field->type) + ")";
  }
  return text + ")";
}

}  // namespace

ChangedTable::ChangedTable(TableAddress address, TablePtr table, const std::optional<std::string>& alias)
    : address_(std::move(address)), table_(std::move(table)), rules_(table_->schema()),
      name_(alias ? *alias : address_.name.table), alias_(alias) {
  CheckReadable(table_->schema());
  CheckWritable(table_->schema());
}

std::string ChangedTable::Column(const std::string& column) const {
  return dialect::QuoteName(name_) + "." + dialect::QuoteName(column);
}

std::string ChangedTable::FromSql() const {
  return address_.Sql() + (alias_ ? " AS " + dialect::QuoteName(*alias_) : std::string());
}

std::string ChangedTable::ChangesSql() const {
  TableAddress changes = address_;
  changes.name.table += kChangesSuffix;
  return changes.Sql();
}

size_t ChangedTable::Find(const std::string& column) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < fields().size(); ++i) {
    if (EqualsIgnoreCase(fields()[i].name, column)) return i;
    names.push_back(fields()[i].name);
  }
  throw InvalidArgument("The table '{}' has no column '{}'{}", address_.name.ToString(), column, DidYouMean(column, names));
}

std::string ChangedTable::Nothing(size_t column) const {
  return "CAST(NULL AS " + TypeText(fields()[column].type) + ")";
}

std::vector<std::string> ChangedTable::UpdatedValues(duckdb::ClientContext& context,
                                                     const std::vector<dialect::Assignment>& assignments,
                                                     const std::vector<std::string>& equal_keys) const {
  const TableSchema& schema = table_->schema();
  std::vector<Parts> parts(fields().size());
  for (const dialect::Assignment& assignment : assignments) parts[Find(assignment.path.front())].emplace_back(&assignment, 1);
  std::vector<std::string> values(fields().size());
  std::vector<size_t> updated;
  for (size_t i = 0; i < fields().size(); ++i) {
    if (parts[i].empty()) continue;
    const DataField& field = fields()[i];
    const dialect::Assignment& first = *parts[i][0].first;
    bool whole = first.path.size() == 1;
    if (std::find(schema.primary_keys.begin(), schema.primary_keys.end(), field.name) != schema.primary_keys.end()) {
      bool same = whole && (IsColumn(first.value.sql, name_, field.name) ||
                            std::find(equal_keys.begin(), equal_keys.end(), field.name) != equal_keys.end());
      if (!same) {
        throw Unsupported("Cannot update column '{}' of table '{}': it is part of the primary key. Delete the row and insert "
                          "another one", field.name, address_.name.ToString());
      }
      continue;
    }
    updated.push_back(i);
    if (whole && EqualsIgnoreCase(first.value.source, "DEFAULT")) {
      values[i] = field.default_value ? DefaultOf(context, field).ToSQLString() : "NULL";
    } else {
      values[i] = "(" + NewValue(Column(field.name), field.type, field.name, parts[i]) + ")";
    }
    values[i] = "CAST(" + values[i] + " AS " + TypeText(field.type) + ")";
  }
  rules_.CheckUpdate(address_.name.ToString(), updated);
  return values;
}

std::vector<std::string> ChangedTable::UpdatedRow(const std::vector<std::string>& values) const {
  std::vector<std::string> row;
  for (size_t i = 0; i < fields().size(); ++i) {
    const std::string& name = fields()[i].name;
    using Rule = ChangeRules::Column;
    auto ignored = [&](const std::string& condition, const std::string& reason) {
      return "CASE WHEN " + condition + " THEN error(" +
             dialect::QuoteText(fmt::format("Cannot update column '{}' of table '{}': {}", name, address_.name.ToString(), reason)) +
             ") END";
    };
    if (values[i].empty()) {
      row.push_back(rules_.column(i) == Rule::kAggregated ? Nothing(i) : Column(name));
    } else if (rules_.column(i) == Rule::kNotNull) {
      row.push_back("COALESCE(" + values[i] + ", " +
                    ignored(Column(name) + " IS NOT NULL", "'merge-engine' = 'partial-update' ignores NULL") + ")");
    } else if (rules_.column(i) == Rule::kGroup) {
      std::string all_null;
      for (const std::string& order : rules_.group_order(i)) {
        const std::string& changed = values[Find(order)];
        all_null += (all_null.empty() ? "" : " AND ") + (changed.empty() ? Column(order) : changed) + " IS NULL";
      }
      row.push_back("CASE WHEN " + all_null + " THEN " +
                    ignored(all_null, "the columns that order its sequence group are NULL, so it would be ignored") + " ELSE " +
                    values[i] + " END");
    } else {
      row.push_back(values[i]);
    }
  }
  return Row(std::move(row), kUpdatedRow, /*placed=*/true);
}

std::vector<std::string> ChangedTable::DeletedRow() const {
  std::vector<std::string> row;
  for (size_t i = 0; i < fields().size(); ++i) row.push_back(keyed() ? Column(fields()[i].name) : Nothing(i));
  return Row(std::move(row), kDeletedRow, /*placed=*/true);
}

std::vector<std::string> ChangedTable::UnchangedRow() const {
  std::vector<std::string> row;
  for (size_t i = 0; i < fields().size(); ++i) row.push_back(Nothing(i));
  return Row(std::move(row), kUnchangedRow, /*placed=*/true);
}

std::vector<std::string> ChangedTable::InsertedRow(const std::vector<std::string>& values) const {
  std::vector<std::string> row;
  for (size_t i = 0; i < fields().size(); ++i) row.push_back("CAST(" + values[i] + " AS " + TypeText(fields()[i].type) + ")");
  return Row(std::move(row), kInsertedRow, /*placed=*/false);
}

std::vector<std::string> ChangedTable::Row(std::vector<std::string> columns, int kind, bool placed) const {
  columns.push_back(KindText(kind));
  if (keyed()) return columns;
  columns.push_back(placed ? Column(kPathColumn) : "CAST(NULL AS VARCHAR)");
  columns.push_back(placed ? Column(kRowColumn) : "CAST(NULL AS BIGINT)");
  return columns;
}

}  // namespace mica::sql
