// ORC data files (Format 8.3): read by decoders of our own, which trust no byte, and written through Arrow's adapter.
#pragma once

#include "format/data_file.h"

namespace mica {

std::unique_ptr<DataFileReader> OpenOrcFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                            const DataFileReadOptions& options);
std::vector<std::string> OrcFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size);
std::unique_ptr<DataFileWriter> CreateOrcFile(FileSystem& fs, const std::string& path,
                                              const DataFileWriteOptions& options);

// All rows of a file that lies in memory, with the types that the file tells. Throws Corrupt.
std::shared_ptr<arrow::Table> ReadOrcContent(const std::string& content);

}  // namespace mica
