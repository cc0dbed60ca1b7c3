#include "dialect/option_version.h"

#include "base/error.h"
#include "base/json.h"

namespace mica::dialect {

std::string EncodeOptions(const Options& options) {
  // Bytes that are not UTF-8 are replaced, since JSON cannot hold them and no option needs them.
  return std::string(kOptionsPrefix) + Json(options).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Options> DecodeOptions(std::string_view version) {
  if (!version.starts_with(kOptionsPrefix)) return std::nullopt;
  Json json = ParseJson(version.substr(kOptionsPrefix.size()), "table options");
  Options options;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) throw InvalidArgument("Table option '{}' is not a text", key);
    options.emplace(key, value.get<std::string>());
  }
  return options;
}

}  // namespace mica::dialect
