// A table that is cloned, of Paimon or of Hive: what its clone looks like, which targets can take its rows, and how
// they get there. It is only read.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catalog/hive_catalog.h"
#include "clone/clone_target.h"
#include "clone/table_copy.h"
#include "table/partitions.h"

namespace mica {

// Which partitions are wanted, of those that a table has; `keys` are its partition columns. Throws InvalidArgument.
using PartitionChoice = std::function<KeepPartition(const TableName& table, const std::vector<DataField>& keys,
                                                    const std::vector<std::vector<Value>>& partitions)>;

class CloneSource {
 public:
  virtual ~CloneSource() = default;

  virtual const TableName& name() const = 0;
  // Of a new table. Throws InvalidArgument for an option that no table may be made with, Unsupported for a table that
  // cannot be written.
  virtual TableDefinition Definition(const TargetWishes& wishes) const = 0;
  // What a new database of the clone gets.
  virtual Options DatabaseProperties() const { return {}; }
  // Throws InvalidArgument saying what of an existing table does not fit the source.
  virtual void CheckTarget(const Table& target, const TargetWishes& wishes) const = 0;
  // Throws InvalidArgument when a table in this folder and the source would be in each other's way.
  virtual void CheckPlace(const std::string& root) const = 0;
  // Leaves the other partitions out. `choice` is asked at once.
  virtual void Choose(const PartitionChoice& choice, Executor& executor) = 0;
  // Before a target is made: finds out what cannot be cloned by looking into the source's files. `schema` is what the
  // target will have.
  virtual void CheckFiles(std::shared_ptr<const TableSchema> /*schema*/, const TargetWishes& /*wishes*/,
                          Executor& /*executor*/) {}
  // Fills the target and says what was done, as the rest of a sentence that begins with its name.
  virtual std::string Copy(const TablePtr& target, const TargetWishes& wishes, const CopyRequest& request) = 0;
};

std::unique_ptr<CloneSource> PaimonCloneSource(TablePtr table);
// Throws Unsupported for a view, a transactional table, a type or a format that Paimon does not have.
std::unique_ptr<CloneSource> HiveCloneSource(std::shared_ptr<HiveCatalog> catalog, HiveTable table);

// "1.5 MB"
std::string Megabytes(int64_t bytes);

}  // namespace mica
