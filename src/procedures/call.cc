#include "procedures/call.h"

#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {

[[noreturn]] void IllTyped(const Procedure& procedure, const ProcedureArgument& argument, const GivenArgument& given) {
  std::string text = given.kind == GivenArgument::Kind::kMap ? "a map" : "'" + given.text + "'";
  std::string_view wanted = argument.type == ArgumentType::kMap       ? "a map"
                            : argument.type == ArgumentType::kText    ? "a text"
                            : argument.type == ArgumentType::kBoolean ? "true or false"
                            : argument.type == ArgumentType::kInt     ? "a whole number of 32 bits"
                                                                      : "a whole number";
  throw InvalidArgument("The argument '{}' of procedure '{}' must be {}, not {}", argument.name, procedure.name, wanted,
                        text);
}

ProcedureCall::ArgumentValue Convert(const Procedure& procedure, const ProcedureArgument& argument,
                                     const GivenArgument& given) {
  using Kind = GivenArgument::Kind;
  switch (argument.type) {
    case ArgumentType::kText:
      if (given.kind == Kind::kMap) break;
      return given.text;
    case ArgumentType::kInt:
    case ArgumentType::kLong: {
      auto number = given.kind == Kind::kNumber || given.kind == Kind::kText ? ParseInteger(Trim(given.text)) : std::nullopt;
      if (!number) break;
      using Int = std::numeric_limits<int32_t>;
      if (argument.type == ArgumentType::kInt && (*number < Int::min() || *number > Int::max())) break;
      return *number;
    }
    case ArgumentType::kBoolean:
      if (given.kind != Kind::kBoolean && given.kind != Kind::kText) break;
      if (EqualsIgnoreCase(given.text, "true")) return true;
      if (EqualsIgnoreCase(given.text, "false")) return false;
      break;
    case ArgumentType::kMap:
      if (given.kind == Kind::kMap) return given.map;
      if (given.kind == Kind::kText) return ParseOptionList(given.text, ',', argument.name);
      break;
  }
  IllTyped(procedure, argument, given);
}

std::vector<std::string> ArgumentNames(const Procedure& procedure) {
  std::vector<std::string> names;
  for (const ProcedureArgument& argument : procedure.arguments) {
    names.push_back(argument.name);
    names.insert(names.end(), argument.aliases.begin(), argument.aliases.end());
  }
  return names;
}

}  // namespace

std::optional<std::vector<std::string>> NameParts(std::string_view text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '`') {
        parts.back() += text[i++];
      } else {
        quoted = !quoted;
      }
    } else if (text[i] == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  if (quoted) return std::nullopt;
  return parts;
}

ProcedureCall::ProcedureCall(const Procedure& procedure, ProcedureSetting setting,
                             const std::vector<GivenArgument>& arguments)
    : procedure_(procedure), setting_(std::move(setting)), shape_(procedure.ShapeFor(setting_.dialect)) {
  std::vector<std::string> order = procedure.OrderOf(shape_);
  std::map<std::string, bool> given_by_name;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const GivenArgument& given = arguments[i];
    if (given.name.empty() != arguments[0].name.empty()) {
      throw InvalidArgument("The arguments of procedure '{}' must be given all by name or all by position", procedure.name);
    }
    const ProcedureArgument* argument = nullptr;
    if (!given.name.empty()) {
      argument = procedure.FindArgument(given.name);
      if (argument == nullptr) {
        throw InvalidArgument("The procedure '{}' has no argument '{}'{}", procedure.name, given.name,
                              DidYouMean(given.name, ArgumentNames(procedure)));
      }
    } else if (i < order.size()) {
      argument = procedure.FindArgument(order[i]);
    } else if (!order.empty() && procedure.FindArgument(order.back())->joined_by) {
      argument = procedure.FindArgument(order.back());
    } else {
      throw InvalidArgument("The procedure '{}' takes {} arguments, not {}", procedure.name, order.size(), arguments.size());
    }
    bool repeated = !given_by_name.emplace(argument->name, true).second;
    if (repeated && !argument->joined_by) {
      throw InvalidArgument("The argument '{}' of procedure '{}' is given twice", argument->name, procedure.name);
    }
    bool unset = given.kind == GivenArgument::Kind::kNull ||
                 (!argument->required && given.kind == GivenArgument::Kind::kText && given.text.empty());
    if (unset) continue;
    ArgumentValue value = Convert(procedure, *argument, given);
    auto [place, is_new] = values_.emplace(argument->name, value);
    if (!is_new) std::get<std::string>(place->second) += *argument->joined_by + std::get<std::string>(value);
  }
  for (const ProcedureArgument& argument : procedure.arguments) {
    if (argument.required && !Has(argument.name)) {
      throw InvalidArgument("The procedure '{}' needs the argument '{}': {}", procedure.name, argument.name,
                            argument.description);
    }
  }
}

const ProcedureCall::ArgumentValue& ProcedureCall::Required(std::string_view name) const {
  MICA_CHECK(procedure_.FindArgument(name) != nullptr);
  auto found = values_.find(std::string(name));
  if (found == values_.end()) throw InvalidArgument("The procedure '{}' needs the argument '{}'", procedure_.name, name);
  return found->second;
}

const std::string& ProcedureCall::Text(std::string_view name) const { return std::get<std::string>(Required(name)); }

int64_t ProcedureCall::Integer(std::string_view name) const { return std::get<int64_t>(Required(name)); }

bool ProcedureCall::Boolean(std::string_view name) const { return std::get<bool>(Required(name)); }

std::optional<std::string> ProcedureCall::OptionalText(std::string_view name) const {
  return Has(name) ? std::optional(Text(name)) : std::nullopt;
}

std::optional<int64_t> ProcedureCall::OptionalInteger(std::string_view name) const {
  return Has(name) ? std::optional(Integer(name)) : std::nullopt;
}

bool ProcedureCall::BooleanOr(std::string_view name, bool fallback) const {
  return Has(name) ? Boolean(name) : fallback;
}

Options ProcedureCall::MapOr(std::string_view name) const {
  return Has(name) ? std::get<Options>(Required(name)) : Options();
}

Options ProcedureCall::OptionList(std::string_view name) const {
  return Has(name) ? ParseOptionList(Text(name), ',', name) : Options();
}

TableName ProcedureCall::Name(std::string_view name) const {
  const std::string& text = Text(name);
  auto parts = NameParts(text);
  bool whole = parts && parts->size() <= 3;
  if (whole) {
    for (const std::string& part : *parts) whole = whole && !Trim(part).empty();
  }
  if (!whole) {
    throw InvalidArgument("The argument '{}' must be a table, 'database.table' or 'catalog.database.table', not '{}'", name,
                          text);
  }
  if (parts->size() == 1) return TableName{setting_.database, (*parts)[0]};
  if (parts->size() == 2) return TableName{(*parts)[0], (*parts)[1]};
  if ((*parts)[0] != setting_.catalog_name) {
    throw InvalidArgument("The argument '{}' names catalog '{}', but the procedure runs in '{}'. CALL {}.sys.{}(...)", name,
                          (*parts)[0], setting_.catalog_name, (*parts)[0], procedure_.name);
  }
  return TableName{(*parts)[1], (*parts)[2]};
}

TablePtr ProcedureCall::Table(std::string_view name) const { return setting_.catalog->GetTable(Name(name)); }

CommitSettings ProcedureCall::NewCommitSettings() const {
  CommitSettings settings;
  settings.publisher = setting_.catalog->publisher();
  settings.clock = setting_.clock;
  return settings;
}

std::vector<ProcedureRow> ProcedureCall::Success() const {
  if (shape_ == Engine::kSpark && procedure_.spark_result[0].type.root() == TypeRoot::kBoolean) return {{true}};
  return {{std::string("Success")}};
}

Options ParseOptionList(std::string_view text, char separator, std::string_view what) {
  Options options;
  for (const std::string& pair : SplitList(text, separator)) {
    if (pair.empty()) continue;
    size_t equals = pair.find('=');
    std::string key(Trim(std::string_view(pair).substr(0, equals == std::string::npos ? 0 : equals)));
    if (key.empty()) {
      throw InvalidArgument("Invalid key-value string '{}' in '{}'. Please use format 'key=value'", pair, what);
    }
    options[key] = std::string(Trim(std::string_view(pair).substr(equals + 1)));
  }
  return options;
}

}  // namespace mica
