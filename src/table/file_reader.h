// Reads one data file under the reading schema: columns mapped and cast, partition values filled in, rows that a deletion
// vector names left out (Engine 8.4, 5).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/batch_reader.h"
#include "index/deletion_vector.h"
#include "meta/manifest.h"
#include "predicate/predicate.h"
#include "table/table.h"

namespace mica {

inline constexpr std::string_view kPositionColumn = "_POSITION";

struct FileReadRequest {
  std::string partition;  // serialized BinaryRow
  int32_t bucket = 0;
  // Columns of the reading schema, `_KEY_x`, `_SEQUENCE_NUMBER`, `_VALUE_KIND`.
  std::vector<DataField> fields;
  PredicatePtr predicate;  // skips what statistics tell; rows that do not match may come out
  int32_t batch_rows = 65536;
  std::shared_ptr<const DeletionVector> deletions;
  // Only these positions, ascending; nullptr: all.
  std::shared_ptr<const std::vector<int64_t>> rows;
  bool narrow_decimals = false;          // columns of NarrowDecimalType (format/conform.h) come in it
  std::optional<int64_t> buffer_bytes;   // DataFileReadOptions
  bool with_positions = false;  // adds the column _POSITION (int64): the row's position in the file
};

class TableFileReader : public BatchReader {
 public:
  // How many rows of the file the predicate leaves to be read.
  virtual int64_t rows_to_read() const = 0;
};

std::unique_ptr<TableFileReader> ReadTableFile(const Table& table, const DataFileMeta& file, const FileReadRequest& request);

}  // namespace mica
