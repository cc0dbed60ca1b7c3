#include "sql/option_warning.h"

#include "base/log.h"
#include "meta/option_list.h"

namespace mica::sql {

void WarnOfSlips(const Options& options) {
  for (const auto& [key, value] : options) {
    std::string hint = OptionHint(key);
    if (!hint.empty()) Log(LogLevel::kWarning, fmt::format("The option '{}' is not known and only kept{}", key, hint));
  }
}

}  // namespace mica::sql
