#include "table/lookup.h"

#include <algorithm>

#include <arrow/record_batch.h>

#include "base/error.h"
#include "merge/gather.h"
#include "table/bucket_filter.h"
#include "table/key_prefix.h"
#include "table/read.h"
#include "table/scan.h"
#include "types/binary_row.h"

namespace mica {

namespace {

// What one array of a kept row takes beside its values.
constexpr int64_t kArrayBytes = 400;

bool EqualMeansEqualBytes(const DataType& type) {
  const TypeRoot root = type.root();
  return root != TypeRoot::kChar && root != TypeRoot::kFloat && root != TypeRoot::kDouble;
}

bool SameFiles(const std::vector<Split>& a, const std::vector<Split>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Split& x, const Split& y) {
    return x.deletions == y.deletions &&
           std::equal(x.files.begin(), x.files.end(), y.files.begin(), y.files.end(),
                      [](const DataFileMeta& f, const DataFileMeta& g) { return f.file_name == g.file_name; });
  });
}

}  // namespace

TableLookup::TableLookup(TablePtr table, LookupSettings settings)
    : table_(std::move(table)), settings_(std::move(settings)) {
  const TableSchema& schema = table_->schema();
  if (!schema.has_primary_key()) {
    throw InvalidArgument("The table '{}' has no primary key to look rows up by", table_->name().ToString());
  }
  key_fields_ = schema.FieldsOf(schema.primary_keys);
  for (const DataField& field : key_fields_) key_types_.push_back(field.type);
  row_fields_ = settings_.columns ? schema.FieldsOf(*settings_.columns) : schema.fields;
  partition_in_key_.emplace();
  for (const DataField& field : schema.PartitionFields()) {
    const int at = FindField(key_fields_, field.name);
    if (at < 0 || !EqualMeansEqualBytes(field.type)) {
      partition_in_key_.reset();
      break;
    }
    partition_in_key_->push_back(static_cast<size_t>(at));
  }
  Refresh();
}

TableLookup::Plan TableLookup::MakePlan(const Snapshot& snapshot) const {
  Plan plan;
  for (Split& split : PlanScan(*table_, {.snapshot = snapshot}).splits) {
    plan[{split.partition, split.bucket}].push_back(std::move(split));
  }
  return plan;
}

bool TableLookup::Refresh() {
  const std::optional<Snapshot> newest = ResolveSnapshot(*table_, {}).snapshot;
  const int64_t id = newest ? newest->id : 0;
  if (id == snapshot_id_) return false;
  Plan plan = newest ? MakePlan(*newest) : Plan{};
  const auto same = [&](const Place& place) {
    const auto before = plan_.find(place), after = plan.find(place);
    if (before == plan_.end() || after == plan.end()) return before == plan_.end() && after == plan.end();
    return SameFiles(before->second, after->second);
  };
  // Buckets that are new can hold any key that a bucket of theirs was not looked into for.
  const bool same_places = std::equal(plan.begin(), plan.end(), plan_.begin(), plan_.end(),
                                      [](const auto& a, const auto& b) { return a.first == b.first; });
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    const auto at = kept++;
    if (!same_places || !std::all_of(at->places.begin(), at->places.end(), same)) Drop(at);
  }
  plan_ = std::move(plan);
  snapshot_id_ = id;
  return true;
}

std::shared_ptr<arrow::RecordBatch> TableLookup::Find(const std::vector<Value>& key) {
  if (key.size() != key_fields_.size()) {
    throw InvalidArgument("A key of the table '{}' has {} values, not {}", table_->name().ToString(),
                          key_fields_.size(), key.size());
  }
  for (size_t i = 0; i < key.size(); ++i) {
    if (IsNull(key[i])) throw InvalidArgument("The key column '{}' cannot be NULL", key_fields_[i].name);
  }
  Kept found{.key = BinaryRow::Of(key, key_types_).bytes()};
  if (const auto known = by_key_.find(found.key); known != by_key_.end()) {
    kept_.splice(kept_.begin(), kept_, known->second);
    return known->second->row;
  }
  std::vector<PredicatePtr> equals;
  for (size_t i = 0; i < key.size(); ++i) {
    equals.push_back(Predicate::Compare(PredicateOp::kEqual, key_fields_[i].name, key_types_[i], key[i]));
  }
  const PredicatePtr is_key = Predicate::And(std::move(equals));
  found.places = PlacesOf(key, is_key);
  const KeyPrefixFilter files(table_->schema(), is_key);
  for (const Place& place : found.places) {
    for (const Split& split : plan_.at(place)) {
      Split part = split;
      part.files = {};
      part.deletions.clear();
      for (size_t i = 0; i < split.files.size(); ++i) {
        if (!files.MayHold(split.files[i])) continue;
        part.files.push_back(split.files.shared()[i]);
        if (!split.deletions.empty()) part.deletions.push_back(split.deletions[i]);
      }
      if (found.row == nullptr && !part.files.empty()) found.row = Read(part, is_key);
    }
  }
  auto row = found.row;
  Keep(std::move(found));
  return row;
}

std::vector<TableLookup::Place> TableLookup::PlacesOf(const std::vector<Value>& key, const PredicatePtr& is_key) const {
  const BucketFilter buckets(*table_, is_key);
  auto begin = plan_.begin(), end = plan_.end();
  if (partition_in_key_) {
    std::vector<Value> values;
    for (const size_t at : *partition_in_key_) values.push_back(key[at]);
    const std::string partition = BinaryRow::Of(values, table_->partition_types()).Serialize();
    begin = plan_.lower_bound({partition, INT32_MIN});
    end = plan_.upper_bound({partition, INT32_MAX});
  }
  std::vector<Place> places;
  for (auto at = begin; at != end; ++at) {
    const Split& split = at->second.front();
    if (buckets.Keeps(split.bucket, split.total_buckets)) places.push_back(at->first);
  }
  return places;
}

std::shared_ptr<arrow::RecordBatch> TableLookup::Read(const Split& split, const PredicatePtr& is_key) const {
  auto reader = ReadSplit(*table_, split, {.fields = row_fields_, .predicate = is_key, .batch_rows = 1024});
  while (auto batch = reader->Next()) {
    if (batch->num_rows() > 0) return batch->Slice(0, 1);
  }
  return nullptr;
}

void TableLookup::Keep(Kept kept) {
  kept.bytes = static_cast<int64_t>(kept.key.size()) + kArrayBytes;
  if (kept.row != nullptr) kept.bytes += RowBytes(*kept.row) + kArrayBytes * kept.row->num_columns();
  if (kept.bytes > settings_.cache_bytes) return;
  kept_bytes_ += kept.bytes;
  kept_.push_front(std::move(kept));
  by_key_[kept_.front().key] = kept_.begin();
  while (kept_bytes_ > settings_.cache_bytes) Drop(std::prev(kept_.end()));
}

void TableLookup::Drop(std::list<Kept>::iterator kept) {
  kept_bytes_ -= kept->bytes;
  by_key_.erase(kept->key);
  kept_.erase(kept);
}

}  // namespace mica
