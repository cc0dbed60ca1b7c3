// Databases and tables by name. The beginning of everything:
//
//   auto catalog = mica::api::Catalog::Open({{"warehouse", "/data/warehouse"}});
//
// Thread safe; copies share one catalog.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mica/table.h"

namespace mica::api {

struct Column {
  std::string name;
  std::string type;  // as Flink writes types: "BIGINT NOT NULL", "DECIMAL(12, 2)", "STRING", "ARRAY<INT>"
  std::string comment;
};

struct TableDefinition {
  std::vector<Column> columns;
  std::vector<std::string> partition_keys;
  std::vector<std::string> primary_keys;
  std::map<std::string, std::string> options;
  std::string comment;
};

class Catalog {
 public:
  // `warehouse` and the other options of a catalog, those of its object store included.
  static Catalog Open(const std::map<std::string, std::string>& options);

  std::vector<std::string> ListDatabases() const;
  void CreateDatabase(const std::string& database, bool ignore_if_exists = false) const;
  std::vector<std::string> ListTables(const std::string& database) const;

  Table GetTable(const std::string& database, const std::string& table) const;
  Table CreateTable(const std::string& database, const std::string& table, const TableDefinition& definition) const;
  void DropTable(const std::string& database, const std::string& table) const;

  struct State;  // of the implementation
  explicit Catalog(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace mica::api
