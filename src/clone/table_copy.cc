#include "clone/table_copy.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/uuid.h"
#include "clone/copied_file_names.h"
#include "clone/file_list_copy.h"
#include "clone/table_layout.h"
#include "table/live_files.h"
#include "table/restore.h"
#include "types/binary_row.h"

namespace mica {

namespace {

// Commits of clones, by which one finds another.
constexpr std::string_view kCommitUser = "clone-";

Executor& ExecutorOf(const CopyRequest& request) {
  return request.commit.executor != nullptr ? *request.commit.executor : InlineExecutor();
}

// What the target is to have, and what of it has to be copied.
class CopyPlan {
 public:
  CopyPlan(const Table& source, SourceFiles wanted, const Table& target, const std::optional<Snapshot>& base,
           Executor& executor)
      : source_(source), target_(target), names_(base) {
    replacement.base = base ? std::optional(base->id) : std::nullopt;
    std::unordered_set<std::string> partitions;
    for (const ManifestEntry& entry : wanted.entries) partitions.insert(entry.partition);
    const bool dynamic = !target.schema().partition_keys.empty() && target.options().Bool("dynamic-partition-overwrite", true);
    auto touched = [dynamic, partitions](std::string_view partition) {
      return !dynamic || partitions.contains(std::string(partition));
    };
    replacement.in_scope = [touched, types = target.partition_types()](const std::vector<Value>& partition) {
      return touched(BinaryRow::Of(partition, types).Serialize());
    };
    if (base) NoteLive(*base, touched, executor);
    for (ManifestEntry& entry : wanted.entries) Add(std::move(entry));
    if (wanted.snapshot->index_manifest) {
      for (const IndexManifestEntry& entry : source.manifests().ReadIndex(*wanted.snapshot->index_manifest)) {
        if (partitions.contains(entry.partition)) AddIndex(entry);
      }
    }
  }

  FileReplacement replacement;
  std::vector<FileToCopy> to_copy;
  int64_t files_present = 0;

 private:
  void NoteLive(const Snapshot& base, const std::function<bool(std::string_view)>& touched, Executor& executor) {
    ManifestFilter filter;
    filter.keep = [&](std::string_view partition, int32_t, int32_t) { return touched(partition); };
    for (ManifestEntry& entry : LiveEntries(target_.manifests(), base, filter, nullptr, executor)) {
      std::string mark = CopiedFileNames::MarkIn(entry.file.file_name);
      if (!mark.empty()) live_.emplace(std::move(mark), std::move(entry));
    }
    if (!base.index_manifest) return;
    for (IndexManifestEntry& entry : target_.manifests().ReadIndex(*base.index_manifest)) {
      if (!touched(entry.partition)) continue;
      std::string mark = CopiedFileNames::MarkIn(entry.file_name);
      if (!mark.empty()) live_index_.emplace(std::move(mark), std::move(entry));
    }
  }

  CommitMessage& MessageFor(const std::string& partition, int32_t bucket, int32_t total_buckets) {
    auto [place, is_new] = messages_.try_emplace({partition, bucket, total_buckets}, replacement.messages.size());
    if (is_new) {
      CommitMessage& message = replacement.messages.emplace_back();
      message.partition = partition;
      message.bucket = bucket;
      message.total_buckets = total_buckets;
    }
    return replacement.messages[place->second];
  }

  static void Rename(DataFileMeta* file, const std::string& name) {
    for (std::string& extra : file->extra_files) extra = RenamedExtra(extra, file->file_name, name);
    file->file_name = name;
  }

  void Add(ManifestEntry entry) {
    const std::string mark = CopiedFileNames::MarkOf(entry);
    ManifestEntry copy = entry;
    copy.kind = FileKind::kAdd;
    copy.file.external_path.reset();
    auto [first, last] = live_.equal_range(mark);
    for (; first != last; ++first) {
      const ManifestEntry& live = first->second;
      Rename(&copy.file, live.file.file_name);
      copy.file.schema_id = live.file.schema_id;
      if (copy == live) {
        ++files_present;
        renamed_[VectorKey(entry.partition, entry.bucket, entry.file.file_name)] = live.file.file_name;
        replacement.staying.insert(live.Identity());
        return;
      }
      copy.file = entry.file;
      copy.file.external_path.reset();
    }
    const std::string name = names_.NameFor(entry.file.file_name, mark);
    Rename(&copy.file, name);
    copy.file.schema_id = target_.schema().id;
    renamed_[VectorKey(entry.partition, entry.bucket, entry.file.file_name)] = name;
    const auto from = source_.paths().DataFilePaths(entry.partition, entry.bucket, entry.file);
    const auto to = target_.paths().DataFilePaths(copy.partition, copy.bucket, copy.file);
    for (size_t i = 0; i < from.size(); ++i) {
      to_copy.push_back({from[i], to[i], i == 0 ? std::optional(entry.file.file_size) : std::nullopt});
    }
    MessageFor(copy.partition, copy.bucket, copy.total_buckets).data.new_files.push_back(std::move(copy.file));
  }

  void AddIndex(const IndexManifestEntry& entry) {
    IndexManifestEntry copy = entry;
    copy.kind = FileKind::kAdd;
    copy.external_path.reset();
    if (copy.deletion_vector_ranges) {
      for (DeletionVectorRange& range : *copy.deletion_vector_ranges) {
        const auto name = renamed_.find(VectorKey(entry.partition, entry.bucket, range.data_file_name));
        if (name != renamed_.end()) range.data_file_name = name->second;
      }
    }
    const std::string mark = CopiedFileNames::MarkOf(entry);
    auto [first, last] = live_index_.equal_range(mark);
    for (; first != last; ++first) {
      copy.file_name = first->second.file_name;
      if (copy == first->second) {
        replacement.staying_index.insert(copy.file_name);
        return;
      }
    }
    copy.file_name = names_.NameFor(entry.file_name, mark);
    to_copy.push_back({source_.paths().IndexFilePath(entry), target_.paths().IndexFilePath(copy), entry.file_size});
    MessageFor(copy.partition, copy.bucket, -1).data.new_index_files.push_back(std::move(copy));
  }

  // Names of data files need not be unique beyond a bucket.
  static std::string VectorKey(const std::string& partition, int32_t bucket, const std::string& name) {
    return fmt::format("{}/{}/{}", name, bucket, partition);
  }

  const Table& source_;
  const Table& target_;
  CopiedFileNames names_;
  std::unordered_multimap<std::string, ManifestEntry> live_;             // of the target, by mark
  std::unordered_multimap<std::string, IndexManifestEntry> live_index_;
  std::unordered_map<std::string, std::string> renamed_;                 // data files of the source
  std::map<std::tuple<std::string, int32_t, int32_t>, size_t> messages_;
};

}  // namespace

SourceFiles ListSourceFiles(const Table& source, const std::function<bool(const std::vector<Value>&)>& keep_partition,
                            Executor& executor) {
  SourceFiles files;
  files.snapshot = source.snapshots().Latest();
  if (!files.snapshot) return files;
  ManifestFilter filter;
  if (keep_partition) {
    filter.keep = [&, types = source.partition_types()](std::string_view partition, int32_t, int32_t) {
      return keep_partition(BinaryRow::Deserialize(partition).Values(types));
    };
  }
  files.entries = LiveEntries(source.manifests(), *files.snapshot, filter, nullptr, executor);
  return files;
}

std::optional<std::string> WhyNotCopied(const Table& source, const SourceFiles& files, const Table& target,
                                        const std::optional<std::string>& format) {
  if (auto why = DifferentLayout(source, target)) return why;
  std::map<int64_t, bool> fits;  // by schema id
  for (const ManifestEntry& entry : files.entries) {
    auto [place, is_new] = fits.try_emplace(entry.file.schema_id, true);
    if (is_new) place->second = SameColumns(source.schemas().Get(entry.file.schema_id)->fields, source.schema().fields, true);
    if (!place->second) return fmt::format("the file '{}' has the columns of an older schema", entry.file.file_name);
    if (format && !entry.file.file_name.ends_with("." + *format)) {
      return fmt::format("the file '{}' is of another format", entry.file.file_name);
    }
  }
  return std::nullopt;
}

CopyResult CopyTable(const Table& source, SourceFiles files, const TablePtr& target, const CopyRequest& request) {
  CopyResult result;
  result.files = static_cast<int64_t>(files.entries.size());
  if (result.files == 0) return result;
  const auto base = target->snapshots().Latest();
  CopyPlan plan(source, std::move(files), *target, base, ExecutorOf(request));
  result.files_present = plan.files_present;
  const auto to_copy = static_cast<int64_t>(plan.to_copy.size());
  FileListCopy copy{.source = source.file_system(), .target = target->file_system(), .executor = ExecutorOf(request)};
  copy.nothing_there = request.new_target;
  copy.on_progress = request.on_progress;
  copy.progress.files = copy.progress.files_done = plan.files_present;
  std::tie(result.files_copied, result.bytes_copied) = copy.Run(std::move(plan.to_copy), target->name().ToString());
  result.files_found = to_copy - result.files_copied;
  CommitSettings commit = request.commit;
  commit.commit_user = fmt::format("{}{}", kCommitUser, RandomUuid());
  const CommitResult committed = ReplaceFiles(target, std::move(commit), plan.replacement, std::string(kCommitUser));
  if (!committed.snapshot_ids.empty()) result.snapshot_id = committed.snapshot_ids.back();
  return result;
}

}  // namespace mica
