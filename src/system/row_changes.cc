// `t$audit_log`, `t$binlog`, and the plain table where its options ask for an increment.
#include "table/row_changes.h"

#include <arrow/api.h>

#include "base/arrow.h"
#include "merge/merge_reader.h"
#include "system/row_batch.h"
#include "system/state_tables.h"
#include "table/increment.h"
#include "table/scan.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

// Columns that are read below the one of kinds: with 'table-read.sequence-number.enabled' the sequence number first.
bool IsNumbered(const Table& table) {
  return table.schema().has_primary_key() && table.options().Bool("table-read.sequence-number.enabled", false);
}

std::vector<DataField> ReadFields(const Table& table) {
  std::vector<DataField> fields = table.schema().fields;
  if (IsNumbered(table)) fields.insert(fields.begin(), SequenceNumberField());
  return fields;
}

// The rows of a state or, where the options ask for it, of an increment, with their kinds.
std::unique_ptr<BatchReader> Rows(const TablePtr& table) {
  CheckChangesReadable(table->schema());
  std::vector<DataField> fields = ReadFields(*table);
  if (IsIncremental(table->options())) return ReadIncrement(table, fields);
  ThreadExecutor executor;
  ScanRequest request;
  request.snapshot = ResolveSnapshot(*table, TimeTravelOf(table->options())).snapshot;
  request.executor = &executor;
  std::vector<std::function<std::unique_ptr<BatchReader>()>> parts;
  for (Split& split : PlanScan(*table, request).splits) {
    parts.push_back([table, fields, split = std::move(split)] { return ReadWithKinds(*table, split, fields); });
  }
  return ConcatenateReaders(std::move(parts));
}

const int8_t* KindsOf(const arrow::RecordBatch& batch) {
  return static_cast<const arrow::Int8Array&>(*batch.column(batch.num_columns() - 1)).raw_values();
}

std::vector<DataField> WithKindText(std::vector<DataField> fields) {
  fields.insert(fields.begin(), Nullable("rowkind", DataType::String()));
  return fields;
}

// Packs -U and the +U that follows it into one row of lists; other rows are lists of one.
class BinlogRows {
 public:
  BinlogRows(const Table& table, std::unique_ptr<BatchReader> rows)
      : rows_(std::move(rows)), schema_(ToArrowSchema(BinlogFields(table))), numbered_(IsNumbered(table)) {}

  std::shared_ptr<arrow::RecordBatch> Next() {
    while (true) {
      auto batch = rows_ ? rows_->Next() : nullptr;
      if (!batch) {
        rows_.reset();
        return waiting_ ? Pack(std::exchange(waiting_, nullptr), /*last=*/true) : nullptr;
      }
      if (waiting_) batch = Joined(std::exchange(waiting_, nullptr), batch);
      if (auto packed = Pack(batch, /*last=*/false)) return packed;
    }
  }

 private:
  static std::shared_ptr<arrow::RecordBatch> Joined(const std::shared_ptr<arrow::RecordBatch>& a,
                                                    const std::shared_ptr<arrow::RecordBatch>& b) {
    arrow::ArrayVector columns;
    for (int c = 0; c < a->num_columns(); ++c) columns.push_back(Take(arrow::Concatenate({a->column(c), b->column(c)})));
    return arrow::RecordBatch::Make(b->schema(), a->num_rows() + b->num_rows(), std::move(columns));
  }

  std::shared_ptr<arrow::RecordBatch> Pack(std::shared_ptr<arrow::RecordBatch> batch, bool last) {
    constexpr int8_t kUpdateBefore = 1, kUpdateAfter = 2;
    const int8_t* kinds = KindsOf(*batch);
    int64_t count = batch->num_rows();
    // The row that follows it may come with the next batch.
    if (!last && count > 0 && kinds[count - 1] == kUpdateBefore) {
      waiting_ = batch->Slice(--count);
      batch = batch->Slice(0, count);
      kinds = KindsOf(*batch);
    }
    if (count == 0) return nullptr;
    arrow::StringBuilder texts;
    arrow::Int32Builder offsets;
    for (int64_t i = 0; i < count;) {
      bool pair = i + 1 < count && kinds[i] == kUpdateBefore && kinds[i + 1] == kUpdateAfter;
      Check(texts.Append(RowKindText(kinds[pair ? i + 1 : i])));
      Check(offsets.Append(static_cast<int32_t>(i)));
      i += pair ? 2 : 1;
    }
    Check(offsets.Append(static_cast<int32_t>(count)));
    int64_t rows = offsets.length() - 1;
    auto positions = Take(offsets.Finish());
    arrow::ArrayVector columns = {Take(texts.Finish())};
    if (numbered_) columns.push_back(NumbersAt(*batch->column(0), *positions, rows));
    for (int c = numbered_; c + 1 < batch->num_columns(); ++c) {
      columns.push_back(std::make_shared<arrow::ListArray>(schema_->field(c + 1)->type(), rows, positions->data()->buffers[1],
                                                           batch->column(c)));
    }
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

  // Of a pair the number of the row before.
  static std::shared_ptr<arrow::Array> NumbersAt(const arrow::Array& numbers, const arrow::Array& positions, int64_t rows) {
    arrow::Int64Builder some;
    Check(some.Reserve(rows));
    for (int64_t i = 0; i < rows; ++i) {
      some.UnsafeAppend(static_cast<const arrow::Int64Array&>(numbers).Value(
          static_cast<const arrow::Int32Array&>(positions).Value(i)));
    }
    return Take(some.Finish());
  }

  std::unique_ptr<BatchReader> rows_;
  std::shared_ptr<arrow::Schema> schema_;
  bool numbered_;  // the first column is the sequence number
  std::shared_ptr<arrow::RecordBatch> waiting_;
};

}  // namespace

// M-0708.
std::vector<DataField> AuditLogFields(const Table& table) { return WithKindText(ReadFields(table)); }

std::unique_ptr<BatchReader> ReadAuditLog(TablePtr table) {
  auto rows = std::shared_ptr<BatchReader>(Rows(table));
  auto schema = ToArrowSchema(AuditLogFields(*table));
  return MakeReader([rows, schema]() -> std::shared_ptr<arrow::RecordBatch> {
    auto batch = rows->Next();
    if (!batch) return nullptr;
    const int8_t* kinds = KindsOf(*batch);
    arrow::StringBuilder texts;
    for (int64_t i = 0; i < batch->num_rows(); ++i) Check(texts.Append(RowKindText(kinds[i])));
    arrow::ArrayVector columns = {Take(texts.Finish())};
    for (int c = 0; c + 1 < batch->num_columns(); ++c) columns.push_back(batch->column(c));
    return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
  });
}

// M-0709.
std::vector<DataField> BinlogFields(const Table& table) {
  std::vector<DataField> fields = ReadFields(table);
  for (size_t i = IsNumbered(table); i < fields.size(); ++i) {
    fields[i].type = DataType::Array(fields[i].type.WithNullable(true));
  }
  return WithKindText(std::move(fields));
}

std::unique_ptr<BatchReader> ReadBinlog(TablePtr table) { return PackUpdates(*table, Rows(table)); }

std::unique_ptr<BatchReader> PackUpdates(const Table& table, std::unique_ptr<BatchReader> rows) {
  auto packed = std::make_shared<BinlogRows>(table, std::move(rows));
  return MakeReader([packed] { return packed->Next(); });
}

const SystemTable& IncrementTable() {
  static const SystemTable table = {
      "increment", "What changed, as the options ask for it.", [](const Table& of) { return of.schema().fields; },
      [](TablePtr of) {
        CheckChangesReadable(of->schema());
        return WithoutRetracts(ReadIncrement(of, of->schema().fields));
      }};
  return table;
}

}  // namespace mica
