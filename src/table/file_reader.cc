#include "table/file_reader.h"

#include <algorithm>

#include <arrow/api.h>

#include "base/arrow.h"
#include "format/conform.h"
#include "format/data_file.h"
#include "table/file_mapping.h"
#include "merge/row_selection.h"

namespace mica {

namespace {

class MappedFileReader final : public TableFileReader {
 public:
  MappedFileReader(const Table& table, const DataFileMeta& file, const FileReadRequest& request)
      : deletions_(request.deletions),
        wanted_(request.rows),
        with_positions_(request.with_positions),
        narrow_decimals_(request.narrow_decimals) {
    auto file_schema = file.schema_id == table.schema().id ? table.schema_ptr() : table.schemas().Get(file.schema_id);
    mapping_ = MapFile(*file_schema, file, request.fields, request.partition, table.schema());
    identity_ = mapping_.is_identity();
    if (mapping_.file_fields.empty() && !with_positions_ && wanted_ == nullptr) {
      rows_left_ = file.row_count - (deletions_ ? deletions_->cardinality() : 0);
      batch_rows_ = request.batch_rows;
      return;
    }
    DataFileReadOptions options;
    options.fields = mapping_.file_fields;
    options.predicate = MapPredicate(request.predicate, *file_schema, table.schema());
    options.batch_rows = request.batch_rows;
    options.buffer_bytes = request.buffer_bytes;
    // A cast starts from the full form.
    options.narrow_decimals = narrow_decimals_ && std::none_of(mapping_.columns.begin(), mapping_.columns.end(),
                                                               [](const MappedColumn& column) { return column.needs_cast; });
    options.orc_legacy_instants = table.options().Bool("orc.timestamp-ltz.legacy.type", true);
    options.with_row_positions = with_positions_ || deletions_ != nullptr || wanted_ != nullptr;
    if (wanted_ != nullptr && !wanted_->empty()) options.row_range = {wanted_->front(), wanted_->back() + 1};
    reader_ = OpenDataFile(table.file_system(), table.paths().DataFilePath(request.partition, request.bucket, file),
                           file.file_size, options);
  }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    if (!reader_) return NextCounted();
    while (auto batch = reader_->Next()) {
      if (deletions_ != nullptr) batch = WithoutDeleted(batch);
      if (wanted_ != nullptr) batch = OnlyWanted(batch);
      if (batch->num_rows() == 0) continue;
      return Map(batch);
    }
    return nullptr;
  }

  int64_t rows_to_read() const override { return reader_ ? reader_->rows_to_read() : rows_left_; }

 private:
  // No column of the file is wanted, only its rows.
  std::shared_ptr<arrow::RecordBatch> NextCounted() {
    if (rows_left_ <= 0) return nullptr;
    int64_t rows = std::min<int64_t>(rows_left_, batch_rows_);
    rows_left_ -= rows;
    return mapping_.Apply(arrow::RecordBatch::Make(arrow::schema({}), rows, arrow::ArrayVector{}));
  }

  std::shared_ptr<arrow::RecordBatch> WithoutDeleted(const std::shared_ptr<arrow::RecordBatch>& batch) const {
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch->column(batch->num_columns() - 1));
    const std::vector<int64_t>& deleted = deletions_->positions();
    auto next = std::lower_bound(deleted.begin(), deleted.end(), positions.Value(0));
    if (next == deleted.end() || *next > positions.Value(positions.length() - 1)) return batch;
    std::vector<int32_t> rows;
    rows.reserve(static_cast<size_t>(positions.length()));
    for (int64_t i = 0; i < positions.length(); ++i) {
      const int64_t position = positions.Value(i);
      while (next != deleted.end() && *next < position) ++next;
      if (next == deleted.end() || *next != position) rows.push_back(static_cast<int32_t>(i));
    }
    return SelectRows(batch, rows);
  }

  std::shared_ptr<arrow::RecordBatch> OnlyWanted(const std::shared_ptr<arrow::RecordBatch>& batch) const {
    if (batch->num_rows() == 0) return batch;
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch->column(batch->num_columns() - 1));
    auto next = std::lower_bound(wanted_->begin(), wanted_->end(), positions.Value(0));
    std::vector<int32_t> rows;
    for (int64_t i = 0; i < positions.length() && next != wanted_->end(); ++i) {
      while (next != wanted_->end() && *next < positions.Value(i)) ++next;
      if (next != wanted_->end() && *next == positions.Value(i)) rows.push_back(static_cast<int32_t>(i));
    }
    return static_cast<int64_t>(rows.size()) == batch->num_rows() ? batch : SelectRows(batch, rows);
  }

  std::shared_ptr<arrow::RecordBatch> Map(const std::shared_ptr<arrow::RecordBatch>& batch) const {
    const int columns = static_cast<int>(mapping_.file_fields.size());
    std::shared_ptr<arrow::RecordBatch> mapped = batch;
    if (batch->num_columns() > columns) mapped = Take(batch->RemoveColumn(columns));
    if (!identity_) mapped = mapping_.Apply(mapped);
    if (narrow_decimals_) mapped = WithNarrowDecimals(mapped);
    if (!with_positions_) return mapped;
    auto field = arrow::field(std::string(kPositionColumn), arrow::int64(), false);
    return Take(mapped->AddColumn(mapped->num_columns(), field, batch->column(columns)));
  }

  std::shared_ptr<arrow::RecordBatch> WithNarrowDecimals(const std::shared_ptr<arrow::RecordBatch>& batch) const {
    arrow::ArrayVector columns = batch->columns();
    arrow::FieldVector fields = batch->schema()->fields();
    bool changed = false;
    for (size_t i = 0; i < columns.size(); ++i) {
      columns[i] = NarrowDecimals(columns[i], mapping_.columns[i].read.type);
      if (columns[i]->type()->Equals(*fields[i]->type())) continue;
      fields[i] = fields[i]->WithType(columns[i]->type());
      changed = true;
    }
    if (!changed) return batch;
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch->num_rows(), std::move(columns));
  }

  FileMapping mapping_;
  bool identity_ = false;
  std::shared_ptr<const DeletionVector> deletions_;
  std::shared_ptr<const std::vector<int64_t>> wanted_;
  bool with_positions_;
  bool narrow_decimals_;
  std::unique_ptr<DataFileReader> reader_;
  int64_t rows_left_ = 0;
  int32_t batch_rows_ = 0;
};

}  // namespace

std::unique_ptr<TableFileReader> ReadTableFile(const Table& table, const DataFileMeta& file, const FileReadRequest& request) {
  return std::make_unique<MappedFileReader>(table, file, request);
}

}  // namespace mica
