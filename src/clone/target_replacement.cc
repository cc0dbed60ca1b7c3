#include "clone/target_replacement.h"

#include "base/uuid.h"
#include "table/live_files.h"
#include "types/binary_row.h"

namespace mica {

namespace {
// Commits of clones, by which one finds another.
constexpr std::string_view kCommitUser = "clone-";

template <typename Entry>
const Entry* FindIn(const std::unordered_multimap<std::string, Entry>& live, const std::string& mark,
                    const std::function<bool(const Entry&)>& right) {
  auto [first, last] = live.equal_range(mark);
  for (; first != last; ++first) {
    if (right(first->second)) return &first->second;
  }
  return nullptr;
}
}  // namespace

TargetReplacement::TargetReplacement(const Table& target, const std::optional<Snapshot>& base,
                                     std::unordered_set<std::string> partitions, Executor& executor)
    : names_(base) {
  replacement_.base = base ? std::optional(base->id) : std::nullopt;
  const bool dynamic =
      !target.schema().partition_keys.empty() && target.options().Bool("dynamic-partition-overwrite", true);
  auto touched = [dynamic, partitions = std::move(partitions)](std::string_view partition) {
    return !dynamic || partitions.contains(std::string(partition));
  };
  replacement_.in_scope = [touched, types = target.partition_types()](const std::vector<Value>& partition) {
    return touched(BinaryRow::Of(partition, types).Serialize());
  };
  if (!base) return;
  ManifestFilter filter;
  filter.keep = [&](std::string_view partition, int32_t, int32_t) { return touched(partition); };
  for (ManifestEntry& entry : LiveEntries(target.manifests(), *base, filter, nullptr, executor)) {
    std::string mark = CopiedFileNames::MarkIn(entry.file.file_name);
    if (!mark.empty()) live_.emplace(std::move(mark), std::move(entry));
  }
  if (!base->index_manifest) return;
  for (IndexManifestEntry& entry : target.manifests().ReadIndex(*base->index_manifest)) {
    if (!touched(entry.partition)) continue;
    std::string mark = CopiedFileNames::MarkIn(entry.file_name);
    if (!mark.empty()) live_index_.emplace(std::move(mark), std::move(entry));
  }
}

const ManifestEntry* TargetReplacement::FindLive(const std::string& mark,
                                                 const std::function<bool(const ManifestEntry&)>& right) const {
  return FindIn(live_, mark, right);
}

const IndexManifestEntry* TargetReplacement::FindLiveIndex(
    const std::string& mark, const std::function<bool(const IndexManifestEntry&)>& right) const {
  return FindIn(live_index_, mark, right);
}

CommitMessage& TargetReplacement::MessageFor(const std::string& partition, int32_t bucket, int32_t total_buckets) {
  auto [place, is_new] = messages_.try_emplace({partition, bucket, total_buckets}, replacement_.messages.size());
  if (is_new) {
    CommitMessage& message = replacement_.messages.emplace_back();
    message.partition = partition;
    message.bucket = bucket;
    message.total_buckets = total_buckets;
  }
  return replacement_.messages[place->second];
}

std::optional<int64_t> TargetReplacement::Commit(const TablePtr& target, CommitSettings settings) const {
  settings.commit_user = fmt::format("{}{}", kCommitUser, RandomUuid());
  const CommitResult committed = ReplaceFiles(target, std::move(settings), replacement_, std::string(kCommitUser));
  return committed.snapshot_ids.empty() ? std::nullopt : std::optional(committed.snapshot_ids.back());
}

}  // namespace mica
