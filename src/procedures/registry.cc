#include "procedures/registry.h"

#include "base/text.h"

namespace mica {

const std::vector<Procedure>& Procedures() {
  static const std::vector<Procedure> procedures = {};
  return procedures;
}

const Procedure& FindProcedure(std::string_view name) {
  std::vector<std::string> known;
  for (const Procedure& procedure : Procedures()) {
    if (EqualsIgnoreCase(procedure.name, name)) return procedure;
    known.push_back(procedure.name);
  }
  throw NotFound("The procedure '{}' does not exist{}", name, DidYouMean(name, known));
}

bool ProcedureCall::Has(std::string_view name) const {
  auto found = arguments.find(std::string(name));
  return found != arguments.end() && !IsNull(found->second);
}

const std::string& ProcedureCall::Text(std::string_view name) const {
  if (!Has(name)) throw InvalidArgument("The argument '{}' is missing", name);
  return std::get<std::string>(arguments.at(std::string(name)));
}

int64_t ProcedureCall::Integer(std::string_view name) const {
  if (!Has(name)) throw InvalidArgument("The argument '{}' is missing", name);
  return std::get<int64_t>(arguments.at(std::string(name)));
}

TableName ProcedureCall::Table(std::string_view name) const {
  const std::string& text = Text(name);
  size_t dot = text.find('.');
  if (dot == std::string::npos) return TableName{database, text};
  if (text.find('.', dot + 1) != std::string::npos) {
    throw InvalidArgument("The argument '{}' must be a table name or 'database.table', not '{}'", name, text);
  }
  return TableName{text.substr(0, dot), text.substr(dot + 1)};
}

}  // namespace mica
