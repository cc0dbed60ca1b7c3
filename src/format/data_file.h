// Opens and creates data files in every format by name: "parquet", "orc", "avro" (Format 8). The format of an existing
// file is told by its name (Format 1.2), never by a table option. Everything physical (annotations, INT96, field ids,
// time units) is decided here; above, arrays have the Arrow form of types/arrow_types.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "format/batch_reader.h"
#include "io/file_system.h"
#include "predicate/predicate.h"
#include "types/data_type.h"

namespace mica {

struct DataFileReadOptions {
  std::vector<DataField> fields;  // what to read, found by name in the file; a name the file lacks is Corrupt
  PredicatePtr predicate;         // on these or other columns of the file: skips row groups and pages, may be nullptr;
                                  // rows that do not match may still come out
  int32_t batch_rows = 65536;
  // Parquet: bounds what is held for bounded merges. Batches of wide rows become smaller, and the file is read in
  // stretches of this size together instead of whole row groups, which suit object stores.
  std::optional<int64_t> buffer_bytes;
  bool narrow_decimals = false;  // NarrowDecimalType may be used for columns: left to the format
  bool orc_legacy_instants = true;  // how TIMESTAMP_LTZ stands in ORC files, see orc_time.h
  bool with_row_positions = false;  // adds a last column "_POSITION" (int64): the row's position in the file
  std::optional<std::pair<int64_t, int64_t>> row_range;  // [first, end): only these positions
};

// Whether a column of this name is in the file (thin mode, row tracking columns) can be asked first.
class DataFileReader : public BatchReader {
 public:
  virtual int64_t row_count() const = 0;
  // Rows that Next gives in all: fewer when the predicate or `row_range` leave parts out.
  virtual int64_t rows_to_read() const { return row_count(); }
};

std::unique_ptr<DataFileReader> OpenDataFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                             const DataFileReadOptions& options);
// Names of the top-level columns.
std::vector<std::string> DataFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size);

struct ColumnStats {
  std::optional<Value> min;  // full values, before any truncation
  std::optional<Value> max;
  std::optional<int64_t> null_count;
};

struct WrittenFile {
  int64_t file_bytes = 0;
  int64_t row_count = 0;
  std::vector<ColumnStats> stats;  // one a field, as Format 9 says for the format
};

struct DataFileWriteOptions {
  std::vector<DataField> fields;
  std::string format = "parquet";
  std::string compression = "zstd";
  int32_t zstd_level = 1;
  // Parquet: a row group ends here at the latest; its encoded pages wait in memory until then.
  int64_t row_group_bytes = 128 << 20;
  std::map<std::string, std::string> format_options;  // parquet.*, orc.*, avro.*, file.block-size
};

class DataFileWriter {
 public:
  virtual ~DataFileWriter() = default;
  // Columns in the order of `fields`. Best fed with 64 K to 128 K rows.
  virtual void Write(const arrow::RecordBatch& batch) = 0;
  // Encoded bytes so far, buffered ones included: for rolling at a target size.
  virtual int64_t EstimatedBytes() const = 0;
  virtual WrittenFile Close() = 0;
  // Memory held now.
  virtual int64_t BufferedBytes() const { return 0; }
};

// The file is created at the first call of Write or Close. A writer destroyed before Close leaves a partial file that
// the caller deletes. Throws Unsupported or InvalidArgument (naming option, column or type) before anything is created.
std::unique_ptr<DataFileWriter> CreateDataFile(FileSystem& fs, const std::string& path,
                                               const DataFileWriteOptions& options);

// The format a name tells: "parquet" for "data-x-0.parquet" or "data-x-0.zst.parquet" (Format 1.2).
std::string FormatOfName(std::string_view file_name);
// Throws Unsupported by name for csv, json, text, row, lance, vortex, mosaic and anything unknown.
void CheckFormatSupported(std::string_view format);

}  // namespace mica
