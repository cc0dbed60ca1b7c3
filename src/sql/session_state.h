// What one connection knows beside DuckDB's own settings: the catalog, the dialect, options given with SET, and what the
// INSERT that is about to be planned is to do. Found in the ClientContext under one key.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/catalogs.h"

namespace mica::sql {

// How the next INSERT writes (from the statement's own clauses).
struct WriteRequest {
  bool overwrite = false;
  std::optional<bool> dynamic_partitions;          // absent: as the dialect and the options say
  std::map<std::string, std::string> static_partition;  // texts by column; NULL partitions are in null_partition
  std::vector<std::string> null_partition;
  Options options;                                 // hint
  bool changes = false;  // UPDATE, DELETE, MERGE INTO: the target is `t$changes`
  TablePtr replacement;  // CREATE OR REPLACE TABLE ... AS: the target, whose schema the commit publishes
};

// Under this name the binder finds the replacement of the write request.
inline constexpr std::string_view kReplacementSuffix = "$replacement";

class SessionState : public duckdb::ClientContextState {
 public:
  static constexpr const char* kKey = "mica_session";
  static SessionState& Get(duckdb::ClientContext& context);

  Catalogs catalogs;
  // The current one.
  std::shared_ptr<Catalog> catalog;
  std::string catalog_name;
  std::string dialect = "spark";
  std::string current_database = "default";
  // Options by SET: `settings` as given by the user (for SHOW), all keys.
  std::map<std::string, std::string> settings;
  std::optional<WriteRequest> write_request;
  // A commit's own error: DuckDB passes on only its text.
  std::optional<Error> commit_error;
  int64_t write_memory_bytes = 256 << 20;  // of all writers of a statement
  int64_t merge_memory_bytes = 4 << 20;    // of one merge

  // Options that SET gives to a table: [spark.]paimon.<option>, and [spark.]paimon.<catalog>.<db>.<table>.<option>, whose
  // names may be *; the setting that names most wins (M-0335).
  Options DynamicOptions(const std::string& catalog, const TableName& name) const;
};

}  // namespace mica::sql
