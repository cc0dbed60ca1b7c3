#include "sql/catalogs.h"

#include "base/text.h"
#include "catalog/hive_catalog.h"
#include "sql/errors.h"
#include "sql/session.h"

namespace mica::sql {

void Catalogs::Add(const std::string& name, Options options, std::shared_ptr<Catalog> opened) {
  if (Trim(name).empty() || name.find_first_of(".$'\"`") != std::string::npos) {
    throw InvalidArgument("'{}' cannot be the name of a catalog", name);
  }
  // Databases that the engine keeps for itself.
  for (std::string_view taken : {"memory", "system", "temp"}) {
    if (EqualsIgnoreCase(name, taken)) throw InvalidArgument("'{}' cannot be the name of a catalog: it is reserved", name);
  }
  std::lock_guard lock(mutex_);
  for (const auto& [known, entry] : entries_) {
    if (EqualsIgnoreCase(known, name)) throw AlreadyExists("The catalog '{}' exists already", known);
  }
  entries_[name] = Entry{std::move(options), std::move(opened)};
}

void Catalogs::Remove(const std::string& name) {
  std::lock_guard lock(mutex_);
  entries_.erase(name);
}

void Catalogs::SetOption(const std::string& name, const std::string& key, const std::string& value) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(name);
  if (found != entries_.end() && !found->second.catalog) found->second.options[key] = value;
}

bool Catalogs::Contains(const std::string& name) const {
  std::lock_guard lock(mutex_);
  return entries_.contains(name);
}

std::vector<std::string> Catalogs::Names() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

std::shared_ptr<Catalog> Catalogs::Get(const std::string& name) {
  {
    std::lock_guard lock(mutex_);
    auto found = entries_.find(name);
    if (found != entries_.end()) {
      if (!found->second.catalog) found->second.catalog = OpenCatalog(found->second.options);
      return found->second.catalog;
    }
  }
  std::vector<std::string> names = Names();
  throw NotFound("The catalog '{}' does not exist: this session has '{}'{}", name, Join(names, "', '"), DidYouMean(name, names));
}

std::string TableAddress::Sql() const {
  return fmt::format("{}.{}.{}", dialect::QuoteName(catalog_name), dialect::QuoteName(name.database),
                     dialect::QuoteName(name.table));
}

void DatabaseAddress::Require() const {
  if (catalog->DatabaseExists(database)) return;
  throw NotFound("The database '{}' does not exist{}", database, DidYouMean(database, catalog->ListDatabases()));
}

Session::ResultPtr Session::Execute(const dialect::Use& use) {
  const auto& parts = use.name.parts;
  if (parts.size() == 1 && (use.catalog || state_->catalogs.Contains(parts[0]))) {
    // The current catalog stays in its database.
    if (parts[0] == state_->catalog_name) return NoResult();
    auto catalog = state_->catalogs.Get(parts[0]);
    auto start = catalog->options().find("default-database");
    UseDatabase({parts[0], catalog, start == catalog->options().end() ? std::string(kDefaultDatabase) : start->second});
    return NoResult();
  }
  if (use.catalog) throw InvalidArgument("'{}' is not the name of a catalog", Join(parts, "."));
  UseDatabase(ResolveDatabase(use.name));
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::CreateDatabase& create) {
  RefuseInTransaction("CREATE DATABASE");
  DatabaseAddress address = ResolveDatabase(create.name);
  Options properties = create.properties;
  if (create.location) properties["location"] = *create.location;
  if (create.comment) properties["comment"] = *create.comment;
  address.catalog->CreateDatabase(address.database, create.if_not_exists, properties);
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::DropDatabase& drop) {
  RefuseInTransaction("DROP DATABASE");
  DatabaseAddress address = ResolveDatabase(drop.name);
  address.catalog->DropDatabase(address.database, drop.if_exists, drop.cascade);
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::AlterDatabase& alter) {
  DatabaseAddress address = ResolveDatabase(alter.name);
  address.Require();
  auto* hive = dynamic_cast<HiveCatalog*>(address.catalog.get());
  if (!hive) {
    throw Unsupported("The filesystem catalog '{}' keeps neither properties nor locations of databases: '{}' is unchanged. A Hive "
                      "catalog keeps them", address.catalog_name, address.database);
  }
  Options properties = alter.set;
  if (alter.location) properties["location"] = *alter.location;
  hive->AlterDatabase(address.database, properties);
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::CreateCatalog& create) {
  RefuseInTransaction("CREATE CATALOG");
  if (create.if_not_exists && state_->catalogs.Contains(create.name)) return NoResult();
  auto type = create.options.find("type");
  if (type != create.options.end() && !EqualsIgnoreCase(type->second, "paimon")) {
    throw Unsupported("The type '{}' of the catalog '{}' is not supported. Use 'paimon'", type->second, create.name);
  }
  Options options = create.options;
  options.erase("type");
  if (create.comment) options["comment"] = *create.comment;
  state_->catalogs.Add(create.name, options, OpenCatalog(options));
  try {
    Attach(create.name);
  } catch (...) {
    state_->catalogs.Remove(create.name);
    throw;
  }
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::DropCatalog& drop) {
  RefuseInTransaction("DROP CATALOG");
  if (!state_->catalogs.Contains(drop.name)) {
    if (drop.if_exists) return NoResult();
    state_->catalogs.Get(drop.name);  // tells which there are
  }
  if (drop.name == state_->catalog_name) {
    throw InvalidArgument("Cannot drop the catalog '{}': it is the current one. USE another one first", drop.name);
  }
  RunText("DETACH " + dialect::QuoteName(drop.name), false);
  state_->catalogs.Remove(drop.name);
  return NoResult();
}

}  // namespace mica::sql
