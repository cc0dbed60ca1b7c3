#include "table/conflict.h"

#include "index/deletion_vector.h"

namespace mica {

namespace {

void CheckBucketCounts(const Table& table, const std::vector<ManifestEntry>& live, const std::vector<ManifestEntry>& delta) {
  std::unordered_map<std::string, int32_t> counts;
  for (const auto* entries : {&live, &delta}) {
    for (const ManifestEntry& entry : *entries) {
      if (entry.total_buckets <= 0) continue;
      auto [it, is_new] = counts.emplace(entry.partition, entry.total_buckets);
      if (!is_new && it->second != entry.total_buckets) {
        throw Conflict("Cannot write table '{}' with {} buckets: a partition has {}. Rescale it by INSERT OVERWRITE first",
                       table.name().ToString(), std::max(it->second, entry.total_buckets),
                       std::min(it->second, entry.total_buckets));
      }
    }
  }
}

void CheckFiles(const Table& table, const std::vector<ManifestEntry>& live, const std::vector<ManifestEntry>& delta,
                std::vector<const ManifestEntry*>* after) {
  std::unordered_map<std::string, const ManifestEntry*> files;
  for (const ManifestEntry& entry : live) files.emplace(entry.Identity(), &entry);
  for (const ManifestEntry& entry : delta) {
    std::string identity = entry.Identity();
    if (entry.kind == FileKind::kAdd) {
      if (!files.emplace(std::move(identity), &entry).second) {
        throw Conflict("Cannot commit to table '{}': the file '{}' is there already", table.name().ToString(),
                       entry.file.file_name);
      }
    } else if (files.erase(identity) == 0) {
      throw Conflict("Cannot commit to table '{}': the file '{}' was removed by another commit. Plan and run it again",
                     table.name().ToString(), entry.file.file_name);
    }
  }
  for (const auto& [identity, entry] : files) after->push_back(entry);
}

// Above level 0 the key ranges of one level are disjoint.
void CheckLevels(const Table& table, const std::vector<const ManifestEntry*>& after) {
  std::vector<DataType> types;
  for (const DataField& field : table.schema().KeyFields()) types.push_back(field.type);
  struct Range {
    std::vector<Value> min, max;
    const ManifestEntry* entry;
  };
  std::map<std::tuple<std::string_view, int32_t, int32_t>, std::vector<Range>> levels;
  for (const ManifestEntry* entry : after) {
    if (entry->file.level < 1) continue;
    levels[{entry->partition, entry->bucket, entry->file.level}].push_back(
        {BinaryRow::Deserialize(entry->file.min_key).Values(types),
         BinaryRow::Deserialize(entry->file.max_key).Values(types), entry});
  }
  auto less = [](const std::vector<Value>& a, const std::vector<Value>& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      auto order = CompareValues(a[i], b[i]);
      if (order != 0) return order < 0;
    }
    return false;
  };
  for (auto& [level, ranges] : levels) {
    std::sort(ranges.begin(), ranges.end(), [&](const Range& a, const Range& b) { return less(a.min, b.min); });
    for (size_t i = 1; i < ranges.size(); ++i) {
      if (!less(ranges[i - 1].max, ranges[i].min)) {
        throw Conflict("Cannot commit to table '{}': the files '{}' and '{}' of level {} would overlap",
                       table.name().ToString(), ranges[i - 1].entry->file.file_name, ranges[i].entry->file.file_name,
                       std::get<2>(level));
      }
    }
  }
}

}  // namespace

namespace {

// Names of data files are only unique within a bucket.
std::string VectorKey(const std::string& partition, int32_t bucket, const std::string& data_file) {
  return fmt::format("{}/{}/{}", data_file, bucket, partition);
}

template <typename OnRange>
void ForEachVector(const std::vector<IndexManifestEntry>& index, OnRange on_range) {
  for (const IndexManifestEntry& entry : index) {
    if (entry.index_type != kDeletionVectorsType || !entry.deletion_vector_ranges) continue;
    for (const DeletionVectorRange& range : *entry.deletion_vector_ranges) {
      on_range(entry, range, VectorKey(entry.partition, entry.bucket, range.data_file_name));
    }
  }
}

}  // namespace

void CheckVectorConflicts(const Table& table, const std::vector<ManifestEntry>& live,
                          const std::vector<IndexManifestEntry>& index, const CommitChanges& changes) {
  std::unordered_set<std::string> live_names, gone;
  for (const IndexManifestEntry& entry : index) live_names.insert(entry.file_name);
  for (const IndexManifestEntry& entry : changes.deleted_index_files) {
    if (entry.index_type == kDeletionVectorsType && !live_names.contains(entry.file_name)) {
      throw Conflict("Cannot commit to table '{}': another commit changed deleted rows that this one started from. Plan "
                     "and run it again", table.name().ToString());
    }
    gone.insert(entry.file_name);
  }
  std::unordered_map<std::string, std::string> holder;  // index file of each vector that stays
  ForEachVector(index, [&](const IndexManifestEntry& entry, const DeletionVectorRange&, std::string key) {
    if (!gone.contains(entry.file_name)) holder.emplace(std::move(key), entry.file_name);
  });
  std::unordered_set<std::string> files;
  for (const ManifestEntry& entry : live) files.insert(VectorKey(entry.partition, entry.bucket, entry.file.file_name));
  // Deletes first: an upgraded file is deleted and added, and its vector stays with it.
  for (const ManifestEntry& entry : changes.files) {
    if (entry.kind == FileKind::kDelete) files.erase(VectorKey(entry.partition, entry.bucket, entry.file.file_name));
  }
  for (const ManifestEntry& entry : changes.files) {
    if (entry.kind == FileKind::kAdd) files.insert(VectorKey(entry.partition, entry.bucket, entry.file.file_name));
  }
  for (const ManifestEntry& entry : changes.files) {
    if (entry.kind != FileKind::kDelete) continue;
    const std::string key = VectorKey(entry.partition, entry.bucket, entry.file.file_name);
    if (!files.contains(key) && holder.contains(key)) {
      throw Conflict("Cannot commit to table '{}': rows of the file '{}', which this commit replaces, were deleted "
                     "meanwhile. Plan and run it again", table.name().ToString(), entry.file.file_name);
    }
  }
  ForEachVector(changes.new_index_files, [&](const IndexManifestEntry&, const DeletionVectorRange& range, std::string key) {
    if (!files.contains(key)) {
      throw Conflict("Cannot commit to table '{}': the file '{}', rows of which are deleted, was replaced by another "
                     "commit. Plan and run it again", table.name().ToString(), range.data_file_name);
    }
    if (!holder.emplace(std::move(key), "").second) {
      throw Conflict("Cannot commit to table '{}': other rows of the file '{}' were deleted meanwhile. Plan and run it "
                     "again", table.name().ToString(), range.data_file_name);
    }
  });
}

void CheckConflicts(const Table& table, const std::vector<ManifestEntry>& live, const CommitChanges& changes,
                    bool same_buckets) {
  if (same_buckets) CheckBucketCounts(table, live, changes.files);
  std::vector<const ManifestEntry*> after;
  CheckFiles(table, live, changes.files, &after);
  if (table.schema().has_primary_key()) CheckLevels(table, after);
}

}  // namespace mica
