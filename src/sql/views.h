// Views in SQL: the stored text becomes an entry of the engine's catalog when a query names the view (M-0312, M-0529).
#pragma once

#include <memory>
#include <string>

#include "catalog/view.h"

namespace mica::sql {

// Names in the view's query are those of the view's own database. Throws InvalidArgument when the text cannot be read.
std::unique_ptr<duckdb::CatalogEntry> MakeViewEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
                                                    const std::string& name, const View& view, const std::string& dialect);

// CREATE VIEW that makes an equal view.
std::string CreateViewText(const std::string& database, const std::string& name, const View& view, const std::string& dialect);

}  // namespace mica::sql
