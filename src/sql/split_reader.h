// Reads one split through the library (merge, ORC, Avro, and Parquet files that DuckDB would not read exactly) as a file of
// DuckDB's multi-file scan. One thread reads one split.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "sql/arrow_vectors.h"
#include "format/batch_reader.h"
#include "sql/split_list.h"

namespace mica::sql {

class SplitReader final : public duckdb::BaseFileReader {
 public:
  SplitReader(duckdb::OpenFileInfo file, std::shared_ptr<const ScanSource> source, std::shared_ptr<const ScanUnit> unit,
              PredicatePtr predicate);
  ~SplitReader() override;

  bool TryInitializeScan(duckdb::ClientContext&, duckdb::GlobalTableFunctionState&, duckdb::LocalTableFunctionState&) override;
  void PrepareScan(duckdb::ClientContext&, duckdb::GlobalTableFunctionState&, duckdb::LocalTableFunctionState&) override;
  duckdb::AsyncResult Scan(duckdb::ClientContext&, duckdb::GlobalTableFunctionState&, duckdb::LocalTableFunctionState&,
                           duckdb::DataChunk& chunk) override;
  double GetProgressInFile(duckdb::ClientContext&) override;
  duckdb::string GetReaderType() const override { return "Mica split"; }
  void AddVirtualColumn(duckdb::column_t) override;

 private:
  struct Filter {
    duckdb::idx_t column;
    const duckdb::TableFilter* filter;
    duckdb::unique_ptr<duckdb::TableFilterState> state;
  };

  std::shared_ptr<const ScanSource> source_;
  std::shared_ptr<const ScanUnit> unit_;
  PredicatePtr predicate_;
  std::map<duckdb::idx_t, DataField> hidden_;  // by position among `columns`, behind those of the table
  bool taken_ = false;  // under the lock of the scan
  std::unique_ptr<BatchReader> batches_;
  std::unique_ptr<BatchToVectors> vectors_;
  bool only_count_ = false;  // no column is wanted: one is read for the number of rows
  duckdb::unique_ptr<duckdb::DataChunk> counting_;
  std::vector<Filter> filters_;
  std::atomic<int64_t> rows_read_{0};
  int64_t rows_expected_ = 0;
};

}  // namespace mica::sql
