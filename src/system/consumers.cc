#include "meta/consumer.h"

#include "history/lines.h"
#include "system/row_batch.h"
#include "system/state_tables.h"

namespace mica {

// M-0712.
std::vector<DataField> ConsumersFields(const Table&) {
  return {NotNull("consumer_id", DataType::String()), NotNull("next_snapshot_id", DataType::BigInt())};
}

std::unique_ptr<BatchReader> ReadConsumers(TablePtr table) {
  RowBatch rows(ConsumersFields(*table));
  ConsumerStore consumers(table->file_system_ptr(), MetadataRoot(*table));
  for (const std::string& id : consumers.Ids()) {
    if (auto next = consumers.NextSnapshot(id)) rows.Add({id, *next});
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
