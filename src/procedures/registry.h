// The procedures of schema `sys` (Appendix A): one file and one entry each. CALL, `mica <action>`, completion and the
// reference page are made from the entries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types/data_type.h"
#include "types/value.h"

namespace mica {

class ProcedureCall;

// The engine whose form of a procedure is meant: order of positional arguments and shape of the rows.
enum class Engine { kSpark, kFlink };

enum class ArgumentType { kText, kInt, kLong, kBoolean, kMap };
// "STRING", "INT", "BIGINT", "BOOLEAN", "MAP<STRING, STRING>"
std::string_view ArgumentTypeName(ArgumentType type);

struct ProcedureArgument {
  std::string name;  // how `run` asks for it
  ArgumentType type = ArgumentType::kText;
  std::string description;  // one sentence, without the full stop
  bool required = false;
  std::string fallback;              // what counts when it is not given, as shown; may be a sentence
  std::vector<std::string> aliases;  // what the other engine or an older version calls it
  std::string option;                // the action's long option where it is not the name: "tag_name" for --tag_name
  std::optional<char> joined_by;     // may be given several times; the texts are put together with this between them
};

using ProcedureRow = std::vector<Value>;

struct Procedure {
  std::string name;
  std::string description;                   // one sentence
  std::vector<ProcedureArgument> arguments;  // in the order of positional calls
  std::vector<std::string> flink_order;      // that of Flink where it is another one
  // Columns of the rows that `run` gives; empty: the engine does not have the procedure. One BOOLEAN or STRING column
  // is what SuccessRow fills.
  std::vector<DataField> spark_result;
  std::vector<DataField> flink_result;
  std::vector<ProcedureRow> (*run)(ProcedureCall& call);

  // The engine whose shape a caller of `dialect` gets: its own, or that of the only engine that has the procedure.
  Engine ShapeFor(Engine dialect) const;
  const std::vector<DataField>& ResultOf(Engine shape) const;
  // Names of all arguments in the order that positional calls of the engine use.
  std::vector<std::string> OrderOf(Engine shape) const;
  // By name or alias, ignoring case; nullptr when there is none.
  const ProcedureArgument* FindArgument(std::string_view name) const;
};

const std::vector<Procedure>& Procedures();
// Throws NotFound with the nearest name, Unsupported for a procedure of Paimon that this version does not have.
const Procedure& FindProcedure(std::string_view name);

// ---- columns of results that many share ----
// Spark: BOOLEAN true; Flink: STRING 'Success'.
std::vector<DataField> SuccessAsBoolean();
std::vector<DataField> SuccessAsText();
DataField ResultColumn(std::string name, DataType type);

}  // namespace mica
