#include "history/orphan_files.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>
#include <unordered_set>

#include "base/error.h"
#include "base/text.h"
#include "history/lines.h"
#include "history/unused_files.h"
#include "meta/branch.h"
#include "table/commit.h"
#include "table/live_files.h"

namespace mica {

namespace {

// Files by name, wherever they lie: names are unique, and a folder can be written in more than one way. Numbers instead of
// names: two names of one number keep a file too many, never one too few.
class UsedFiles {
 public:
  void Add(std::string_view path) {
    std::lock_guard lock(mutex_);
    numbers_.insert(NumberOf(path));
  }
  bool Has(std::string_view path) const { return numbers_.contains(NumberOf(path)); }

 private:
  static uint64_t NumberOf(std::string_view path) {
    return std::hash<std::string_view>()(path.substr(path.rfind('/') + 1));
  }
  std::mutex mutex_;
  std::unordered_set<uint64_t> numbers_;
};

// All that the states of all lines refer to.
class Marking {
 public:
  Marking(const Table& table, Executor& executor) : table_(table), executor_(executor) {}

  // Marks what was not marked before; false when there was nothing new.
  bool Mark() {
    std::vector<ManifestFileMeta> manifests;
    bool any = false;
    for (Line& line : AllLines(table_)) {
      const std::vector<int64_t> ids = line.snapshots.Ids();
      for (int64_t id : ids) {
        if (!seen_.insert(fmt::format("{}|{}", line.root, id)).second) continue;
        std::optional<Snapshot> snapshot;
        try {
          snapshot = line.snapshots.Get(id);
          MarkState(*snapshot, &manifests);
          if (snapshot->changelog_manifest_list && (id != ids.front() || HasChangelog(*snapshot))) {
            MarkList(*snapshot->changelog_manifest_list, snapshot->changelog_manifest_list_size, &manifests);
          }
        } catch (const Error& error) {
          // Expired since it was listed: then its files are another one's to delete.
          if (error.kind() != ErrorKind::kNotFound || line.snapshots.Exists(id)) throw;
        }
        any = true;
      }
      for (const std::string& name : line.snapshots.TagNames()) {
        auto tag = line.snapshots.FindTag(name);
        if (!tag || !seen_.insert(fmt::format("{}|{}|{}", line.root, name, tag->snapshot.base_manifest_list)).second) continue;
        MarkState(tag->snapshot, &manifests);
        any = true;
      }
      for (const Snapshot& changelog : ChangelogsOf(table_, line)) {
        if (!seen_.insert(fmt::format("{}|changelog|{}", line.root, changelog.id)).second) continue;
        MarkChangelog(changelog, &manifests);
        any = true;
      }
    }
    executor_.ForEach(manifests.size(), [&](size_t i) {
      ManifestFilter filter;
      filter.without_stats = true;
      table_.manifests().Scan(manifests[i].file_name, manifests[i].file_size, filter, [&](ManifestEntry&& entry) {
        if (entry.kind != FileKind::kAdd) return;
        for (const std::string& path : table_.paths().DataFilePaths(entry.partition, entry.bucket, entry.file)) used_.Add(path);
      });
    });
    return any;
  }

  const UsedFiles& used() const { return used_; }

 private:
  void MarkList(const std::string& list, std::optional<int64_t> size, std::vector<ManifestFileMeta>* manifests) {
    used_.Add(table_.manifests().PathOf(list));
    if (!lists_.insert(list).second) return;
    for (ManifestFileMeta& manifest : table_.manifests().ReadList(list, size)) {
      used_.Add(table_.manifests().PathOf(manifest.file_name));
      if (known_manifests_.insert(manifest.file_name).second) manifests->push_back(std::move(manifest));
    }
  }

  // A tag does not hold its changelog, so that of a line which begins with the state of a tag may be gone: of a branch
  // made of a tag, or after a rollback to one. Any other that is missing is damage, and stops the clean.
  bool HasChangelog(const Snapshot& first) const {
    return table_.file_system().Exists(table_.manifests().PathOf(*first.changelog_manifest_list));
  }

  // What a snapshot and a tag hold both.
  void MarkState(const Snapshot& state, std::vector<ManifestFileMeta>* manifests) {
    MarkList(state.base_manifest_list, state.base_manifest_list_size, manifests);
    MarkList(state.delta_manifest_list, state.delta_manifest_list_size, manifests);
    if (state.index_manifest) {
      used_.Add(table_.manifests().PathOf(*state.index_manifest));
      for (const IndexManifestEntry& entry : table_.manifests().ReadIndex(*state.index_manifest)) {
        used_.Add(table_.paths().IndexFilePath(entry));
      }
    }
    if (state.statistics) used_.Add(table_.paths().StatisticsPath(*state.statistics));
  }

  // Its base may be gone.
  void MarkChangelog(const Snapshot& changelog, std::vector<ManifestFileMeta>* manifests) {
    used_.Add(table_.manifests().PathOf(changelog.base_manifest_list));
    if (changelog.changelog_manifest_list) {
      MarkList(*changelog.changelog_manifest_list, changelog.changelog_manifest_list_size, manifests);
    } else {
      MarkList(changelog.delta_manifest_list, changelog.delta_manifest_list_size, manifests);
    }
  }

  const Table& table_;
  Executor& executor_;
  UsedFiles used_;
  std::unordered_set<std::string> seen_, lists_, known_manifests_;
};

// Everything in the table's own folders, written before the limit. Folders elsewhere may hold files of other tables.
class Candidates {
 public:
  Candidates(const Table& table, int64_t older_than) : table_(table), fs_(table.file_system()), older_than_(older_than) {}

  std::vector<FileStatus> List() {
    for (const char* folder : {"manifest", "index", "statistics"}) Files(JoinPath(table_.root(), folder));
    Partitions(table_.paths().DataRoot(), 0);
    for (const Line& line : AllLines(table_)) {
      Others(line.root + "/snapshot", "snapshot-");
      Others(line.root + "/changelog", "changelog-");
    }
    return std::move(found_);
  }

 private:
  void Offer(const FileStatus& status) {
    if (!status.is_directory && status.modified_millis < older_than_) found_.push_back(status);
  }

  void Files(const std::string& folder) {
    for (const FileStatus& status : fs_.List(folder)) Offer(status);
  }

  void Partitions(const std::string& folder, size_t depth) {
    static const std::set<std::string> kMetadata = {"manifest", "index", "statistics", "snapshot", "schema", "tag",
                                                    "branch",   "changelog", "consumer", "service"};
    for (const FileStatus& status : fs_.List(folder)) {
      if (!status.is_directory) continue;
      std::string name = BaseName(status.path);
      bool metadata = depth == 0 && folder == table_.root() && kMetadata.contains(name);
      if (metadata || name.starts_with('.')) continue;
      if (depth < table_.schema().partition_keys.size()) {
        Partitions(status.path, depth + 1);
      } else if (name.starts_with("bucket-")) {
        Files(status.path);
      }
    }
  }

  void Others(const std::string& folder, std::string_view prefix) {
    for (const FileStatus& status : fs_.List(folder)) {
      std::string name = BaseName(status.path);
      bool known = name.starts_with(prefix) && name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
      if (!known && name != "EARLIEST" && name != "LATEST") Offer(status);
    }
  }

  const Table& table_;
  FileSystem& fs_;
  int64_t older_than_;
  std::vector<FileStatus> found_;
};

}  // namespace

std::vector<OrphanFile> FindOrphanFiles(const Table& table, int64_t older_than_millis, Executor& executor) {
  std::vector<std::string> unfinished;
  for (const BranchFolder& folder : BranchFolders(table.file_system(), table.root())) {
    if (!BranchExists(table.file_system(), table.root(), folder.name)) unfinished.push_back(folder.name);
  }
  if (!unfinished.empty()) {
    throw InvalidArgument("Branches [{}] have no schemas. Orphan files cleaning aborted. Please check these branches manually: "
                          "delete_branch removes one", Join(unfinished, ", "));
  }
  // Files first, then what refers to them: a commit in between only adds references.
  std::vector<FileStatus> candidates = Candidates(table, older_than_millis).List();
  if (candidates.empty()) return {};
  constexpr int kRounds = 20;
  Marking marking(table, executor);
  // What was committed meanwhile is looked at too.
  for (int round = 0; marking.Mark(); ++round) {
    if (round == kRounds) {
      throw Conflict("Cannot tell the orphan files of table '{}': others committed to it all the time, {} times looked. Try again",
                     table.name().ToString(), kRounds);
    }
  }
  std::vector<OrphanFile> orphans;
  for (const FileStatus& status : candidates) {
    if (!marking.used().Has(status.path)) orphans.push_back({status.path, status.size});
  }
  std::sort(orphans.begin(), orphans.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return orphans;
}

std::vector<OrphanFile> RemoveOrphanFiles(const Table& table, int64_t older_than_millis, bool dry_run, Executor& executor) {
  std::vector<OrphanFile> orphans = FindOrphanFiles(table, older_than_millis, executor);
  if (dry_run) return orphans;
  std::vector<std::string> paths;
  for (const OrphanFile& orphan : orphans) paths.push_back(orphan.path);
  DeleteFiles(table.file_system(), paths, executor);
  return orphans;
}

std::vector<std::string> RemoveMissingFiles(const std::shared_ptr<const Table>& table, bool dry_run,
                                            const CommitSettings& settings, Executor& executor) {
  auto snapshot = table->snapshots().Latest();
  if (!snapshot) return {};
  std::vector<ManifestEntry> entries = LiveEntries(table->manifests(), *snapshot, {}, nullptr, executor);
  std::vector<char> missing(entries.size());
  std::vector<std::string> paths(entries.size());
  executor.ForEach(entries.size(), [&](size_t i) {
    paths[i] = table->paths().DataFilePath(entries[i].partition, entries[i].bucket, entries[i].file);
    missing[i] = table->file_system().Exists(paths[i]) ? 0 : 1;
  });
  std::map<std::pair<std::string, int32_t>, CommitMessage> messages;
  std::vector<std::string> gone;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!missing[i]) continue;
    CommitMessage& message = messages[{entries[i].partition, entries[i].bucket}];
    message.partition = entries[i].partition;
    message.bucket = entries[i].bucket;
    message.total_buckets = entries[i].total_buckets;
    message.data.deleted_files.push_back(entries[i].file);
    gone.push_back(paths[i]);
  }
  std::sort(gone.begin(), gone.end());
  if (gone.empty() || dry_run) return gone;
  std::vector<CommitMessage> list;
  for (auto& [bucket, message] : messages) list.push_back(std::move(message));
  TableCommit(table, settings).Commit(list);
  return gone;
}

}  // namespace mica
