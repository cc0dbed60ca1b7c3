// A catalog that holds nothing: where a session is before one of several catalogs is chosen, as Spark's is in its own
// `spark_catalog` (M-0103, M-0105). It has the database `default`, and every other wish is answered by what to do first.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace mica {

class EmptyCatalog final : public Catalog {
 public:
  // `way_out` ends each error: "USE one of 'a', 'b' first".
  EmptyCatalog(std::string name, std::string way_out);

  const std::string& way_out() const { return way_out_; }

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

  std::shared_ptr<SnapshotPublisher> publisher() override { return nullptr; }
  const Options& options() const override { return options_; }

 private:
  [[noreturn]] void Refuse(std::string_view what, const std::string& object) const;

  std::string name_;
  std::string way_out_;
  Options options_;
};

}  // namespace mica
