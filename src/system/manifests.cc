#include "system/row_batch.h"
#include "system/row_text.h"
#include "system/tables.h"
#include "table/scan.h"

namespace mica {

// M-0707.
std::vector<DataField> ManifestsFields(const Table&) {
  DataType text = DataType::String(), number = DataType::BigInt();
  return {NotNull("file_name", text), NotNull("file_size", number), NotNull("num_added_files", number),
          NotNull("num_deleted_files", number), NotNull("schema_id", number), Nullable("min_partition_stats", text),
          Nullable("max_partition_stats", text), Nullable("min_row_id", number), Nullable("max_row_id", number)};
}

std::unique_ptr<BatchReader> ReadManifests(TablePtr table) {
  RowBatch rows(ManifestsFields(*table));
  auto resolved = ResolveSnapshot(*table, TimeTravelOf(table->options()));
  if (resolved.snapshot) {
    ManifestStore& store = table->manifests();
    std::vector<DataField> partition = table->schema().PartitionFields();
    auto add = [&](const std::string& list, const std::optional<int64_t>& size) {
      for (const ManifestFileMeta& m : store.ReadList(list, size)) {
        rows.Add({m.file_name, m.file_size, m.added_count, m.deleted_count, m.schema_id,
                  RowText(m.partition_stats.min_values, partition, '{', '}'),
                  RowText(m.partition_stats.max_values, partition, '{', '}'), OrNull(m.min_row_id), OrNull(m.max_row_id)});
      }
    };
    add(resolved.snapshot->base_manifest_list, resolved.snapshot->base_manifest_list_size);
    add(resolved.snapshot->delta_manifest_list, resolved.snapshot->delta_manifest_list_size);
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
