#include "format/orc_file.h"

namespace mica {

std::unique_ptr<DataFileReader> OpenOrcFile(FileSystem&, const std::string& path, std::optional<int64_t>,
                                            const DataFileReadOptions&) {
  throw Unsupported("ORC files cannot be read yet ('{}')", path);
}
std::vector<std::string> OrcFileColumns(FileSystem&, const std::string& path, std::optional<int64_t>) {
  throw Unsupported("ORC files cannot be read yet ('{}')", path);
}
std::unique_ptr<DataFileWriter> CreateOrcFile(FileSystem&, const std::string& path, const DataFileWriteOptions&) {
  throw Unsupported("ORC files cannot be written yet ('{}')", path);
}

}  // namespace mica
