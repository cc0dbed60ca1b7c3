#include "procedures/hive_call.h"

namespace mica {

HiveCatalog& HiveCatalogOf(const ProcedureCall& call, std::string_view procedure) {
  if (auto* catalog = dynamic_cast<HiveCatalog*>(&call.catalog())) return *catalog;
  throw Unsupported(
      "The procedure '{}' needs a Hive catalog: open one with 'metastore' = 'hive' and 'uri' = 'thrift://host:port'. "
      "'{}' has no metastore",
      procedure, call.setting().catalog_name);
}

}  // namespace mica
