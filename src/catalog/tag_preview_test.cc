#include "history/tag_preview.h"

#include "base/expect_error.h"
#include "catalog/scratch_table.h"
#include "history/tags.h"

namespace mica {
namespace {

constexpr int64_t kHour = 3'600'000;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kOctober16 = 1697414400000;  // 2023-10-16 00:00 UTC

Options WithPreview(Options more = {}) {
  more["metastore.tag-to-partition"] = "dt";
  more["metastore.tag-to-partition.preview"] = "process-time";
  more["sink.process-time-zone"] = "UTC";
  return more;
}

// A table whose snapshots are committed at given times.
struct Previewed {
  explicit Previewed(const Options& options = WithPreview())
      : table(scratch.Create({Column("k", DataType::Int())}, {}, {}, options)) {}

  void CommitAt(int64_t now, std::optional<int64_t> watermark = std::nullopt) {
    CommitSettings settings;
    settings.clock = [now] { return now; };
    settings.watermark = watermark;
    TableCommit(table, settings).Commit(WriteRows(table, {{Number(now / kHour)}}, {}, {}));
  }
  void Tag(const std::string& name, int64_t snapshot) {
    TagRequest request;
    request.name = name;
    request.snapshot_id = snapshot;
    CreateTag(
        *table, request, TagExists::kFail, [] { return kOctober16; }, InlineExecutor());
  }
  std::string Shown(const std::string& period) const {
    const TagPreview::View view = TagPreview(table->options()).Resolve(*table, period);
    return view.tag ? "tag " + *view.tag : "snapshot " + std::to_string(view.snapshot_id);
  }
  std::optional<std::string> PeriodOf(int64_t snapshot) const {
    return TagPreview(table->options()).PeriodOf(table->snapshots().Get(snapshot));
  }

  ScratchCatalog scratch;
  TablePtr table;
};

// M-0824: the current period, not the one that has ended.
TEST(TagPreview, APeriodIsThatOfTheSnapshotsOwnTime) {
  Previewed daily;
  daily.CommitAt(kOctober16);
  daily.CommitAt(kOctober16 + kDay - 1);
  EXPECT_EQ(daily.PeriodOf(1), "2023-10-16");
  EXPECT_EQ(daily.PeriodOf(2), "2023-10-16");
  Previewed hourly(WithPreview({{"tag.creation-period", "hourly"}}));
  hourly.CommitAt(kOctober16 + 5 * kHour + 1);
  EXPECT_EQ(hourly.PeriodOf(1), "2023-10-16 05");
  Options east = WithPreview();
  east["sink.process-time-zone"] = "+08:00";
  Previewed zone(east);
  zone.CommitAt(kOctober16 + 17 * kHour);
  EXPECT_EQ(zone.PeriodOf(1), "2023-10-17");
}

TEST(TagPreview, ByWatermarkASnapshotWithoutOneHasNoPeriod) {
  Previewed marked(Options{{"metastore.tag-to-partition.preview", "watermark"}});
  marked.CommitAt(kOctober16 + 9 * kDay);
  marked.CommitAt(kOctober16 + 9 * kDay, kOctober16 + kHour);
  EXPECT_EQ(marked.PeriodOf(1), std::nullopt);
  EXPECT_EQ(marked.PeriodOf(2), "2023-10-16");
}

// M-0825, M-0826.
TEST(TagPreview, ATagComesFirstThenTheNewestSnapshotThenAnAutomaticTag) {
  Previewed previewed;
  previewed.CommitAt(kOctober16 + kHour);
  EXPECT_EQ(previewed.Shown("2023-10-16"), "snapshot 1");
  previewed.CommitAt(kOctober16 + 2 * kHour);
  EXPECT_EQ(previewed.Shown("2023-10-16"), "snapshot 2");
  previewed.Tag("2023-10-16", 2);
  previewed.CommitAt(kOctober16 + 3 * kHour);
  EXPECT_EQ(previewed.Shown("2023-10-16"), "tag 2023-10-16");
  DeleteTags(*previewed.table, {"2023-10-16"}, TagMissing::kFail, InlineExecutor());
  EXPECT_EQ(previewed.Shown("2023-10-16"), "snapshot 3");
  EXPECT_EQ(previewed.Shown("2023-10-20"), "snapshot 3");
  EXPECT_ERROR(previewed.Shown("2023-10-15"), NotFound, "neither a tag nor a snapshot");
  previewed.Tag("2023-10-14", 3);
  previewed.Tag("not a period", 3);
  EXPECT_EQ(previewed.Shown("2023-10-15"), "tag 2023-10-14");
}

TEST(TagPreview, WithoutOneThereIsNothing) {
  EXPECT_FALSE(TagPreview(TableOptions(Options{})).enabled());
  EXPECT_FALSE(TagPreview(TableOptions(Options{{"metastore.tag-to-partition.preview", "batch"}})).enabled());
  EXPECT_ERROR(TagPreview(TableOptions(Options{{"metastore.tag-to-partition.preview", "soon"}})), InvalidArgument,
               "'soon'");
}

}  // namespace
}  // namespace mica
