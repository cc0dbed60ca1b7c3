#include "sql/transaction.h"

#include "base/log.h"
#include "compaction/compact.h"
#include "sql/attached_catalog.h"
#include "sql/errors.h"
#include "sql/session_clock.h"

namespace mica::sql {

MicaTransaction::MicaTransaction(duckdb::TransactionManager& manager, duckdb::ClientContext& context)
    : Transaction(manager, context) {}

MicaTransaction::~MicaTransaction() { Abort(); }

MicaTransaction& MicaTransaction::Get(duckdb::ClientContext& context, duckdb::Catalog& catalog) {
  return static_cast<MicaTransaction&>(Transaction::Get(context, catalog));
}

duckdb::optional_ptr<duckdb::CatalogEntry> MicaTransaction::Find(const std::string& key) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.get();
}

duckdb::CatalogEntry& MicaTransaction::Keep(const std::string& key, std::unique_ptr<duckdb::CatalogEntry> entry) {
  std::lock_guard lock(mutex_);
  auto& slot = entries_[key];
  if (!slot) slot = std::move(entry);
  return *slot;
}

bool MicaTransaction::DatabaseExists(Catalog& catalog, const std::string& database) {
  {
    std::lock_guard lock(mutex_);
    auto found = databases_.find(database);
    if (found != databases_.end()) return found->second;
  }
  bool exists = catalog.DatabaseExists(database);
  std::lock_guard lock(mutex_);
  databases_[database] = exists;
  return exists;
}

PendingWrite& MicaTransaction::StartWrite(const TablePtr& table, bool overwrite, const OverwriteScope& scope) {
  if (!write_) {
    write_.emplace();
    write_->table = table;
    write_->overwrite = overwrite;
    write_->scope = scope;
    return *write_;
  }
  if (write_->table->name() != table->name()) {
    throw Unsupported("A transaction writes one table: '{}' was written before, '{}' cannot be. Commit first",
                      write_->table->name().ToString(), table->name().ToString());
  }
  if (overwrite || write_->overwrite) {
    throw Unsupported("INSERT OVERWRITE of '{}' cannot be mixed with other writes in one transaction. Commit first",
                      table->name().ToString());
  }
  return *write_;
}

const PendingWrite* MicaTransaction::pending(const TableName& name) const {
  if (!write_ || write_->table->name() != name) return nullptr;
  return &*write_;
}

void MicaTransaction::Commit(mica::Catalog& catalog) {
  if (!write_) return;
  PendingWrite& write = *write_;
  if (!write.anything) {
    write_.reset();
    return;
  }
  CommitSettings settings;
  settings.publisher = catalog.publisher();
  settings.ignore_empty = true;
  if (auto client = context.lock()) settings.clock = ClockOf(SessionState::Get(*client));
  ThreadExecutor executor;
  settings.executor = &executor;
  try {
    if (write.replaces) catalog.PublishReplacement(*write.table);
    std::optional<OverwriteScope> overwrite;
    if (write.overwrite) overwrite = write.scope;
    CommitWritten(write.table, overwrite, settings, &write.messages);
    write.messages.clear();
    write_.reset();
  } catch (Error& error) {
    // The snapshot may be there: its files must stay.
    if (error.kind() == ErrorKind::kOutcomeUnknown) write.messages.clear();
    error.Add(fmt::format("table '{}'", write.table->name().ToString()));
    throw;
  }
}

void MicaTransaction::Abort() noexcept {
  if (!write_) return;
  try {
    write_->writer.reset();
    if (!write_->messages.empty()) AbortMessages(*write_->table, write_->messages);
  } catch (const std::exception& error) {
    Log(LogLevel::kWarning, fmt::format("Files of a rolled back transaction are left: {}", error.what()));
  }
  write_.reset();
}

duckdb::Transaction& MicaTransactionManager::StartTransaction(duckdb::ClientContext& context) {
  auto transaction = std::make_unique<MicaTransaction>(*this, context);
  duckdb::Transaction& result = *transaction;
  std::lock_guard lock(mutex_);
  transactions_[&result] = std::move(transaction);
  return result;
}

duckdb::ErrorData MicaTransactionManager::CommitTransaction(duckdb::ClientContext& context, duckdb::Transaction& transaction) {
  std::unique_ptr<MicaTransaction> owned;
  {
    std::lock_guard lock(mutex_);
    auto found = transactions_.find(&transaction);
    if (found == transactions_.end()) return {};
    owned = std::move(found->second);
    transactions_.erase(found);
  }
  SessionState* session = nullptr;
  try {
    session = &SessionState::Get(context);
    owned->Commit(*db.GetCatalog().Cast<MicaCatalog>().Source(context));
    return {};
  } catch (const Error& error) {
    if (session != nullptr) session->commit_error = error;
    owned->Abort();
    return duckdb::ErrorData(duckdb::ExceptionType::TRANSACTION, error.what());
  } catch (const std::exception& error) {
    owned->Abort();
    return duckdb::ErrorData(duckdb::ExceptionType::TRANSACTION, error.what());
  }
}

void MicaTransactionManager::RollbackTransaction(duckdb::Transaction& transaction) {
  std::unique_ptr<MicaTransaction> owned;
  std::lock_guard lock(mutex_);
  auto found = transactions_.find(&transaction);
  if (found == transactions_.end()) return;
  owned = std::move(found->second);
  transactions_.erase(found);
  owned->Abort();
}

}  // namespace mica::sql
