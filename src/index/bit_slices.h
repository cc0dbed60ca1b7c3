// Rows with numbers from 0 on, a bitmap for each bit: what BSI and range-bitmap indexes are made of (Format 11).
#pragma once

#include <cstdint>
#include <vector>

#include "index/column_index.h"
#include "index/row_set.h"

namespace mica {

struct BitSlices {
  RowSet existing;            // rows that have a number
  std::vector<RowSet> slices;  // from the lowest bit on

  struct Compared {
    RowSet less, equal, greater;
  };
  // All rows beside a number.
  Compared Compare(uint64_t number) const;
};

// How values of an index without an order of their own find their place: the rows that are less than, equal to and greater
// than a literal.
class OrderedIndex : public ColumnIndex {
 public:
  IndexAnswer Ask(const Predicate& leaf) const final;

 protected:
  // nullopt: the literal cannot be compared exactly.
  virtual std::optional<BitSlices::Compared> Compare(const Value& literal) const = 0;
  virtual RowSet NotNull() const = 0;
  virtual uint32_t row_count() const = 0;
};

}  // namespace mica
