#include "compaction/append_compaction.h"

#include <algorithm>
#include <map>

#include <arrow/record_batch.h>

#include "table/read.h"
#include "table/rolling_file.h"

namespace mica {

namespace {

// A full compaction of fewer files is not worth it.
constexpr size_t kFullMinFiles = 3;

void SortBySequence(std::vector<DataFileMeta>* files) {
  std::stable_sort(files->begin(), files->end(), [](const DataFileMeta& a, const DataFileMeta& b) {
    return a.min_sequence_number < b.min_sequence_number;
  });
}

}  // namespace

AppendRules AppendRulesOf(const TableOptions& options) {
  AppendRules rules;
  rules.target_bytes = options.target_file_bytes(false);
  rules.small_bytes = options.small_file_bytes(false);
  rules.open_cost_bytes = options.Bytes("source.split.open-file-cost", rules.open_cost_bytes);
  rules.min_file_count = options.Integer("compaction.min.file-num", rules.min_file_count);
  rules.delete_ratio = options.Number("compaction.delete-ratio-threshold", rules.delete_ratio);
  rules.rewrite_all = options.Bool("compaction.force-rewrite-all-files", false);
  return rules;
}

std::vector<std::vector<DataFileMeta>> GroupSmallFiles(const BucketFiles& bucket, const AppendRules& rules) {
  std::vector<DataFileMeta> plain;
  // By the index file of their vectors: that is written anew with the group.
  std::map<std::string, std::vector<DataFileMeta>> with_deletions;
  for (const DataFileMeta& file : bucket.files) {
    auto found = bucket.deletions.find(file.file_name);
    bool wanted = file.file_size < rules.small_bytes;
    if (found == bucket.deletions.end()) {
      if (wanted) plain.push_back(file);
      continue;
    }
    const auto& deleted = found->second.cardinality;
    wanted |= !deleted || static_cast<double>(*deleted) > static_cast<double>(file.row_count) * rules.delete_ratio;
    if (wanted) with_deletions[found->second.path].push_back(file);
  }

  std::vector<std::vector<DataFileMeta>> groups;
  std::vector<DataFileMeta> group;
  int64_t bytes = 0;
  auto add = [&](std::vector<DataFileMeta> files) {
    for (DataFileMeta& file : files) {
      bytes += file.file_size + rules.open_cost_bytes;
      group.push_back(std::move(file));
    }
    if (group.size() > 1 && bytes >= 2 * rules.target_bytes) {
      groups.push_back(std::exchange(group, {}));
      bytes = 0;
    }
  };
  for (auto& [index_file, files] : with_deletions) add(std::move(files));
  if (!group.empty()) groups.push_back(std::exchange(group, {}));
  bytes = 0;
  std::stable_sort(plain.begin(), plain.end(),
                   [](const DataFileMeta& a, const DataFileMeta& b) { return a.file_size < b.file_size; });
  for (DataFileMeta& file : plain) add({std::move(file)});
  if (!group.empty() && static_cast<int64_t>(group.size()) >= rules.min_file_count) groups.push_back(std::move(group));
  return groups;
}

std::vector<DataFileMeta> PickNeighbours(std::vector<DataFileMeta> files, const AppendRules& rules) {
  SortBySequence(&files);
  size_t begin = 0;
  int64_t bytes = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    bytes += files[i].file_size;
    if (static_cast<int64_t>(i + 1 - begin) >= rules.min_file_count) {
      return {files.begin() + static_cast<std::ptrdiff_t>(begin), files.begin() + static_cast<std::ptrdiff_t>(i + 1)};
    }
    // Enough bytes in few files: they are big already, and the window moves on.
    if (bytes >= 2 * rules.target_bytes) bytes -= files[begin++].file_size;
  }
  return {};
}

std::vector<DataFileMeta> PickAllNeighbours(const BucketFiles& bucket, const AppendRules& rules, bool deletion_vectors) {
  std::vector<DataFileMeta> files = bucket.files;
  SortBySequence(&files);
  if (rules.rewrite_all) return files;
  if (!deletion_vectors && files.size() < kFullMinFiles) return {};
  size_t begin = 0;
  while (begin < files.size() && files[begin].file_size >= rules.small_bytes &&
         !bucket.deletions.contains(files[begin].file_name)) {
    ++begin;
  }
  files.erase(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(begin));
  if (deletion_vectors) {
    // One file without deleted rows would only be copied.
    bool worth = files.size() > 1 || (files.size() == 1 && bucket.deletions.contains(files[0].file_name));
    return worth ? files : std::vector<DataFileMeta>{};
  }
  const auto small = static_cast<size_t>(std::count_if(
      files.begin(), files.end(), [&](const DataFileMeta& file) { return file.file_size < rules.small_bytes; }));
  if (files.size() < kFullMinFiles || small * 2 <= files.size()) return {};
  return files;
}

FileChanges RewriteAppendFiles(const TablePtr& table, const BucketFiles& bucket, std::vector<DataFileMeta> files,
                               const Clock& clock) {
  SortBySequence(&files);
  Split split = bucket.SplitOf(files);
  ReadRequest request;
  request.fields = table->schema().fields;
  std::unique_ptr<BatchReader> rows = ReadSplit(*table, split, request);
  RollingFile writer(table, bucket.partition, bucket.bucket, /*level=*/0, FileSource::kCompact, clock);
  writer.set_next_sequence(files.front().min_sequence_number);
  while (auto batch = rows->Next()) writer.Write(batch);
  FileChanges changes;
  changes.new_files = writer.Finish();
  changes.deleted_files = std::move(files);
  return changes;
}

}  // namespace mica
