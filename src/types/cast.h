// Casts of whole arrays between Paimon types, as schema evolution needs them when an old file is read under a newer
// column type (Engine 8.4, M-0208). Semantics are Java Paimon's: narrowing integers wrap, fractions truncate towards
// zero, text that cannot be read gives an error that names it, timestamps to dates floor (P-08).
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica {

// Whether ALTER ... TYPE may change `from` to `to`; `allow_explicit` is not disable-explicit-type-casting.
bool CanCast(const DataType& from, const DataType& to, bool allow_explicit);

// `array` has the Arrow form of `from` (arrow_types.h); the result that of `to`. Nested ROW fields are matched by id,
// missing ones become NULL. Throws Unsupported when no cast exists.
std::shared_ptr<arrow::Array> CastArray(const std::shared_ptr<arrow::Array>& array, const DataType& from,
                                        const DataType& to);

}  // namespace mica
