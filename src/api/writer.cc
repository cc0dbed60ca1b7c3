#include "mica/writer.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include "api/border.h"
#include "api/state.h"
#include "base/arrow.h"
#include "types/arrow_types.h"

namespace mica::api {

namespace {

// The columns of the table in its order, and the kinds of rows when they came along.
std::shared_ptr<arrow::RecordBatch> InTableOrder(const arrow::RecordBatch& batch, const TableSchema& schema) {
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  auto take = [&](const std::string& name, const std::shared_ptr<arrow::Field>& field) {
    const auto places = batch.schema()->GetAllFieldIndices(name);
    if (places.size() != 1) {
      throw InvalidArgument("The batch has {} column '{}'", places.empty() ? "no" : "more than one", name);
    }
    auto column = batch.column(places[0]);
    if (!column->type()->Equals(*field->type())) {
      throw InvalidArgument("The column '{}' of the batch is of type {}, but the table's is {}", name,
                            column->type()->ToString(), field->type()->ToString());
    }
    fields.push_back(field);
    columns.push_back(std::move(column));
  };
  for (const DataField& field : schema.fields) take(field.name, ToArrowField(field));
  const std::string kind(kValueKind);
  if (batch.schema()->GetFieldIndex(kind) >= 0) take(kind, arrow::field(kind, arrow::int8(), false));
  if (static_cast<int>(columns.size()) != batch.num_columns()) {
    for (const std::string& name : batch.schema()->field_names()) {
      if (FindField(schema.fields, name) < 0 && name != kind) {
        throw InvalidArgument("The table has no column '{}', which the batch has", name);
      }
    }
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(), std::move(columns));
}

}  // namespace

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

void Writer::Write(ArrowArray* batch, ArrowSchema* schema) {
  AtBorder([&] {
    auto imported = Take(arrow::ImportRecordBatch(batch, schema));
    state_->write->Write(InTableOrder(*imported, state_->table->schema()));
  });
}

std::vector<CommitMessage> Writer::PrepareCommit() {
  return AtBorder([&] {
    std::vector<CommitMessage> messages;
    for (mica::CommitMessage& message : state_->write->PrepareCommit()) {
      messages.emplace_back(std::make_shared<const CommitMessage::State>(CommitMessage::State{std::move(message)}));
    }
    return messages;
  });
}

}  // namespace mica::api
