#include "base/clock.h"
#include "base/json.h"
#include "system/row_batch.h"
#include "system/tables.h"

namespace mica {

// M-0703.
std::vector<DataField> SchemasFields(const Table&) {
  DataType text = DataType::String();
  return {NotNull("schema_id", DataType::BigInt()), NotNull("fields", text), NotNull("partition_keys", text),
          NotNull("primary_keys", text), NotNull("options", text), Nullable("comment", text),
          NotNull("update_time", DataType::Timestamp(3))};
}

std::unique_ptr<BatchReader> ReadSchemas(TablePtr table) {
  RowBatch rows(SchemasFields(*table));
  for (int64_t id : table->schemas().Ids()) {
    auto schema = table->schemas().Get(id);
    Json fields = Json::array();
    for (const DataField& field : schema->fields) fields.push_back(field.ToJson());
    rows.Add({schema->id, fields.dump(), Json(schema->partition_keys).dump(), Json(schema->primary_keys).dump(),
              Json(schema->options).dump(), OrNull(schema->comment), Timestamp3(LocalWallMillis(schema->time_millis))});
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
