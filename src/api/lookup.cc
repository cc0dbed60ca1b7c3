#include "mica/lookup.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include "api/border.h"
#include "api/state.h"
#include "base/arrow.h"
#include "types/arrow_types.h"

namespace mica::api {

namespace {

std::shared_ptr<arrow::RecordBatch> RowsTogether(const std::vector<std::shared_ptr<arrow::RecordBatch>>& rows,
                                                 const std::vector<DataField>& fields) {
  if (rows.size() == 1) return rows[0];
  const auto schema = ToArrowSchema(fields);
  return rows.empty() ? Take(arrow::RecordBatch::MakeEmpty(schema)) : Take(arrow::ConcatenateRecordBatches(rows));
}

}  // namespace

Lookup::Lookup(std::unique_ptr<State> state) : state_(std::move(state)) {}
Lookup::Lookup(Lookup&&) noexcept = default;
Lookup& Lookup::operator=(Lookup&&) noexcept = default;
Lookup::~Lookup() = default;

std::vector<bool> Lookup::Find(ArrowArray* keys, ArrowSchema* key_schema, ArrowArray* rows, ArrowSchema* row_schema) {
  return AtBorder([&] {
    const auto batch = Take(arrow::ImportRecordBatch(keys, key_schema));
    TableLookup& lookup = state_->lookup;
    std::vector<const arrow::Array*> columns;
    for (const DataField& field : lookup.key_fields()) {
      const auto places = batch->schema()->GetAllFieldIndices(field.name);
      if (places.size() != 1 || batch->num_columns() != static_cast<int>(lookup.key_fields().size())) {
        throw InvalidArgument("Keys to look up have the columns of the primary key, each once: '{}'", field.name);
      }
      columns.push_back(batch->column(places[0]).get());
      if (!columns.back()->type()->Equals(*ToArrowType(field.type))) {
        throw InvalidArgument("The key column '{}' is of type {}, but the table's is {}", field.name,
                              columns.back()->type()->ToString(), ToArrowType(field.type)->ToString());
      }
    }
    std::vector<bool> found;
    std::vector<std::shared_ptr<arrow::RecordBatch>> all;
    std::vector<Value> key(columns.size());
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      for (size_t i = 0; i < columns.size(); ++i) key[i] = ValueAt(*columns[i], row, lookup.key_fields()[i].type);
      auto one = lookup.Find(key);
      found.push_back(one != nullptr);
      if (one != nullptr) all.push_back(std::move(one));
    }
    Check(arrow::ExportRecordBatch(*RowsTogether(all, lookup.row_fields()), rows, row_schema));
    return found;
  });
}

bool Lookup::Refresh() {
  return AtBorder([&] { return state_->lookup.Refresh(); });
}

}  // namespace mica::api
