#include "history/expire_snapshots.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "history/lines.h"
#include "history/retired_snapshots.h"
#include "meta/consumer.h"

namespace mica {

namespace {

constexpr int64_t kRetainMin = 10;
constexpr int64_t kRetainMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kLimit = 50;

int64_t RetainedMillis(const TableOptions& options) {
  auto value = options.Duration("snapshot.time-retained", std::chrono::hours(1));
  return std::chrono::duration_cast<std::chrono::milliseconds>(value).count();
}

// `changelog/changelog-<id>`: the snapshot under another name, which streaming readers go on reading.
void KeepChangelog(const Table& table, const Snapshot& snapshot) {
  std::string folder = JoinPath(MetadataRoot(table), "changelog");
  table.file_system().ReplaceAtomically(fmt::format("{}/changelog-{}", folder, snapshot.id), snapshot.ToJson());
  table.file_system().ReplaceAtomically(folder + "/LATEST", std::to_string(snapshot.id));
}

}  // namespace

bool KeepsChangelogs(const TableOptions& options) {
  int64_t snapshot_max = options.Integer("snapshot.num-retained.max", kRetainMax);
  int64_t snapshot_min = options.Integer("snapshot.num-retained.min", kRetainMin);
  auto snapshot_time = options.Duration("snapshot.time-retained", std::chrono::hours(1));
  return options.Integer("changelog.num-retained.max", snapshot_max) > snapshot_max ||
         options.Integer("changelog.num-retained.min", snapshot_min) > snapshot_min ||
         options.Duration("changelog.time-retained", snapshot_time) > snapshot_time;
}

ExpireRange PlanExpiry(const Table& table, const ExpireRequest& request, int64_t now_millis) {
  const TableOptions& options = table.options();
  int64_t retain_max = request.retain_max.value_or(options.Integer("snapshot.num-retained.max", kRetainMax));
  int64_t retain_min = request.retain_min.value_or(options.Integer("snapshot.num-retained.min", kRetainMin));
  int64_t limit = request.max_deletes.value_or(options.Integer("snapshot.expire.limit", kLimit));
  int64_t older_than = request.older_than_millis.value_or(now_millis - RetainedMillis(options));
  if (retain_min < 1) throw InvalidArgument("Cannot expire snapshots: retain_min ({}) must be at least 1", retain_min);
  if (retain_max < retain_min) {
    throw InvalidArgument(
        "Cannot expire snapshots: retainMax ({}) must not be less than retainMin ({}). Raise retain_max, or give retain_min",
        retain_max, retain_min);
  }
  SnapshotStore& snapshots = table.snapshots();
  std::vector<int64_t> ids = snapshots.Ids();
  if (ids.empty()) return {};
  ExpireRange range{ids.front(), ids.front()};
  int64_t latest = ids.back();
  int64_t bound = std::min(latest - retain_min + 1, range.earliest + limit);
  if (!options.Bool("consumer.changelog-only", false)) {
    auto consumer = ConsumerStore(table.file_system_ptr(), MetadataRoot(table)).MinNextSnapshot();
    if (consumer) bound = std::min(bound, *consumer);
  }
  // Beyond the most that may stay, age does not matter.
  range.end = std::min(std::max(latest - retain_max + 1, range.earliest), bound);
  while (range.end < bound) {
    auto successor = std::upper_bound(ids.begin(), ids.end(), range.end);
    if (successor == ids.end() || snapshots.Get(*successor).time_millis >= older_than) break;
    range.end = std::min(*successor, bound);
  }
  return range;
}

bool ExpiryIsDue(const Table& table, int64_t now_millis) {
  const TableOptions& options = table.options();
  SnapshotStore& snapshots = table.snapshots();
  const auto latest = snapshots.LatestId();
  const int64_t retain_min = options.Integer("snapshot.num-retained.min", kRetainMin);
  // Numbers begin at 1, so a young table has nothing to expire.
  if (!latest || *latest <= retain_min) return false;
  const auto earliest = snapshots.HintedEarliestId();
  if (!earliest) return true;
  if (*latest - *earliest < retain_min) return false;
  if (*latest - *earliest >= options.Integer("snapshot.num-retained.max", kRetainMax)) return true;
  const auto successor = snapshots.Read(*earliest + 1);
  return !successor || successor->time_millis < now_millis - RetainedMillis(options);
}

int64_t ExpireSnapshots(const Table& table, const ExpireRequest& request, int64_t now_millis, Executor& executor) {
  ExpireRange range = PlanExpiry(table, request, now_millis);
  RetiredSnapshots retired(table, executor);
  int64_t count = 0;
  bool keeps_changelogs = KeepsChangelogs(table.options());
  // Most commits let nothing expire: then the snapshots are not listed again.
  const std::vector<int64_t> ids = range.end > range.earliest ? table.snapshots().Ids() : std::vector<int64_t>();
  for (int64_t id : ids) {
    if (id < range.earliest || id >= range.end) continue;
    Snapshot snapshot = table.snapshots().Get(id);
    if (keeps_changelogs) KeepChangelog(table, snapshot);
    retired.Add(snapshot);
    table.file_system().DeleteFile(table.snapshots().PathOf(id));
    ++count;
  }
  const int64_t earliest = count > 0 ? range.end : range.earliest;
  if (earliest > 0 && table.snapshots().HintedEarliestId() != earliest) WriteEarliestHint(table, earliest);
  retired.Clean();
  return count;
}

}  // namespace mica
