#include "system/row_batch.h"
#include "system/tables.h"

namespace mica {

// M-0711.
std::vector<DataField> OptionsFields(const Table&) {
  return {NotNull("key", DataType::String()), NotNull("value", DataType::String())};
}

std::unique_ptr<BatchReader> ReadOptions(TablePtr table) {
  RowBatch rows(OptionsFields(*table));
  // What is stored; what a statement sets for itself is not an option of the table.
  auto schema = table->schemas().Latest();
  if (schema) {
    for (const auto& [key, value] : schema->options) rows.Add({key, value});
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
