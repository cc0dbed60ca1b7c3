// Clones tables of Paimon and of Hive: one, those of a database, or those of a catalog (M-0901 to M-0915). Everything that can be refused
// is found before anything is made; then one table after the other is made and filled, each with a commit of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clone/clone_source.h"
#include "clone/clone_target.h"

namespace mica {

// Which tables of the source are meant: those of a scope that are of another kind are left out.
enum class CloneFrom { kAny, kPaimon, kHive };

struct CloneRequest {
  CloneFrom from = CloneFrom::kAny;  // kHive: the source is a Hive catalog
  std::shared_ptr<Catalog> source, target;
  // Without a table: all of the database; without a database: all of the catalog.
  std::optional<std::string> database, table, target_database, target_table;
  std::optional<std::vector<std::string>> included, excluded;  // "database.table" of the source
  TargetWishes wishes;
  bool meta_only = false;
  bool clone_if_exists = true;
  PartitionChoice partitions;  // may be absent: all
  Clock clock;
  Executor* executor = nullptr;
  std::function<void(const std::string& line)> note;      // what was done; may be absent
  std::function<void(const std::string& line)> progress;  // how far it is, from any thread; may be absent
};

struct TablePair {
  TableName source, target;
};

// The tables of the scope, in order. Throws InvalidArgument naming the argument that does not go with the scope, NotFound when
// there is no table.
std::vector<TablePair> TablesToClone(const CloneRequest& request);

// A table that fails does not stop those after it; then an error names all that failed.
void CloneTables(const CloneRequest& request);

}  // namespace mica
