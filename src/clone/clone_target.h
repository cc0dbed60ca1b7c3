// The table that a clone writes to: made like its source, or there already and able to take its rows (M-0908, M-0911).
#pragma once

#include <optional>
#include <string>

#include "catalog/catalog.h"

namespace mica {

struct TargetWishes {
  Options options;                         // target_table_conf, for a new table
  std::optional<std::string> file_format;  // prefer_file_format
};

// The definition of a new table: columns, keys, comment and options of the source. Throws InvalidArgument for an option that
// no table may be made with, Unsupported for a table that cannot be written.
TableDefinition DefinitionLike(const TableSchema& source, const TargetWishes& wishes);

// Throws InvalidArgument saying what of an existing table does not fit the source, which has that name and schema.
void CheckCloneTarget(const TableName& name, const TableSchema& source, const Table& target, const TargetWishes& wishes);

// Throws InvalidArgument when both are the same folder, whichever spelling or link leads there.
void CheckLocations(const std::string& source, const std::string& target);
// Throws InvalidArgument when one of them lies in the other too.
void CheckApart(const std::string& source, const std::string& target);
// Where the catalog would make this table; nothing when it does not tell.
std::optional<std::string> PlaceOf(Catalog& catalog, const TableName& name);

}  // namespace mica
