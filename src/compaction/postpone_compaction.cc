#include "compaction/postpone_compaction.h"

#include <algorithm>
#include <map>

#include <arrow/api.h>

#include "compaction/compact.h"
#include "table/bucket_write.h"
#include "table/file_reader.h"
#include "table/postpone_buckets.h"
#include "table/scan.h"

namespace mica {

namespace {

using Place = std::pair<std::string, int32_t>;  // partition and bucket

// The files of one partition in the order in which their rows came: one writer after the other.
std::vector<DataFileMeta> InOrder(std::vector<DataFileMeta> files) {
  std::map<std::string, int64_t> began;
  for (const DataFileMeta& file : files) {
    const int64_t created = file.creation_time_millis.value_or(0);
    auto [it, is_new] = began.emplace(PostponeWriterOf(file.file_name), created);
    it->second = std::min(it->second, created);
  }
  std::stable_sort(files.begin(), files.end(), [&](const DataFileMeta& a, const DataFileMeta& b) {
    const std::string a_writer = PostponeWriterOf(a.file_name), b_writer = PostponeWriterOf(b.file_name);
    const auto key = [&](const DataFileMeta& file, const std::string& writer) {
      return std::tuple(began[writer], writer, file.creation_time_millis.value_or(0), file.min_sequence_number);
    };
    return key(a, a_writer) < key(b, b_writer);
  });
  return files;
}

// Files of level 0 that were written and compacted at once need not be committed.
void Combine(const Table& table, std::vector<CommitMessage>* messages) {
  std::map<Place, CommitMessage> combined;
  const auto same = [](const DataFileMeta& file) {
    return [&file](const DataFileMeta& other) { return other.file_name == file.file_name && other.level == file.level; };
  };
  for (CommitMessage& message : *messages) {
    CommitMessage& into = combined[{message.partition, message.bucket}];
    into.partition = message.partition;
    into.bucket = message.bucket;
    into.total_buckets = message.total_buckets;
    const auto append = [](auto* to, const auto& from) { to->insert(to->end(), from.begin(), from.end()); };
    append(&into.compact.new_files, message.data.new_files);
    append(&into.compact.changelog_files, message.data.changelog_files);
    std::vector<DataFileMeta> gone;
    for (const DataFileMeta& file : message.compact.deleted_files) {
      const auto fresh = std::find_if(into.compact.new_files.begin(), into.compact.new_files.end(), same(file));
      if (fresh == into.compact.new_files.end()) {
        into.compact.deleted_files.push_back(file);
      } else {
        gone.push_back(*fresh);
        into.compact.new_files.erase(fresh);
      }
    }
    append(&into.compact.new_files, message.compact.new_files);
    append(&into.compact.changelog_files, message.compact.changelog_files);
    append(&into.compact.new_index_files, message.compact.new_index_files);
    append(&into.compact.deleted_index_files, message.compact.deleted_index_files);
    for (const DataFileMeta& file : gone) {
      const bool upgraded = std::any_of(into.compact.new_files.begin(), into.compact.new_files.end(),
                                        [&](const DataFileMeta& other) { return other.file_name == file.file_name; });
      if (upgraded) continue;
      CommitMessage unneeded;
      unneeded.partition = message.partition;
      unneeded.bucket = message.bucket;
      unneeded.data.new_files = {file};
      AbortMessages(table, {unneeded});
    }
  }
  messages->clear();
  for (auto& [place, message] : combined) messages->push_back(std::move(message));
}

}  // namespace

std::vector<CommitMessage> CompactPostponed(const TablePtr& table, const Snapshot& snapshot,
                                            const BucketSelection& selection, const CommitSettings& settings) {
  Executor& executor = settings.executor ? *settings.executor : InlineExecutor();
  std::map<std::string, std::vector<DataFileMeta>> postponed;
  ManifestFilter filter;
  filter.keep = [](std::string_view, int32_t bucket, int32_t) { return bucket == kPostponeBucket; };
  const std::vector<DataType> types = table->partition_types();
  for (ManifestEntry& entry : LiveEntries(table->manifests(), snapshot, filter, nullptr, executor)) {
    if (selection.keep_partition && !selection.keep_partition(BinaryRow::Deserialize(entry.partition).Values(types))) continue;
    postponed[entry.partition].push_back(std::move(entry.file));
  }
  std::vector<CommitMessage> messages;
  if (postponed.empty()) return messages;
  // A dedicated compaction compacts whatever writers leave to it.
  const TablePtr writable = table->WithOptions({{"write-only", "false"}});
  PostponeBuckets buckets(*table, snapshot, executor);
  WriteSettings write;
  write.commit_user = settings.commit_user;
  write.executor = settings.executor;
  auto writer = MakeBucketWrite(writable, write, [&](const std::string& partition) { return buckets.TotalOf(partition); });
  FileReadRequest request;
  request.fields = table->schema().fields;
  request.fields.push_back(ValueKindField());
  request.bucket = kPostponeBucket;
  for (auto& [partition, files] : postponed) {
    request.partition = partition;
    for (const DataFileMeta& file : InOrder(files)) {
      auto reader = ReadTableFile(*table, file, request);
      while (auto batch = reader->Next()) writer->WriteTo({batch, true}, buckets.BucketsOf(*batch));
    }
  }
  messages = writer->PrepareCommit();
  try {
    CompactWritten(writable, /*ignore_existing=*/false, settings, &messages);
    Combine(*table, &messages);
  } catch (...) {
    AbortMessages(*table, messages);
    throw;
  }
  for (auto& [partition, files] : postponed) {
    CommitMessage& message = messages.emplace_back();
    message.partition = partition;
    message.bucket = message.total_buckets = kPostponeBucket;
    message.compact.deleted_files = std::move(files);
  }
  return messages;
}

}  // namespace mica
