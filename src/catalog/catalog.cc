#include "catalog/catalog.h"

#include "catalog/filesystem_catalog.h"
#include "catalog/hive_catalog.h"
#include "io/file_systems.h"

namespace mica {

std::shared_ptr<Catalog> OpenCatalog(const Options& options) {
  auto find = [&](const char* key) { return options.contains(key) ? options.at(key) : std::string(); };
  std::string metastore = find("metastore");
  if (metastore == "hive") return OpenHiveCatalog(options);
  if (!metastore.empty() && metastore != "filesystem") {
    throw Unsupported("The metastore '{}' is not supported yet. Use 'filesystem' or 'hive'", metastore);
  }
  std::string warehouse = find("warehouse");
  if (warehouse.empty())
    throw InvalidArgument("The catalog needs the option 'warehouse': the folder that holds the tables");
  return std::make_shared<FileSystemCatalog>(OpenFileSystem(warehouse, options), warehouse, options);
}

}  // namespace mica
