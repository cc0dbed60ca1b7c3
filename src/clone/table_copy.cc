#include "clone/table_copy.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "clone/copied_file_names.h"
#include "clone/file_list_copy.h"
#include "clone/table_layout.h"
#include "clone/target_replacement.h"
#include "table/live_files.h"
#include "types/binary_row.h"

namespace mica {

namespace {

// What the target is to have, and what of it has to be copied.
class CopyPlan {
 public:
  CopyPlan(const Table& source, SourceFiles wanted, const Table& target, Executor& executor)
      : replacement(target, target.snapshots().Latest(), PartitionsOf(wanted.entries), executor),
        source_(source),
        target_(target) {
    const std::unordered_set<std::string> partitions = PartitionsOf(wanted.entries);
    for (ManifestEntry& entry : wanted.entries) Add(std::move(entry));
    if (!wanted.snapshot->index_manifest) return;
    for (const IndexManifestEntry& entry : source.manifests().ReadIndex(*wanted.snapshot->index_manifest)) {
      if (partitions.contains(entry.partition)) AddIndex(entry);
    }
  }

  TargetReplacement replacement;
  std::vector<FileToCopy> to_copy;
  int64_t files_present = 0;

 private:
  static std::unordered_set<std::string> PartitionsOf(const std::vector<ManifestEntry>& entries) {
    std::unordered_set<std::string> partitions;
    for (const ManifestEntry& entry : entries) partitions.insert(entry.partition);
    return partitions;
  }

  static void Rename(DataFileMeta* file, const std::string& name) {
    for (std::string& extra : file->extra_files) extra = RenamedExtra(extra, file->file_name, name);
    file->file_name = name;
  }

  void Add(ManifestEntry entry) {
    const std::string mark = CopiedFileNames::MarkOf(entry);
    ManifestEntry copy = entry;
    copy.kind = FileKind::kAdd;
    auto as_copied = [&](const std::string& name, int64_t schema_id) {
      copy.file = entry.file;
      copy.file.external_path.reset();
      Rename(&copy.file, name);
      copy.file.schema_id = schema_id;
    };
    const ManifestEntry* live = replacement.FindLive(mark, [&](const ManifestEntry& there) {
      as_copied(there.file.file_name, there.file.schema_id);
      return copy == there;
    });
    if (live) {
      ++files_present;
      renamed_[VectorKey(entry.partition, entry.bucket, entry.file.file_name)] = live->file.file_name;
      replacement.Keep(*live);
      return;
    }
    as_copied(replacement.names().NameFor(entry.file.file_name, mark), target_.schema().id);
    renamed_[VectorKey(entry.partition, entry.bucket, entry.file.file_name)] = copy.file.file_name;
    const auto from = source_.paths().DataFilePaths(entry.partition, entry.bucket, entry.file);
    const auto to = target_.paths().DataFilePaths(copy.partition, copy.bucket, copy.file);
    for (size_t i = 0; i < from.size(); ++i) {
      to_copy.push_back({.from = from[i], .to = to[i], .size = i == 0 ? std::optional(entry.file.file_size) : std::nullopt});
    }
    replacement.MessageFor(copy.partition, copy.bucket, copy.total_buckets)
        .data.new_files.push_back(std::move(copy.file));
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
    const IndexManifestEntry* live = replacement.FindLiveIndex(mark, [&](const IndexManifestEntry& there) {
      copy.file_name = there.file_name;
      return copy == there;
    });
    if (live) return replacement.KeepIndex(live->file_name);
    copy.file_name = replacement.names().NameFor(entry.file_name, mark);
    to_copy.push_back({.from = source_.paths().IndexFilePath(entry),
                       .to = target_.paths().IndexFilePath(copy),
                       .size = entry.file_size});
    replacement.MessageFor(copy.partition, copy.bucket, -1).data.new_index_files.push_back(std::move(copy));
  }

  // Names of data files need not be unique beyond a bucket.
  static std::string VectorKey(const std::string& partition, int32_t bucket, const std::string& name) {
    return fmt::format("{}/{}/{}", name, bucket, partition);
  }

  const Table& source_;
  const Table& target_;
  std::unordered_map<std::string, std::string> renamed_;  // data files of the source
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
  CopyPlan plan(source, std::move(files), *target, request.executor());
  result.files_present = plan.files_present;
  const auto to_copy = static_cast<int64_t>(plan.to_copy.size());
  FileListCopy copy{.source = source.file_system(), .target = target->file_system(), .executor = request.executor()};
  copy.nothing_there = request.new_target;
  copy.on_progress = request.on_progress;
  copy.progress.files = copy.progress.files_done = plan.files_present;
  std::tie(result.files_copied, result.bytes_copied) = copy.Run(std::move(plan.to_copy), target->name().ToString());
  result.files_found = to_copy - result.files_copied;
  result.snapshot_id = plan.replacement.Commit(target, request.commit);
  return result;
}

}  // namespace mica
