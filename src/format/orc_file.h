// ORC data files (Format 8.3), through Arrow's adapter.
#pragma once

#include "format/data_file.h"

namespace mica {

std::unique_ptr<DataFileReader> OpenOrcFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                            const DataFileReadOptions& options);
std::vector<std::string> OrcFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size);
std::unique_ptr<DataFileWriter> CreateOrcFile(FileSystem& fs, const std::string& path,
                                              const DataFileWriteOptions& options);

}  // namespace mica
