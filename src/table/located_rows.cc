#include "table/located_rows.h"

#include <algorithm>

#include <arrow/api.h>

#include "base/arrow.h"
#include "format/data_file.h"
#include "table/deletions.h"
#include "table/file_reader.h"

namespace mica {

namespace {

bool IsLocation(const DataField& field) {
  return field.name == kPositionColumn || field.id == kRowIdId || field.id == kSequenceNumberId;
}

// base + step * position, but the stored number where there is one. No base: only stored numbers.
std::shared_ptr<arrow::Array> Numbers(const arrow::Int64Array& positions, const arrow::Int64Array* stored,
                                      std::optional<int64_t> base, int64_t step) {
  arrow::Int64Builder numbers;
  Check(numbers.Reserve(positions.length()));
  for (int64_t i = 0; i < positions.length(); ++i) {
    if (stored != nullptr && !stored->IsNull(i)) {
      numbers.UnsafeAppend(stored->Value(i));
    } else if (base) {
      numbers.UnsafeAppend(*base + step * positions.Value(i));
    } else {
      numbers.UnsafeAppendNull();
    }
  }
  return Take(numbers.Finish());
}

class LocatedReader final : public BatchReader {
 public:
  LocatedReader(const Table& table, const Split& split, const ReadRequest& request)
      : wanted_(request.fields), file_(split.files.front()) {
    FileReadRequest read;
    read.partition = split.partition;
    read.bucket = split.bucket;
    read.predicate = request.predicate;
    read.batch_rows = request.batch_rows;
    read.narrow_decimals = request.narrow_decimals;
    read.with_positions = true;
    if (const DeletionFile* deletions = split.DeletionsOf(0)) read.deletions = ReadDeletions(table, *deletions);
    std::vector<std::string> in_file;
    for (const DataField& field : wanted_) {
      bool tracked = field.id == kRowIdId || field.id == kSequenceNumberId;
      if (tracked && in_file.empty()) {
        in_file = DataFileColumns(table.file_system(), table.paths().DataFilePath(split.partition, split.bucket, file_),
                                  file_.file_size);
      }
      bool is_stored = !IsLocation(field) || std::find(in_file.begin(), in_file.end(), field.name) != in_file.end();
      stored_.push_back(is_stored ? static_cast<int>(read.fields.size()) : -1);
      if (!is_stored) continue;
      read.fields.push_back(field);
      // Rows that were there before a rewrite keep their numbers, others have none in the file.
      if (tracked) read.fields.back().type = field.type.WithNullable(true);
    }
    from_ = ReadTableFile(table, file_, read);
  }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    auto batch = from_->Next();
    if (batch == nullptr) return nullptr;
    auto positions = batch->column(batch->num_columns() - 1);
    arrow::ArrayVector columns;
    arrow::FieldVector fields;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      auto stored = stored_[i] < 0 ? nullptr : batch->column(stored_[i]);
      columns.push_back(ColumnOf(wanted_[i], static_cast<const arrow::Int64Array&>(*positions), stored));
      if (columns.back() == nullptr) columns.back() = positions;
      fields.push_back(arrow::field(wanted_[i].name, columns.back()->type(), wanted_[i].type.nullable()));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch->num_rows(), std::move(columns));
  }

 private:
  // nullptr: the positions themselves.
  std::shared_ptr<arrow::Array> ColumnOf(const DataField& field, const arrow::Int64Array& positions,
                                         const std::shared_ptr<arrow::Array>& stored) const {
    const auto* numbers = static_cast<const arrow::Int64Array*>(stored.get());
    if (field.id == kRowIdId) return Numbers(positions, numbers, file_.first_row_id, 1);
    if (field.id == kSequenceNumberId) return Numbers(positions, numbers, file_.max_sequence_number, 0);
    return stored;
  }

  std::vector<DataField> wanted_;
  std::vector<int> stored_;  // where each comes in the file's batches, or -1
  DataFileMeta file_;
  std::unique_ptr<BatchReader> from_;
};

}  // namespace

DataField PositionField() {
  return {-1, std::string(kPositionColumn), SequenceNumberField().type};
}

DataField RowIdField() { return {kRowIdId, std::string(kRowId), DataType::BigInt()}; }

bool AskForLocation(const TableSchema& schema, const std::vector<DataField>& fields) {
  return std::any_of(fields.begin(), fields.end(), [&](const DataField& field) {
    return IsLocation(field) && (field.id != kSequenceNumberId || !schema.has_primary_key());
  });
}

std::unique_ptr<BatchReader> ReadLocatedRows(const Table& table, const Split& split, const ReadRequest& request) {
  MICA_CHECK(split.raw_convertible && split.files.size() == 1);
  return std::make_unique<LocatedReader>(table, split, request);
}

}  // namespace mica
