// MERGE INTO (M-0416, M-0417): a join of the table and the source, whose rows become changed rows by the first clause that
// fits each.
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>

#include "base/text.h"
#include "dialect/tokenizer.h"
#include "engine/duck_types.h"
#include "sql/attached_catalog.h"
#include "sql/column_default.h"
#include "sql/errors.h"
#include "sql/session.h"

namespace mica::sql {

namespace {

using dialect::MergeClause;
using When = MergeClause::When;
using Action = MergeClause::Action;

constexpr const char* kSourceRow = "\"mica_source_row\"";

bool Has(const dialect::Merge& merge, When when) {
  return std::any_of(merge.clauses.begin(), merge.clauses.end(), [&](const MergeClause& clause) { return clause.when == when; });
}

std::string ClauseName(When when) {
  switch (when) {
    case When::kMatched: return "WHEN MATCHED";
    case When::kNotMatched: return "WHEN NOT MATCHED";
    case When::kNotMatchedBySource: return "WHEN NOT MATCHED BY SOURCE";
  }
  return {};
}

void CheckClauses(const dialect::Merge& merge) {
  auto refuse_subquery = [](const dialect::Expression& condition) {
    if (HasSubquery(condition.sql)) {
      throw Unsupported("A subquery in a condition of MERGE INTO is not supported: '{}'. Put it into USING", condition.source);
    }
  };
  refuse_subquery(merge.on);
  for (size_t i = 0; i < merge.clauses.size(); ++i) {
    const MergeClause& clause = merge.clauses[i];
    if (clause.condition) {
      refuse_subquery(*clause.condition);
      continue;
    }
    for (size_t j = i + 1; j < merge.clauses.size(); ++j) {
      if (merge.clauses[j].when != clause.when) continue;
      throw InvalidArgument("MERGE INTO has a clause {} without a condition before another one, which never applies. Only the "
                            "last one may omit its condition", ClauseName(clause.when));
    }
  }
}

// Builds the query of changed rows.
class MergeQuery {
 public:
  MergeQuery(duckdb::ClientContext& context, const dialect::Merge& merge, const ChangedTable& target, const MergeSource& source)
      : context_(context), merge_(merge), target_(target), source_(source) {
    target_scope_.table = target.name();
    for (const DataField& field : target.fields()) target_scope_.columns.push_back(field.name);
  }

  std::string Text() {
    std::string changes;
    for (When when : {When::kMatched, When::kNotMatched, When::kNotMatchedBySource}) {
      for (const MergeClause& clause : merge_.clauses) {
        if (clause.when == when) changes += Clause(clause);
      }
      // A table without a key tells by its marks that a row is matched twice, so all matches have to reach them.
      if (when == When::kMatched && !target_.keyed() && Has(merge_, when)) {
        changes += " WHEN " + StateOf(when) + " THEN " + Packed(target_.UnchangedRow());
      }
    }
    std::string columns;
    size_t count = target_.fields().size() + (target_.keyed() ? 1 : 3);
    for (size_t i = 0; i < count; ++i) columns += fmt::format("{}mica_change.c{}", i > 0 ? ", " : "", i);
    return merge_.with + "SELECT " + columns + " FROM (SELECT CASE" + changes + " END AS mica_change FROM " + Join() +
           ") WHERE mica_change IS NOT NULL";
  }

 private:
  bool by_source() const { return Has(merge_, When::kNotMatchedBySource); }

  std::string Join() const {
    std::string source = source_.from, table = dialect::QuoteName(source_.scope.table);
    const std::string on = " ON " + merge_.on.sql;
    if (by_source()) {
      source = fmt::format("(SELECT *, true AS {} FROM {}) AS {}", kSourceRow, source_.from, table);
      return target_.FromSql() + (Has(merge_, When::kNotMatched) ? " FULL JOIN " : " LEFT JOIN ") + source + on;
    }
    return source + (Has(merge_, When::kNotMatched) ? " LEFT JOIN " : " INNER JOIN ") + target_.FromSql() + on;
  }

  // Whether a joined row is one for such clauses.
  std::string StateOf(When when) const {
    // Never NULL in a row that is there.
    const std::string target = target_.Column(kBucketColumnName) + " IS NOT NULL";
    const std::string source = dialect::QuoteName(source_.scope.table) + "." + kSourceRow + " IS NOT NULL";
    if (when == When::kMatched) return by_source() ? target + " AND " + source : target;
    if (when == When::kNotMatched) return "NOT (" + target + ")";
    return "NOT (" + source + ")";
  }

  std::string Clause(const MergeClause& clause) {
    std::string condition = StateOf(clause.when);
    if (clause.condition) condition += " AND (" + InScope(clause.condition->sql, clause.when) + ")";
    return " WHEN " + condition + " THEN " + Packed(RowOf(clause));
  }

  // Names mean columns of the one side that has a row.
  std::string InScope(const std::string& expression, When when) const {
    if (when == When::kMatched) return expression;
    if (when == When::kNotMatched) return Qualified(expression, source_.scope, target_scope_, ClauseName(when));
    return Qualified(expression, target_scope_, source_.scope, ClauseName(when));
  }

  std::vector<std::string> RowOf(const MergeClause& clause) {
    switch (clause.action) {
      case Action::kDelete: target_.rules().CheckDelete(target_.address().ToString()); return target_.DeletedRow();
      case Action::kUpdate: {
        std::vector<dialect::Assignment> assignments = clause.assignments;
        for (dialect::Assignment& assignment : assignments) {
          if (!IsDefault(assignment.value)) assignment.value.sql = InScope(assignment.value.sql, clause.when);
        }
        return Updated(assignments);
      }
      case Action::kUpdateAll: {
        std::vector<dialect::Assignment> assignments;
        for (const DataField& field : target_.fields()) {
          dialect::Assignment& assignment = assignments.emplace_back();
          assignment.path = {field.name};
          assignment.value.sql = SourceColumn(field.name, "UPDATE SET *");
        }
        return Updated(assignments);
      }
      case Action::kInsert: return Inserted(clause);
      case Action::kInsertAll: {
        std::vector<std::string> values;
        for (const DataField& field : target_.fields()) values.push_back(OrDefault(SourceColumn(field.name, "INSERT *"), field));
        return target_.InsertedRow(values);
      }
    }
    return {};
  }

  std::vector<std::string> Updated(const std::vector<dialect::Assignment>& assignments) {
    // A key may be assigned what the condition says it is equal to.
    std::vector<std::string> equal;
    for (const std::string& key : target_.table().schema().primary_keys) {
      std::vector<std::string> others = EqualTo(merge_.on.sql, target_.name(), key);
      for (const dialect::Assignment& assignment : assignments) {
        if (assignment.path.size() != 1 || !EqualsIgnoreCase(assignment.path[0], key) || IsDefault(assignment.value)) continue;
        const std::string value = Normal(assignment.value.sql);
        bool same = std::any_of(others.begin(), others.end(),
                                [&](const std::string& other) { return EqualsIgnoreCase(Unquoted(other), Unquoted(value)); });
        if (same) equal.push_back(key);
      }
    }
    return target_.UpdatedRow(target_.UpdatedValues(context_, assignments, equal));
  }

  std::vector<std::string> Inserted(const MergeClause& clause) {
    const auto& fields = target_.fields();
    std::vector<std::string> values(fields.size());
    size_t wanted = clause.columns.empty() ? fields.size() : clause.columns.size();
    if (clause.values.size() != wanted) {
      throw InvalidArgument("INSERT of MERGE INTO '{}' has {} values for {} columns", target_.address().ToString(),
                            clause.values.size(), wanted);
    }
    for (size_t i = 0; i < clause.values.size(); ++i) {
      size_t at = clause.columns.empty() ? i : target_.Find(clause.columns[i]);
      if (!values[at].empty()) throw InvalidArgument("The column '{}' has two values in INSERT", fields[at].name);
      values[at] = IsDefault(clause.values[i]) ? Default(fields[at])
                                               : OrDefault("(" + InScope(clause.values[i].sql, clause.when) + ")", fields[at]);
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      if (values[i].empty()) values[i] = Default(fields[i]);
    }
    return target_.InsertedRow(values);
  }

  static bool IsDefault(const dialect::Expression& value) { return EqualsIgnoreCase(value.source, "DEFAULT"); }

  std::string Default(const DataField& field) const {
    return field.default_value ? DefaultOf(context_, field).ToSQLString() : "NULL";
  }

  // What is inserted takes the default for NULL, as INSERT does.
  std::string OrDefault(const std::string& value, const DataField& field) const {
    if (!field.default_value) return value;
    return fmt::format("COALESCE(CAST({} AS {}), {})", value, ToDuckType(field.type).ToString(), Default(field));
  }

  std::string SourceColumn(const std::string& column, std::string_view clause) const {
    for (const std::string& known : source_.scope.columns) {
      if (EqualsIgnoreCase(known, column)) return dialect::QuoteName(source_.scope.table) + "." + dialect::QuoteName(known);
    }
    throw InvalidArgument("Cannot run {} of MERGE INTO '{}': the source has no column '{}'. Name the columns to set", clause,
                          target_.address().ToString(), column);
  }

  static std::string Unquoted(std::string text) {
    std::erase(text, '"');
    return text;
  }

  static std::string Packed(const std::vector<std::string>& row) {
    std::string text;
    for (size_t i = 0; i < row.size(); ++i) text += fmt::format("{}c{} := {}", i > 0 ? ", " : "struct_pack(", i, row[i]);
    return text + ")";
  }

  duckdb::ClientContext& context_;
  const dialect::Merge& merge_;
  const ChangedTable& target_;
  const MergeSource& source_;
  ColumnScope target_scope_;
};

}  // namespace

MergeSource Session::SourceOf(const dialect::Merge& merge, const ChangedTable& target) {
  MergeSource source;
  source.from = merge.source.sql;
  duckdb::Parser parser;
  const std::string rows = "SELECT * FROM " + source.from;
  try {
    parser.ParseQuery(rows);
  } catch (const std::exception& error) {
    throw FromDuck(duckdb::ErrorData(error), rows);
  }
  auto* select = parser.statements.size() == 1 ? dynamic_cast<duckdb::SelectStatement*>(parser.statements[0].get()) : nullptr;
  auto* node = select == nullptr ? nullptr : dynamic_cast<duckdb::SelectNode*>(select->node.get());
  if (node == nullptr || !node->from_table) throw InvalidArgument("'{}' is no source of MERGE INTO", merge.source.source);
  source.scope.table = node->from_table->alias;
  if (source.scope.table.empty()) {
    if (auto* table = dynamic_cast<duckdb::BaseTableRef*>(node->from_table.get())) {
      source.scope.table = table->table_name;
    } else {
      source.scope.table = "mica_source";
      source.from = (node->from_table->type == duckdb::TableReferenceType::JOIN ? "(SELECT * FROM " + source.from + ")"
                                                                                : source.from) +
                    " AS mica_source";
    }
  }
  if (EqualsIgnoreCase(source.scope.table, target.name())) {
    throw InvalidArgument("The source of MERGE INTO '{}' has the name '{}' of the table too. Give one of them an alias",
                          target.address().ToString(), source.scope.table);
  }
  auto prepared = connection_->Prepare(merge.with + "SELECT * FROM " + source.from);
  if (prepared->HasError()) Fail(prepared->error);
  for (const auto& name : prepared->GetNames()) source.scope.columns.push_back(name);
  return source;
}

std::string Session::PrepareMerge(const dialect::Merge& merge) {
  CheckClauses(merge);
  ChangedTable target = OpenChanged(merge.target, merge.alias);
  MergeSource source = SourceOf(merge, target);
  return ChangesText(target, MergeQuery(*connection_->context, merge, target, source).Text());
}

void Session::CheckMatchesOnce(const dialect::Merge& merge) {
  ChangedTable target = OpenChanged(merge.target, merge.alias);
  MergeSource source = SourceOf(merge, target);
  std::string keys;
  for (const std::string& key : target.table().schema().primary_keys) keys += (keys.empty() ? "" : ", ") + target.Column(key);
  auto result = connection_->Query(merge.with + "SELECT " + keys + " FROM " + source.from + " INNER JOIN " + target.FromSql() +
                                   " ON " + merge.on.sql + " GROUP BY ALL HAVING count(*) > 1 LIMIT 1");
  if (result->HasError()) Fail(result->GetErrorObject());
  auto row = result->Fetch();
  if (!row || row->size() == 0) return;
  std::string shown;
  for (duckdb::idx_t i = 0; i < row->ColumnCount(); ++i) shown += (i > 0 ? ", " : "") + row->GetValue(i, 0).ToString();
  throw InvalidArgument("Cannot run MERGE INTO '{}': its row with the key '{}' matches more than one row of the source. Make the "
                        "source rows distinct, or the condition of ON narrower", target.address().ToString(), shown);
}

Session::ResultPtr Session::InTransaction(const std::function<ResultPtr()>& run) {
  if (!autocommit()) return run();
  RunText("BEGIN TRANSACTION", false);
  try {
    ResultPtr result = run();
    RunText("COMMIT", false);
    return result;
  } catch (...) {
    if (!autocommit()) connection_->Query("ROLLBACK");
    throw;
  }
}

Session::ResultPtr Session::Execute(const dialect::Merge& merge) {
  CheckClauses(merge);
  bool checks = OpenChanged(merge.target, merge.alias).keyed() && Has(merge, When::kMatched);
  if (!checks) return RunText(PrepareMerge(merge), false);
  return InTransaction([&] {
    std::string sql = PrepareMerge(merge);
    CheckMatchesOnce(merge);
    return RunText(sql, false);
  });
}

}  // namespace mica::sql
