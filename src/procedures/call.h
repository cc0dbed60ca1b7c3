// One call of a procedure: the arguments as given, bound to the entry by name or position, with the entry's types
// (M-0110). Values come as constants: from SQL already folded, from the command line as text.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "catalog/catalog.h"
#include "procedures/registry.h"

namespace mica {

class SqlSession;

// A constant as the caller wrote it.
struct GivenArgument {
  enum class Kind { kNull, kBoolean, kNumber, kText, kMap };
  std::string name;  // "": by position
  Kind kind = Kind::kText;
  std::string text;  // "true", "-12.5", the text
  Options map;
};

// Where a procedure runs.
struct ProcedureSetting {
  std::shared_ptr<Catalog> catalog;
  std::string catalog_name = "paimon";
  std::string database = "default";  // a table without a database is looked for there
  Engine dialect = Engine::kSpark;
  Clock clock = SystemClock();
  std::shared_ptr<Executor> executor = std::make_shared<ThreadExecutor>();
  // For arguments that are SQL text: a session over the same catalog, opened at the first use.
  std::function<SqlSession&()> sql;
  // What long work tells besides its rows, a line each; absent: nobody listens. `progress` comes often and from any thread.
  std::function<void(const std::string& line)> note, progress;
};

class ProcedureCall {
 public:
  using ArgumentValue = std::variant<bool, int64_t, std::string, Options>;

  // Throws InvalidArgument: an unknown (with the nearest name), repeated, missing or ill-typed argument, names and
  // positions mixed. NULL, and '' for an optional argument, mean not given.
  ProcedureCall(const Procedure& procedure, ProcedureSetting setting, const std::vector<GivenArgument>& arguments);

  const Procedure& procedure() const { return procedure_; }
  Engine shape() const { return shape_; }
  Catalog& catalog() const { return *setting_.catalog; }
  const ProcedureSetting& setting() const { return setting_; }
  int64_t now_millis() const { return setting_.clock(); }
  Executor& executor() const { return *setting_.executor; }

  bool Has(std::string_view name) const { return values_.contains(std::string(name)); }
  // Throw InvalidArgument when the argument was not given.
  const std::string& Text(std::string_view name) const;
  int64_t Integer(std::string_view name) const;
  bool Boolean(std::string_view name) const;
  // Nothing or the fallback when it was not given.
  std::optional<std::string> OptionalText(std::string_view name) const;
  std::optional<int64_t> OptionalInteger(std::string_view name) const;
  bool BooleanOr(std::string_view name, bool fallback) const;
  Options MapOr(std::string_view name) const;
  // "k=v,k2=v2" (M, Global conventions).
  Options OptionList(std::string_view name = "options") const;

  // "t", "db.t", "catalog.db.t", parts back-quoted or not. Throws InvalidArgument naming the argument.
  TableName Name(std::string_view name = "table") const;
  // The table of that name; throws NotFound with the nearest one.
  TablePtr Table(std::string_view name = "table") const;
  // With the catalog's way to publish and the setting's clock.
  CommitSettings NewCommitSettings() const;

  // What a procedure returns that has nothing to say: true, or 'Success'.
  std::vector<ProcedureRow> Success() const;

 private:
  const ArgumentValue& Required(std::string_view name) const;

  const Procedure& procedure_;
  ProcedureSetting setting_;
  Engine shape_;
  std::map<std::string, ArgumentValue> values_;
};

// The parts of "a.b" or "`a.b`.c"; nothing when the quotes do not close.
std::optional<std::vector<std::string>> NameParts(std::string_view text);

// "k=v,k2=v2": split at `separator`, then at the first '='. `what` names it in the error.
Options ParseOptionList(std::string_view text, char separator, std::string_view what);

}  // namespace mica
