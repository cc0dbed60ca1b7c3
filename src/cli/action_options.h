// The words after `mica <action>` (M-0109): options of the catalog, of the output, and the procedure's own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "procedures/call.h"
#include "procedures/sql_session.h"

namespace mica::cli {

struct ActionOptions {
  Options catalog;
  std::string catalog_name = "paimon";
  std::string database = "default";
  Engine dialect = Engine::kSpark;
  RenderFormat format = RenderFormat::kTable;
  std::vector<GivenArgument> arguments;
  bool help = false;
};

// Throws InvalidArgument for what is not understood, with the nearest option.
ActionOptions ParseActionOptions(const Procedure& procedure, const std::vector<std::string>& words);

// The long option of an argument, without the dashes.
const std::string& OptionOf(const ProcedureArgument& argument);

// Runs an action and gives its exit code; an error is told on stderr, without the secrets among the catalog's options.
int RunTellingErrors(const Options& catalog, const std::function<int()>& run);

}  // namespace mica::cli
