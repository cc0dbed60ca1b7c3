#include "history/retired_snapshots.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/error.h"
#include "base/log.h"
#include "history/lines.h"
#include "history/unused_files.h"
#include "meta/versioned_folder.h"

namespace mica {

namespace {

constexpr std::string_view kPrefix = "retired-";

// What is alive: the snapshots that are listed, and the tags.
struct Alive {
  std::vector<int64_t> ids;               // snapshots, ascending
  std::multimap<int64_t, Snapshot> tags;  // by snapshot id
  std::vector<Snapshot> changelogs;
  // Another engine's rollback brings files back under their old names, or makes two states of one number: then no order of
  // snapshots can be relied on.
  bool rolled_back = false;

  bool Has(int64_t id) const { return std::binary_search(ids.begin(), ids.end(), id); }
  bool HasTag(const Snapshot& snapshot) const {
    auto [tag, end] = tags.equal_range(snapshot.id);
    return std::any_of(tag, end, [&](const auto& item) { return item.second == snapshot; });
  }
  // The snapshots beside one that is gone, and the newest.
  std::vector<int64_t> Around(int64_t id) const {
    std::vector<int64_t> around;
    if (ids.empty()) return around;
    auto next = std::lower_bound(ids.begin(), ids.end(), id);
    if (next != ids.begin()) around.push_back(*std::prev(next));
    if (next != ids.end()) around.push_back(*next);
    around.push_back(ids.back());
    return around;
  }
};

Alive FindAlive(const Table& table) {
  Alive alive;
  SnapshotStore& snapshots = table.snapshots();
  alive.ids = snapshots.Ids();
  for (const std::string& name : snapshots.TagNames()) {
    alive.rolled_back = alive.rolled_back || name.starts_with("rollback-to-as-latest-");
    auto tag = snapshots.FindTag(name);
    if (!tag || alive.HasTag(tag->snapshot)) continue;
    alive.rolled_back = alive.rolled_back || alive.tags.contains(tag->snapshot.id);
    alive.tags.emplace(tag->snapshot.id, std::move(tag->snapshot));
  }
  alive.changelogs = ChangelogsOf(table, {"", MetadataRoot(table), snapshots});
  return alive;
}

// The states of the own line that may have a file which snapshots took away. `whole`: snapshots of which everything is
// asked for.
std::vector<Snapshot> HoldersOf(const Table& table, const Alive& alive, const std::vector<int64_t>& removed_at,
                                const std::vector<int64_t>& whole) {
  std::set<int64_t> ids;
  std::vector<Snapshot> holders;
  if (!alive.ids.empty()) ids = {alive.ids.front(), alive.ids.back()};
  if (!whole.empty() || alive.rolled_back) {
    for (const auto& [id, tag] : alive.tags) holders.push_back(tag);
    for (int64_t id : whole) {
      for (int64_t neighbour : alive.Around(id)) ids.insert(neighbour);
    }
  } else {
    // A file lives in one stretch of snapshots, so the last tag before its end has it if any tag has.
    std::set<int64_t> tagged;
    for (int64_t id : removed_at) {
      auto next = alive.tags.lower_bound(id);
      if (next != alive.tags.begin() && tagged.insert(std::prev(next)->first).second) {
        holders.push_back(std::prev(next)->second);
      }
    }
  }
  for (int64_t id : ids) holders.push_back(table.snapshots().Get(id));
  return holders;
}

}  // namespace

void WriteEarliestHint(const Table& table, int64_t id) {
  try {
    table.file_system().ReplaceAtomically(MetadataRoot(table) + "/snapshot/EARLIEST", std::to_string(id));
  } catch (const Error& error) {
    Log(LogLevel::kWarning, fmt::format("The hint of the earliest snapshot was not written: {}", error.what()));
  }
}

std::string RetiredSnapshots::PathOf(int64_t id) const {
  return fmt::format("{}/snapshot/{}{}", MetadataRoot(table_), kPrefix, id);
}

void RetiredSnapshots::Add(const Snapshot& snapshot) {
  table_.file_system().ReplaceAtomically(PathOf(snapshot.id), snapshot.ToJson());
}

RetiredSnapshots::Retired RetiredSnapshots::List() {
  Retired retired;
  FileSystem& fs = table_.file_system();
  for (int64_t id : ListVersions(fs, JoinPath(MetadataRoot(table_), "snapshot"), kPrefix)) {
    try {
      retired.emplace(id, ReadVersionedFile<Snapshot>(fs, PathOf(id), SystemSleeper()));
    } catch (const Error& error) {
      // Another process has finished with it meanwhile.
      if (error.kind() != ErrorKind::kNotFound) throw;
    }
  }
  return retired;
}

int64_t RetiredSnapshots::Clean() {
  Retired retired = List();
  if (retired.empty()) return 0;
  Alive alive = FindAlive(table_);
  FileSystem& fs = table_.file_system();
  // A process that ended before it took away the snapshot or the tag: both count, the retired does not.
  std::erase_if(retired, [&](const auto& item) {
    bool reachable = alive.Has(item.first) || alive.HasTag(item.second);
    if (reachable) fs.DeleteFile(PathOf(item.first));
    return reachable;
  });
  if (retired.empty()) return 0;

  auto state_of = [&](int64_t id) -> std::optional<Snapshot> {
    auto own = retired.find(id);
    if (own != retired.end()) return own->second;
    if (alive.Has(id)) return table_.snapshots().Get(id);
    auto tag = alive.tags.find(id);
    if (tag != alive.tags.end()) return tag->second;
    return std::nullopt;
  };
  std::unordered_set<int64_t> with_changelog;
  for (const Snapshot& changelog : alive.changelogs) with_changelog.insert(changelog.id);
  UnusedDataFiles data(table_, executor_);
  UnusedMetadata metadata(table_);
  std::vector<int64_t> whole;
  for (const auto& [id, snapshot] : retired) {
    if (auto next = state_of(id + 1)) {
      data.AddRemovals(*next);
    } else {
      data.AddWhole(snapshot);
      whole.push_back(id);
    }
    if (!with_changelog.contains(id)) data.AddChangelog(snapshot);
  }

  bool known = CanRead("What other snapshots use", [&] {
    std::vector<Snapshot> holders;
    if (!data.empty()) holders = HoldersOf(table_, alive, data.RemovedAt(), whole);
    std::set<int64_t> around;
    for (const auto& [id, snapshot] : retired) {
      for (int64_t neighbour : alive.Around(id)) around.insert(neighbour);
    }
    for (int64_t id : around) metadata.Keep(table_.snapshots().Get(id));
    for (const auto& [id, snapshot] : alive.tags) metadata.Keep(snapshot);
    for (const Snapshot& changelog : alive.changelogs) metadata.KeepChangelog(changelog);
    data.KeepLongLived(alive.changelogs);
    // Of another line nothing is known but what it has: each of its states is looked at.
    std::vector<Snapshot> others = KeepLines(table_, OtherLines(table_), &data, &metadata);
    holders.insert(holders.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    data.Keep(holders);
  });
  if (!known) return 0;
  for (const auto& [id, snapshot] : retired) metadata.Collect(snapshot);

  std::vector<std::string> paths = data.Paths();
  DeleteFiles(fs, paths, executor_);
  DeleteFiles(fs, metadata.paths(), executor_);
  for (const auto& [id, snapshot] : retired) fs.DeleteFile(PathOf(id));
  return static_cast<int64_t>(paths.size() + metadata.paths().size());
}

}  // namespace mica
