// Reads rows with their kinds: of a split as it is merged, of the files that a commit added, and of what differs between two
// states (Engine 8.5). Batches have the wanted columns and, last, _VALUE_KIND (int8): 0 +I, 1 -U, 2 +U, 3 -D.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/batch_reader.h"
#include "table/split.h"
#include "table/table.h"

namespace mica {

// "+I", "-U", "+U", "-D". Throws Corrupt for what is no kind.
std::string_view RowKindText(int8_t kind);

// A split that needs no merge gives every row of its files; another one gives the merged rows, those too that were deleted
// last. Rows of append tables are all +I.
std::unique_ptr<BatchReader> ReadWithKinds(const Table& table, const Split& split, const std::vector<DataField>& fields);

// The files of a bucket that only the older or only the newer of two states has.
struct Difference {
  std::optional<Split> before;
  std::optional<Split> after;
};
// A key that only `after` has gives its row with its kind; one that only `before` has is -D; one that both have gives the row
// of `after` where it is another one. Append tables have no keys: each row of a file is one.
std::unique_ptr<BatchReader> ReadDifference(const Table& table, const Difference& difference,
                                            const std::vector<DataField>& fields);

// Leaves out rows of kind -U and -D, and the kinds.
std::unique_ptr<BatchReader> WithoutRetracts(std::unique_ptr<BatchReader> rows);

}  // namespace mica
