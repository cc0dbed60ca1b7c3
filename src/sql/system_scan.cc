#include "sql/system_scan.h"

#include "engine/duck_types.h"
#include "sql/arrow_vectors.h"
#include "sql/errors.h"
#include "sql/global_table.h"
#include "system/files.h"
#include "system/tables.h"

namespace mica::sql {

namespace {

struct SystemScanData : public duckdb::TableFunctionData {
  std::vector<DataField> fields;
  std::function<std::unique_ptr<BatchReader>(const std::vector<bool>& wanted)> open;
};

struct SystemScanState : public duckdb::GlobalTableFunctionState {
  std::unique_ptr<BatchReader> batches;
  std::unique_ptr<BatchToVectors> vectors;
  duckdb::DataChunk all;
  duckdb::vector<duckdb::column_t> column_ids;
};

duckdb::unique_ptr<duckdb::FunctionData> NoBind(duckdb::ClientContext&, duckdb::TableFunctionBindInput&,
                                                duckdb::vector<duckdb::LogicalType>&, duckdb::vector<duckdb::string>&) {
  throw duckdb::BinderException("A system table is bound by its name");
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Start(duckdb::ClientContext& context,
                                                           duckdb::TableFunctionInitInput& input) {
  return Guard([&]() -> duckdb::unique_ptr<duckdb::GlobalTableFunctionState> {
    const auto& data = input.bind_data->Cast<SystemScanData>();
    auto state = duckdb::make_uniq<SystemScanState>();
    duckdb::vector<duckdb::LogicalType> types;
    for (const DataField& field : data.fields) types.push_back(ToDuckType(field.type));
    state->all.Initialize(context, types);
    state->vectors = std::make_unique<BatchToVectors>(context, data.fields);
    state->column_ids = input.column_ids;
    std::vector<bool> wanted(data.fields.size());
    for (duckdb::column_t column : input.column_ids) {
      if (column < wanted.size()) wanted[column] = true;
    }
    state->batches = data.open(wanted);
    return state;
  });
}

void Scan(duckdb::ClientContext& context, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  Guard([&] {
    auto& state = input.global_state->Cast<SystemScanState>();
    while (state.vectors->remaining() == 0) {
      auto batch = state.batches ? state.batches->Next() : nullptr;
      if (batch == nullptr) {
        state.batches.reset();
        return;
      }
      if (context.IsInterrupted()) throw duckdb::InterruptException();
      state.vectors->Load(batch);
    }
    state.all.Reset();
    state.vectors->Next(state.all);
    for (duckdb::idx_t i = 0; i < state.column_ids.size() && i < output.ColumnCount(); ++i) {
      if (state.column_ids[i] < state.all.ColumnCount()) {
        output.data[i].Reference(state.all.data[state.column_ids[i]]);
      } else {
        output.data[i].SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
        duckdb::ConstantVector::SetNull(output.data[i], true);
      }
    }
    output.SetCardinality(state.all.size());
  });
}

}  // namespace

duckdb::TableFunction BindSystemScan(duckdb::ClientContext&, SystemTableEntry& entry,
                                     duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  const SystemTable& system_table = entry.system_table();
  auto open = [table = entry.table(), &system_table](const std::vector<bool>& wanted) {
    return system_table.read == ReadFiles ? ReadWantedFiles(table, wanted) : system_table.read(table);
  };
  return BindReader(system_table.fields(*entry.table()), open, bind_data);
}

duckdb::TableFunction BindReader(std::vector<DataField> fields, std::function<std::unique_ptr<BatchReader>(const std::vector<bool>& wanted)> open,
                                 duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  auto data = duckdb::make_uniq<SystemScanData>();
  data->fields = std::move(fields);
  data->open = std::move(open);
  bind_data = std::move(data);
  duckdb::TableFunction function("mica_system_scan", {}, Scan, NoBind, Start);
  function.projection_pushdown = true;
  return function;
}

duckdb::TableFunction GlobalTableEntry::GetScanFunction(duckdb::ClientContext&,
                                                        duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  return BindReader(table_->fields(), [source = source_, table = table_](const auto&) { return table->read(*source); }, bind_data);
}

}  // namespace mica::sql
