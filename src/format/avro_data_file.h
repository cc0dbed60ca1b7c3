// Avro data files (Format 8.4).
#pragma once

#include "format/data_file.h"

namespace mica {

std::unique_ptr<DataFileReader> OpenAvroFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                             const DataFileReadOptions& options);
std::vector<std::string> AvroFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size);
std::unique_ptr<DataFileWriter> CreateAvroFile(FileSystem& fs, const std::string& path,
                                               const DataFileWriteOptions& options);

}  // namespace mica
