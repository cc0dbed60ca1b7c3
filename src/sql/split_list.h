// The splits of one table scan as the "files" of DuckDB's multi-file scan: planned when first asked for, again and smaller
// when filters arrive.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "predicate/predicate.h"
#include "table/bucket_files.h"
#include "table/commit_message.h"
#include "table/scan.h"
#include "table/table_statistics.h"

namespace mica::sql {

// What one reader reads: a whole split to be merged, or one file that needs no merge.
struct ScanUnit {
  struct Split split;
  bool straight = false;  // Parquet, every row of the file is a row of the table
  TablePtr other;         // the table of the other branch where it comes from there; nullptr: the scan's own
};

// What all readers of one scan share.
struct ScanSource {
  TablePtr table;  // with the reading schema
  std::optional<Snapshot> snapshot;
  std::optional<TableStatistics> statistics;  // of ANALYZE; nothing when it never ran
  std::vector<CommitMessage> pending;  // files that this transaction wrote before
  // scan.fallback-branch and scan.primary-branch (M-0519): one of the two lines has the say on the partitions that it has.
  struct Other {
    TablePtr table;
    std::optional<Snapshot> snapshot;
    bool is_primary = false;  // the other one has
  };
  std::optional<Other> other;
  duckdb::TableCatalogEntry* entry = nullptr;
};

struct UnitInfo : public duckdb::ExtendedOpenFileInfo {
  std::shared_ptr<const ScanUnit> unit;
};

class SplitList final : public duckdb::MultiFileList {
 public:
  SplitList(std::shared_ptr<const ScanSource> source, PredicatePtr predicate)
      : source_(std::move(source)), predicate_(std::move(predicate)) {}

  // Plans now, if nobody has.
  void Plan() const;
  const PredicatePtr& predicate() const { return predicate_; }
  const ScanSource& source() const { return *source_; }
  const ScanCounts& counts() const;
  const std::vector<std::shared_ptr<const ScanUnit>>& units() const;
  std::optional<int64_t> exact_row_count() const;
  // A list of those units for which `keep` holds; nullptr when all stay.
  duckdb::unique_ptr<duckdb::MultiFileList> Filtered(const std::function<bool(const ScanUnit&)>& keep) const;

  duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override;
  // Never SINGLE_FILE: numbers of a file that was not opened would then size the threads.
  duckdb::FileExpandResult GetExpandResult() const override { return duckdb::FileExpandResult::MULTIPLE_FILES; }
  duckdb::idx_t GetTotalFileCount() const override;
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(duckdb::ClientContext&) const override;
  duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override;
  duckdb::vector<duckdb::OpenFileInfo> GetDisplayFileList(duckdb::optional_idx max_files) const override;

 protected:
  duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override;

 private:
  // Units of the partitions that the other branch has the say on, or that it alone has. Called while planning.
  void AddOtherBranch() const;
  duckdb::OpenFileInfo FileOf(const std::shared_ptr<const ScanUnit>& unit) const;

  std::shared_ptr<const ScanSource> source_;
  PredicatePtr predicate_;
  mutable std::mutex mutex_;
  mutable bool planned_ = false;
  mutable std::vector<std::shared_ptr<const ScanUnit>> units_;
  mutable ScanCounts counts_;
  mutable std::optional<int64_t> exact_row_count_;
};

// How __paimon_file_path calls the data files of a table.
std::function<std::string(const BucketFiles& bucket, const DataFileMeta& file)> EnginePathOf(const Table& table);

// Whether a unit can hold rows that match, by partition, statistics and, below a merge, keys.
bool UnitMayMatch(const ScanSource& source, const ScanUnit& unit, const Predicate& predicate);

// Whether the page index leaves so few rows of a straight unit's file that Mica's reader, which uses it, is the faster one.
bool ReadsFewPages(const ScanSource& source, const ScanUnit& unit, const PredicatePtr& predicate);

}  // namespace mica::sql
