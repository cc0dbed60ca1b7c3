// Options of one table reference in the shape of a version: the one thing that the SQL engine carries from a table in a
// query to the catalog.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dialect/statement.h"

namespace mica::dialect {

inline constexpr std::string_view kOptionsPrefix = "$options$";

// The version text that carries options, and back: nothing when `version` is a real version.
std::string EncodeOptions(const Options& options);
std::optional<Options> DecodeOptions(std::string_view version);

}  // namespace mica::dialect
