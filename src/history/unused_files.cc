#include "history/unused_files.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "table/live_files.h"

namespace mica {

namespace {

std::string PlaceOf(const ManifestEntry& entry) {
  std::string place = entry.partition;
  place.append(reinterpret_cast<const char*>(&entry.bucket), sizeof(entry.bucket));
  return place + entry.file.file_name;
}

ManifestFilter WithoutStats() {
  ManifestFilter filter;
  filter.without_stats = true;
  return filter;
}

}  // namespace

bool CanRead(std::string_view what, const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kNotFound && error.kind() != ErrorKind::kCorrupt) throw;
    Log(LogLevel::kWarning, fmt::format("{} cannot be read, so its files are not deleted: {}", what, error.what()));
    return false;
  }
}

void UnusedDataFiles::AddRemovals(const Snapshot& snapshot) {
  CanRead(fmt::format("What snapshot {} changed", snapshot.id), [&] {
    std::unordered_map<std::string, Candidate> removed;
    std::vector<std::string> added;
    for (const ManifestFileMeta& manifest :
         table_.manifests().ReadList(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size)) {
      table_.manifests().Scan(manifest.file_name, manifest.file_size, WithoutStats(), [&](ManifestEntry&& entry) {
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

void UnusedDataFiles::AddWhole(const Snapshot& snapshot) {
  CanRead(fmt::format("Snapshot {}", snapshot.id), [&] {
    for (ManifestEntry& entry : LiveEntries(table_.manifests(), snapshot, WithoutStats(), nullptr, executor_)) {
      std::string place = PlaceOf(entry);
      candidates_[place] = Candidate{std::move(entry), snapshot.id + 1};
    }
  });
}

void UnusedDataFiles::AddChanges(const Snapshot& changelog) {
  CanRead(fmt::format("The changelog of snapshot {}", changelog.id), [&] {
    for (const ManifestFileMeta& manifest :
         table_.manifests().ReadList(changelog.delta_manifest_list, changelog.delta_manifest_list_size)) {
      table_.manifests().Scan(manifest.file_name, manifest.file_size, WithoutStats(), [&](ManifestEntry&& entry) {
        std::string place = PlaceOf(entry);
        candidates_[std::move(place)] = Candidate{std::move(entry), changelog.id};
      });
    }
  });
}

void UnusedDataFiles::AddChangelog(const Snapshot& snapshot) {
  if (!snapshot.changelog_manifest_list) return;
  CanRead(fmt::format("The changelog of snapshot {}", snapshot.id), [&] {
    for (const ManifestFileMeta& manifest :
         table_.manifests().ReadList(*snapshot.changelog_manifest_list, snapshot.changelog_manifest_list_size)) {
      for (ManifestEntry& entry : table_.manifests().Read(manifest.file_name, manifest.file_size, WithoutStats())) {
        if (entry.kind != FileKind::kAdd) continue;
        std::string place = PlaceOf(entry);
        changelog_.insert_or_assign(std::move(place), std::move(entry));
      }
    }
  });
}

void UnusedDataFiles::KeepChangelogs(const std::vector<Snapshot>& states) {
  if (changelog_.empty()) return;
  std::unordered_set<std::string> seen;
  for (const Snapshot& state : states) {
    if (!state.changelog_manifest_list || !seen.insert(*state.changelog_manifest_list).second) continue;
    for (const ManifestFileMeta& manifest :
         table_.manifests().ReadList(*state.changelog_manifest_list, state.changelog_manifest_list_size)) {
      table_.manifests().Scan(manifest.file_name, manifest.file_size, WithoutStats(),
                              [&](ManifestEntry&& entry) { changelog_.erase(PlaceOf(entry)); });
    }
  }
}

void UnusedDataFiles::KeepLongLived(const std::vector<Snapshot>& changelogs) {
  KeepChangelogs(changelogs);
  for (const Snapshot& changelog : changelogs) {
    if (candidates_.empty()) return;
    if (changelog.changelog_manifest_list) continue;
    for (const ManifestFileMeta& manifest :
         table_.manifests().ReadList(changelog.delta_manifest_list, changelog.delta_manifest_list_size)) {
      table_.manifests().Scan(manifest.file_name, manifest.file_size, WithoutStats(), [&](ManifestEntry&& entry) {
        if (entry.kind == FileKind::kAdd) candidates_.erase(PlaceOf(entry));
      });
    }
  }
}

void UnusedDataFiles::Keep(const std::vector<Snapshot>& states) {
  if (candidates_.empty() || states.empty()) return;
  std::vector<std::vector<ManifestFileMeta>> manifests(states.size());
  executor_.ForEach(states.size(), [&](size_t i) {
    const Snapshot& state = states[i];
    manifests[i] = table_.manifests().ReadList(state.base_manifest_list, state.base_manifest_list_size);
    auto delta = table_.manifests().ReadList(state.delta_manifest_list, state.delta_manifest_list_size);
    manifests[i].insert(manifests[i].end(), std::make_move_iterator(delta.begin()), std::make_move_iterator(delta.end()));
  });
  std::vector<const std::string*> places;
  std::unordered_map<std::string_view, size_t> number_of;
  std::unordered_set<std::string> partitions;
  for (const auto& [place, candidate] : candidates_) {
    number_of.emplace(place, places.size());
    places.push_back(&place);
    partitions.insert(candidate.entry.partition);
  }
  std::unordered_map<std::string, size_t> manifest_numbers;
  std::vector<const ManifestFileMeta*> distinct;
  for (const auto& of_state : manifests) {
    for (const ManifestFileMeta& manifest : of_state) {
      if (manifest_numbers.emplace(manifest.file_name, distinct.size()).second) distinct.push_back(&manifest);
    }
  }
  // What each manifest says of the candidates: +1 for an ADD, -1 for a DELETE of a file at a level.
  struct Change {
    size_t candidate;
    int32_t level;
    int by;
  };
  std::vector<std::vector<Change>> says(distinct.size());
  executor_.ForEach(distinct.size(), [&](size_t i) {
    ManifestFilter filter = WithoutStats();
    filter.keep = [&](std::string_view partition, int32_t, int32_t) { return partitions.contains(std::string(partition)); };
    table_.manifests().Scan(distinct[i]->file_name, distinct[i]->file_size, filter, [&](ManifestEntry&& entry) {
      auto known = number_of.find(PlaceOf(entry));
      if (known == number_of.end()) return;
      says[i].push_back({known->second, entry.file.level, entry.kind == FileKind::kAdd ? 1 : -1});
    });
  });
  std::vector<bool> live(places.size());
  std::map<std::pair<size_t, int32_t>, int> count;  // by candidate and level
  for (const auto& of_state : manifests) {
    count.clear();
    for (const ManifestFileMeta& manifest : of_state) {
      for (const Change& change : says[manifest_numbers.at(manifest.file_name)]) {
        count[{change.candidate, change.level}] += change.by;
      }
    }
    for (const auto& [file, sum] : count) {
      if (sum > 0) live[file.first] = true;
    }
  }
  std::vector<std::string> kept;
  for (size_t i = 0; i < places.size(); ++i) {
    if (live[i]) kept.push_back(*places[i]);
  }
  for (const std::string& place : kept) candidates_.erase(place);
}

std::vector<int64_t> UnusedDataFiles::RemovedAt() const {
  std::vector<int64_t> ids;
  for (const auto& [place, candidate] : candidates_) ids.push_back(candidate.removed_at);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::vector<std::string> UnusedDataFiles::Paths() const {
  std::vector<std::string> paths;
  auto add = [&](const ManifestEntry& entry) {
    auto files = table_.paths().DataFilePaths(entry.partition, entry.bucket, entry.file);
    paths.insert(paths.end(), files.begin(), files.end());
  };
  for (const auto& [place, candidate] : candidates_) add(candidate.entry);
  for (const auto& [place, entry] : changelog_) add(entry);
  return paths;
}

void UnusedMetadata::Keep(const Snapshot& snapshot) {
  Use keep = [&](std::string path) { kept_.insert(std::move(path)); };
  keep(Path(snapshot.base_manifest_list));
  keep(Path(snapshot.delta_manifest_list));
  ForEachOfList(snapshot.base_manifest_list, snapshot.base_manifest_list_size, keep);
  ForEachOfList(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size, keep);
  if (snapshot.index_manifest) keep(Path(*snapshot.index_manifest));
  ForEachIndexFile(snapshot, keep);
  if (snapshot.statistics) keep(table_.paths().StatisticsPath(*snapshot.statistics));
}

void UnusedMetadata::KeepChangelog(const Snapshot& changelog) {
  Use keep = [&](std::string path) { kept_.insert(std::move(path)); };
  if (changelog.changelog_manifest_list) {
    keep(Path(*changelog.changelog_manifest_list));
    ForEachOfList(*changelog.changelog_manifest_list, changelog.changelog_manifest_list_size, keep);
    return;
  }
  keep(Path(changelog.base_manifest_list));
  keep(Path(changelog.delta_manifest_list));
  ForEachOfList(changelog.delta_manifest_list, changelog.delta_manifest_list_size, keep);
}

void UnusedMetadata::KeepLine(const LineStates& states, const std::vector<Snapshot>& changelogs) {
  for (const Snapshot& snapshot : states.snapshots) {
    Keep(snapshot);
    if (snapshot.changelog_manifest_list) KeepChangelog(snapshot);
  }
  for (const Snapshot& tag : states.tags) Keep(tag);
  for (const Snapshot& changelog : changelogs) KeepChangelog(changelog);
}

void UnusedMetadata::Collect(const Snapshot& snapshot) {
  std::string what = fmt::format("The metadata of snapshot {}", snapshot.id);
  Use take = [&](std::string path) {
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

const std::vector<std::string>& UnusedMetadata::ManifestsOf(const std::string& list, std::optional<int64_t> size) {
  auto known = lists_.find(list);
  if (known != lists_.end()) return known->second;
  std::vector<std::string> names;
  for (const ManifestFileMeta& manifest : table_.manifests().ReadList(list, size)) names.push_back(manifest.file_name);
  return lists_.emplace(list, std::move(names)).first->second;
}

void UnusedMetadata::ForEachOfList(const std::string& list, std::optional<int64_t> size, const Use& use) {
  for (const std::string& name : ManifestsOf(list, size)) use(Path(name));
}

void UnusedMetadata::ForEachIndexFile(const Snapshot& snapshot, const Use& use) {
  if (!snapshot.index_manifest) return;
  for (const IndexManifestEntry& entry : table_.manifests().ReadIndex(*snapshot.index_manifest)) {
    use(table_.paths().IndexFilePath(entry));
  }
}

std::vector<Snapshot> KeepLines(const Table& table, std::vector<Line> lines, UnusedDataFiles* data, UnusedMetadata* metadata) {
  std::vector<Snapshot> all;
  for (Line& line : lines) {
    LineStates states = StatesOf(line);
    const std::vector<Snapshot> changelogs = ChangelogsOf(table, line);
    data->KeepChangelogs(states.snapshots);
    data->KeepLongLived(changelogs);
    metadata->KeepLine(states, changelogs);
    all.insert(all.end(), states.snapshots.begin(), states.snapshots.end());
    all.insert(all.end(), states.tags.begin(), states.tags.end());
  }
  return all;
}

void DeleteFiles(FileSystem& fs, const std::vector<std::string>& paths, Executor& executor) {
  executor.ForEach(paths.size(), [&](size_t i) { fs.DeleteFile(paths[i]); });
}

}  // namespace mica
