// Rows by their whole primary key, asked for again and again: for services and look-up joins. The files are planned once,
// and what was found for a key is kept (Engine 8.2; M-0521).
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/type_fwd.h>

#include "predicate/predicate.h"
#include "table/split.h"
#include "table/table.h"

namespace mica {

struct LookupSettings {
  std::optional<std::vector<std::string>> columns;  // of the rows; all when not given
  int64_t cache_bytes = 64 << 20;                   // about what kept rows take at most
};

// Not thread safe: one a thread.
class TableLookup {
 public:
  // Looks at the newest snapshot. Throws InvalidArgument for a table without primary key and for a column that it does
  // not have.
  TableLookup(TablePtr table, LookupSettings settings = {});

  // The row of a key, whose values come in the order of the primary key: a batch of one row with the columns asked for;
  // nullptr when there is none. Throws InvalidArgument for NULLs and for a wrong number of values.
  std::shared_ptr<arrow::RecordBatch> Find(const std::vector<Value>& key);

  // The columns of a key, in the order of the primary key, and of a row.
  const std::vector<DataField>& key_fields() const { return key_fields_; }
  const std::vector<DataField>& row_fields() const { return row_fields_; }

  // Goes over to the newest snapshot; true when it is another one. Rows stay kept where their bucket has the same files.
  bool Refresh();
  int64_t snapshot_id() const { return snapshot_id_; }  // 0: the table has none yet

 private:
  using Place = std::pair<std::string, int32_t>;  // partition (serialized) and bucket
  using Plan = std::map<Place, std::vector<Split>>;

  struct Kept {
    std::string key;
    std::shared_ptr<arrow::RecordBatch> row;  // nullptr: there is none
    std::vector<Place> places;                // where it was looked for
    int64_t bytes = 0;
  };

  Plan MakePlan(const Snapshot& snapshot) const;
  // In which buckets of the plan rows of this key can lie.
  std::vector<Place> PlacesOf(const std::vector<Value>& key, const PredicatePtr& is_key) const;
  std::shared_ptr<arrow::RecordBatch> Read(const Split& split, const PredicatePtr& is_key) const;
  void Keep(Kept kept);
  void Drop(std::list<Kept>::iterator kept);

  TablePtr table_;
  LookupSettings settings_;
  std::vector<DataField> key_fields_, row_fields_;
  std::vector<DataType> key_types_;
  // Positions in the key of the partition columns, where equal values of them have equal bytes.
  std::optional<std::vector<size_t>> partition_in_key_;
  int64_t snapshot_id_ = 0;
  Plan plan_;
  std::list<Kept> kept_;  // the one asked for last in front
  std::unordered_map<std::string_view, std::list<Kept>::iterator> by_key_;
  int64_t kept_bytes_ = 0;
};

}  // namespace mica
