// The partitions of a table that its metastore knows: the table's own (metastore.partitioned-table, M-0829), or one for
// each tag (metastore.tag-to-partition, M-0820 to M-0828).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "hive/hive_metastore.h"
#include "io/file_system.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace mica {

class MetastorePartitions {
 public:
  MetastorePartitions(std::shared_ptr<HiveMetastore> metastore, Clock clock);

  // After a snapshot was published: new partitions are made known, those that it emptied are forgotten, and the period
  // of a preview is made known. Does nothing for tables without partitions there.
  void AfterCommit(const Table& table, const Snapshot& snapshot) const;
  // Makes everything known that is in the table, and returns the number of partitions.
  size_t Repair(const Table& table, Executor& executor) const;
  // Adds the partition `.done` of a partition (the action done-partition of mark_partition_done). Throws Unsupported
  // for a table whose partitions the metastore does not know.
  void MarkDone(const Table& table, const std::string& partition) const;
  // Tells the metastore of the partition's event LOAD_DONE (the action mark-event).
  void MarkEvent(const Table& table, const std::string& partition) const;

  // "dt=2023-10-16" of each partition, ascending, not escaped.
  std::vector<std::string> Names(const Table& table) const;

  void AddTag(const TableName& name, const std::string& tag) const;
  void DropTag(const TableName& name, const std::string& tag) const;

 private:
  std::vector<std::string> ValuesOf(const Table& table, const std::string& partition) const;
  void Add(const TableName& name, const std::vector<std::vector<std::string>>& partitions) const;

  std::shared_ptr<HiveMetastore> metastore_;
  Clock clock_;
};

// Passes every call on, and tells the metastore of each file of a tag of the table in `root` that comes or goes,
// whoever makes or removes it: a call, an automatic tag, its expiry, a rollback.
FileSystemPtr WithTagPartitions(FileSystemPtr inner, std::string root, TableName name,
                                std::shared_ptr<const MetastorePartitions> partitions);

}  // namespace mica
