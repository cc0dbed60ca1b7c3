// Applies ALTER TABLE changes to a schema (M-0313 to M-0330): ids stay with columns, dropped ids never come back.
#pragma once

#include <vector>

#include "catalog/catalog.h"

namespace mica {

// The next schema (id + 1), or the same one when nothing changes. `has_snapshots` tightens what options may change.
// Throws InvalidArgument, NotFound, AlreadyExists or Unsupported naming column or option.
TableSchema ApplyChanges(const TableSchema& schema, const std::vector<SchemaChange>& changes, bool has_snapshots);

// The first schema of a table: ids assigned, `primary-key` and `partition` options moved into keys, key columns NOT NULL.
TableSchema FirstSchema(const TableDefinition& definition);

// The schema after `before` that replaces it with the definition: new ids above all older ones. Throws Unsupported when the
// partition columns differ.
TableSchema NextDefinition(const TableSchema& before, const TableDefinition& definition);

}  // namespace mica
