// What every catalog does with names and with the folder of a table, wherever the folder lies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog.h"

namespace mica {

// A name becomes one folder. `what` is "database", "table" or "view". Throws InvalidArgument.
void CheckObjectName(std::string_view what, const std::string& name);
// The same for a table or view that is to be made: '$' is for system tables and branches.
void CheckNewName(std::string_view what, const TableName& name);
// Throws InvalidArgument for the name of a branch; `change` is a verb.
void RefuseBranch(const TableName& name, std::string_view change);
// Options that name a branch; only the file system knows which there are.
void CheckBranches(const TableSchema& schema, const FileSystemPtr& fs, const std::string& root);

// With the options that the catalog gives to new tables (M-0108).
TableDefinition WithTableDefaults(const TableDefinition& definition, const Options& catalog);

// Changes the schema in the folder of the table, again when others were faster. The table as it is afterwards, the same
// one when nothing changes. Throws Conflict after too many times.
TablePtr ChangeSchema(TablePtr table, const std::vector<SchemaChange>& changes, const Clock& clock);
// Catalog::Replacement and Catalog::PublishReplacement in the folder of the table.
TablePtr ReplacementOf(const Table& table, const TableDefinition& definition, const Clock& clock);
void PublishReplacementSchema(const Table& replacement);

}  // namespace mica
