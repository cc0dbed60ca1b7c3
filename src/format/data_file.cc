#include "format/data_file.h"

#include <array>

#include "base/text.h"
#include "format/avro_data_file.h"
#include "format/orc_file.h"
#include "format/parquet_file.h"

namespace mica {

namespace {

struct Format {
  std::string_view name;
  std::unique_ptr<DataFileReader> (*open)(FileSystem&, const std::string&, std::optional<int64_t>,
                                          const DataFileReadOptions&);
  std::vector<std::string> (*columns)(FileSystem&, const std::string&, std::optional<int64_t>);
  std::unique_ptr<DataFileWriter> (*create)(FileSystem&, const std::string&, const DataFileWriteOptions&);
};

constexpr std::array<Format, 3> kFormats = {{
    {"parquet", OpenParquetFile, ParquetFileColumns, CreateParquetFile},
    {"orc", OpenOrcFile, OrcFileColumns, CreateOrcFile},
    {"avro", OpenAvroFile, AvroFileColumns, CreateAvroFile},
}};

const Format& FindFormat(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
  }
  throw Unsupported("The file format '{}' is not supported. Use parquet, orc or avro", name);
}

// Extensions that Hadoop's codecs give to files as a whole.
constexpr std::array<std::string_view, 8> kCodecExtensions = {"zst",    "gz",      "bz2", "lz4",
                                                              "snappy", "deflate", "lzo", "zstd"};

}  // namespace

std::string FormatOfName(std::string_view file_name) {
  std::string_view name = file_name.substr(file_name.find_last_of('/') + 1);
  size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos)
    throw Corrupt("The data file '{}' has no extension that tells its format", file_name);
  std::string_view extension = name.substr(dot + 1);
  if (std::find(kCodecExtensions.begin(), kCodecExtensions.end(), extension) != kCodecExtensions.end()) {
    name = name.substr(0, dot);
    dot = name.find_last_of('.');
    if (dot != std::string_view::npos) extension = name.substr(dot + 1);
  }
  return std::string(extension);
}

void CheckFormatSupported(std::string_view format) {
  FindFormat(format);
}

std::unique_ptr<DataFileReader> OpenDataFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                             const DataFileReadOptions& options) {
  return FindFormat(FormatOfName(path)).open(fs, path, size, options);
}

std::vector<std::string> DataFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size) {
  return FindFormat(FormatOfName(path)).columns(fs, path, size);
}

std::unique_ptr<DataFileWriter> CreateDataFile(FileSystem& fs, const std::string& path,
                                               const DataFileWriteOptions& options) {
  return FindFormat(options.format).create(fs, path, options);
}

}  // namespace mica
