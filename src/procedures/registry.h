// The procedures of schema `sys` (Appendix A): one file and one entry each. CALL, `mica <action>`, completion and the
// reference page are made from the entries.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"

namespace mica {

struct ProcedureArgument {
  std::string name;
  DataType type;
  bool required = false;
  std::string description;
};

// One call: arguments that were given, by name, with the types of the entry.
struct ProcedureCall {
  Catalog& catalog;
  std::string database;  // current one: a table without a database is looked for there
  std::map<std::string, Value> arguments;

  bool Has(std::string_view name) const;
  // Throws InvalidArgument when a value is missing or NULL.
  const std::string& Text(std::string_view name) const;
  int64_t Integer(std::string_view name) const;
  TableName Table(std::string_view name = "table") const;
};

using ProcedureRow = std::vector<Value>;

struct Procedure {
  std::string name;
  std::string description;  // one sentence
  std::vector<ProcedureArgument> arguments;  // in the order that positional calls use
  std::vector<DataField> result;
  std::vector<ProcedureRow> (*run)(ProcedureCall& call);
};

const std::vector<Procedure>& Procedures();
// Throws NotFound with the nearest name.
const Procedure& FindProcedure(std::string_view name);

}  // namespace mica
