// Views in SQL: the stored text becomes an entry of the engine's catalog when a query names the view (M-0312, M-0529).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/view.h"
#include "sql/catalogs.h"

namespace mica::sql {

// Names in the view's query are those of the view's own database. Throws InvalidArgument when the text cannot be read.
std::unique_ptr<duckdb::CatalogEntry> MakeViewEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
                                                    const std::string& name, const View& view, const std::string& dialect);

// CREATE VIEW that makes an equal view.
std::string CreateViewText(const std::string& database, const std::string& name, const View& view, const std::string& dialect);

// The columns that a query gives; nothing when it cannot be planned.
std::optional<std::vector<DataField>> FieldsOfQuery(duckdb::Connection& connection, const std::string& sql);

// A view as DESCRIBE tells of it; of a temporary one only the columns are known.
struct KnownView {
  bool temporary = false;
  View view;
};
// Without an address, the temporary view of that name, which is there. Nothing when the name is of no view.
std::optional<KnownView> FindKnownView(duckdb::Connection& connection, const std::optional<TableAddress>& address,
                                       const std::string& name);
// What DESCRIBE EXTENDED adds to the columns: names and values.
std::vector<std::pair<std::string, std::string>> ViewInformation(const KnownView& view, const std::string& name,
                                                                 const std::string& dialect);

}  // namespace mica::sql
