// Tables written, committed, planned and read again.
#include <filesystem>
#include <thread>

#include "base/expect_error.h"
#include "base/uuid.h"
#include "catalog/scratch_table.h"
#include "format/random_batch.h"
#include "io/local_file_system.h"

namespace mica {
namespace {

using T = DataType;
using P = Predicate;

std::vector<DataField> Simple() {
  return {Column("id", T::Int()), Column("name", T::String()), Column("amount", T::Decimal(10, 2)), Column("day", T::Int())};
}

Row Make(int64_t id, std::string name, int64_t amount, int64_t day) {
  return {id, std::move(name), DecimalValue{amount}, day};
}

struct Shape {
  const char* name;
  std::vector<std::string> partition_keys, primary_keys;
  Options options;
};

std::vector<Shape> Shapes() {
  return {{"append", {}, {}, {}},
          {"append_fixed", {}, {}, {{"bucket", "3"}, {"bucket-key", "id"}}},
          {"append_partitioned", {"day"}, {}, {}},
          {"keyed_fixed", {}, {"id"}, {{"bucket", "2"}}},
          {"keyed_partitioned", {"day"}, {"id", "day"}, {{"bucket", "2"}}},
          {"keyed_dynamic", {}, {"id"}, {{"bucket", "-1"}, {"dynamic-bucket.target-row-num", "30"}}},
          {"keyed_dynamic_partitioned", {"day"}, {"id", "day"}, {{"bucket", "-1"}, {"dynamic-bucket.target-row-num", "30"}}},
          {"keyed_thin", {}, {"id"}, {{"bucket", "2"}, {"data-file.thin-mode", "true"}}}};
}

// P-42's first half is among the shapes: the same keys, many commits.
TEST(RoundTrip, EveryKindOfTable) {
  for (const Shape& shape : Shapes()) {
    for (const char* format : {"parquet", "orc", "avro"}) {
      SCOPED_TRACE(fmt::format("{} {}", shape.name, format));
      ScratchCatalog scratch;
      Options options = shape.options;
      options["file.format"] = format;
      TablePtr table = scratch.Create(Simple(), shape.partition_keys, shape.primary_keys, options);
      std::map<std::pair<int64_t, int64_t>, Row> state;
      Rows appended;
      for (int64_t commit = 0; commit < 4; ++commit) {
        Rows rows;
        for (int64_t i = 0; i < 200; ++i) {
          int64_t id = (i * 37 + commit * 50) % 300;
          rows.push_back(Make(id, fmt::format("n{}-{}", commit, i), i * 100 + commit, id % 3));
        }
        for (const Row& row : rows) {
          state[{std::get<int64_t>(row[0]), std::get<int64_t>(row[3])}] = row;
          appended.push_back(row);
        }
        Insert(scratch.Get(), rows);
      }
      if (!shape.primary_keys.empty()) {
        appended.clear();
        for (const auto& [key, row] : state) appended.push_back(row);
      }
      EXPECT_EQ(Scan(*scratch.Get()).rows, RowTexts(appended, table->schema().fields));
      // P-69: the filter's column is not among those wanted.
      Rows matching;
      for (const Row& row : appended) {
        if (std::get<int64_t>(row[0]) < 17) matching.push_back({row[1]});
      }
      auto low = P::Compare(PredicateOp::kLess, "id", T::Int(), Number(17));
      EXPECT_EQ(Scan(*scratch.Get(), low, {"name"}).rows, RowTexts(matching, {Column("name", T::String())}));
      auto snapshot = scratch.Get()->snapshots().Latest();
      EXPECT_EQ(snapshot->id, 4);
      EXPECT_EQ(*snapshot->total_record_count, 800);
    }
  }
}

TEST(RoundTrip, DeletesAndUpdates) {
  for (const Shape& shape : Shapes()) {
    if (shape.primary_keys.empty()) continue;
    SCOPED_TRACE(shape.name);
    ScratchCatalog scratch;
    TablePtr table = scratch.Create(Simple(), shape.partition_keys, shape.primary_keys, shape.options);
    Insert(table, {Make(1, "a", 1, 0), Make(2, "b", 2, 0), Make(3, "c", 3, 1)});
    Insert(table, {Make(1, "a", 1, 0), Make(2, "B", 22, 0)}, {3, 2});
    EXPECT_EQ(Scan(*table).rows, RowTexts({Make(2, "B", 22, 0), Make(3, "c", 3, 1)}, table->schema().fields));
    Insert(table, {Make(1, "again", 5, 0), Make(1, "last", 6, 0)});
    EXPECT_EQ(Scan(*table).rows,
              RowTexts({Make(1, "last", 6, 0), Make(2, "B", 22, 0), Make(3, "c", 3, 1)}, table->schema().fields));
    Insert(table, {Make(1, "x", 1, 0), Make(2, "x", 1, 0), Make(3, "x", 1, 1)}, {3, 3, 3});
    EXPECT_TRUE(Scan(*table).rows.empty());
  }
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {}, {}, {});
  EXPECT_ERROR(Insert(table, {Make(1, "a", 1, 0)}, {3}), InvalidArgument, "no primary key");
}

TEST(RoundTrip, SequenceFieldDecides) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {}, {"id"}, {{"bucket", "1"}, {"sequence.field", "amount"}});
  Insert(table, {Make(1, "new", 10, 0), Make(1, "old", 5, 0)});
  EXPECT_EQ(Scan(*table).rows, RowTexts({Make(1, "new", 10, 0)}, table->schema().fields));
  Insert(table, {Make(1, "older", 1, 0)});
  EXPECT_EQ(Scan(*table, nullptr, {"name"}).rows, std::vector<std::string>{"new"});
  Insert(table, {Make(1, "newest", 10, 0)});
  EXPECT_EQ(Scan(*table, nullptr, {"name"}).rows, std::vector<std::string>{"newest"});
}

// P-14: a newer row that does not match hides the older one that does.
TEST(RoundTrip, ValueFilterBelowAMerge) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {}, {"id"}, {{"bucket", "1"}});
  Insert(table, {Make(1, "a", 10, 0), Make(2, "b", 10, 0)});
  Insert(table, {Make(1, "a", 99, 0)});
  auto ten = P::Compare(PredicateOp::kEqual, "amount", T::Decimal(10, 2), DecimalValue{10});
  EXPECT_EQ(Scan(*table, ten).rows, RowTexts({Make(2, "b", 10, 0)}, table->schema().fields));
  auto high = P::Compare(PredicateOp::kGreater, "amount", T::Decimal(10, 2), DecimalValue{50});
  EXPECT_EQ(Scan(*table, high).rows, RowTexts({Make(1, "a", 99, 0)}, table->schema().fields));
}

TEST(RoundTrip, FilesArePruned) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {"day"}, {}, {});
  for (int64_t i = 0; i < 10; ++i) {
    Insert(table, {Make(i * 10, "a", i, i % 2), i == 3 ? Row{Value{}, Value{}, Value{}, Number(1)} : Make(i * 10 + 9, "z", i, i % 2)});
  }
  auto kept = [&](PredicatePtr predicate) { return Scan(*table, predicate).plan.counts.files_kept; };
  EXPECT_EQ(kept(nullptr), 10);
  EXPECT_EQ(kept(P::Compare(PredicateOp::kEqual, "day", T::Int(), Number(1))), 5);
  EXPECT_EQ(kept(P::Compare(PredicateOp::kEqual, "id", T::Int(), Number(45))), 1);
  EXPECT_EQ(kept(P::IsNull("id", T::Int())), 1);
  EXPECT_EQ(kept(P::Compare(PredicateOp::kEqual, "id", T::Int(), Number(1000))), 0);
  // P-15: no statistics, no pruning.
  TablePtr blind = scratch.Create(Simple(), {}, {}, {{"metadata.stats-mode", "none"}}, "blind");
  Insert(blind, {Make(1, "a", 1, 0)});
  EXPECT_EQ(Scan(*blind, P::Compare(PredicateOp::kEqual, "id", T::Int(), Number(1))).rows.size(), 1u);
  EXPECT_EQ(Scan(*blind, P::IsNull("id", T::Int())).plan.counts.files_kept, 1);
  EXPECT_EQ(Scan(*blind, P::IsNotNull("id", T::Int())).rows.size(), 1u);
}

// P-16: a limit counts only rows that are sure to match.
TEST(RoundTrip, LimitWithFilter) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {}, {}, {{"source.split.target-size", "1 b"}});
  for (int64_t i = 0; i < 6; ++i) Insert(table, {Make(i, "a", i, 0), Make(i + 100, "a", i, 0)});
  ScanRequest request;
  request.snapshot = table->snapshots().Latest();
  request.limit = 3;
  EXPECT_EQ(PlanScan(*table, request).splits.size(), 2u);
  request.predicate = P::Compare(PredicateOp::kGreaterOrEqual, "id", T::Int(), Number(100));
  EXPECT_EQ(PlanScan(*table, request).splits.size(), 6u);
}

// P-23: nothing is left behind.
TEST(RoundTrip, NullInNotNullIsRefused) {
  for (bool keyed : {false, true}) {
    auto memory = std::make_shared<MemoryFileSystem>();
    ScratchCatalog scratch(memory);
    auto fields = Simple();
    fields[1].type = T::String().WithNullable(false);
    TablePtr table = scratch.Create(fields, {}, keyed ? std::vector<std::string>{"id"} : std::vector<std::string>{},
                                    keyed ? Options{{"bucket", "1"}} : Options{});
    auto before = memory->Files();
    EXPECT_ERROR(Insert(table, {Make(1, "a", 1, 0), {Number(2), Value{}, Value{}, Value{}}}), InvalidArgument, "name");
    if (keyed) {
      EXPECT_ERROR(Insert(table, {Make(1, "a", 1, 0), {Value{}, Text("b"), Value{}, Value{}}}), InvalidArgument, "id");
    }
    EXPECT_EQ(memory->Files(), before);
  }
}

TEST(RoundTrip, AllTypesRandomly) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::vector<DataField> fields = {
      Column("a", T(TypeRoot::kBoolean)), Column("b", T(TypeRoot::kTinyInt)), Column("c", T(TypeRoot::kSmallInt)),
      Column("d", T::Int()), Column("e", T::BigInt()), Column("f", T(TypeRoot::kFloat)), Column("g", T(TypeRoot::kDouble)),
      Column("h", T::Decimal(38, 18)), Column("i", T::Decimal(5, 2)), Column("j", T::Char(4)), Column("k", T::String()),
      Column("l", T::Bytes()), Column("m", T(TypeRoot::kDate)), Column("n", T(TypeRoot::kTime, true, 3)),
      Column("o", T::Timestamp(3)), Column("p", T::Timestamp(6)), Column("q", T::Timestamp(9)),
      Column("r", T::TimestampLtz(6)), Column("s", T::Array(T::Array(T::Int()))),
      Column("t", T::Map(T::String().WithNullable(false), T::Array(T::BigInt()))),
      Column("u", T::Row({Column("x", T::Int()), Column("y", T::Row({Column("z", T::String())}))}))};
  for (const char* format : {"parquet", "orc"}) {
    ScratchCatalog scratch;
    TablePtr table = scratch.Create(fields, {}, {}, {{"file.format", format}});
    RandomBatches random(seed);
    random.whole_seconds_before_1970 = std::string_view(format) == "orc";
    auto batch = random.Make(table->schema().fields, 500);
    auto write = TableWrite::Create(table, {});
    write->Write(batch);
    CommitRows(table, write->PrepareCommit());
    ScanRequest scan;
    scan.snapshot = table->snapshots().Latest();
    ReadRequest read;
    read.fields = table->schema().fields;
    ScanPlan plan = PlanScan(*table, scan);
    ASSERT_EQ(plan.splits.size(), 1u);
    auto got = ReadSplit(*table, plan.splits[0], read)->Next();
    ASSERT_TRUE(got);
    for (int i = 0; i < batch->num_columns(); ++i) {
      auto options = arrow::EqualOptions::Defaults().nans_equal(true);
      EXPECT_TRUE(got->column(i)->Equals(*batch->column(i), options)) << format << ' ' << fields[static_cast<size_t>(i)].name;
    }
  }
}

TEST(RoundTrip, PartitionValuesOfEveryKind) {
  ScratchCatalog scratch;
  std::vector<DataField> fields = {Column("p", T::String()), Column("d", T(TypeRoot::kDate)), Column("v", T::Int())};
  TablePtr table = scratch.Create(fields, {"p", "d"}, {}, {});
  Rows rows = {{Text("a/b=c"), Number(10), Number(1)}, {Text(""), Number(-1), Number(2)}, {Value{}, Value{}, Number(3)},
               {Text("\xc3\xa4 %"), Number(20000), Number(4)}, {Text("a/b=c"), Number(10), Number(5)}};
  Insert(table, rows);
  EXPECT_EQ(Scan(*table).rows, RowTexts(rows, fields));
  auto null_partition = Scan(*table, P::IsNull("p", T::String()));
  EXPECT_EQ(null_partition.rows.size(), 1u);
  EXPECT_EQ(null_partition.plan.counts.files_kept, 1);
}

TEST(Overwrite, StaticDynamicAndPartial) {
  ScratchCatalog scratch;
  std::vector<DataField> fields = {Column("v", T::Int()), Column("p", T::Int()), Column("q", T::String())};
  auto row = [](int64_t v, int64_t p, std::string q) { return Row{v, p, std::move(q)}; };
  TablePtr table = scratch.Create(fields, {"p", "q"}, {}, {});
  Insert(table, {row(1, 1, "x"), row(2, 1, "y"), row(3, 2, "x")});
  Replace(table, {.dynamic = true}, {row(10, 1, "x")});
  EXPECT_EQ(Scan(*table).rows, RowTexts({row(10, 1, "x"), row(2, 1, "y"), row(3, 2, "x")}, fields));
  Replace(table, {.partition = {{"p", Number(1)}}}, {row(11, 1, "z")});
  EXPECT_EQ(Scan(*table).rows, RowTexts({row(11, 1, "z"), row(3, 2, "x")}, fields));
  EXPECT_ERROR(Replace(table, {.partition = {{"p", Number(1)}}}, {row(11, 2, "z")}), InvalidArgument, "outside");
  EXPECT_ERROR(Replace(table, {.partition = {{"v", Number(1)}}}, {}), InvalidArgument, "not a partition column");
  // P-26: no rows: nothing in dynamic mode, the partition emptied in static mode.
  int64_t before = *table->snapshots().LatestId();
  Replace(table, {.dynamic = true}, {});
  EXPECT_EQ(*table->snapshots().LatestId(), before);
  Replace(table, {.partition = {{"p", Number(1)}}}, {});
  EXPECT_EQ(Scan(*table).rows, RowTexts({row(3, 2, "x")}, fields));
  // P-27.
  Insert(table, {row(1, 1, "x"), row(2, 1, "y"), row(4, 3, "y")});
  TableCommit(table, {}).DropPartitions({{{"q", Text("y")}}});
  EXPECT_EQ(Scan(*table).rows, RowTexts({row(1, 1, "x"), row(3, 2, "x")}, fields));
  EXPECT_ERROR(TableCommit(table, {}).DropPartitions({{}}), InvalidArgument, "names no column");
  TableCommit(table, {}).Truncate();
  EXPECT_TRUE(Scan(*table).rows.empty());
  EXPECT_EQ(*table->snapshots().Latest()->total_record_count, 0);
}

TEST(Overwrite, BucketsCanChange) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {}, {"id"}, {{"bucket", "2"}});
  Insert(table, {Make(1, "a", 1, 0), Make(2, "b", 1, 0), Make(3, "c", 1, 0)});
  scratch.catalog.AlterTable({"default", "t"}, {SetOption{"bucket", "4"}});
  table = scratch.Get();
  EXPECT_ERROR(Insert(table, {Make(1, "a", 1, 0)}), InvalidArgument, "bucket");
  EXPECT_EQ(Scan(*table).rows.size(), 3u);
  auto one = P::Compare(PredicateOp::kEqual, "id", T::Int(), Number(1));
  EXPECT_EQ(Scan(*table, one).rows.size(), 1u);
  Replace(table, {}, {Make(1, "a", 1, 0), Make(2, "b", 2, 0)});
  Insert(table, {Make(1, "A", 3, 0)});
  EXPECT_EQ(Scan(*table).rows, RowTexts({Make(1, "A", 3, 0), Make(2, "b", 2, 0)}, table->schema().fields));
}

TEST(TimeTravel, OldStatesAndSchemas) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {}, {"id"}, {{"bucket", "1"}});
  int64_t now = 1000;
  for (int64_t i = 1; i <= 3; ++i) {
    CommitSettings settings;
    settings.clock = [&] { return now; };
    CommitRows(table, WriteRows(table, {Make(1, fmt::format("v{}", i), i, 0)}), settings);
    now += 1000;
  }
  scratch.catalog.AlterTable({"default", "t"}, {DropColumn{{"amount"}}});
  table = scratch.Get();
  TimeTravel travel;
  travel.snapshot_id = 2;
  EXPECT_EQ(Scan(*table, nullptr, {}, travel).rows, std::vector<std::string>{"1|v2|0.02|0"});
  TimeTravel by_time;
  by_time.timestamp_millis = 2500;
  EXPECT_EQ(Scan(*table, nullptr, {"name"}, by_time).rows, std::vector<std::string>{"v2"});
  EXPECT_EQ(Scan(*table).rows, std::vector<std::string>{"1|v3|0"});
  travel.snapshot_id = 9;
  EXPECT_ERROR(Scan(*table, nullptr, {}, travel), NotFound, "'9'");
}

TEST(SchemaEvolution, ReadsOldFilesUnderTheNewSchema) {
  for (bool keyed : {false, true}) {
    SCOPED_TRACE(keyed);
    ScratchCatalog scratch;
    TableName name{"default", "t"};
    std::vector<DataField> fields = {Column("id", T::Int()), Column("a", T::Int()), Column("b", T::String()),
                                     Column("r", T::Int())};
    scratch.Create(fields, {}, keyed ? std::vector<std::string>{"id"} : std::vector<std::string>{},
                   keyed ? Options{{"bucket", "1"}} : Options{});
    Insert(scratch.Get(), {{Number(1), Number(10), Text("x"), Number(5)}, {Number(2), Number(20), Text("y"), Value{}}});
    scratch.catalog.AlterTable(name, {RenameColumn{{"a"}, "aa"}, UpdateColumnType{{"aa"}, T::BigInt()},
                                      AddColumn{{"n"}, T::String(), {}, ColumnMove{ColumnMove::Kind::kFirst, ""}}});
    EXPECT_EQ(Scan(*scratch.Get()).rows, (std::vector<std::string>{"NULL|1|10|x|5", "NULL|2|20|y|NULL"}));
    // P-18: the filter is on the renamed, widened column.
    auto twenty = P::Compare(PredicateOp::kEqual, "aa", T::BigInt(), Number(20));
    EXPECT_EQ(Scan(*scratch.Get(), twenty).rows, std::vector<std::string>{"NULL|2|20|y|NULL"});
    auto added_null = P::IsNull("n", T::String());
    EXPECT_EQ(Scan(*scratch.Get(), added_null).rows.size(), 2u);
    EXPECT_EQ(Scan(*scratch.Get(), P::IsNotNull("n", T::String())).rows.size(), 0u);
    // P-20: the same name again is another column.
    scratch.catalog.AlterTable(name, {DropColumn{{"r"}}});
    scratch.catalog.AlterTable(name, {AddColumn{{"r"}, T::Int(), {}, {}}});
    EXPECT_EQ(Scan(*scratch.Get(), nullptr, {"id", "r"}).rows, (std::vector<std::string>{"1|NULL", "2|NULL"}));
    EXPECT_TRUE(Scan(*scratch.Get(), P::Compare(PredicateOp::kEqual, "r", T::Int(), Number(5))).rows.empty());
    Insert(scratch.Get(), {{Text("n"), Number(2), Number(1LL << 40), Text("z"), Number(7)}});
    std::vector<std::string> rows = Scan(*scratch.Get(), nullptr, {"n", "id", "aa", "b", "r"}).rows;
    if (keyed) {
      EXPECT_EQ(rows, (std::vector<std::string>{"NULL|1|10|x|NULL", "n|2|1099511627776|z|7"}));
    } else {
      EXPECT_EQ(rows, (std::vector<std::string>{"NULL|1|10|x|NULL", "NULL|2|20|y|NULL", "n|2|1099511627776|z|7"}));
    }
    // Swapped names.
    scratch.catalog.AlterTable(name, {RenameColumn{{"aa"}, "tmp"}, RenameColumn{{"r"}, "aa"}, RenameColumn{{"tmp"}, "r"}});
    auto swapped = P::Compare(PredicateOp::kEqual, "r", T::BigInt(), Number(10));
    EXPECT_EQ(Scan(*scratch.Get(), swapped, {"id", "aa", "r"}).rows, std::vector<std::string>{"1|NULL|10"});
  }
}

// P-18, when nothing but the name changed.
TEST(SchemaEvolution, RenameAlone) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create({Column("a", T::Int()), Column("b", T::String())}, {}, {}, {});
  Insert(table, {{Number(1), Text("x")}, {Number(2), Text("y")}});
  scratch.catalog.AlterTable({"default", "t"}, {RenameColumn{{"b"}, "c"}});
  auto is_y = P::Compare(PredicateOp::kEqual, "c", T::String(), Text("y"));
  EXPECT_EQ(Scan(*scratch.Get(), is_y).rows, std::vector<std::string>{"2|y"});
}

TEST(SchemaEvolution, NestedFields) {
  ScratchCatalog scratch;
  TableName name{"default", "t"};
  std::vector<DataField> fields = {
      Column("id", T::Int()), Column("s", T::Row({Column("x", T::Int()), Column("y", T::String())}))};
  TablePtr table = scratch.Create(fields, {}, {}, {});
  RandomBatches random(7);
  auto batch = random.Make(table->schema().fields, 20);
  auto write = TableWrite::Create(table, {});
  write->Write(batch);
  CommitRows(table, write->PrepareCommit());
  scratch.catalog.AlterTable(name, {RenameColumn{{"s", "x"}, "xx"}, UpdateColumnType{{"s", "xx"}, T::BigInt()},
                                    DropColumn{{"s", "y"}}, AddColumn{{"s", "y"}, T::String(), {}, {}}});
  table = scratch.Get();
  ScanRequest scan;
  scan.snapshot = table->snapshots().Latest();
  ReadRequest read;
  read.fields = table->schema().fields;
  auto got = ReadSplit(*table, PlanScan(*table, scan).splits.at(0), read)->Next();
  ASSERT_TRUE(got);
  ASSERT_TRUE(got->ValidateFull().ok());
  const auto& before = static_cast<const arrow::StructArray&>(*batch->column(1));
  const auto& after = static_cast<const arrow::StructArray&>(*got->column(1));
  for (int64_t i = 0; i < 20; ++i) {
    ASSERT_EQ(before.IsNull(i), after.IsNull(i));
    if (before.IsNull(i)) continue;
    EXPECT_EQ(ValueAt(*before.field(0), i, T::Int()), ValueAt(*after.field(0), i, T::BigInt()));
    EXPECT_TRUE(after.field(1)->IsNull(i));
  }
}

TEST(Commit, ConflictsAreRefused) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {}, {}, {});
  Insert(table, {Make(1, "a", 1, 0)});
  ScanRequest scan;
  scan.snapshot = table->snapshots().Latest();
  Split split = PlanScan(*table, scan).splits.at(0);
  CommitMessage remove;
  remove.partition = split.partition;
  remove.bucket = split.bucket;
  remove.total_buckets = split.total_buckets;
  remove.compact.deleted_files = split.files;
  TableCommit(table, {}).Truncate();
  EXPECT_ERROR(TableCommit(table, {}).Commit({remove}), Conflict, split.files[0].file_name);
  auto messages = WriteRows(table, {Make(2, "b", 1, 0)});
  TableCommit(table, {}).Commit(messages);
  EXPECT_EQ(Scan(*table).rows.size(), 1u);
}

// P-42: two writers that assign buckets from the same state.
TEST(Commit, DynamicBucketsOfTwoWriters) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {}, {"id"}, {{"bucket", "-1"}, {"dynamic-bucket.target-row-num", "2"}});
  Insert(table, {Make(1, "a", 1, 0), Make(2, "a", 1, 0), Make(3, "a", 1, 0)});
  auto first = WriteRows(table, {Make(4, "a", 1, 0)});
  auto second = WriteRows(table, {Make(5, "a", 1, 0), Make(4, "b", 1, 0)});
  CommitRows(table, first);
  EXPECT_ERROR(CommitRows(table, second), Conflict, "dynamic buckets");
  EXPECT_EQ(Scan(*table).rows.size(), 4u);
  Insert(table, {Make(5, "a", 1, 0), Make(4, "b", 1, 0)});
  EXPECT_EQ(Scan(*table).rows.size(), 5u);
  // Known keys alone change no index file; a state that was replaced in between refuses them all the same.
  auto updates = WriteRows(table, {Make(3, "late", 1, 0)});
  Replace(table, {}, {Make(3, "a", 1, 0), Make(9, "a", 1, 0), Make(1, "a", 1, 0)});
  EXPECT_ERROR(CommitRows(table, updates), Conflict, "dynamic buckets");
  EXPECT_EQ(Scan(*table).rows.size(), 3u);
}

TEST(Commit, DynamicBucketsPreparedTwice) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create(Simple(), {}, {"id"}, {{"bucket", "-1"}});
  auto write = TableWrite::Create(table, {});
  std::vector<CommitMessage> messages;
  for (int64_t id : {1, 2}) {
    write->Write(ToBatch(table->schema().fields, {Make(id, "a", 1, 0)}));
    for (CommitMessage& message : write->PrepareCommit()) messages.push_back(std::move(message));
  }
  TableCommit(table, {}).Commit(messages);
  // The bucket's first index is in no snapshot, so it does not stay either.
  EXPECT_EQ(table->file_system().List(table->root() + "/index").size(), 1u);
  Insert(table, {Make(1, "b", 1, 0), Make(2, "b", 1, 0)});
  EXPECT_EQ(Scan(*table).rows.size(), 2u);
}

// P-64, on the disk.
TEST(Commit, RacingWriters) {
  std::string folder = (std::filesystem::temp_directory_path() / ("mica-race-" + RandomUuid())).string();
  for (bool keyed : {false, true}) {
    ScratchCatalog scratch(std::make_shared<LocalFileSystem>(), folder + (keyed ? "/keyed" : "/append"));
    scratch.Create(Simple(), {}, keyed ? std::vector<std::string>{"id"} : std::vector<std::string>{},
                   keyed ? Options{{"bucket", "1"}, {"commit.max-retries", "1000"}, {"commit.max-retry-wait", "20 ms"}}
                         : Options{{"commit.max-retries", "1000"}, {"commit.max-retry-wait", "20 ms"}});
    constexpr int kThreads = 8, kCommits = 50;
    std::vector<std::thread> threads;
    std::atomic<int> failures = 0;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        try {
          TablePtr table = scratch.Get();
          for (int i = 0; i < kCommits; ++i) Insert(table, {Make(t * 1000 + i, "a", i, 0)});
        } catch (const std::exception& error) {
          ++failures;
          ADD_FAILURE() << error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(failures, 0);
    TablePtr table = scratch.Get();
    EXPECT_EQ(Scan(*table).rows.size(), static_cast<size_t>(kThreads * kCommits));
    std::vector<int64_t> ids = table->snapshots().Ids();
    ASSERT_EQ(ids.size(), static_cast<size_t>(kThreads * kCommits));
    EXPECT_EQ(ids.front(), 1);
    EXPECT_EQ(ids.back(), kThreads * kCommits);
    // What lost attempts wrote is gone: two lists a snapshot, and the manifests they name.
    std::set<std::string> named;
    for (int64_t id : ids) {
      Snapshot snapshot = table->snapshots().Get(id);
      for (const auto& list : {snapshot.base_manifest_list, snapshot.delta_manifest_list}) {
        named.insert(list);
        for (const auto& manifest : table->manifests().ReadList(list, std::nullopt)) named.insert(manifest.file_name);
      }
    }
    for (const FileStatus& file : scratch.fs->List(table->root() + "/manifest")) {
      EXPECT_TRUE(named.contains(BaseName(file.path))) << file.path;
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace mica
