#include "system/row_batch.h"
#include "system/tables.h"
#include "table/table_statistics.h"

namespace mica {

// M-0715.
std::vector<DataField> StatisticsFields(const Table&) {
  DataType number = DataType::BigInt();
  return {NotNull("snapshot_id", number), NotNull("schema_id", number), Nullable("mergedRecordCount", number),
          Nullable("mergedRecordSize", number), Nullable("colstat", DataType::String())};
}

std::unique_ptr<BatchReader> ReadStatistics(TablePtr table) {
  RowBatch rows(StatisticsFields(*table));
  auto snapshot = table->snapshots().Latest();
  auto statistics = snapshot ? ReadStatistics(*table, *snapshot) : std::nullopt;
  if (statistics) {
    rows.Add({statistics->snapshot_id, statistics->schema_id, OrNull(statistics->merged_record_count),
              OrNull(statistics->merged_record_bytes), statistics->ColumnsJson()});
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
