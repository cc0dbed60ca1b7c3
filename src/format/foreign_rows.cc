#include "format/foreign_rows.h"

#include <algorithm>
#include <cctype>

#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/text.h"
#include "format/avro_data_file.h"
#include "format/foreign_layout.h"
#include "format/orc_file.h"
#include "format/parquet_file.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

constexpr int64_t kBufferBytes = 16 << 20;

std::vector<std::string> ColumnsOf(FileSystem& fs, const std::string& path, int64_t size, const std::string& format) {
  if (format == "parquet") return ParquetFileColumns(fs, path, size);
  return format == "orc" ? OrcFileColumns(fs, path, size) : AvroFileColumns(fs, path, size);
}

std::unique_ptr<DataFileReader> Open(FileSystem& fs, const std::string& path, int64_t size, const std::string& format,
                                     const DataFileReadOptions& options) {
  if (format == "parquet") return OpenParquetFile(fs, path, size, options);
  return format == "orc" ? OpenOrcFile(fs, path, size, options) : OpenAvroFile(fs, path, size, options);
}

class ForeignRows final : public BatchReader {
 public:
  ForeignRows(FileSystem& fs, const std::string& path, int64_t size, const std::string& format,
              const std::vector<DataField>& fields)
      : schema_(ToArrowSchema(fields)) {
    const std::vector<std::string> columns = ColumnsOf(fs, path, size, format);
    const bool unnamed = AreUnnamed(columns);
    DataFileReadOptions options;
    options.buffer_bytes = kBufferBytes;
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto column = unnamed ? At(columns, i) : Named(columns, fields[i].name, path);
      positions_.push_back(column ? static_cast<int>(options.fields.size()) : -1);
      if (!column) continue;
      options.fields.push_back(fields[i]);
      options.fields.back().name = *column;
    }
    if (options.fields.empty() && !fields.empty()) {
      throw Unsupported("The file '{}' has none of the columns of the table, but '{}'", path, Join(columns, "', '"));
    }
    reader_ = Open(fs, path, size, format, options);
  }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    const auto batch = reader_->Next();
    if (!batch) return nullptr;
    arrow::ArrayVector columns;
    for (size_t i = 0; i < positions_.size(); ++i) {
      columns.push_back(positions_[i] >= 0 ? batch->column(positions_[i])
                                           : Take(arrow::MakeArrayOfNull(schema_->field(static_cast<int>(i))->type(),
                                                                         batch->num_rows())));
    }
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

 private:
  static std::optional<std::string> At(const std::vector<std::string>& columns, size_t place) {
    return place < columns.size() ? std::optional(columns[place]) : std::nullopt;
  }

  static std::optional<std::string> Named(const std::vector<std::string>& columns, const std::string& name,
                                          const std::string& path) {
    if (std::find(columns.begin(), columns.end(), name) != columns.end()) return name;
    std::optional<std::string> found;
    for (const std::string& column : columns) {
      if (!EqualsIgnoreCase(column, name)) continue;
      if (found) {
        throw Unsupported("The file '{}' has the columns '{}' and '{}', either of which could be '{}'", path, *found,
                          column, name);
      }
      found = column;
    }
    return found;
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<int> positions_;  // of each field in what is read, or -1
  std::unique_ptr<DataFileReader> reader_;
};

}  // namespace

std::unique_ptr<BatchReader> ReadForeignRows(FileSystem& fs, const std::string& path, int64_t size,
                                             const std::string& format, const std::vector<DataField>& fields) {
  return std::make_unique<ForeignRows>(fs, path, size, format, fields);
}

}  // namespace mica
