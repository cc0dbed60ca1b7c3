#include "sql/split_list.h"

#include <algorithm>
#include <set>

#include "base/executor.h"
#include "format/data_file.h"
#include "sql/errors.h"
#include "table/file_mapping.h"
#include "table/partitions.h"
#include "table/read.h"
#include "types/binary_row.h"

namespace mica::sql {

namespace {

bool LeavesFew(const struct Split& split) {
  constexpr int64_t kFewOf = 8;
  const auto rows = split.RowsOf(0);
  return rows != nullptr && static_cast<int64_t>(rows->size()) <= split.files[0].row_count / kFewOf;
}

// The table whose schemas and options the files of a unit are read with.
const Table& TableOf(const ScanSource& source, const ScanUnit& unit) { return unit.other ? *unit.other : *source.table; }

std::set<std::string> PartitionsOf(const Table& table, const std::optional<Snapshot>& snapshot, Executor& executor) {
  std::set<std::string> partitions;
  if (!snapshot) return partitions;
  for (PartitionSummary& partition : ListPartitions(table, *snapshot, {}, executor)) {
    partitions.insert(std::move(partition.partition));
  }
  return partitions;
}

// `local`: DuckDB's own file system can open the files; others go through Mica's readers.
void AddUnits(const struct Split& split, bool local, std::vector<std::shared_ptr<const ScanUnit>>* units) {
  if (!split.raw_convertible) {
    auto unit = std::make_shared<ScanUnit>();
    unit->split = split;
    units->push_back(std::move(unit));
    return;
  }
  for (size_t i = 0; i < split.files.size(); ++i) {
    const DataFilePtr& file = split.files.shared()[i];
    auto unit = std::make_shared<ScanUnit>();
    unit->split.snapshot_id = split.snapshot_id;
    unit->split.partition = split.partition;
    unit->split.bucket = split.bucket;
    unit->split.total_buckets = split.total_buckets;
    unit->split.raw_convertible = true;
    unit->split.files.push_back(file);
    if (const DeletionFile* deletions = split.DeletionsOf(i)) unit->split.deletions = {*deletions};
    if (auto rows = split.RowsOf(i)) unit->split.rows = {std::move(rows)};
    // DuckDB's reader knows nothing of the rows that a file index left.
    unit->straight = local && FormatOfName(file->file_name) == "parquet" && !LeavesFew(unit->split);
    units->push_back(std::move(unit));
  }
}

// The engine's own file system knows no scheme.
std::string EnginePath(std::string path) {
  if (path.starts_with("file://")) return path.substr(7);
  if (path.starts_with("file:")) return path.substr(5);
  return path;
}

}  // namespace

std::function<std::string(const BucketFiles&, const DataFileMeta&)> EnginePathOf(const Table& table) {
  return [&table](const BucketFiles& bucket, const DataFileMeta& file) {
    return EnginePath(table.paths().DataFilePath(bucket.partition, bucket.bucket, file));
  };
}

void SplitList::Plan() const {
  std::lock_guard lock(mutex_);
  if (planned_) return;
  Guard([&] {
    std::string scheme = SchemeOf(source_->table->root());
    bool local = scheme.empty() || scheme == "file";
    if (source_->snapshot) {
      ThreadExecutor executor;
      ScanRequest request;
      request.snapshot = source_->snapshot;
      request.predicate = predicate_;
      request.executor = &executor;
      ScanPlan plan = PlanScan(*source_->table, request);
      counts_ = plan.counts;
      exact_row_count_ = plan.exact_row_count;
      for (const struct Split& split : plan.splits) AddUnits(split, local, &units_);
    } else {
      exact_row_count_ = 0;
    }
    if (source_->other) AddOtherBranch();
    for (const CommitMessage& message : source_->pending) {
      struct Split split;
      split.partition = message.partition;
      split.bucket = message.bucket;
      split.total_buckets = message.total_buckets;
      split.files = message.data.new_files;
      AddUnits(split, local, &units_);
      exact_row_count_.reset();
    }
  });
  planned_ = true;
}

void SplitList::AddOtherBranch() const {
  const ScanSource::Other& other = *source_->other;
  ThreadExecutor executor;
  std::set<std::string> decided = other.is_primary ? PartitionsOf(*other.table, other.snapshot, executor)
                                                   : PartitionsOf(*source_->table, source_->snapshot, executor);
  if (other.is_primary) {
    std::erase_if(units_, [&](const auto& unit) { return decided.contains(unit->split.partition); });
  }
  exact_row_count_.reset();
  if (!other.snapshot) return;
  ScanRequest request;
  request.snapshot = other.snapshot;
  request.predicate = predicate_;
  request.executor = &executor;
  for (struct Split& split : PlanScan(*other.table, request).splits) {
    if (!other.is_primary && decided.contains(split.partition)) continue;
    auto unit = std::make_shared<ScanUnit>();
    unit->split = std::move(split);
    unit->other = other.table;
    units_.push_back(std::move(unit));
  }
}

const ScanCounts& SplitList::counts() const {
  Plan();
  return counts_;
}

const std::vector<std::shared_ptr<const ScanUnit>>& SplitList::units() const {
  Plan();
  return units_;
}

std::optional<int64_t> SplitList::exact_row_count() const {
  Plan();
  return exact_row_count_;
}

duckdb::unique_ptr<duckdb::MultiFileList> SplitList::Filtered(const std::function<bool(const ScanUnit&)>& keep) const {
  auto result = duckdb::make_uniq<SplitList>(source_, predicate_);
  for (const auto& unit : units()) {
    if (keep(*unit)) result->units_.push_back(unit);
  }
  if (result->units_.size() == units_.size()) return nullptr;
  result->planned_ = true;
  result->counts_ = counts_;
  return result;
}

duckdb::OpenFileInfo SplitList::FileOf(const std::shared_ptr<const ScanUnit>& unit) const {
  const struct Split& split = unit->split;
  duckdb::OpenFileInfo info(
      EnginePath(source_->table->paths().DataFilePath(split.partition, split.bucket, split.files.front())));
  auto extended = duckdb::make_shared_ptr<UnitInfo>();
  extended->unit = unit;
  if (unit->straight) {
    // Data files never change: what is cached of one stays good.
    extended->options["file_size"] = duckdb::Value::UBIGINT(static_cast<uint64_t>(split.files.front().file_size));
    extended->options["validate_external_file_cache"] = duckdb::Value::BOOLEAN(false);
    if (split.DeletionsOf(0) != nullptr) extended->options["has_deletes"] = duckdb::Value::BOOLEAN(true);
  }
  info.extended_info = std::move(extended);
  return info;
}

duckdb::vector<duckdb::OpenFileInfo> SplitList::GetAllFiles() const {
  duckdb::vector<duckdb::OpenFileInfo> files;
  for (const auto& unit : units()) files.push_back(FileOf(unit));
  return files;
}

duckdb::vector<duckdb::OpenFileInfo> SplitList::GetDisplayFileList(duckdb::optional_idx max_files) const {
  duckdb::vector<duckdb::OpenFileInfo> files;
  for (const auto& unit : units()) {
    if (max_files.IsValid() && files.size() >= max_files.GetIndex()) break;
    files.push_back(FileOf(unit));
  }
  return files;
}

duckdb::idx_t SplitList::GetTotalFileCount() const { return units().size(); }

duckdb::unique_ptr<duckdb::NodeStatistics> SplitList::GetCardinality(duckdb::ClientContext&) const {
  int64_t rows = 0;
  for (const auto& unit : units()) rows += unit->split.row_count();
  return duckdb::make_uniq<duckdb::NodeStatistics>(static_cast<duckdb::idx_t>(rows), static_cast<duckdb::idx_t>(rows));
}

duckdb::unique_ptr<duckdb::MultiFileList> SplitList::Copy() const {
  auto result = duckdb::make_uniq<SplitList>(source_, predicate_);
  std::lock_guard lock(mutex_);
  result->planned_ = planned_;
  result->units_ = units_;
  result->counts_ = counts_;
  result->exact_row_count_ = exact_row_count_;
  return result;
}

duckdb::OpenFileInfo SplitList::GetFile(duckdb::idx_t i) const {
  const auto& all = units();
  if (i >= all.size()) return duckdb::OpenFileInfo();
  return FileOf(all[i]);
}

namespace {

// What is known of the columns of one file of a unit. Below a merge another version of a row may not match, so only keys
// and partitions may speak.
RangeOf RangesOf(const ScanSource& source, const ScanUnit& unit, const DataFileMeta& file) {
  const Table& table = TableOf(source, unit);
  const TableSchema& schema = table.schema();
  auto partition = std::make_shared<std::vector<Value>>();
  if (!schema.partition_keys.empty()) {
    *partition = BinaryRow::Deserialize(unit.split.partition).Values(table.partition_types());
  }
  RangeOf ranges = unit.split.raw_convertible ? FileRanges(*table.schemas().Get(file.schema_id), file, schema)
                                              : KeyRanges(schema, file);
  return [&schema, partition, ranges](const std::string& column) -> std::optional<ColumnRange> {
    auto found = std::find(schema.partition_keys.begin(), schema.partition_keys.end(), column);
    if (found == schema.partition_keys.end()) return ranges(column);
    const Value& value = (*partition)[static_cast<size_t>(found - schema.partition_keys.begin())];
    ColumnRange range;
    if (IsNull(value)) return range;
    range.min = range.max = value;
    range.null_count = 0;
    return range;
  };
}

}  // namespace

bool UnitMayMatch(const ScanSource& source, const ScanUnit& unit, const Predicate& predicate) {
  return std::any_of(unit.split.files.begin(), unit.split.files.end(), [&](const DataFileMeta& file) {
    return MayMatch(predicate, RangesOf(source, unit, file), file.row_count);
  });
}

bool ReadsFewPages(const ScanSource& source, const ScanUnit& unit, const PredicatePtr& predicate) {
  // A row costs DuckDB's reader less, and opening a file in vain costs something too.
  constexpr double kSelective = 0.25;
  constexpr int64_t kFewOf = 8;
  if (!predicate) return false;
  const DataFileMeta& file = unit.split.files.front();
  if (EstimateMatching(*predicate, RangesOf(source, unit, file)) > kSelective) return false;
  return RowsToRead(TableOf(source, unit), unit.split, file, predicate) <= file.row_count / kFewOf;
}

}  // namespace mica::sql
