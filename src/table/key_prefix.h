// Which files of a primary-key table can hold the keys that a predicate leaves (Engine 8.2; M-0521). Files are sorted by key:
// where leading columns have given values, a file holds them only between its first and last key, and what those say of the
// next column holds for the rows with these values.
#pragma once

#include <vector>

#include "meta/manifest.h"
#include "meta/table_schema.h"
#include "predicate/predicate.h"

namespace mica {

// Immutable; thread safe.
class KeyPrefixFilter {
 public:
  // `key_predicate` is on key columns; nullptr for all keys.
  KeyPrefixFilter(const TableSchema& schema, PredicatePtr key_predicate);

  bool MayHold(const DataFileMeta& file) const;

 private:
  using Key = std::vector<Value>;  // of the leading columns

  bool NextMayMatch(const DataFileMeta& file, const Key& key, const Key& min, const Key& max) const;

  const TableSchema& schema_;
  PredicatePtr predicate_;
  std::vector<DataField> keys_;
  std::vector<DataType> types_;  // of `keys_`
  size_t length_ = 0;            // columns with given values
  std::vector<Key> wanted_;      // ascending
};

}  // namespace mica
