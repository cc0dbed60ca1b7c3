// A table that is followed, by the option 'streaming' = 'true' or `execution.runtime-mode` = streaming, and the SELECT that
// follows it (M-0524). Each step of the stream, first the rows that it begins with, then what each commit changes, goes
// through the statement as a query of its own: so rows are shown as soon as they are there, and only what looks at each row
// alone can be asked for. With 'scan.bounded.watermark' the stream has an end, and one query over all of it can do
// everything, as long as no row is taken back.
#pragma once

#include <atomic>
#include <functional>

#include "format/batch_reader.h"
#include "procedures/sql_session.h"
#include "sql/attached_catalog.h"

namespace mica::sql {

inline constexpr std::string_view kRowKindColumn = "rowkind";

struct FollowedReference;

// What the entry of a followed table reads.
struct FollowedRows {
  // Batches of the reference's columns; those that are not wanted may be NULL.
  std::function<std::unique_ptr<BatchReader>(const FollowedReference& of, const std::vector<bool>& wanted)> open;
  bool kinds = false;  // whether every entry has the column `rowkind`, first, not only `t$audit_log` and `t$binlog`
};

// What a statement knows of the table that it follows.
struct StreamState : public duckdb::ClientContextState {
  static StreamState& Get(duckdb::ClientContext& context);
  void Reset();

  // Absent: then a table that is to be followed is noted in `asked`, and refused.
  std::shared_ptr<FollowedRows> followed;
  std::shared_ptr<FollowedReference> reference;  // the last that a statement had
  TablePtr asked;
  std::string asked_name;  // as the statement has it, without database
  bool is_query = false;   // a SELECT that SET can make a streaming one
  std::atomic<bool> interrupted{false};
};

// Runs a query that StreamState::asked was noted for. The result streams. Throws Unsupported by name for what would need the
// end of the stream; `fail` throws the engine's errors as Mica's.
std::unique_ptr<SqlResult> RunStream(duckdb::Connection& connection, const std::string& sql,
                                     const std::function<void(const duckdb::ErrorData&)>& fail);

// Whether a reference with these options is followed. What SET says, not `hinted`, is for SELECT alone. Throws
// InvalidArgument for a value of 'streaming' that is not Boolean.
bool Streams(duckdb::ClientContext& context, const Options& options, bool hinted);
// Throws Unsupported for the query of an INSERT or CREATE TABLE AS that reads tables while SET says that they are followed.
void RefuseFollowing(duckdb::Connection& connection, const std::string& sql);

// Whether a system table shows the rows of its table, so that it could be followed too.
bool ShowsRows(std::string_view system_table);

struct FollowedReference {
  TablePtr table;
  std::vector<DataField> fields;
  bool kinds = false;    // `rowkind` is the first of the fields
  bool updates = false;  // as `t$binlog` has them: the row before and after in one
  std::shared_ptr<FollowedRows> rows;
};

// `t`, `t$audit_log` or `t$binlog`, for its entry. Throws Unsupported for other system tables, and where no statement follows tables: in
// INSERT, CREATE TABLE AS, EXPLAIN and views.
FollowedReference Follow(duckdb::ClientContext& context, const TablePtr& table, const std::string& name,
                         const std::optional<std::string>& system_table);

class FollowedEntry final : public duckdb::TableCatalogEntry {
 public:
  FollowedEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema, duckdb::CreateTableInfo& info,
                FollowedReference followed)
      : TableCatalogEntry(catalog, schema, info), followed_(std::move(followed)) {}

  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext&, duckdb::column_t) override {
    return nullptr;
  }
  duckdb::TableFunction GetScanFunction(duckdb::ClientContext&, duckdb::unique_ptr<duckdb::FunctionData>& bind) override;
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext&) override { return {}; }
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override { return {}; }

 private:
  FollowedReference followed_;
};

}  // namespace mica::sql
