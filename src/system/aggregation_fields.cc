#include "base/text.h"
#include "system/row_batch.h"
#include "system/state_tables.h"

namespace mica {

// M-0716.
std::vector<DataField> AggregationFieldsFields(const Table&) {
  DataType text = DataType::String();
  return {NotNull("field_name", text), NotNull("field_type", text), Nullable("function", text),
          Nullable("function_options", text), Nullable("comment", text)};
}

std::unique_ptr<BatchReader> ReadAggregationFields(TablePtr table) {
  RowBatch rows(AggregationFieldsFields(*table));
  for (const DataField& field : table->schema().fields) {
    std::vector<std::string> keys, values;
    std::string prefix = "fields." + field.name + ".";
    for (const auto& [key, value] : table->schema().options) {
      if (!key.starts_with(prefix)) continue;
      keys.push_back(key);
      values.push_back(value);
    }
    rows.Add({field.name, field.type.ToString(), "[" + Join(values, ", ") + "]", "[" + Join(keys, ", ") + "]",
              OrNull(field.description)});
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
