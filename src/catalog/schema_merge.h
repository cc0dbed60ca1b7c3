// Columns that incoming rows bring along, as changes of the table (write.merge-schema, M-0420).
#pragma once

#include <vector>

#include "catalog/catalog.h"

namespace mica {

struct SchemaMerge {
  bool type_widening = false;   // existing columns take a wider type
  bool explicit_cast = false;   // and any type that a cast leads to
};

// New columns and nested fields are added at the end, nullable; names compare without regard to case. Throws Unsupported
// for types that do not go together when types may widen.
std::vector<SchemaChange> MergeChanges(const std::vector<DataField>& fields, const std::vector<DataField>& incoming,
                                       const SchemaMerge& merge);

}  // namespace mica
