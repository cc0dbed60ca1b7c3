// CALL, and ALTER TABLE ... TAG.
#include "base/text.h"
#include "history/tags.h"
#include "procedures/call.h"
#include "sql/errors.h"
#include "sql/session.h"
#include "sql/session_clock.h"
#include "sql/value_result.h"

namespace mica::sql {

namespace {

using duckdb::LogicalTypeId;
using Kind = GivenArgument::Kind;

GivenArgument FromLiteral(const dialect::Literal& literal) {
  using From = dialect::Literal::Kind;
  GivenArgument given;
  given.text = literal.text;
  given.kind = literal.kind == From::kNull      ? Kind::kNull
               : literal.kind == From::kBoolean ? Kind::kBoolean
               : literal.kind == From::kNumber  ? Kind::kNumber
                                                : Kind::kText;
  return given;
}

GivenArgument FromValue(const duckdb::Value& value) {
  GivenArgument given;
  if (value.IsNull()) {
    given.kind = Kind::kNull;
    return given;
  }
  if (value.type().id() == LogicalTypeId::MAP) {
    given.kind = Kind::kMap;
    for (const duckdb::Value& entry : duckdb::MapValue::GetChildren(value)) {
      const auto& parts = duckdb::StructValue::GetChildren(entry);
      given.map[parts[0].ToString()] = parts[1].IsNull() ? std::string() : parts[1].ToString();
    }
    return given;
  }
  given.text = value.ToString();
  given.kind = value.type().id() == LogicalTypeId::BOOLEAN ? Kind::kBoolean
               : value.type().IsNumeric()                  ? Kind::kNumber
                                                           : Kind::kText;
  return given;
}

duckdb::Value Constant(duckdb::Connection& connection, const std::string& sql, const std::string& source) {
  const std::string query = "SELECT (" + sql + ")";
  auto result = connection.Query(query);
  if (result->HasError()) {
    throw FromDuck(result->GetErrorObject(), query).Add(fmt::format("the argument '{}', which must be constant", source));
  }
  return result->GetValue(0, 0);
}

// map('k', 'v', 'k2', 'v2'), whose keys and values come in turns.
GivenArgument MapOf(const duckdb::Value& list, const std::string& source) {
  GivenArgument given;
  given.kind = Kind::kMap;
  const auto& items = duckdb::ListValue::GetChildren(list);
  if (items.size() % 2 != 0) throw InvalidArgument("A map has a value for each key: '{}'", source);
  for (size_t i = 0; i < items.size(); i += 2) given.map[items[i].ToString()] = items[i + 1].ToString();
  return given;
}

// The value of an expression that uses no column.
GivenArgument Folded(duckdb::Connection& connection, const dialect::Expression& expression) {
  std::string_view sql = Trim(expression.sql);
  std::string_view rest = sql.size() > 3 && EqualsIgnoreCase(sql.substr(0, 3), "map") ? Trim(sql.substr(3)) : "";
  if (rest.starts_with('(') && rest.ends_with(')')) {
    return MapOf(Constant(connection, "list_value" + std::string(rest), expression.source), expression.source);
  }
  return FromValue(Constant(connection, expression.sql, expression.source));
}

}  // namespace

Session::ResultPtr Session::Execute(const dialect::Call& call) {
  RefuseInTransaction("CALL");
  std::vector<std::string> parts = call.procedure.parts;
  if (parts.size() < 2 || parts.size() > 3 || !EqualsIgnoreCase(parts[parts.size() - 2], "sys")) {
    throw InvalidArgument("Procedures are called as CALL sys.{}(...), not '{}'", parts.back(), Join(parts, "."));
  }
  std::string catalog_name = parts.size() == 3 ? parts[0] : state_->catalog_name;
  const Procedure& procedure = FindProcedure(parts.back());
  std::vector<GivenArgument> arguments;
  for (const dialect::CallArgument& argument : call.arguments) {
    arguments.push_back(argument.value.literal ? FromLiteral(*argument.value.literal) : Folded(*connection_, argument.value));
    arguments.back().name = argument.name;
  }
  ProcedureSetting setting;
  setting.catalog = state_->catalogs.Get(catalog_name);
  setting.catalog_name = catalog_name;
  // Another catalog is entered at its default database.
  setting.database = catalog_name == state_->catalog_name ? state_->current_database : std::string(kDefaultDatabase);
  setting.dialect = state_->dialect == "flink" ? Engine::kFlink : Engine::kSpark;
  setting.clock = ClockOf(*state_);
  setting.sql = [this]() -> SqlSession& { return *this; };
  ProcedureCall bound(procedure, std::move(setting), arguments);
  auto rows = procedure.run(bound);
  return ValueResult(connection_->context, procedure.ResultOf(bound.shape()), rows);
}

Session::ResultPtr Session::Execute(const dialect::AlterTag& alter) {
  using Action = dialect::AlterTag::Action;
  RefuseInTransaction("ALTER TABLE ... TAG");
  TablePtr table = Resolve(alter.table).Open();
  TagRequest request;
  request.name = alter.tag;
  request.snapshot_id = alter.snapshot_id;
  if (alter.retention) request.time_retained = ParseDuration(*alter.retention);
  const Clock clock = ClockOf(*state_);
  ThreadExecutor executor(threads_.value_or(0));
  switch (alter.action) {
    case Action::kCreate:
      CreateTag(*table, request, alter.if_not_exists ? TagExists::kKeep : TagExists::kFail, clock, executor);
      break;
    case Action::kCreateOrReplace: CreateTag(*table, request, TagExists::kReplace, clock, executor); break;
    case Action::kReplace: ReplaceTag(*table, request, clock, executor); break;
    case Action::kRename: RenameTag(*table, alter.tag, alter.new_tag); break;
    case Action::kDelete:
      DeleteTags(*table, SplitList(alter.tag, ','), alter.if_exists ? TagMissing::kIgnore : TagMissing::kFail, executor);
      break;
  }
  return NoResult();
}

}  // namespace mica::sql
