// `mica ingest`, and its words as those of an action.
#pragma once

#include <string>
#include <vector>

#include "procedures/registry.h"

namespace mica::cli {

const Procedure& IngestAction();
int RunIngest(const std::vector<std::string>& words);

}  // namespace mica::cli
