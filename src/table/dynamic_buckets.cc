#include "table/dynamic_buckets.h"

#include <algorithm>

#include <arrow/record_batch.h>

#include "types/arrow_types.h"

namespace mica {

DynamicBuckets::DynamicBuckets(TablePtr table, bool starts_anew) : table_(std::move(table)), starts_anew_(starts_anew) {
  const TableSchema& schema = table_->schema();
  for (const DataField& key : schema.KeyFields()) {
    key_columns_.push_back(FindField(schema.fields, key.name));
    key_types_.push_back(key.type);
  }
  DynamicBucketAssigner::Options options;
  options.target_rows = table_->options().Integer("dynamic-bucket.target-row-num", options.target_rows);
  options.max_buckets = static_cast<int32_t>(table_->options().Integer("dynamic-bucket.max-buckets", -1));
  assigner_.emplace(options, [this](std::string_view partition) { return LoadHashes(partition); });
}

void DynamicBuckets::Load(const std::optional<Snapshot>& base) {
  if (std::exchange(loaded_, true) || starts_anew_ || !base || !base->index_manifest) return;
  for (IndexManifestEntry& entry : table_->manifests().ReadIndex(*base->index_manifest)) {
    if (entry.index_type == kHashIndexType) files_[entry.partition].push_back(std::move(entry));
  }
}

std::vector<BucketHashes> DynamicBuckets::LoadHashes(std::string_view partition) {
  std::vector<BucketHashes> buckets;
  auto it = files_.find(std::string(partition));
  if (it == files_.end()) return buckets;
  for (const IndexManifestEntry& entry : it->second) {
    buckets.push_back(
        {entry.bucket, ReadHashIndex(table_->file_system(), table_->paths().IndexFilePath(entry), entry.file_size)});
  }
  return buckets;
}

std::vector<int32_t> DynamicBuckets::BucketsOf(const arrow::RecordBatch& batch, const std::vector<uint32_t>& numbers,
                                            const PartitionNumbers& partitions) {
  std::vector<int32_t> hashes;
  HashRows(batch, key_columns_, key_types_, &hashes);
  std::vector<int32_t> buckets(hashes.size());
  std::map<uint32_t, std::vector<size_t>> by_partition;
  for (size_t i = 0; i < hashes.size(); ++i) by_partition[numbers[i]].push_back(i);
  std::vector<int32_t> some_hashes, some_buckets;
  for (const auto& [number, rows] : by_partition) {
    some_hashes.clear();
    for (size_t row : rows) some_hashes.push_back(hashes[row]);
    some_buckets.resize(rows.size());
    assigner_->Assign(partitions.partition(number), some_hashes, some_buckets);
    for (size_t i = 0; i < rows.size(); ++i) buckets[rows[i]] = some_buckets[i];
  }
  return buckets;
}

void DynamicBuckets::Finish(std::vector<CommitMessage>* messages, const MessageOf& message_of) {
  // Even rows of known keys alone are only right while the keys stay in their buckets.
  for (CommitMessage& message : *messages) NoteBase(message);
  for (const DynamicBucketAssigner::Changed& changed : assigner_->TakeChanged()) {
    IndexManifestEntry entry;
    entry.partition = changed.partition;
    entry.bucket = changed.bucket.bucket;
    entry.index_type = kHashIndexType;
    entry.file_name = names_.Next();
    entry.row_count = static_cast<int64_t>(changed.bucket.hashes.size());
    std::string path = table_->paths().IndexFilePath(changed.partition, entry.bucket, entry.file_name);
    CommitMessage& message = message_of(changed.partition, entry.bucket);
    // Named before it is there, so that a failure half-way deletes it as well.
    message.data.new_index_files.push_back(entry);
    entry.file_size = WriteHashIndex(table_->file_system(), path, changed.bucket.hashes);
    message.data.new_index_files.back() = entry;
    auto& files = files_[changed.partition];
    NoteBase(message);
    std::erase_if(files, [&](const IndexManifestEntry& old) { return old.bucket == entry.bucket; });
    files.push_back(std::move(entry));
  }
  // What the next commit of this writer starts from.
  base_files_.clear();
}

void DynamicBuckets::NoteBase(CommitMessage& message) {
  if (starts_anew_) return;
  auto it = base_files_.find(message.partition);
  if (it == base_files_.end()) it = base_files_.emplace(message.partition, files_[message.partition]).first;
  message.base_hash_files.emplace();
  for (const IndexManifestEntry& base : it->second) message.base_hash_files->push_back(base.file_name);
}

}  // namespace mica
