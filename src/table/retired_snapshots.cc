#include "table/retired_snapshots.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/log.h"
#include "meta/versioned_folder.h"
#include "table/scan.h"

namespace mica {

namespace {

constexpr std::string_view kPrefix = "retired-";

// A data file is known by the folder it lies in and its name: an upgrade to another level keeps both.
std::string PlaceOf(const ManifestEntry& entry) {
  std::string place = entry.partition;
  place.append(reinterpret_cast<const char*>(&entry.bucket), sizeof(entry.bucket));
  return place + entry.file.file_name;
}

// Runs a step that reads metadata; false when some of it is gone or broken.
template <typename Step>
bool CanRead(std::string_view what, const Step& step) {
  try {
    step();
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kNotFound && error.kind() != ErrorKind::kCorrupt) throw;
    Log(LogLevel::kWarning, fmt::format("{} cannot be read, so its files are not deleted: {}", what, error.what()));
    return false;
  }
}

// What is alive: the snapshots that are listed, and the tags.
struct Alive {
  std::vector<int64_t> ids;                 // snapshots, ascending
  std::map<int64_t, Snapshot> tags;         // by snapshot id
  std::map<int64_t, Snapshot> branch_tags;  // where branches begin
  std::vector<Snapshot> changelogs;

  bool Has(int64_t id) const { return std::binary_search(ids.begin(), ids.end(), id); }
  // Another engine's rollback brings files back under their old names: then no order of snapshots can be relied on.
  bool rolled_back = false;
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
    if (auto tag = snapshots.FindTag(name)) alive.tags.emplace(tag->snapshot.id, tag->snapshot);
    alive.rolled_back = alive.rolled_back || name.starts_with("rollback-to-as-latest-");
  }
  FileSystem& fs = table.file_system();
  for (const FileStatus& folder : fs.List(JoinPath(table.root(), "branch"))) {
    if (!folder.is_directory || !BaseName(folder.path).starts_with("branch-")) continue;
    SnapshotStore branch(table.file_system_ptr(), folder.path);
    for (const std::string& name : branch.TagNames()) {
      if (auto tag = branch.FindTag(name)) alive.branch_tags.emplace(tag->snapshot.id, tag->snapshot);
    }
  }
  std::string folder = JoinPath(table.root(), "changelog");
  for (int64_t id : ListVersions(fs, folder, "changelog-")) {
    std::string path = fmt::format("{}/changelog-{}", folder, id);
    alive.changelogs.push_back(ReadVersionedFile<Snapshot>(fs, path, SystemSleeper()));
  }
  return alive;
}

// The data files that may be deleted, and which snapshot was the first without each.
struct Candidate {
  ManifestEntry entry;
  int64_t gone_at = 0;
};
using Candidates = std::unordered_map<std::string, Candidate>;

class DataFiles {
 public:
  DataFiles(const Table& table, const Alive& alive, Executor& executor) : table_(table), alive_(alive), executor_(executor) {}

  // The removals of a commit. A file that it, or a later one, adds again is not gone.
  void AddRemovals(const Snapshot& snapshot) {
    CanRead(fmt::format("What snapshot {} changed", snapshot.id), [&] {
      Candidates removed;
      std::vector<std::string> added;
      for (const ManifestFileMeta& manifest :
           table_.manifests().ReadList(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size)) {
        ManifestFilter filter;
        filter.without_stats = true;
        table_.manifests().Scan(manifest.file_name, manifest.file_size, filter, [&](ManifestEntry&& entry) {
          std::string place = PlaceOf(entry);
          if (entry.kind == FileKind::kAdd) {
            added.push_back(std::move(place));
          } else {
            removed[place] = Candidate{std::move(entry), snapshot.id};
          }
        });
      }
      for (auto& [place, candidate] : removed) candidates_[place] = std::move(candidate);
      for (const std::string& place : added) candidates_.erase(place);
    });
  }

  // Everything that a snapshot used, when its successors are gone and cannot say what they removed.
  void AddWhole(const Snapshot& snapshot) {
    CanRead(fmt::format("Snapshot {}", snapshot.id), [&] {
      ManifestFilter filter;
      filter.without_stats = true;
      for (ManifestEntry& entry : LiveEntries(table_.manifests(), snapshot, filter, nullptr, executor_)) {
        std::string place = PlaceOf(entry);
        candidates_[place] = Candidate{std::move(entry), snapshot.id + 1};
      }
      whole_.push_back(snapshot.id);
    });
  }

  // Files of the changelog of a snapshot that is gone with it.
  void AddChangelog(const Snapshot& snapshot) {
    if (!snapshot.changelog_manifest_list) return;
    CanRead(fmt::format("The changelog of snapshot {}", snapshot.id), [&] {
      for (const ManifestFileMeta& manifest :
           table_.manifests().ReadList(*snapshot.changelog_manifest_list, snapshot.changelog_manifest_list_size)) {
        for (ManifestEntry& entry : table_.manifests().Read(manifest.file_name, manifest.file_size)) {
          if (entry.kind == FileKind::kAdd) changelog_.push_back(std::move(entry));
        }
      }
    });
  }

  void KeepAppended() {
    std::erase_if(candidates_, [](const auto& item) {
      return item.second.entry.file.file_source.value_or(FileSource::kAppend) == FileSource::kAppend;
    });
  }

  // Takes out what is needed. False when that cannot be told.
  bool Protect() {
    if (candidates_.empty()) return true;
    std::map<int64_t, Snapshot> holders = alive_.branch_tags;
    if (!whole_.empty() || alive_.rolled_back) {
      holders.insert(alive_.tags.begin(), alive_.tags.end());
      for (int64_t whole : whole_) {
        for (int64_t id : alive_.Around(whole)) AddSnapshot(id, &holders);
      }
    } else {
      // A file lives in one stretch of snapshots, so the last tag before its end has it if any tag has.
      for (const auto& [place, candidate] : candidates_) {
        auto next = alive_.tags.lower_bound(candidate.gone_at);
        if (next != alive_.tags.begin()) holders.insert(*std::prev(next));
      }
    }
    if (!alive_.ids.empty()) AddSnapshot(alive_.ids.back(), &holders);
    std::unordered_set<std::string> partitions;
    for (const auto& [place, candidate] : candidates_) partitions.insert(candidate.entry.partition);
    ManifestFilter filter;
    filter.without_stats = true;
    filter.keep = [&](std::string_view partition, int32_t, int32_t) { return partitions.contains(std::string(partition)); };
    for (const auto& [id, snapshot] : holders) {
      bool known = CanRead(fmt::format("Snapshot {}", id), [&, &snapshot = snapshot] {
        for (const ManifestEntry& entry : LiveEntries(table_.manifests(), snapshot, filter, nullptr, executor_)) {
          candidates_.erase(PlaceOf(entry));
        }
      });
      if (!known) return false;
    }
    return true;
  }

  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    auto add = [&](const ManifestEntry& entry) {
      auto files = table_.paths().DataFilePaths(entry.partition, entry.bucket, entry.file);
      paths.insert(paths.end(), files.begin(), files.end());
    };
    for (const auto& [place, candidate] : candidates_) add(candidate.entry);
    for (const ManifestEntry& entry : changelog_) add(entry);
    return paths;
  }

 private:
  void AddSnapshot(int64_t id, std::map<int64_t, Snapshot>* holders) const {
    if (!holders->contains(id)) holders->emplace(id, table_.snapshots().Get(id));
  }

  const Table& table_;
  const Alive& alive_;
  Executor& executor_;
  Candidates candidates_;
  std::vector<ManifestEntry> changelog_;
  std::vector<int64_t> whole_;
};

// Lists, manifests, index manifests, index files and statistics, by path.
class MetadataFiles {
 public:
  explicit MetadataFiles(const Table& table) : table_(table) {}

  // Throws what reading throws: only a state that is known whole can protect.
  void Keep(const Snapshot& snapshot) { ForEach(snapshot, [&](std::string path) { kept_.insert(std::move(path)); }); }
  void KeepChangelog(const Snapshot& changelog) {
    auto keep = [&](std::string path) { kept_.insert(std::move(path)); };
    if (changelog.changelog_manifest_list) {
      keep(Path(*changelog.changelog_manifest_list));
      ForEachOfList(*changelog.changelog_manifest_list, changelog.changelog_manifest_list_size, keep);
      return;
    }
    keep(Path(changelog.base_manifest_list));
    keep(Path(changelog.delta_manifest_list));
    ForEachOfList(changelog.delta_manifest_list, changelog.delta_manifest_list_size, keep);
  }

  // What is not kept comes after what it points to, so that another run finds the rest.
  void Collect(const Snapshot& snapshot) {
    std::string what = fmt::format("The metadata of snapshot {}", snapshot.id);
    auto take = [&](std::string path) {
      if (!kept_.contains(path) && taken_.insert(path).second) paths_.push_back(std::move(path));
    };
    CanRead(what, [&] { ForEachOfList(snapshot.base_manifest_list, snapshot.base_manifest_list_size, take); });
    CanRead(what, [&] { ForEachOfList(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size, take); });
    if (snapshot.changelog_manifest_list) {
      CanRead(what, [&] {
        ForEachOfList(*snapshot.changelog_manifest_list, snapshot.changelog_manifest_list_size, take);
      });
      take(Path(*snapshot.changelog_manifest_list));
    }
    CanRead(what, [&] { ForEachIndexFile(snapshot, take); });
    if (snapshot.index_manifest) take(Path(*snapshot.index_manifest));
    if (snapshot.statistics) take(table_.paths().StatisticsPath(*snapshot.statistics));
    take(Path(snapshot.base_manifest_list));
    take(Path(snapshot.delta_manifest_list));
  }

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  using Use = std::function<void(std::string)>;

  std::string Path(const std::string& name) const { return table_.manifests().PathOf(name); }

  void ForEachOfList(const std::string& list, std::optional<int64_t> size, const Use& use) {
    for (const ManifestFileMeta& manifest : table_.manifests().ReadList(list, size)) use(Path(manifest.file_name));
  }
  void ForEachIndexFile(const Snapshot& snapshot, const Use& use) {
    if (!snapshot.index_manifest) return;
    for (const IndexManifestEntry& entry : table_.manifests().ReadIndex(*snapshot.index_manifest)) {
      use(table_.paths().IndexFilePath(entry));
    }
  }
  void ForEach(const Snapshot& snapshot, const Use& use) {
    use(Path(snapshot.base_manifest_list));
    use(Path(snapshot.delta_manifest_list));
    ForEachOfList(snapshot.base_manifest_list, snapshot.base_manifest_list_size, use);
    ForEachOfList(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size, use);
    if (snapshot.index_manifest) use(Path(*snapshot.index_manifest));
    ForEachIndexFile(snapshot, use);
    if (snapshot.statistics) use(table_.paths().StatisticsPath(*snapshot.statistics));
  }

  const Table& table_;
  std::unordered_set<std::string> kept_;
  std::unordered_set<std::string> taken_;
  std::vector<std::string> paths_;
};

void DeleteAll(FileSystem& fs, const std::vector<std::string>& paths, Executor& executor) {
  executor.ForEach(paths.size(), [&](size_t i) { fs.DeleteFile(paths[i]); });
}

}  // namespace

void WriteEarliestHint(const Table& table, int64_t id) {
  try {
    table.file_system().ReplaceAtomically(table.root() + "/snapshot/EARLIEST", std::to_string(id));
  } catch (const Error& error) {
    Log(LogLevel::kWarning, fmt::format("The hint of the earliest snapshot was not written: {}", error.what()));
  }
}

std::string RetiredSnapshots::PathOf(int64_t id) const {
  return fmt::format("{}/snapshot/{}{}", table_.root(), kPrefix, id);
}

void RetiredSnapshots::Add(const Snapshot& snapshot) {
  table_.file_system().ReplaceAtomically(PathOf(snapshot.id), snapshot.ToJson());
}

RetiredSnapshots::Retired RetiredSnapshots::List() {
  Retired retired;
  FileSystem& fs = table_.file_system();
  for (int64_t id : ListVersions(fs, JoinPath(table_.root(), "snapshot"), kPrefix)) {
    retired.emplace(id, ReadVersionedFile<Snapshot>(fs, PathOf(id), SystemSleeper()));
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
    auto tag = alive.tags.find(item.first);
    bool reachable = alive.Has(item.first) || (tag != alive.tags.end() && tag->second == item.second);
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
  DataFiles data(table_, alive, executor_);
  bool keep_appended = false;
  for (const auto& [id, snapshot] : retired) {
    if (auto next = state_of(id + 1)) {
      data.AddRemovals(*next);
    } else {
      data.AddWhole(snapshot);
    }
    if (!with_changelog.contains(id)) data.AddChangelog(snapshot);
    keep_appended = keep_appended || (with_changelog.contains(id) && !snapshot.changelog_manifest_list);
  }
  if (keep_appended) data.KeepAppended();
  if (!data.Protect()) return 0;

  MetadataFiles metadata(table_);
  bool known = CanRead("What other snapshots use", [&] {
    std::set<int64_t> around;
    for (const auto& [id, snapshot] : retired) {
      for (int64_t neighbour : alive.Around(id)) around.insert(neighbour);
    }
    for (int64_t id : around) metadata.Keep(table_.snapshots().Get(id));
    for (const auto& [id, snapshot] : alive.tags) metadata.Keep(snapshot);
    for (const auto& [id, snapshot] : alive.branch_tags) metadata.Keep(snapshot);
    for (const Snapshot& changelog : alive.changelogs) metadata.KeepChangelog(changelog);
  });
  if (!known) return 0;
  for (const auto& [id, snapshot] : retired) metadata.Collect(snapshot);

  std::vector<std::string> paths = data.Paths();
  DeleteAll(fs, paths, executor_);
  DeleteAll(fs, metadata.paths(), executor_);
  for (const auto& [id, snapshot] : retired) fs.DeleteFile(PathOf(id));
  return static_cast<int64_t>(paths.size() + metadata.paths().size());
}

}  // namespace mica
