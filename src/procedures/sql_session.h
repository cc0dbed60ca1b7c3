// The border to SQL: a session that runs statements of both dialects over a catalog. The core knows only this interface;
// libmica_sql.so, which loads DuckDB, implements it, and OpenSqlSession loads that library at the first use.
// A session is used by one thread at a time, apart from Interrupt and Progress.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"

struct ArrowArrayStream;

namespace mica {

struct SessionSettings {
  std::shared_ptr<Catalog> catalog;     // opened already; nullptr opens one from catalog_options
  Options catalog_options;
  std::string catalog_name = "paimon";
  std::map<std::string, Options> more_catalogs;  // others by name; each opens at its first use
  std::string database = "default";     // current database at the start, when it exists
  std::string dialect = "spark";        // or "flink"
  std::optional<int64_t> memory_bytes;  // for everything in the process; half of the RAM when absent
  std::optional<int32_t> threads;       // one per core when absent
};

struct SqlColumn {
  std::string name;
  std::string type;  // as SQL spells it
};

enum class RenderFormat { kTable, kCsv, kJson, kJsonLines, kMarkdown, kLines };
// "table", "csv", "json", "jsonl", "markdown", "line"; throws InvalidArgument with the nearest name.
RenderFormat ParseRenderFormat(std::string_view name);

struct RenderSettings {
  RenderFormat format = RenderFormat::kTable;
  int64_t max_rows = 0;   // kTable: rows shown, 0 for all
  int64_t max_width = 0;  // kTable: characters of a line, 0 for no limit
  bool header = true;     // kCsv
  std::string null_text = "NULL";  // kTable, kMarkdown, kLines
};

// The rows of one statement. Streams: valid until the next statement of the session runs.
class SqlResult {
 public:
  virtual ~SqlResult() = default;
  // False for statements that give no rows (DDL, INSERT, SET).
  virtual bool has_rows() const = 0;
  virtual const std::vector<SqlColumn>& columns() const = 0;
  // Rows changed by INSERT, UPDATE and the like.
  virtual std::optional<int64_t> changed_rows() const = 0;
  // Writes all rows; returns how many.
  virtual int64_t Render(const RenderSettings& settings, const std::function<void(std::string_view)>& write) = 0;
  // All rows as text, NULL as absent.
  virtual std::vector<std::vector<std::optional<std::string>>> Rows() = 0;
  // Hands the rows out through the Arrow C stream interface. The stream may outlive the result, not the session.
  virtual void ExportStream(ArrowArrayStream* stream) = 0;
};

struct Completion {
  std::string text;
  size_t start = 0;  // where in the line the text goes
};

class SqlSession {
 public:
  virtual ~SqlSession() = default;

  // The statements of a text, without the separating semicolons. `complete` tells whether the last one ended with one.
  virtual std::vector<std::string> Split(std::string_view text, bool* complete) = 0;
  // Runs one statement. Throws Error; a failed statement outside of a transaction changed nothing.
  virtual std::unique_ptr<SqlResult> Run(const std::string& statement) = 0;
  // Ends the running statement with Cancelled. From any thread, also from a signal handler's thread.
  virtual void Interrupt() = 0;
  // Share of the running query that is done, 0..1; nothing when unknown. From any thread.
  virtual std::optional<double> Progress() = 0;
  virtual std::vector<Completion> Complete(const std::string& line) = 0;
  virtual std::string current_database() = 0;
  virtual Catalog& catalog() = 0;
  // False when a transaction is open.
  virtual bool autocommit() = 0;
};

// Loads libmica_sql.so (once) and opens a session.
std::unique_ptr<SqlSession> OpenSqlSession(const SessionSettings& settings);

}  // namespace mica
