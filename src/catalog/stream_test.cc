// Streams of changes (M-0524 to M-0527): what a reader that follows a table sees, and what following costs.
#include "catalog/scratch_table.h"
#include "history/change_stream.h"
#include "history/expire_snapshots.h"
#include "io/counting_file_system.h"
#include "meta/consumer.h"
#include "table/row_changes.h"

namespace mica {
namespace {

std::vector<std::string> RowsOf(const Table& table, BatchReader& reader) {
  std::vector<std::string> rows;
  const auto& fields = table.schema().fields;
  while (auto batch = reader.Next()) {
    const auto& kinds = static_cast<const arrow::Int8Array&>(*batch->column(batch->num_columns() - 1));
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      Row values;
      for (size_t i = 0; i < fields.size(); ++i) values.push_back(ValueAt(*batch->column(static_cast<int>(i)), row, fields[i].type));
      rows.push_back(std::string(RowKindText(kinds.Value(row))) + " " + RowText(values, fields));
    }
  }
  return rows;
}

// All that comes until there is nothing new.
std::vector<std::string> Drain(const Table& table, ChangeStream& stream) {
  std::vector<std::string> rows;
  while (auto reader = stream.Next()) {
    for (std::string& row : RowsOf(table, *reader)) rows.push_back(std::move(row));
  }
  return rows;
}

using Texts = std::vector<std::string>;

TablePtr MakeTable(ScratchCatalog& scratch, Options options = {}) {
  options.emplace("bucket", "1");
  options.emplace("write-only", "true");
  return scratch.Create({Column("k", DataType::Int()), Column("v", DataType::String())}, {}, {"k"}, options);
}

TEST(ChangeStream, BeginsWithTheStateAndGoesOnWithChanges) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  ChangeStream stream(table);
  EXPECT_TRUE(Drain(*table, stream).empty());
  Insert(table, {{Number(1), Text("a")}, {Number(2), Text("b")}});
  Insert(table, {{Number(1), Text("c")}});
  EXPECT_EQ(Drain(*table, stream), (Texts{"+I 1|c", "+I 2|b"}));
  EXPECT_EQ(stream.next_snapshot(), 3);
  Insert(table, {{Number(2), Text("")}}, {3});
  Replace(table, {}, {{Number(9), Text("over")}});
  Insert(table, {{Number(3), Text("d")}});
  EXPECT_EQ(Drain(*table, stream), (Texts{"-D 2|", "+I 3|d"}));
  EXPECT_TRUE(Drain(*table, stream).empty());
  EXPECT_EQ(stream.next_snapshot(), 6);
}

TEST(ChangeStream, BeginsWhereTheOptionsSay) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  for (int64_t i = 1; i <= 4; ++i) Insert(table, {{Number(i), Text("x")}});
  auto rows = [&](const Options& options) {
    TablePtr with = table->WithOptions(options);
    ChangeStream stream(with);
    return Drain(*with, stream);
  };
  EXPECT_TRUE(rows({{"scan.mode", "latest"}}).empty());
  EXPECT_EQ(rows({{"scan.snapshot-id", "3"}}), (Texts{"+I 3|x", "+I 4|x"}));
  EXPECT_EQ(rows({{"scan.mode", "from-snapshot-full"}, {"scan.snapshot-id", "3"}}),
            (Texts{"+I 1|x", "+I 2|x", "+I 3|x", "+I 4|x"}));
  EXPECT_EQ(rows({{"scan.timestamp-millis", "0"}}).size(), 4u);
  EXPECT_THROW(rows({{"scan.tag-name", "t"}}), Error);
  EXPECT_THROW(rows({{"scan.snapshot-id", "9"}}), Error);
  EXPECT_THROW(rows({{"incremental-between", "1,2"}}), Error);
  EXPECT_THROW(rows({{"consumer-id", "c"}}), Error);
}

// P-49: a start that has expired is moved to the earliest snapshot; a reader that goes on is told what it missed.
TEST(ChangeStream, AnExpiredStartIsTheEarliestSnapshotButNotForOneThatGoesOn) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"consumer.expiration-time", "1 d"}});
  for (int64_t i = 1; i <= 7; ++i) Insert(table, {{Number(i), Text("x")}});
  ExpireSnapshots(*table, {.retain_max = 2, .retain_min = 2}, SystemClock()(), InlineExecutor());
  ASSERT_EQ(table->snapshots().Ids().front(), 6);
  auto rows = [&](Options options) {
    TablePtr with = table->WithOptions(options);
    ChangeStream stream(with);
    return Drain(*with, stream);
  };
  EXPECT_EQ(rows({{"scan.snapshot-id", "1"}}), (Texts{"+I 6|x", "+I 7|x"}));
  EXPECT_EQ(rows({{"scan.mode", "from-snapshot-full"}, {"scan.snapshot-id", "1"}}).size(), 7u);
  ConsumerStore(table->file_system_ptr(), table->root()).Reset("c", 3);
  try {
    rows({{"consumer-id", "c"}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_NE(std::string(error.what()).find("snapshots from 6 to 7"), std::string::npos) << error.what();
  }
}

// P-47: a stream of a table without snapshots waits for the first one.
TEST(ChangeStream, WaitsForTheFirstSnapshotInEveryMode) {
  for (const char* mode : {"latest-full", "latest", "from-snapshot", "compacted-full"}) {
    ScratchCatalog scratch;
    TablePtr table = MakeTable(scratch);
    Options options = {{"scan.mode", mode}};
    if (mode == std::string("from-snapshot")) options["scan.snapshot-id"] = "1";
    TablePtr with = table->WithOptions(options);
    ChangeStream stream(with);
    EXPECT_TRUE(Drain(*with, stream).empty()) << mode;
    Insert(table, {{Number(1), Text("a")}});
    EXPECT_EQ(Drain(*with, stream), (Texts{"+I 1|a"})) << mode;
  }
}

TEST(ChangeStream, OverwritesShowAsTheOldRowsGoneAndTheNewOnesThere) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"streaming-read-overwrite", "true"}});
  Insert(table, {{Number(1), Text("a")}});
  ChangeStream stream(table);
  EXPECT_EQ(Drain(*table, stream), (Texts{"+I 1|a"}));
  Replace(table, {}, {{Number(2), Text("b")}});
  EXPECT_EQ(Drain(*table, stream), (Texts{"-D 1|a", "+I 2|b"}));
}

TEST(ChangeStream, AConsumerGoesOnWhereItWasAndHoldsItsSnapshots) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"consumer.expiration-time", "1 d"}})->WithOptions({{"consumer-id", "c"}});
  for (int64_t i = 1; i <= 3; ++i) Insert(table, {{Number(i), Text("x")}});
  {
    ChangeStream stream(table);
    EXPECT_EQ(Drain(*table, stream).size(), 3u);
    stream.Acknowledge();
  }
  EXPECT_EQ(ConsumerStore(table->file_system_ptr(), table->root()).NextSnapshot("c"), 4);
  for (int64_t i = 4; i <= 6; ++i) Insert(table, {{Number(i), Text("x")}});
  EXPECT_EQ(ExpireSnapshots(*table, {.retain_max = 1, .retain_min = 1}, SystemClock()(), InlineExecutor()), 3);
  ChangeStream stream(table);
  EXPECT_EQ(Drain(*table, stream), (Texts{"+I 4|x", "+I 5|x", "+I 6|x"}));
}

TEST(ChangeStream, SaysWhatItMissedWhenTheNextSnapshotHasExpired) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  Insert(table, {{Number(1), Text("x")}});
  ChangeStream stream(table);
  Drain(*table, stream);
  for (int64_t i = 2; i <= 5; ++i) Insert(table, {{Number(i), Text("x")}});
  ExpireSnapshots(*table, {.retain_max = 1, .retain_min = 1}, SystemClock()(), InlineExecutor());
  try {
    stream.Next();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("The snapshot with id 2 has expired"), std::string::npos) << error.what();
  }
}

TEST(ChangeStream, EndsAtItsWatermark) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"scan.bounded.watermark", "10"}});
  auto write = [&](int64_t key, int64_t watermark) {
    CommitSettings settings;
    settings.watermark = watermark;
    CommitRows(table, WriteRows(table, {{Number(key), Text("x")}}), settings);
  };
  write(1, 5);
  ChangeStream stream(table);
  EXPECT_EQ(Drain(*table, stream), (Texts{"+I 1|x"}));
  write(2, 10);
  write(3, 11);
  EXPECT_EQ(Drain(*table, stream), (Texts{"+I 2|x"}));
  EXPECT_TRUE(stream.ended());
}

TEST(ChangeStream, LookingInVainCostsTwoCallsAtMost) {
  auto counting = std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
  ScratchCatalog scratch(counting);
  TablePtr table = MakeTable(scratch);
  Insert(table, {{Number(1), Text("x")}});
  ChangeStream stream(table);
  Drain(*table, stream);
  counting->Reset();
  EXPECT_EQ(stream.Next(), nullptr);
  EXPECT_LE(counting->Counts().calls(), 2);
}

TEST(ChangeStream, HoldsBackCommitsThatAreYoungerThanTheDelay) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"streaming.read.snapshot.delay", "5 s"}});
  Insert(table, {{Number(1), Text("x")}});
  int64_t now = 0;
  ChangeStream stream(table, [&] { return now; });
  EXPECT_EQ(Drain(*table, stream), (Texts{"+I 1|x"}));  // the state of the beginning is shown however young it is
  Insert(table, {{Number(2), Text("y")}});
  Insert(table, {{Number(3), Text("z")}});
  now = table->snapshots().Get(2).time_millis + 4'999;
  EXPECT_EQ(Drain(*table, stream), Texts{});
  EXPECT_EQ(stream.next_snapshot(), 2);
  now = table->snapshots().Get(3).time_millis + 5'000;
  EXPECT_EQ(Drain(*table, stream), (Texts{"+I 2|y", "+I 3|z"}));
}

TEST(ChangeStream, OpensTheFilesOfWantedPartitionsAndReadsTheirWantedColumnsAlone) {
  for (const char* producer : {"none", "input"}) {
    auto counting = std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
    ScratchCatalog scratch(counting);
    TablePtr table = scratch.Create({Column("p", DataType::Int()), Column("k", DataType::Int()), Column("v", DataType::String())},
                                    {"p"}, {"p", "k"}, {{"bucket", "1"}, {"changelog-producer", producer}});
    auto write = [&](const char* text) {
      Insert(table, {{Number(1), Number(1), Text(text)}, {Number(2), Number(1), Text(text)}, {Number(3), Number(1), Text(text)}});
    };
    write("x");
    ChangeStream stream(table);
    stream.Skip(Predicate::Compare(PredicateOp::kEqual, "p", DataType::Int(), Number(2)));
    const std::vector<DataField> wanted = {table->schema().fields[2]};
    stream.Select(wanted);
    auto step = [&](const std::string& expected) {
      counting->Reset();
      std::vector<std::string> rows;
      while (auto reader = stream.Next()) {
        while (auto batch = reader->Next()) {
          ASSERT_EQ(batch->num_columns(), 2);
          for (int64_t row = 0; row < batch->num_rows(); ++row)
            rows.push_back(RowText({ValueAt(*batch->column(0), row, wanted[0].type)}, wanted));
        }
      }
      EXPECT_EQ(rows, Texts{expected}) << producer;
      EXPECT_EQ(counting->Counts("*/p=1/*").opens + counting->Counts("*/p=3/*").opens, 0) << producer;
      EXPECT_GE(counting->Counts("*/p=2/*").opens, 1) << producer;
    };
    step("x");
    write("y");
    step("y");
  }
}

TEST(ChangeStream, ANewSnapshotReadsItsOwnManifestsAlone) {
  for (const char* producer : {"none", "input"}) {
    auto counting = std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
    ScratchCatalog scratch(counting);
    TablePtr table = MakeTable(scratch, {{"changelog-producer", producer}});
    for (int64_t i = 0; i < 40; ++i) Insert(table, {{Number(i), Text("x")}});
    ChangeStream stream(table);
    Drain(*table, stream);
    Insert(table, {{Number(7), Text("y")}});
    counting->Reset();
    EXPECT_EQ(Drain(*table, stream), (Texts{"+I 7|y"}));
    EXPECT_EQ(counting->Counts("*/manifest/*").opens, 2) << producer;  // a list and its manifest
    EXPECT_EQ(counting->Counts("*/bucket-0/*").opens, 1) << producer;
    EXPECT_LE(counting->Counts("*/snapshot/*").calls(), 6) << producer;
  }
}

// What the table has by then does not matter; benchmarks/run (W11s) measures it.
TEST(ChangeStream, TheThreeHundredthCommitCostsWhatTheSecondDid) {
  auto counting = std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
  ScratchCatalog scratch(counting);
  TablePtr table = MakeTable(scratch);
  ChangeStream stream(table);
  IoCounts second, last;
  for (int64_t i = 1; i <= 300; ++i) {
    Insert(table, {{Number(i), Text("x")}});
    counting->Reset();
    EXPECT_EQ(Drain(*table, stream).size(), 1u);
    last = counting->Counts();
    if (i == 2) second = last;
  }
  EXPECT_LE(last.calls(), second.calls());
  EXPECT_LE(last.bytes_read, second.bytes_read + 200);  // longer numbers
}

TEST(ChangeStream, BeginsWithTheFilesOrTheSnapshotsSinceAMoment) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  auto write = [&](int64_t key, int64_t now) {
    CommitSettings settings;
    settings.clock = [now] { return now; };
    CommitRows(table, WriteRows(table, {{Number(key), Text("x")}}), settings);
  };
  write(1, 1000);
  write(2, 2000);
  write(3, 3000);
  auto rows = [&](const Options& options) {
    TablePtr with = table->WithOptions(options);
    ChangeStream stream(with);
    return Drain(*with, stream);
  };
  EXPECT_EQ(rows({{"scan.creation-time-millis", "2000"}}), (Texts{"+I 2|x", "+I 3|x"}));
  // The history does not reach back, so files decide: all are of now.
  EXPECT_EQ(rows({{"scan.creation-time-millis", "1000"}}).size(), 3u);
  EXPECT_EQ(rows({{"scan.file-creation-time-millis", "1000"}}).size(), 3u);
  EXPECT_TRUE(rows({{"scan.file-creation-time-millis", "99999999999999"}}).empty());
}

TEST(ChangeStream, AnyOfManySnapshotsIsPlannedLikeTheLatest) {
  constexpr int64_t kCount = 10'000;
  auto counting = std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
  ScratchCatalog scratch(counting);
  TablePtr table = MakeTable(scratch);
  Insert(table, {{Number(1), Text("x")}});
  Snapshot snapshot = *table->snapshots().Latest();
  const int64_t start = snapshot.time_millis;
  for (int64_t id = 2; id <= kCount; ++id) {
    snapshot.id = id;
    snapshot.time_millis = start + id * 10;
    counting->CreateAtomically(table->snapshots().PathOf(id), snapshot.ToJson());
  }
  table->snapshots().WriteLatestHint(kCount);
  auto calls = [&](const TimeTravel& travel, int64_t expected) {
    counting->Reset();
    TablePtr opened = scratch.Get();
    ResolvedSnapshot resolved = ResolveSnapshot(*opened, travel);
    EXPECT_EQ(resolved.snapshot->id, expected);
    PlanScan(*opened, {.snapshot = resolved.snapshot});
    EXPECT_LE(counting->Counts().lists, 2);
    return counting->Counts().calls();
  };
  const int64_t latest = calls({}, kCount);
  for (int64_t id : {int64_t{1}, int64_t{4321}, kCount - 1}) {
    TimeTravel by_id, by_version, by_time;
    by_id.snapshot_id = id;
    by_version.version = std::to_string(id);
    by_time.timestamp_millis = start + id * 10 + 1;
    EXPECT_LE(calls(by_id, id), latest + 1);
    EXPECT_LE(calls(by_version, id), latest + 3);  // a tag of that name would win
    EXPECT_LE(calls(by_time, id), latest + 2 * 14);  // halved 14 times
  }
}

}  // namespace
}  // namespace mica
