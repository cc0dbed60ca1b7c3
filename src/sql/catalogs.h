// The catalogs of a session by name (M-0103 to M-0105). A catalog that is only registered opens at its first use, so that
// one that cannot be reached disturbs nobody who does not name it. Thread safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace mica::sql {

class Catalogs {
 public:
  // Throws InvalidArgument for a name that cannot be one, AlreadyExists for one that is taken (case does not count).
  void Add(const std::string& name, Options options, std::shared_ptr<Catalog> opened = nullptr);
  void Remove(const std::string& name);
  // For a catalog that is not open yet; nothing happens for others.
  void SetOption(const std::string& name, const std::string& key, const std::string& value);
  bool Contains(const std::string& name) const;
  // Opens it when it is not yet. Throws NotFound with the nearest name, and what opening throws.
  std::shared_ptr<Catalog> Get(const std::string& name);
  std::vector<std::string> Names() const;  // ascending

 private:
  struct Entry {
    Options options;
    std::shared_ptr<Catalog> catalog;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

// Where a name of a table leads.
struct TableAddress {
  std::string catalog_name;
  std::shared_ptr<Catalog> catalog;
  TableName name;

  TablePtr Open() const { return catalog->GetTable(name); }
  bool Exists() const { return catalog->TableExists(name); }
  std::string Sql() const;  // three quoted parts
  std::string ToString() const { return name.ToString(); }
};

struct DatabaseAddress {
  std::string catalog_name;
  std::shared_ptr<Catalog> catalog;
  std::string database;

  void Require() const;  // throws NotFound with the nearest name
};

}  // namespace mica::sql
