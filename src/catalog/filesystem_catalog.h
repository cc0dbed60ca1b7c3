// The catalog that is a folder (M-0101): `<warehouse>/<db>.db/<table>`, a table being a folder with a schema file.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "catalog/file_views.h"

namespace mica {

class FileSystemCatalog final : public Catalog {
 public:
  FileSystemCatalog(FileSystemPtr fs, std::string warehouse, Options options, Clock clock = SystemClock());

  std::vector<std::string> ListDatabases() override;
  bool DatabaseExists(const std::string& database) override;
  void CreateDatabase(const std::string& database, bool ignore_if_exists, const Options& properties) override;
  void DropDatabase(const std::string& database, bool ignore_if_missing, bool cascade) override;
  std::vector<std::string> ListTables(const std::string& database) override;
  bool TableExists(const TableName& name) override;
  TablePtr GetTable(const TableName& name) override;
  TablePtr CreateTable(const TableName& name, const TableDefinition& definition, bool ignore_if_exists) override;
  TablePtr Replacement(const TableName& name, const TableDefinition& definition) override;
  void PublishReplacement(const Table& replacement) override;
  void DropTable(const TableName& name, bool ignore_if_missing) override;
  void RenameTable(const TableName& from, const TableName& to) override;
  void AlterTable(const TableName& name, const std::vector<SchemaChange>& changes) override;
  std::vector<std::string> ListViews(const std::string& database) override;
  std::optional<View> FindView(const TableName& name) override;
  void CreateView(const TableName& name, const View& view, bool ignore_if_exists, bool replace) override;
  void DropView(const TableName& name, bool ignore_if_missing) override;
  std::shared_ptr<SnapshotPublisher> publisher() override { return FileSystemPublisher(); }
  const Options& options() const override { return options_; }

  // Where the table lies, or would lie.
  std::string TablePath(const TableName& name) const;
  const FileSystemPtr& file_system() const { return fs_; }

 private:
  std::string DatabasePath(const std::string& database) const;
  bool HasSchema(const std::string& root);
  void RequireDatabase(const std::string& database);
  // With the options that the catalog gives to new tables (M-0108).
  TableDefinition WithDefaults(const TableDefinition& definition) const;
  FileViews Views(const std::string& database) const;
  // A table cannot take the name of a view.
  void RefuseViewName(const TableName& name);
  [[noreturn]] void ThrowNoTable(const TableName& name);

  FileSystemPtr fs_;
  std::string warehouse_;
  Options options_;
  Clock clock_;
};

}  // namespace mica
