// Column defaults between SQL and the text that schemas store (M-0330).
#pragma once

#include <string>

#include "types/data_type.h"

namespace mica::sql {

// What a column gets that is left out of an INSERT, as a value of ToDuckType(field.type).
duckdb::Value DefaultOf(duckdb::ClientContext& context, const DataField& field);

// The text to store. Throws InvalidArgument when the value does not fit the type, and for nested texts with characters that
// the stored form cannot hold.
std::string DefaultText(duckdb::ClientContext& context, const duckdb::Value& value, const DataField& field);

}  // namespace mica::sql
