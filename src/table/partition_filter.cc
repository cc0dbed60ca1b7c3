#include "table/partition_filter.h"

#include "types/binary_row.h"

namespace mica {

PartitionFilter::PartitionFilter(const Table& table, const PredicatePtr& predicate)
    : fields_(table.schema().PartitionFields()), types_(table.partition_types()) {
  predicate_ = KeepColumns(predicate, [&](const std::string& name) { return FindField(fields_, name) >= 0; });
}

bool PartitionFilter::KeepsManifest(const ManifestFileMeta& manifest) const {
  if (!active()) return true;
  BinaryRow min = BinaryRow::Deserialize(manifest.partition_stats.min_values);
  BinaryRow max = BinaryRow::Deserialize(manifest.partition_stats.max_values);
  if (min.arity() != static_cast<int32_t>(types_.size()) || max.arity() != min.arity()) return true;
  auto range_of = [&](const std::string& name) -> std::optional<ColumnRange> {
    int at = FindField(fields_, name);
    if (at < 0) return std::nullopt;
    ColumnRange range;
    size_t i = static_cast<size_t>(at);
    if (!min.IsNullAt(at)) range.min = min.Get(at, types_[i]);
    if (!max.IsNullAt(at)) range.max = max.Get(at, types_[i]);
    if (manifest.partition_stats.null_counts && i < manifest.partition_stats.null_counts->size()) {
      range.null_count = (*manifest.partition_stats.null_counts)[i];
    }
    return range;
  };
  return MayMatch(*predicate_, range_of, manifest.added_count + manifest.deleted_count);
}

std::function<bool(const ManifestFileMeta&)> PartitionFilter::OfManifests() const {
  return [this](const ManifestFileMeta& manifest) { return KeepsManifest(manifest); };
}

bool PartitionFilter::Keeps(std::string_view partition) const {
  if (!active()) return true;
  // Entries of one partition follow each other, so the last answer is mostly the next one.
  thread_local std::string last;
  thread_local uint64_t owner = 0;
  thread_local bool last_kept = false;
  if (owner == id_ && last == partition) return last_kept;
  BinaryRow row = BinaryRow::Deserialize(partition);
  std::vector<Value> values = row.Values(types_);
  last_kept = Matches(*predicate_, [&](const std::string& name) {
    return values[static_cast<size_t>(FindField(fields_, name))];
  });
  last.assign(partition);
  owner = id_;
  return last_kept;
}

PredicatePtr AmongPartitions(const Table& table, const std::set<std::string>& partitions) {
  const std::vector<DataType> types = table.partition_types();
  std::vector<std::vector<Value>> values(types.size());
  std::vector<bool> nulls(types.size());
  for (const std::string& partition : partitions) {
    const std::vector<Value> row = BinaryRow::Deserialize(partition).Values(types);
    for (size_t i = 0; i < row.size(); ++i) {
      if (IsNull(row[i])) {
        nulls[i] = true;
      } else {
        values[i].push_back(row[i]);
      }
    }
  }
  std::vector<PredicatePtr> columns;
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string& name = table.schema().partition_keys[i];
    PredicatePtr among = Predicate::In(name, types[i], std::move(values[i]));
    columns.push_back(nulls[i] ? Predicate::Or({std::move(among), Predicate::IsNull(name, types[i])}) : std::move(among));
  }
  return Predicate::And(std::move(columns));
}

}  // namespace mica
