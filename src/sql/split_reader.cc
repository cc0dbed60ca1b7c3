#include "sql/split_reader.h"

#include <duckdb/planner/table_filter_state.hpp>

#include "engine/duck_types.h"
#include "sql/errors.h"
#include "sql/hidden_columns.h"
#include "sql/session_state.h"
#include "table/read.h"

namespace mica::sql {

SplitReader::SplitReader(duckdb::OpenFileInfo open_file, std::shared_ptr<const ScanSource> source,
                         std::shared_ptr<const ScanUnit> unit, PredicatePtr predicate)
    : BaseFileReader(std::move(open_file)),
      source_(std::move(source)),
      unit_(std::move(unit)),
      predicate_(std::move(predicate)),
      rows_expected_(unit_->split.row_count()) {
  for (const DataField& field : source_->table->schema().fields) {
    duckdb::MultiFileColumnDefinition column(field.name, ToDuckType(field.type));
    column.identifier = duckdb::Value::INTEGER(field.id);
    columns.push_back(std::move(column));
  }
}

SplitReader::~SplitReader() = default;

bool SplitReader::TryInitializeScan(duckdb::ClientContext&, duckdb::GlobalTableFunctionState&,
                                    duckdb::LocalTableFunctionState&) {
  if (taken_) return false;
  taken_ = true;
  return true;
}

void SplitReader::PrepareScan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState&,
                              duckdb::LocalTableFunctionState&) {
  Guard([&] {
    // The other branch has the same columns, with numbers of their own.
    const Table& table = unit_->other ? *unit_->other : *source_->table;
    const std::vector<DataField>& table_fields = table.schema().fields;
    ReadRequest request;
    request.predicate = predicate_;
    request.narrow_decimals = true;
    request.merge_bytes = SessionState::Get(context).merge_memory_bytes;
    for (size_t i = 0; i < column_ids.size(); ++i) {
      const duckdb::idx_t column = column_ids[duckdb::MultiFileLocalIndex(i)].GetId();
      const DataField& field = column < table_fields.size() ? table_fields[column] : hidden_.at(column);
      CheckReadableInSql(field.type, field.name);
      request.fields.push_back(field);
    }
    only_count_ = request.fields.empty();
    if (only_count_) {
      // A narrow column, preferably a key that a merge reads anyway.
      const TableSchema& schema = table.schema();
      const DataField* narrow = &table_fields.front();
      for (const DataField& field : table_fields) {
        if (field.type.IsInteger() || field.type.root() == TypeRoot::kBoolean || field.type.root() == TypeRoot::kDate) {
          narrow = &field;
          break;
        }
      }
      if (schema.has_primary_key() && !schema.TrimmedPrimaryKeys().empty()) {
        narrow = &schema.Field(schema.TrimmedPrimaryKeys().front());
      }
      request.fields.push_back(*narrow);
    }
    if (filters) {
      for (const auto& [column, filter] : filters->filters) {
        // What may be left out: the engine applies it again.
        if (filter->filter_type == duckdb::TableFilterType::OPTIONAL_FILTER) continue;
        filters_.push_back(Filter{column, filter.get(), duckdb::TableFilterState::Initialize(context, *filter)});
      }
    }
    vectors_ = std::make_unique<BatchToVectors>(context, request.fields);
    if (only_count_) {
      counting_ = duckdb::make_uniq<duckdb::DataChunk>();
      counting_->Initialize(context, {ToDuckType(request.fields.front().type)});
    }
    batches_ = ReadSplit(table, unit_->split, request);
  });
}

duckdb::AsyncResult SplitReader::Scan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState&,
                                      duckdb::LocalTableFunctionState&, duckdb::DataChunk& chunk) {
  return Guard([&] {
    if (context.IsInterrupted()) throw duckdb::InterruptException();
    while (vectors_->remaining() == 0) {
      auto batch = batches_->Next();
      if (batch == nullptr) {
        batches_.reset();
        return duckdb::AsyncResult(duckdb::SourceResultType::FINISHED);
      }
      rows_read_ += batch->num_rows();
      if (context.IsInterrupted()) throw duckdb::InterruptException();
      vectors_->Load(batch);
    }
    if (only_count_) {
      counting_->Reset();
      vectors_->Next(*counting_);
      chunk.SetCardinality(counting_->size());
      return duckdb::AsyncResult(duckdb::SourceResultType::HAVE_MORE_OUTPUT);
    }
    vectors_->Next(chunk);
    duckdb::idx_t size = chunk.size(), approved = size;
    duckdb::SelectionVector selection;
    for (Filter& filter : filters_) {
      if (approved == 0) break;
      duckdb::Vector& vector = chunk.data[filter.column];
      duckdb::UnifiedVectorFormat format;
      vector.ToUnifiedFormat(size, format);
      // What is left is told by `approved` alone, not by what the call returns.
      duckdb::ColumnSegment::FilterSelection(selection, vector, format, *filter.filter, *filter.state, size, approved);
    }
    if (approved != size) chunk.Slice(selection, approved);
    return duckdb::AsyncResult(duckdb::SourceResultType::HAVE_MORE_OUTPUT);
  });
}

double SplitReader::GetProgressInFile(duckdb::ClientContext&) {
  return rows_expected_ == 0 ? 100.0 : 100.0 * static_cast<double>(rows_read_) / static_cast<double>(rows_expected_);
}

void SplitReader::AddVirtualColumn(duckdb::column_t id) {
  if (!unit_->split.raw_convertible) {
    ThrowToDuck(Unsupported("__paimon_row_index exists only for rows that lie in one file: the table '{}' has to be "
                            "compacted first", source_->table->name().ToString()));
  }
  hidden_[columns.size() - 1] = id == kRowIdColumn      ? RowIdField()
                                : id == kSequenceColumn ? SequenceNumberField()
                                                        : PositionField();
}

}  // namespace mica::sql
