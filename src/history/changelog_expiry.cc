#include "history/changelog_expiry.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/log.h"
#include "history/lines.h"
#include "history/unused_files.h"
#include "meta/consumer.h"
#include "meta/versioned_folder.h"

namespace mica {

namespace {

constexpr std::string_view kPrefix = "changelog-", kNotePrefix = "retired-";

std::string FolderOf(const Table& table) { return JoinPath(MetadataRoot(table), "changelog"); }

std::string PathOf(const Table& table, std::string_view prefix, int64_t id) {
  return fmt::format("{}/{}{}", FolderOf(table), prefix, id);
}

std::vector<int64_t> ToExpire(const Table& table, const ChangelogExpiryRequest& request, const std::vector<int64_t>& ids,
                              int64_t now_millis) {
  if (request.all) return ids;
  const TableOptions& options = table.options();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  int64_t retain_max = request.retain_max.value_or(
      options.Integer("changelog.num-retained.max", options.Integer("snapshot.num-retained.max", kMost)));
  int64_t retain_min = request.retain_min.value_or(
      options.Integer("changelog.num-retained.min", options.Integer("snapshot.num-retained.min", 10)));
  if (retain_min < 1 || retain_max < retain_min) {
    throw InvalidArgument("Cannot expire changelogs: retain_min ({}) must be at least 1 and not more than retain_max ({})",
                          retain_min, retain_max);
  }
  auto retained = options.Duration("changelog.time-retained", options.Duration("snapshot.time-retained", std::chrono::hours(1)));
  int64_t older_than = request.older_than_millis.value_or(
      now_millis - std::chrono::duration_cast<std::chrono::milliseconds>(retained).count());
  int64_t limit = request.max_deletes.value_or(options.Integer("snapshot.expire.limit", 50));
  auto latest = table.snapshots().LatestId();
  if (!latest) return {};
  int64_t bound = std::min(*latest - retain_min + 1, ids.front() + limit);
  if (auto consumer = ConsumerStore(table.file_system_ptr(), MetadataRoot(table)).MinNextSnapshot()) {
    bound = std::min(bound, *consumer);
  }
  // Beyond the most that may stay, age does not matter.
  int64_t surely = *latest - retain_max + 1;
  std::vector<int64_t> expired;
  for (int64_t id : ids) {
    if (id >= bound) break;
    if (id >= surely) {
      Snapshot changelog = ReadVersionedFile<Snapshot>(table.file_system(), PathOf(table, kPrefix, id), SystemSleeper());
      if (changelog.time_millis >= older_than) break;
    }
    expired.push_back(id);
  }
  return expired;
}

// Deletes what only the noted changelogs used, and the notes.
void Clean(const Table& table, Executor& executor) {
  FileSystem& fs = table.file_system();
  std::vector<int64_t> ids = ListVersions(fs, FolderOf(table), kNotePrefix);
  if (ids.empty()) return;
  UnusedDataFiles data(table, executor);
  UnusedMetadata metadata(table);
  std::vector<Snapshot> noted;
  bool known = CanRead("What snapshots and changelogs use", [&] {
    for (int64_t id : ids) noted.push_back(ReadVersionedFile<Snapshot>(fs, PathOf(table, kNotePrefix, id), SystemSleeper()));
    for (const Snapshot& changelog : noted) {
      if (changelog.changelog_manifest_list) {
        data.AddChangelog(changelog);
      } else {
        data.AddChanges(changelog);
      }
    }
    data.Keep(KeepLines(table, AllLines(table), &data, &metadata));
  });
  if (!known) return;
  for (const Snapshot& changelog : noted) metadata.Collect(changelog);
  DeleteFiles(fs, data.Paths(), executor);
  DeleteFiles(fs, metadata.paths(), executor);
  for (int64_t id : ids) fs.DeleteFile(PathOf(table, kNotePrefix, id));
}

}  // namespace

int64_t ExpireChangelogs(const Table& table, const ChangelogExpiryRequest& request, int64_t now_millis, Executor& executor) {
  FileSystem& fs = table.file_system();
  std::vector<int64_t> ids = ListVersions(fs, FolderOf(table), kPrefix);
  std::vector<int64_t> expired;
  if (!ids.empty()) expired = ToExpire(table, request, ids, now_millis);
  for (int64_t id : expired) {
    std::string path = PathOf(table, kPrefix, id);
    fs.ReplaceAtomically(PathOf(table, kNotePrefix, id), fs.ReadFile(path));
    fs.DeleteFile(path);
  }
  if (!expired.empty()) {
    std::vector<int64_t> left = ListVersions(fs, FolderOf(table), kPrefix);
    for (const char* hint : {"EARLIEST", "LATEST"}) {
      std::string path = FolderOf(table) + "/" + hint;
      if (left.empty()) {
        fs.DeleteFile(path);
      } else if (hint[0] == 'E') {
        fs.ReplaceAtomically(path, std::to_string(left.front()));
      }
    }
  }
  Clean(table, executor);
  return static_cast<int64_t>(expired.size());
}

}  // namespace mica
