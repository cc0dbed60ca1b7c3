// merge_into (M-1004 to M-1006): its arguments as one MERGE INTO statement.
#include <algorithm>
#include <array>

#include "base/escape.h"
#include "base/text.h"
#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/sql_session.h"

namespace mica {

namespace {

// One action: the arguments of its condition and of what it sets.
struct MergeAction {
  std::string_view name;  // as 'merge_actions' has it
  const char* condition;
  const char* setting;  // nullptr: a delete
};

constexpr MergeAction kMatchedUpsert = {"matched-upsert", "matched_upsert_condition", "matched_upsert_setting"};
constexpr MergeAction kMatchedDelete = {"matched-delete", "matched_delete_condition", nullptr};
constexpr MergeAction kInsert = {"not-matched-insert", "not_matched_insert_condition", "not_matched_insert_values"};
constexpr MergeAction kSourceUpsert = {"not-matched-by-source-upsert", "not_matched_by_source_upsert_condition",
                                       "not_matched_by_source_upsert_setting"};
constexpr MergeAction kSourceDelete = {"not-matched-by-source-delete", "not_matched_by_source_delete_condition", nullptr};
// Of two actions on the same rows the first that fits counts.
constexpr std::array kActions = {kMatchedUpsert, kMatchedDelete, kInsert, kSourceUpsert, kSourceDelete};

std::vector<std::string> ActionNames() {
  std::vector<std::string> names;
  for (const MergeAction& action : kActions) names.emplace_back(action.name);
  return names;
}

// Those that 'merge_actions' lists, or those that have arguments. Every argument must belong to one.
std::vector<MergeAction> ActionsOf(const ProcedureCall& call) {
  std::vector<std::string> listed;
  if (auto text = call.OptionalText("merge_actions")) {
    for (const std::string& part : SplitList(*text, ',')) {
      listed.push_back(ToLower(Trim(part)));
      const std::vector<std::string> names = ActionNames();
      if (std::find(names.begin(), names.end(), listed.back()) == names.end()) {
        throw InvalidArgument("Unknown merge action '{}'{}. There are {}", listed.back(), DidYouMean(listed.back(), names),
                              Join(names, ", "));
      }
    }
  }
  std::vector<MergeAction> actions;
  for (const MergeAction& action : kActions) {
    const bool has_condition = call.Has(action.condition);
    const bool has_setting = action.setting != nullptr && call.Has(action.setting);
    const bool wanted = listed.empty() ? has_condition || has_setting
                                       : std::find(listed.begin(), listed.end(), action.name) != listed.end();
    if (wanted && action.setting != nullptr && !has_setting) {
      throw InvalidArgument("The merge action '{}' needs the argument '{}'", action.name, action.setting);
    }
    if (!wanted && (has_condition || has_setting)) {
      throw InvalidArgument("The argument '{}' is given, but 'merge_actions' does not list '{}'",
                            has_setting ? action.setting : action.condition, action.name);
    }
    if (wanted) actions.push_back(action);
  }
  if (actions.empty()) {
    throw InvalidArgument("merge_into needs at least one merge action, such as 'matched_upsert_setting'. 'mica help merge_into' "
                          "lists them");
  }
  return actions;
}

void CheckPair(const ProcedureCall& call, const std::vector<MergeAction>& actions, const MergeAction& upsert,
               const MergeAction& removal) {
  auto has = [&](const MergeAction& wanted) {
    return std::any_of(actions.begin(), actions.end(), [&](const MergeAction& action) { return action.name == wanted.name; });
  };
  if (has(upsert) && has(removal) && !(call.Has(upsert.condition) && call.Has(removal.condition))) {
    throw InvalidArgument("With both of '{}' and '{}', each needs a condition: '{}' and '{}'", upsert.name, removal.name,
                          upsert.condition, removal.condition);
  }
}

TablePtr TargetOf(const ProcedureCall& call) {
  TablePtr table = call.Table("target_table");
  if (table->schema().primary_keys.empty()) {
    throw Unsupported("merge_into needs a table with a primary key; '{}' has none. Use the statement MERGE INTO",
                      table->name().ToString());
  }
  const std::string engine = table->options().Text("merge-engine", "deduplicate");
  if (engine != "deduplicate" && engine != "partial-update") {
    throw Unsupported("merge_into does not work with 'merge-engine' = '{}' of table '{}'", engine, table->name().ToString());
  }
  return table;
}

// "`a`.`b`" of "a.b"; `last` gets "b".
std::string QuotedName(const std::string& name, std::string* last) {
  const auto parts = NameParts(name);
  if (!parts) throw InvalidArgument("The argument 'source_table' is not the name of a table: '{}'", name);
  std::string text;
  for (const std::string& part : *parts) text += (text.empty() ? "" : ".") + BackQuoted(part);
  *last = parts->back();
  return text;
}

class MergeText {
 public:
  MergeText(ProcedureCall& call, const Table& table) : call_(call), table_(table) {
    alias_ = call.OptionalText("target_alias").value_or(table.name().table);
    source_ = QuotedName(call.Text("source_table"), &source_alias_);
    if (EqualsIgnoreCase(alias_, source_alias_)) {
      throw InvalidArgument("The target and the source are both called '{}'. Give a 'target_alias'", alias_);
    }
  }

  std::string Of(const std::vector<MergeAction>& actions) {
    std::string text = fmt::format("MERGE INTO {}.{}.{} AS {} USING {} AS {} ON {}", BackQuoted(call_.setting().catalog_name),
                                   BackQuoted(table_.name().database), BackQuoted(table_.name().table), BackQuoted(alias_),
                                   source_, BackQuoted(source_alias_), call_.Text("merge_condition"));
    for (const MergeAction& action : actions) text += Clause(action);
    return text;
  }

 private:
  std::string Clause(const MergeAction& action) {
    const bool inserts = action.name == kInsert.name;
    const bool by_source = action.name == kSourceUpsert.name || action.name == kSourceDelete.name;
    std::string text = by_source ? " WHEN NOT MATCHED BY SOURCE" : inserts ? " WHEN NOT MATCHED" : " WHEN MATCHED";
    if (auto condition = call_.OptionalText(action.condition)) text += " AND (" + *condition + ")";
    if (action.setting == nullptr) return text + " THEN DELETE";
    std::string setting(Trim(call_.Text(action.setting)));
    const bool all = setting == "*";
    if (all && by_source) throw InvalidArgument("'*' cannot be used in '{}'", action.setting);
    if (inserts) return text + " THEN INSERT (" + TargetColumns() + ") VALUES (" + (all ? SourceColumns() : setting) + ")";
    return text + " THEN UPDATE SET " + (all ? SetFromSource() : setting);
  }

  std::string TargetColumns() const {
    std::string text;
    for (const DataField& field : table_.schema().fields) text += (text.empty() ? "" : ", ") + BackQuoted(field.name);
    return text;
  }

  // All columns of the source, which stand for the target's by position.
  std::vector<std::string> ReadSource() {
    std::vector<std::string> columns;
    const std::unique_ptr<SqlResult> result = call_.setting().sql().Run("SELECT * FROM " + source_ + " LIMIT 0");
    for (const SqlColumn& column : result->columns()) columns.push_back(BackQuoted(source_alias_) + "." + BackQuoted(column.name));
    if (columns.size() != table_.schema().fields.size()) {
      throw InvalidArgument("'*' takes the columns of '{}' by position, but it has '{}' columns and '{}' has '{}'",
                            call_.Text("source_table"), columns.size(), table_.name().ToString(), table_.schema().fields.size());
    }
    return columns;
  }

  std::string SourceColumns() { return Join(ReadSource(), ", "); }

  // The key of a row that matches stays.
  std::string SetFromSource() {
    const std::vector<std::string> columns = ReadSource();
    const std::vector<std::string>& keys = table_.schema().primary_keys;
    std::string text;
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string& name = table_.schema().fields[i].name;
      if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
      text += (text.empty() ? "" : ", ") + BackQuoted(name) + " = " + columns[i];
    }
    if (text.empty()) throw InvalidArgument("'*' sets nothing: all columns of '{}' are in its key", table_.name().ToString());
    return text;
  }

  ProcedureCall& call_;
  const Table& table_;
  std::string alias_;
  std::string source_;
  std::string source_alias_;
};

std::vector<ProcedureRow> Merge(ProcedureCall& call) {
  const std::vector<MergeAction> actions = ActionsOf(call);
  CheckPair(call, actions, kMatchedUpsert, kMatchedDelete);
  CheckPair(call, actions, kSourceUpsert, kSourceDelete);
  const TablePtr table = TargetOf(call);
  MergeText merge(call, *table);
  SqlSession& sql = call.setting().sql();
  if (auto statements = call.OptionalText("source_sqls")) {
    bool complete = false;
    for (const std::string& statement : sql.Split(*statements, &complete)) {
      try {
        sql.Run(statement)->Rows();
      } catch (Error& error) {
        error.Add(fmt::format("the statement '{}' of 'source_sqls'", statement));
        throw;
      }
    }
  }
  sql.Run(merge.Of(actions));
  return call.Success();
}

}  // namespace

Procedure MergeIntoProcedure() {
  return {
      .name = "merge_into",
      .description = "Changes a primary-key table by the rows of another one, as MERGE INTO does.",
      .arguments =
          {
              {.name = "target_table",
               .description = "the table that is changed, as 'database.table'",
               .required = true,
               .aliases = {"table"},
               .option = "table"},
              {.name = "target_alias",
               .description = "what the expressions call the target",
               .fallback = "its name without the database",
               .option = "target_as"},
              {.name = "source_sqls",
               .description = "statements that run first in the same session, such as one that creates a view of the source",
               .option = "source_sql",
               .joined_by = ';'},
              {.name = "source_table", .description = "a table or view; expressions call it by its last part", .required = true},
              {.name = "merge_condition",
               .description = "when a row of the source matches one of the target, as 'T.id = S.id'",
               .required = true,
               .option = "on"},
              {.name = "matched_upsert_condition", .description = "which of the rows that match are changed", .fallback = "all"},
              {.name = "matched_upsert_setting",
               .description = "'column = expression, ...', or '*' for the source's columns by position",
               .option = "matched_upsert_set"},
              {.name = "not_matched_insert_condition",
               .description = "which rows of the source that match nothing are inserted",
               .fallback = "all"},
              {.name = "not_matched_insert_values",
               .description = "a value for each column of the target, or '*' for the source's columns by position"},
              {.name = "matched_delete_condition", .description = "which of the rows that match are deleted"},
              {.name = "not_matched_by_source_upsert_condition",
               .description = "which rows of the target that match nothing are changed",
               .fallback = "all"},
              {.name = "not_matched_by_source_upsert_setting",
               .description = "'column = expression, ...' on the target's columns alone",
               .option = "not_matched_by_source_upsert_set"},
              {.name = "not_matched_by_source_delete_condition",
               .description = "which rows of the target that match nothing are deleted"},
              {.name = "merge_actions",
               .description = "of matched-upsert, matched-delete, not-matched-insert, not-matched-by-source-upsert and "
                              "not-matched-by-source-delete those that are meant, separated by commas",
               .fallback = "those that have arguments"},
          },
      .spark_result = {},
      .flink_result = SuccessAsText(),
      .run = Merge,
  };
}

}  // namespace mica
