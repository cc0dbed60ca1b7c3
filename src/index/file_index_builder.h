// Collects the file indexes that a table's options ask for while a data file is written (Format 11): `file-index.<kind>.
// columns` and `file-index.<kind>.<column>.<option>`. One builder a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/file_index.h"
#include "types/data_type.h"

namespace mica {

// One index of one column, as the options say.
struct FileIndexColumn {
  std::string column;
  DataType type;
  std::string kind;
  int64_t items = 1'000'000;  // bloom-filter
  double false_positives = 0.1;
  int32_t version = 2;  // bitmap
  int64_t block_bytes = 16 << 10;
};

// One column's index while it grows.
class ColumnIndexBuilder {
 public:
  virtual ~ColumnIndexBuilder() = default;
  // The next rows; of the type's Arrow form.
  virtual void Add(const arrow::Array& values) = 0;
  virtual std::string Finish() = 0;
};

std::unique_ptr<ColumnIndexBuilder> MakeColumnIndexBuilder(const FileIndexColumn& column);

class FileIndexBuilder {
 public:
  explicit FileIndexBuilder(const std::vector<FileIndexColumn>& columns);

  // A batch that has all the columns, by name.
  void Add(const arrow::RecordBatch& batch);
  // The indexes, once all rows are there.
  std::vector<FileIndexPart> Parts();

 private:
  std::vector<FileIndexColumn> columns_;
  std::vector<std::unique_ptr<ColumnIndexBuilder>> builders_;
};

}  // namespace mica
