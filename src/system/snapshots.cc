#include "base/clock.h"
#include "system/row_batch.h"
#include "system/tables.h"

namespace mica {

// M-0702.
std::vector<DataField> SnapshotsFields(const Table&) {
  DataType text = DataType::String(), number = DataType::BigInt();
  return {NotNull("snapshot_id", number), NotNull("schema_id", number), NotNull("commit_user", text),
          NotNull("commit_identifier", number), NotNull("commit_kind", text),
          NotNull("commit_time", DataType::Timestamp(3)), NotNull("base_manifest_list", text),
          NotNull("delta_manifest_list", text), Nullable("changelog_manifest_list", text),
          Nullable("total_record_count", number), Nullable("delta_record_count", number),
          Nullable("changelog_record_count", number), Nullable("watermark", number), Nullable("next_row_id", number)};
}

std::unique_ptr<BatchReader> ReadSnapshots(TablePtr table) {
  RowBatch rows(SnapshotsFields(*table));
  for (int64_t id : table->snapshots().Ids()) {
    Snapshot s;
    try {
      s = table->snapshots().Get(id);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kNotFound) continue;  // expired between listing and reading
      throw;
    }
    rows.Add({s.id, s.schema_id, s.commit_user, s.commit_identifier, std::string(CommitKindName(s.commit_kind)),
              Timestamp3(LocalWallMillis(s.time_millis)), s.base_manifest_list, s.delta_manifest_list,
              OrNull(s.changelog_manifest_list), OrNull(s.total_record_count), OrNull(s.delta_record_count),
              s.changelog_record_count.value_or(0), OrNull(s.watermark), OrNull(s.next_row_id)});
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
