#include "table/postpone_buckets.h"

#include <algorithm>

#include "base/error.h"
#include "table/live_files.h"

namespace mica {

PostponeBuckets::PostponeBuckets(const Table& table, const std::optional<Snapshot>& snapshot, Executor& executor)
    : default_total_(static_cast<int32_t>(table.options().Integer("postpone.default-bucket-num", 1))),
      partitions_(table.schema()),
      function_(BucketFunctionOf(table.options().Text("bucket-function.type", "default"))) {
  if (default_total_ <= 0) {
    throw InvalidArgument("The option 'postpone.default-bucket-num' must be positive, not '{}'", default_total_);
  }
  for (const DataField& field : table.schema().FieldsOf(table.schema().BucketKeys())) {
    key_columns_.push_back(FindField(table.schema().fields, field.name));
    key_types_.push_back(field.type);
  }
  CheckBucketKey(function_, key_types_);
  if (!snapshot) return;
  ManifestFilter filter;
  filter.without_stats = true;
  filter.keep = [](std::string_view, int32_t bucket, int32_t) { return bucket >= 0; };
  for (const ManifestEntry& entry : LiveEntries(table.manifests(), *snapshot, filter, nullptr, executor)) {
    totals_[entry.partition] = entry.total_buckets;
  }
}

int32_t PostponeBuckets::TotalOf(const std::string& partition) const {
  const auto found = totals_.find(partition);
  return found == totals_.end() ? default_total_ : found->second;
}

std::vector<int32_t> PostponeBuckets::BucketsOf(const arrow::RecordBatch& batch) {
  std::vector<uint32_t> numbers;
  partitions_.Number(batch, &numbers);
  std::vector<int32_t> totals;
  for (size_t i = 0; i < partitions_.count(); ++i) totals.push_back(TotalOf(partitions_.partition(static_cast<uint32_t>(i))));
  std::map<int32_t, std::vector<int32_t>> by_total;
  for (const uint32_t number : numbers) by_total[totals[number]];
  for (auto& [total, buckets] : by_total) {
    buckets = mica::BucketsOf(function_, batch, key_columns_, key_types_, total);
  }
  if (by_total.size() == 1) return std::move(by_total.begin()->second);
  std::vector<int32_t> buckets(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) buckets[i] = by_total[totals[numbers[i]]][i];
  return buckets;
}

std::string PostponeWriterOf(const std::string& file_name) {
  const size_t mark = file_name.rfind("-w-");
  if (mark == std::string::npos) {
    throw Corrupt("The postponed file '{}' does not name its writer", file_name);
  }
  return file_name.substr(0, mark);
}

}  // namespace mica
