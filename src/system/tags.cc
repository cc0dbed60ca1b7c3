#include "base/clock.h"
#include "system/row_batch.h"
#include "system/tables.h"

namespace mica {

namespace {

// An ISO-8601 duration without days: 90 minutes are PT1H30M.
std::string DurationText(int64_t nanos) {
  int64_t seconds = nanos / 1'000'000'000, rest = nanos % 1'000'000'000;
  int64_t hours = seconds / 3600, minutes = seconds / 60 % 60, second = seconds % 60;
  if (nanos == 0) return "PT0S";
  std::string text = "PT";
  if (hours) text += fmt::format("{}H", hours);
  if (minutes) text += fmt::format("{}M", minutes);
  if (second || rest) {
    text += std::to_string(second);
    if (rest) {
      std::string fraction = fmt::format("{:09}", rest);
      fraction.erase(fraction.find_last_not_of('0') + 1);
      text += "." + fraction;
    }
    text += "S";
  }
  return text;
}

}  // namespace

// M-0704.
std::vector<DataField> TagsFields(const Table&) {
  DataType text = DataType::String(), number = DataType::BigInt(), time = DataType::Timestamp(3);
  return {NotNull("tag_name", text), NotNull("snapshot_id", number), NotNull("schema_id", number),
          NotNull("commit_time", time), Nullable("record_count", number), Nullable("create_time", time),
          Nullable("time_retained", text)};
}

std::unique_ptr<BatchReader> ReadTags(TablePtr table) {
  RowBatch rows(TagsFields(*table));
  for (const std::string& name : table->snapshots().TagNames()) {
    auto tag = table->snapshots().FindTag(name);
    if (!tag) continue;
    Value created, retained;
    if (tag->create_time_local_nanos) created = Timestamp3(*tag->create_time_local_nanos / 1'000'000);
    if (tag->time_retained_nanos) retained = DurationText(*tag->time_retained_nanos);
    rows.Add({name, tag->snapshot.id, tag->snapshot.schema_id, Timestamp3(LocalWallMillis(tag->snapshot.time_millis)),
              OrNull(tag->snapshot.total_record_count), created, retained});
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
