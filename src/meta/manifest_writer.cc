#include "meta/manifest_writer.h"

#include <algorithm>

#include "base/error.h"
#include "meta/manifest_format.h"

namespace mica {

namespace {
// Sizes are looked at now and then, not for every entry.
constexpr int64_t kEntriesBetweenLooks = 1000;
}  // namespace

ManifestWriter::ManifestWriter(ManifestStore& store, std::span<const DataType> partition_types)
    : store_(store), types_(partition_types.begin(), partition_types.end()) {
  for (const DataType& type : types_) nullable_.push_back(type.WithNullable(true));
}

void ManifestWriter::Start() {
  file_ = store_.NewManifestContent();
  meta_ = ManifestFileMeta();
  entry_count_ = 0;
  all_have_row_ids_ = true;
  ranges_.assign(types_.size(), {});
  last_partition_.clear();
}

void ManifestWriter::Gather(const ManifestEntry& entry) {
  ++(entry.kind == FileKind::kAdd ? meta_.added_count : meta_.deleted_count);
  meta_.schema_id = std::max(meta_.schema_id, entry.file.schema_id);
  auto widen = [](auto* min, auto* max, auto low, auto high) {
    *min = *min ? std::min(**min, low) : low;
    *max = *max ? std::max(**max, high) : high;
  };
  widen(&meta_.min_bucket, &meta_.max_bucket, entry.bucket, entry.bucket);
  widen(&meta_.min_level, &meta_.max_level, entry.file.level, entry.file.level);
  if (!entry.file.first_row_id) {
    all_have_row_ids_ = false;
  } else if (all_have_row_ids_) {
    widen(&meta_.min_row_id, &meta_.max_row_id, *entry.file.first_row_id,
          *entry.file.first_row_id + entry.file.row_count - 1);
  }
  if (types_.empty()) return;
  bool same = !last_partition_.empty() && last_partition_ == entry.partition;
  if (!same) {
    BinaryRow row = BinaryRow::Deserialize(entry.partition);
    if (row.arity() != static_cast<int32_t>(types_.size())) {
      throw Corrupt("The partition of file '{}' has '{}' values, but the table has '{}' partition columns",
                    entry.file.file_name, row.arity(), types_.size());
    }
    last_values_ = row.Values(types_);
    last_partition_ = entry.partition;
  }
  for (size_t i = 0; i < types_.size(); ++i) {
    const Value& value = last_values_[i];
    PartitionRange& range = ranges_[i];
    if (IsNull(value)) {
      ++range.null_count;
      continue;
    }
    if (same) continue;
    if (IsNull(range.min) || CompareValues(value, range.min) < 0) range.min = value;
    if (IsNull(range.max) || CompareValues(value, range.max) > 0) range.max = value;
  }
}

void ManifestWriter::Append(const ManifestEntry& entry) {
  if (!file_) Start();
  Gather(entry);
  file_->Append([&](std::string& out) { EncodeManifestEntry(entry, out); });
  if (++entry_count_ % kEntriesBetweenLooks == 0 && file_->size() >= store_.options().target_bytes) Close();
}

void ManifestWriter::Close() {
  if (!all_have_row_ids_) {
    meta_.min_row_id.reset();
    meta_.max_row_id.reset();
  }
  std::vector<Value> min, max;
  meta_.partition_stats.null_counts.emplace();
  for (const PartitionRange& range : ranges_) {
    min.push_back(range.min);
    max.push_back(range.max);
    meta_.partition_stats.null_counts->push_back(range.null_count);
  }
  meta_.partition_stats.min_values = BinaryRow::Of(min, nullable_).Serialize();
  meta_.partition_stats.max_values = BinaryRow::Of(max, nullable_).Serialize();
  std::tie(meta_.file_name, meta_.file_size) = store_.WriteManifest(file_->Finish());
  file_.reset();
  done_.push_back(std::move(meta_));
}

std::vector<ManifestFileMeta> ManifestWriter::Finish() {
  if (file_) Close();
  return std::move(done_);
}

}  // namespace mica
