// A DuckDB transaction over the catalog: the tables it sees, each pinned at one snapshot, and the one table it writes. The
// commit publishes what was written; a rollback deletes the files.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "sql/session_state.h"
#include "table/commit.h"
#include "table/scan.h"
#include "table/write.h"

namespace mica::sql {

// What a transaction has written so far. Messages of finished statements; published together at the commit.
struct PendingWrite {
  TablePtr table;
  bool overwrite = false;
  OverwriteScope scope;
  std::vector<CommitMessage> messages;
  // Outlives the writer, which may go on after the statement that made it.
  std::shared_ptr<Executor> executor = std::make_shared<ThreadExecutor>();
  // Kept across the statements of a transaction where later rows must get later sequence numbers.
  std::unique_ptr<TableWrite> writer;
  bool anything = false;  // an overwrite commits even without rows
  bool replaces = false;  // the table's schema is not published yet
  bool changes = false;   // rows of the snapshot go: the files alone do not tell what is there
};

class MicaTransaction : public duckdb::Transaction {
 public:
  MicaTransaction(duckdb::TransactionManager& manager, duckdb::ClientContext& context);
  ~MicaTransaction() override;

  static MicaTransaction& Get(duckdb::ClientContext& context, duckdb::Catalog& catalog);

  // Entries live as long as the transaction. Keys say what was asked for.
  duckdb::optional_ptr<duckdb::CatalogEntry> Find(const std::string& key);
  duckdb::CatalogEntry& Keep(const std::string& key, std::unique_ptr<duckdb::CatalogEntry> entry);
  // Database names are asked for several times a statement.
  bool DatabaseExists(Catalog& catalog, const std::string& database);

  // The write of this transaction; throws Unsupported by name for a second table.
  PendingWrite& StartWrite(const TablePtr& table, bool overwrite, const OverwriteScope& scope);
  const PendingWrite* pending(const TableName& name) const;
  void Commit(mica::Catalog& catalog);
  void Abort() noexcept;

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<duckdb::CatalogEntry>> entries_;
  std::map<std::string, bool> databases_;
  std::optional<PendingWrite> write_;
};

class MicaTransactionManager : public duckdb::TransactionManager {
 public:
  explicit MicaTransactionManager(duckdb::AttachedDatabase& db) : TransactionManager(db) {}
  duckdb::Transaction& StartTransaction(duckdb::ClientContext& context) override;
  duckdb::ErrorData CommitTransaction(duckdb::ClientContext& context, duckdb::Transaction& transaction) override;
  void RollbackTransaction(duckdb::Transaction& transaction) override;
  void Checkpoint(duckdb::ClientContext&, bool) override {}

 private:
  std::mutex mutex_;
  std::map<duckdb::Transaction*, std::unique_ptr<MicaTransaction>> transactions_;
};

}  // namespace mica::sql
