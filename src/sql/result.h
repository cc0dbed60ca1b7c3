// The rows of a statement and the ways to show them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "procedures/sql_session.h"

namespace mica::sql {

// Rows of DuckDB, streaming or not.
class DuckResult final : public SqlResult {
 public:
  DuckResult(duckdb::shared_ptr<duckdb::ClientContext> context, duckdb::unique_ptr<duckdb::QueryResult> result);
  ~DuckResult() override;

  bool has_rows() const override { return has_rows_; }
  const std::vector<SqlColumn>& columns() const override { return columns_; }
  std::optional<int64_t> changed_rows() const override { return changed_rows_; }
  int64_t Render(const RenderSettings& settings, const std::function<void(std::string_view)>& write) override;
  std::vector<std::vector<std::optional<std::string>>> Rows() override;
  void ExportStream(ArrowArrayStream* stream) override;

  // Prints the texts as they are, without a frame, in table form (EXPLAIN, SHOW CREATE TABLE on a terminal).
  void set_plain(bool plain) { plain_ = plain; }

 private:
  duckdb::unique_ptr<duckdb::DataChunk> Fetch();
  duckdb::Vector AsText(duckdb::Vector& column, duckdb::idx_t size);
  int64_t RenderBox(const RenderSettings& settings, const std::function<void(std::string_view)>& write);

  duckdb::shared_ptr<duckdb::ClientContext> context_;
  duckdb::unique_ptr<duckdb::QueryResult> result_;
  std::vector<SqlColumn> columns_;
  std::optional<int64_t> changed_rows_;
  bool has_rows_ = true;
  bool plain_ = false;
};

// A result of texts that Mica made itself.
using TextRow = std::vector<std::optional<std::string>>;
std::unique_ptr<DuckResult> TextResult(const duckdb::shared_ptr<duckdb::ClientContext>& context,
                                       const std::vector<std::string>& columns, const std::vector<TextRow>& rows);
// No rows: what DDL gives.
std::unique_ptr<SqlResult> NoResult(std::optional<int64_t> changed_rows = std::nullopt);

}  // namespace mica::sql
