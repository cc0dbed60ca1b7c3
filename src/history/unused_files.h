// Finds the files that nothing needs any more among those that states which are gone used: data files by what later states
// still have of them, metadata files by name. The common ground of expiry, deleted tags and deleted branches.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/executor.h"
#include "history/lines.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"

namespace mica {

// Runs a step that reads metadata; false, and a warning about `what`, when some of it is gone or broken.
bool CanRead(std::string_view what, const std::function<void()>& step);

// Data files that may be deleted. Adding reads what it can: what is not found is not deleted.
class UnusedDataFiles {
 public:
  UnusedDataFiles(const Table& table, Executor& executor) : table_(table), executor_(executor) {}

  // The removals of a commit whose predecessor is gone. A file that it, or a later one, adds again is not gone.
  void AddRemovals(const Snapshot& snapshot);
  // Everything that a state used, where no successor says what it removed.
  void AddWhole(const Snapshot& snapshot);
  // What a commit added and removed, of which only the changelog was left.
  void AddChanges(const Snapshot& changelog);
  // The files of a state's changelog.
  void AddChangelog(const Snapshot& snapshot);
  bool empty() const { return candidates_.empty(); }
  // Takes out every file that is live in one of the states. Each manifest is read once, however many states have it.
  // Throws what reading throws: then nothing may be deleted.
  void Keep(const std::vector<Snapshot>& states);
  // Takes out the files of the changelogs of other states, and of long-lived ones: where there are no changelog files, the
  // files that the commit added.
  void KeepChangelogs(const std::vector<Snapshot>& states);
  void KeepLongLived(const std::vector<Snapshot>& changelogs);
  // For which states of the own line it has to be kept: the snapshot that removed each file.
  std::vector<int64_t> RemovedAt() const;

  std::vector<std::string> Paths() const;

 private:
  struct Candidate {
    ManifestEntry entry;
    int64_t removed_at = 0;  // the first snapshot without the file
  };

  const Table& table_;
  Executor& executor_;
  std::unordered_map<std::string, Candidate> candidates_;  // by folder and name: an upgrade to another level keeps both
  std::unordered_map<std::string, ManifestEntry> changelog_;
};

// Lists, manifests, index manifests, index files and statistics, by path.
class UnusedMetadata {
 public:
  explicit UnusedMetadata(const Table& table) : table_(table) {}

  // What a state needs, without its changelog. Throws what reading throws: only a state that is known whole can protect.
  void Keep(const Snapshot& snapshot);
  // What the changelog of a snapshot, or a long-lived one, needs.
  void KeepChangelog(const Snapshot& changelog);
  // What all states and long-lived changelogs of a line need.
  void KeepLine(const LineStates& states, const std::vector<Snapshot>& changelogs);

  // What a state that is gone used and nothing needs; after all of Keep. What points to others comes after them, so that a
  // run that ends in between leaves the rest to be found.
  void Collect(const Snapshot& snapshot);

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  using Use = std::function<void(std::string)>;

  std::string Path(const std::string& name) const { return table_.manifests().PathOf(name); }
  const std::vector<std::string>& ManifestsOf(const std::string& list, std::optional<int64_t> size);
  void ForEachOfList(const std::string& list, std::optional<int64_t> size, const Use& use);
  void ForEachIndexFile(const Snapshot& snapshot, const Use& use);

  const Table& table_;
  std::unordered_map<std::string, std::vector<std::string>> lists_;  // names of manifests by list
  std::unordered_set<std::string> kept_;
  std::unordered_set<std::string> taken_;
  std::vector<std::string> paths_;
};

// Takes out of both what the lines need but for their data files, and returns all their states: UnusedDataFiles::Keep is to
// keep what those have. Throws what reading throws.
std::vector<Snapshot> KeepLines(const Table& table, std::vector<Line> lines, UnusedDataFiles* data, UnusedMetadata* metadata);

// Deletes files side by side.
void DeleteFiles(FileSystem& fs, const std::vector<std::string>& paths, Executor& executor);

}  // namespace mica
