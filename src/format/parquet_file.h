// Parquet data files (Format 8.2), on Arrow's reader and writer with the physical schema of Java Paimon.
#pragma once

#include "format/data_file.h"

namespace mica {

std::unique_ptr<DataFileReader> OpenParquetFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                                const DataFileReadOptions& options);
std::vector<std::string> ParquetFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size);
std::unique_ptr<DataFileWriter> CreateParquetFile(FileSystem& fs, const std::string& path,
                                                  const DataFileWriteOptions& options);

}  // namespace mica
