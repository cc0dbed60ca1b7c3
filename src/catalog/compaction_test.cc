// Compaction end to end: which files there are after each write, rows against a model, and other commits in between.
#include <random>
#include <set>

#include "base/text.h"
#include "catalog/compaction_states.h"
#include "catalog/random_tables.h"
#include "catalog/scratch_table.h"
#include "compaction/compact.h"
#include "io/counting_file_system.h"

namespace mica {
namespace {

using T = DataType;

TablePtr KeyedTable(ScratchCatalog& scratch, Options options) {
  options.emplace("bucket", "1");
  return scratch.Create({Column("k", T::Int()), Column("v", T::String())}, {}, {"k"}, options);
}

Rows Keys(int64_t first, int64_t count, const std::string& value) {
  Rows rows;
  for (int64_t k = first; k < first + count; ++k) rows.push_back({k, value});
  return rows;
}

struct Written {
  const char* name;
  Options options;
  std::vector<int64_t> keys;  // one row a write
  std::vector<const char*> files;
};

// Engine 12.2, as Paimon 1.3.1 and 1.4.2 do.
TEST(Compaction, FilesAfterEachWrite) {
  const std::vector<int64_t> same(7, 1), ascending = {1, 2, 3, 4, 5, 6, 7};
  const Written cases[] = {
      {"trigger 3, same key", {{"num-sorted-run.compaction-trigger", "3"}}, same,
       {"0:1", "0:1 0:1=", "3:1", "0:1 3:1=", "3:1", "0:1 3:1=", "3:1"}},
      {"trigger 3, new keys", {{"num-sorted-run.compaction-trigger", "3"}}, ascending,
       {"0:1", "0:1 0:1=", "3:3", "0:1 3:3=", "3:5", "0:1 3:5=", "3:7"}},
      {"trigger 2", {{"num-sorted-run.compaction-trigger", "2"}}, {1, 1, 1}, {"0:1", "2:1", "2:1"}},
      {"trigger 1", {{"num-sorted-run.compaction-trigger", "1"}}, {1, 1, 1}, {"0:1", "1:1", "1:1"}},
      {"default", {}, same, {"0:1", "0:1 0:1=", "0:1 0:1= 0:1=", "0:1 0:1= 0:1= 0:1=", "5:1", "0:1 5:1=", "0:1 0:1= 5:1="}},
      {"forced up", {{"compaction.force-up-level-0", "true"}}, {1, 1, 1}, {"5:1", "5:1", "5:1"}},
      {"forced up, new keys", {{"compaction.force-up-level-0", "true"}}, {1, 2, 3, 4, 5, 6},
       {"5:1", "5:2", "4:1 5:2=", "5:4", "4:1 5:4=", "5:6"}},
      {"forced up, trigger 3",
       {{"compaction.force-up-level-0", "true"}, {"num-sorted-run.compaction-trigger", "3"}},
       {0, 1, 2, 0, 1, 2},
       {"3:1", "3:2", "2:1 3:2=", "3:3", "2:1 3:3=", "3:3"}},
      {"interval", {{"compaction.optimization-interval", "1 h"}}, {1, 1, 2}, {"0:1", "5:1", "5:2"}},
      {"total size", {{"compaction.total-size-threshold", "10 mb"}}, {1, 1, 2}, {"0:1", "5:1", "5:2"}},
      {"incremental size", {{"compaction.incremental-size-threshold", "1 b"}}, {1, 1, 2}, {"0:1", "5:1", "5:2"}},
      {"write-only", {{"write-only", "true"}}, same,
       {"0:1", "0:1 0:1=", "0:1 0:1= 0:1=", "0:1 0:1= 0:1= 0:1=", "0:1 0:1= 0:1= 0:1= 0:1="}},
  };
  for (const Written& written : cases) {
    SCOPED_TRACE(written.name);
    ScratchCatalog scratch;
    TablePtr table = KeyedTable(scratch, written.options);
    FileWatch watch(table);
    for (size_t i = 0; i < written.files.size(); ++i) {
      Upsert(table, {{written.keys[i], fmt::format("v{}", i)}});
      EXPECT_EQ(watch.Next(), written.files[i]) << "write " << i + 1;
    }
  }
}

TEST(Compaction, MergesOnlyPickedRunsBelowABigLevel) {
  ScratchCatalog scratch;
  TablePtr table = KeyedTable(scratch, {{"num-sorted-run.compaction-trigger", "3"}});
  FileWatch watch(table);
  std::mt19937_64 random(7);
  Rows big;
  for (int64_t k = 0; k < 10000; ++k) big.push_back({k, fmt::format("{:016x}", random())});
  Upsert(table, big);
  CompactTable(table, {}, Quick());
  EXPECT_EQ(watch.Next(), "3:10000");
  Upsert(table, {{Number(1), Text("a")}});
  EXPECT_EQ(watch.Next(), "0:1 3:10000=");
  Upsert(table, {{Number(1), Text("b")}});
  EXPECT_EQ(watch.Next(), "2:1 3:10000=");
  Upsert(table, {{Number(1), Text("c")}});
  EXPECT_EQ(watch.Next(), "2:1 3:10000=");
}

TEST(Compaction, FullKeepsNamesWhereItCan) {
  ScratchCatalog scratch;
  TablePtr table = KeyedTable(scratch, {{"write-only", "true"}});
  FileWatch watch(table);
  Upsert(table, Keys(1, 1, "a"));
  EXPECT_EQ(watch.Next(), "0:1");
  auto before = Live(table)[0].file;
  CompactReport report = CompactTable(table, {}, Quick());
  EXPECT_EQ(report.snapshot_ids, std::vector<int64_t>{2});
  EXPECT_EQ(watch.Next(), "5:1=");
  auto after = Live(table)[0].file;
  before.level = 5;
  EXPECT_EQ(before, after);
  Snapshot snapshot = *table->snapshots().Latest();
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kCompact);
  EXPECT_EQ(*snapshot.delta_record_count, 0);
  EXPECT_EQ(*snapshot.total_record_count, 1);
  EXPECT_TRUE(CompactTable(table, {}, Quick()).snapshot_ids.empty());

  Upsert(table, Keys(1, 1, "gone"), {3});
  CompactTable(table, {}, Quick());
  EXPECT_EQ(watch.Next(), "");
  EXPECT_TRUE(Scan(*table).rows.empty());
}

TEST(Compaction, FullOfALoneDeleteLeavesNoFile) {
  ScratchCatalog scratch;
  TablePtr table = KeyedTable(scratch, {});
  Upsert(table, Keys(1, 1, "x"), {3});
  EXPECT_EQ(CompactTable(table, {}, Quick()).files_removed, 1);
  EXPECT_TRUE(Live(table).empty());
}

TEST(Compaction, FullOfSmallFilesIsOneFileOrEachByItself) {
  for (bool tiny_target : {false, true}) {
    ScratchCatalog scratch;
    TablePtr table = KeyedTable(scratch, tiny_target ? Options{{"target-file-size", "1 b"}} : Options{});
    FileWatch watch(table);
    for (int64_t k = 1; k <= 3; ++k) Upsert(table, Keys(k, 1, "a"));
    watch.Next();
    CompactTable(table, {}, Quick());
    EXPECT_EQ(watch.Next(), tiny_target ? "5:1= 5:1= 5:1=" : "5:3");
    if (!tiny_target) continue;
    Upsert(table, Keys(3, 1, "b"));
    watch.Next();
    CompactTable(table, {}, Quick());
    EXPECT_EQ(watch.Next(), "5:1 5:1= 5:1=");
  }
}

TEST(Compaction, MinorWaitsForTheTrigger) {
  ScratchCatalog scratch;
  TablePtr table = KeyedTable(scratch, {{"write-only", "true"}});
  FileWatch watch(table);
  CompactRequest minor;
  minor.full = false;
  for (int i = 1; i <= 6; ++i) {
    Upsert(table, {{Number(1), Text(fmt::format("v{}", i))}});
    watch.Next();
    EXPECT_EQ(CompactTable(table, minor, Quick()).snapshot_ids.empty(), i != 5) << i;
    if (i == 5) {
      EXPECT_EQ(watch.Next(), "5:1");
    }
  }
  EXPECT_EQ(Scan(*table).rows, std::vector<std::string>{"1|v6"});
}

TEST(Compaction, OnlyWantedPartitionsAndBuckets) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create({Column("day", T::Int()), Column("k", T::Int())}, {"day"}, {"day", "k"},
                                  {{"bucket", "2"}, {"write-only", "true"}});
  for (int i = 0; i < 2; ++i) {
    Rows rows;
    for (int64_t day = 1; day <= 2; ++day) {
      for (int64_t k = 0; k < 20; ++k) rows.push_back({day, k});
    }
    Upsert(table, rows);
  }
  ASSERT_EQ(Live(table).size(), 8u);
  CompactRequest request;
  request.keep_partition = [](const std::vector<Value>& partition) { return partition[0] == Number(1); };
  request.buckets = {{1, 1}};
  EXPECT_EQ(CompactTable(table, request, Quick()).files_removed, 2);
  EXPECT_EQ(Live(table).size(), 7u);
  request = {};
  request.idle_millis = 3'600'000;
  EXPECT_TRUE(CompactTable(table, request, Quick()).snapshot_ids.empty());
  CommitSettings later = Quick();
  later.clock = [] { return SystemClock()() + 2 * 3'600'000; };
  EXPECT_EQ(CompactTable(table, request, later).snapshot_ids.size(), 1u);
  EXPECT_EQ(Live(table).size(), 4u);
  EXPECT_EQ(Scan(*table).rows.size(), 40u);
}

TEST(Compaction, AppendTablesWithoutBuckets) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create({Column("v", T::Int())}, {}, {}, {{"bucket", "-1"}});
  FileWatch watch(table);
  for (int64_t i = 0; i < 4; ++i) Upsert(table, {{Number(i)}});
  EXPECT_TRUE(CompactTable(table, {}, Quick()).snapshot_ids.empty());
  Upsert(table, {{Number(4)}});
  watch.Next();
  EXPECT_EQ(CompactTable(table, {}, Quick()).files_removed, 5);
  EXPECT_EQ(watch.Next(), "0:5");
  EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(Live(table)[0].file.file_source, FileSource::kCompact);
}

TEST(Compaction, AppendTablesWithBucketsKeepTheOrder) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create({Column("b", T::Int()), Column("v", T::Int())}, {}, {},
                                  {{"bucket", "1"}, {"bucket-key", "b"}});
  FileWatch watch(table);
  for (int64_t i = 0; i < 5; ++i) {
    Upsert(table, {{Number(1), Number(i)}});
    EXPECT_EQ(Live(table).size(), i == 4 ? 1u : static_cast<size_t>(i + 1));
  }
  const DataFileMeta file = Live(table)[0].file;
  EXPECT_EQ(file.min_sequence_number, 0);
  EXPECT_EQ(file.max_sequence_number, 4);
  Upsert(table, {{Number(1), Number(5)}});
  EXPECT_TRUE(CompactTable(table, {}, Quick()).snapshot_ids.empty()) << "two files stay";
  Upsert(table, {{Number(1), Number(6)}});
  EXPECT_EQ(CompactTable(table, {}, Quick()).files_removed, 3);
  EXPECT_EQ(Scan(*table).rows.size(), 7u);
}

// Engine 12.1, cases 59 to 62.
TEST(Changelog, DeduplicateByLookupAndFullCompaction) {
  for (const char* producer : {"lookup", "full-compaction"}) {
    for (bool deduplicate : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", producer, deduplicate));
      ScratchCatalog scratch;
      Options options{{"changelog-producer", producer}};
      if (deduplicate) options["changelog-producer.row-deduplicate"] = "true";
      TablePtr table = KeyedTable(scratch, options);
      auto row = [](int64_t k, const char* v) { return Rows{{k, Text(v)}}; };
      Upsert(table, row(1, "1"));
      Upsert(table, row(1, "2"), {2});
      Upsert(table, row(1, "2"), {2});
      Upsert(table, row(1, "2"), {3});
      Upsert(table, row(1, "3"));
      Upsert(table, row(2, "9"), {3});
      Upsert(table, {{Number(3), Text("1")}, {Number(3), Text("2")}}, {0, 2});
      Upsert(table, {{Number(4), Text("1")}, {Number(4), Text("1")}}, {0, 3});
      EXPECT_EQ(AllChanges(table), fmt::format("+I 1|1, -U 1|1, +U 1|2, {}-D 1|2, +I 1|3, +I 3|2",
                                               deduplicate ? "" : "-U 1|2, +U 1|2, "));
      EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"1|3", "3|2"}));
    }
  }
}

TEST(Changelog, OldRowsAreThoseThatWereStored) {
  ScratchCatalog scratch;
  TablePtr table = KeyedTable(scratch, {{"changelog-producer", "lookup"}});
  Upsert(table, Keys(1, 1, "1"));
  Upsert(table, Keys(1, 1, "other"), {1});
  Upsert(table, Keys(1, 1, "2"), {2});
  Upsert(table, {{Number(1), Text("x")}, {Number(1), Text("2")}}, {3, 0});
  EXPECT_EQ(AllChanges(table), "+I 1|1, -D 1|1, +I 1|2, -U 1|2, +U 1|2");
  for (int64_t id = 1; id <= 8; ++id) {
    Snapshot snapshot = table->snapshots().Get(id);
    EXPECT_EQ(snapshot.commit_kind, id % 2 == 1 ? CommitKind::kAppend : CommitKind::kCompact);
    EXPECT_EQ(snapshot.changelog_manifest_list.has_value(), id % 2 == 0);
  }
}

TEST(Changelog, SequenceFieldsAndIgnoredColumns) {
  ScratchCatalog scratch;
  std::vector<DataField> fields = {Column("k", T::Int()), Column("v", T::Int()), Column("s", T::Int())};
  TablePtr table = scratch.Create(fields, {}, {"k"},
                                  {{"bucket", "1"}, {"changelog-producer", "lookup"}, {"sequence.field", "s"}}, "ordered");
  Upsert(table, {{Number(1), Number(1), Number(5)}});
  Upsert(table, {{Number(1), Number(2), Number(3)}});
  Upsert(table, {{Number(1), Number(3), Number(9)}});
  EXPECT_EQ(AllChanges(table), "+I 1|1|5, -U 1|1|5, +U 1|1|5, -U 1|1|5, +U 1|3|9");
  table = scratch.Create(fields, {}, {"k"},
                         {{"bucket", "1"},
                          {"changelog-producer", "lookup"},
                          {"changelog-producer.row-deduplicate", "true"},
                          {"changelog-producer.row-deduplicate-ignore-fields", "s"}},
                         "ignoring");
  Upsert(table, {{Number(1), Number(1), Number(1)}});
  Upsert(table, {{Number(1), Number(1), Number(2)}});
  Upsert(table, {{Number(1), Number(2), Number(3)}});
  EXPECT_EQ(AllChanges(table), "+I 1|1|1, -U 1|1|2, +U 1|2|3");
}

// Engine 12.1, cases 57 and 58.
TEST(Changelog, InputAsItCame) {
  ScratchCatalog scratch;
  TablePtr table = KeyedTable(scratch, {{"changelog-producer", "input"}});
  Upsert(table, {{Number(2), Text("1")}, {Number(1), Text("1")}, {Number(2), Text("2")}, {Number(1), Text("1")}, {Number(2), Text("3")}},
         {0, 0, 2, 3, 2});
  EXPECT_EQ(AllChanges(table), "+I 1|1, -D 1|1, +I 2|1, +U 2|2, +U 2|3");
  EXPECT_EQ(Scan(*table).rows, std::vector<std::string>{"2|3"});
  EXPECT_EQ(table->snapshots().Latest()->commit_kind, CommitKind::kAppend);

  table = scratch.Create({Column("k", T::Int()), Column("v", T::Int())}, {}, {"k"},
                         {{"bucket", "1"}, {"changelog-producer", "input"}, {"sequence.field", "v"}}, "ordered");
  Upsert(table, {{Number(1), Number(5)}, {Number(1), Number(3)}, {Number(1), Number(4)}, {Number(1), Value{}}}, {0, 2, 2, 2});
  EXPECT_EQ(AllChanges(table), "+U 1|NULL, +U 1|3, +U 1|4, +I 1|5");
  EXPECT_EQ(Scan(*table).rows, std::vector<std::string>{"1|5"});
}

int64_t DeletedRows(const TablePtr& table) {
  auto latest = table->snapshots().Latest();
  int64_t rows = 0;
  if (!latest || !latest->index_manifest) return 0;
  for (const IndexManifestEntry& entry : table->manifests().ReadIndex(*latest->index_manifest)) {
    if (!entry.deletion_vector_ranges) continue;
    for (const DeletionVectorRange& range : *entry.deletion_vector_ranges) rows += range.cardinality.value_or(0);
  }
  return rows;
}

// Engine 12.2.
TEST(DeletionVectors, MarkRowsOfHigherLevels) {
  for (const char* bits64 : {"false", "true"}) {
    ScratchCatalog scratch;
    TablePtr table = KeyedTable(scratch, {{"deletion-vectors.enabled", "true"}, {"deletion-vectors.bitmap64", bits64}});
    FileWatch watch(table);
    Upsert(table, Keys(1, 6, "a"));
    EXPECT_EQ(watch.Next(), "5:6");
    const char* files[] = {"4:1 5:6=", "5:6", "4:1 5:6=", "5:6", "4:1 5:6="};
    for (int64_t k = 1; k <= 5; ++k) {
      Upsert(table, Keys(k, 1, "b"));
      EXPECT_EQ(watch.Next(), files[k - 1]);
      EXPECT_EQ(DeletedRows(table), k % 2);
      Scanned scanned = Scan(*table);
      EXPECT_EQ(scanned.rows.size(), 6u);
      EXPECT_EQ(scanned.plan.exact_row_count, 6);
      for (const Split& split : scanned.plan.splits) EXPECT_TRUE(split.raw_convertible);
    }
    EXPECT_EQ(Scan(*table, Predicate::Compare(PredicateOp::kEqual, "v", T::String(), Text("a"))).rows,
              std::vector<std::string>{"6|a"});
  }
}

TEST(DeletionVectors, DeletesLeaveNoRowBehind) {
  ScratchCatalog scratch;
  TablePtr table = KeyedTable(scratch, {{"deletion-vectors.enabled", "true"}});
  FileWatch watch(table);
  Upsert(table, Keys(1, 4, "a"));
  watch.Next();
  Upsert(table, Keys(9, 1, "a"), {3});
  EXPECT_EQ(watch.Next(), "5:4=");
  EXPECT_EQ(DeletedRows(table), 0);
  Upsert(table, Keys(2, 1, "a"), {3});
  EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"1|a", "3|a", "4|a"}));
  CompactTable(table, {}, Quick());
  EXPECT_EQ(watch.Next(), "5:3");
  EXPECT_EQ(DeletedRows(table), 0);
  EXPECT_EQ(Scan(*table).rows.size(), 3u);
}

TEST(DeletionVectors, LevelZeroIsNotRead) {
  ScratchCatalog scratch;
  TablePtr table = KeyedTable(scratch, {{"deletion-vectors.enabled", "true"}, {"write-only", "true"}});
  Upsert(table, Keys(1, 2, "a"));
  EXPECT_TRUE(Scan(*table).rows.empty());
  CompactTable(table, {}, Quick());
  EXPECT_EQ(Scan(*table).rows.size(), 2u);
}

// A compaction that marks rows and one that rewrites them do not lose each other's work.
TEST(DeletionVectors, ConcurrentCompactionsConflict) {
  auto fs = std::make_shared<MemoryFileSystem>();
  ScratchCatalog scratch(fs);
  TablePtr table = KeyedTable(scratch, {{"deletion-vectors.enabled", "true"}});
  Upsert(table, Keys(1, 6, "a"));
  Upsert(table, Keys(1, 1, "b"));  // 4:1 5:6, one row marked
  CommitSettings settings = Quick();
  bool done = false;
  settings.publisher = nullptr;
  class Meanwhile final : public SnapshotPublisher {
   public:
    Meanwhile(std::function<void()> act) : act_(std::move(act)) {}
    bool Publish(const Table& table, const Snapshot& snapshot) override {
      if (act_) std::exchange(act_, nullptr)();
      return FileSystemPublisher()->Publish(table, snapshot);
    }
    std::function<void()> act_;
  };
  settings.publisher = std::make_shared<Meanwhile>([&] {
    Upsert(table, Keys(2, 1, "c"));
    done = true;
  });
  CompactTable(table, {}, settings);
  EXPECT_TRUE(done);
  EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"1|b", "2|c", "3|a", "4|a", "5|a", "6|a"}));
}

// Another commit between the reading and the publishing of a compaction.
class Intruder final : public SnapshotPublisher {
 public:
  explicit Intruder(std::function<void()> act) : act_(std::move(act)) {}
  bool Publish(const Table& table, const Snapshot& snapshot) override {
    if (snapshot.commit_kind == CommitKind::kCompact && act_) std::exchange(act_, nullptr)();
    return FileSystemPublisher()->Publish(table, snapshot);
  }

 private:
  std::function<void()> act_;
};

std::vector<std::string> DataFiles(const std::shared_ptr<MemoryFileSystem>& fs) {
  std::vector<std::string> names;
  for (const auto& [name, content] : fs->Files()) {
    if (name.find("/bucket-") != std::string::npos) names.push_back(name);
  }
  return names;
}

TEST(Compaction, OfAReplacedTableIsPlannedAgain) {
  auto fs = std::make_shared<MemoryFileSystem>();
  ScratchCatalog scratch(fs);
  TablePtr table = KeyedTable(scratch, {{"write-only", "true"}});
  for (int i = 0; i < 2; ++i) Upsert(table, Keys(1, 3, "old"));
  CommitSettings settings = Quick();
  settings.publisher = std::make_shared<Intruder>([&] { Replace(table, {}, Keys(7, 1, "new")); });
  CompactReport report = CompactTable(table, {}, settings);
  EXPECT_EQ(Scan(*table).rows, std::vector<std::string>{"7|new"});
  EXPECT_EQ(report.files_removed, 1);
  // Two old files, one new: the compacted one is gone.
  EXPECT_EQ(DataFiles(fs).size(), 3u);
}

// P-44: the partition is dropped while its compaction is on the way.
TEST(Compaction, OfADroppedPartitionBringsNothingBack) {
  auto fs = std::make_shared<MemoryFileSystem>();
  ScratchCatalog scratch(fs);
  TablePtr table = scratch.Create({Column("day", T::Int()), Column("k", T::Int())}, {"day"}, {"day", "k"},
                                  {{"bucket", "1"}, {"write-only", "true"}});
  for (int64_t k = 0; k < 3; ++k) Upsert(table, {{int64_t{1}, k}, {int64_t{2}, k}});
  CommitSettings settings = Quick();
  settings.publisher = std::make_shared<Intruder>([&] { TableCommit(table, Quick()).DropPartitions({{{"day", Number(1)}}}); });
  CompactTable(table, {}, settings);
  EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"2|0", "2|1", "2|2"}));
  Upsert(table, {{int64_t{1}, int64_t{7}}});
  EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"1|7", "2|0", "2|1", "2|2"}));
}

TEST(Compaction, TwiceAtOnceLosesNothing) {
  auto fs = std::make_shared<MemoryFileSystem>();
  ScratchCatalog scratch(fs);
  TablePtr table = KeyedTable(scratch, {{"write-only", "true"}});
  for (int i = 0; i < 3; ++i) Upsert(table, Keys(i, 3, fmt::format("v{}", i)));
  CommitSettings settings = Quick();
  settings.publisher = std::make_shared<Intruder>([&] { CompactTable(table, {}, Quick()); });
  EXPECT_TRUE(CompactTable(table, {}, settings).snapshot_ids.empty());
  EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"0|v0", "1|v1", "2|v2", "3|v2", "4|v2"}));
  EXPECT_EQ(table->snapshots().Latest()->id, 4);
  EXPECT_EQ(DataFiles(fs).size(), 4u);
}

TEST(Compaction, GivenUpByAWriteLeavesItsRows) {
  auto fs = std::make_shared<MemoryFileSystem>();
  ScratchCatalog scratch(fs);
  TablePtr table = KeyedTable(scratch, {{"num-sorted-run.compaction-trigger", "2"}});
  Upsert(table, Keys(1, 1, "a"));
  auto messages = WriteRows(table, Keys(2, 1, "b"));
  CompactWritten(table, false, Quick(), &messages);
  ASSERT_EQ(messages.size(), 2u);
  CommitSettings settings = Quick();
  settings.publisher = std::make_shared<Intruder>([&] { CompactTable(table, {}, Quick()); });
  CommitResult result = TableCommit(table, settings).Commit(messages);
  EXPECT_EQ(result.snapshot_ids, std::vector<int64_t>{2});
  EXPECT_TRUE(result.compaction_failure.has_value());
  EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"1|a", "2|b"}));
  EXPECT_EQ(DataFiles(fs).size(), 3u);
}

TEST(Compaction, ReadsThePickedRunsOnly) {
  auto fs = std::make_shared<MemoryFileSystem>();
  {
    ScratchCatalog scratch(fs);
    TablePtr table = KeyedTable(scratch, {{"num-sorted-run.compaction-trigger", "3"}, {"target-file-size", "100 kb"}});
    std::mt19937_64 random(7);
    Rows big;
    for (int64_t k = 0; k < 100'000; ++k) big.push_back({k, fmt::format("{:016x}", random())});
    Upsert(table, big);
    CompactTable(table, {}, Quick());
    Upsert(table, Keys(500, 500, "a"));
  }
  auto counting = std::make_shared<CountingFileSystem>(fs);
  ScratchCatalog scratch(counting);
  TablePtr table = scratch.Get();
  int64_t bytes = 0, biggest = 0;
  for (const ManifestEntry& entry : Live(table)) {
    bytes += entry.file.file_size;
    biggest = std::max(biggest, entry.file.file_size);
  }
  auto messages = WriteRows(table, Keys(700, 500, "b"));
  counting->Reset();
  CompactWritten(table, false, Quick(), &messages);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[1].compact.deleted_files.size(), 2u);
  EXPECT_LT(counting->Counts("*/bucket-*").bytes_read, bytes / 20);
  CompactTable(table, {}, Quick());
}

class Model {
 public:
  explicit Model(uint32_t seed) : random_(seed) {
    keyed_ = !OneIn(4);
    partitioned_ = OneIn(2);
    Options options;
    options["bucket"] = OneIn(4) ? "-1" : OneIn(2) ? "1" : "2";
    if (!keyed_ && options["bucket"] != "-1") options["bucket-key"] = "id";
    const char* formats[] = {"parquet", "orc", "avro"};
    options["file.format"] = formats[Below(3)];
    if (OneIn(2)) options["num-sorted-run.compaction-trigger"] = fmt::format("{}", Below(4) + 1);
    if (OneIn(3)) options["target-file-row-num"] = "5";
    if (OneIn(3)) options["target-file-size"] = "1 b";
    if (OneIn(3)) options["compaction.force-up-level-0"] = "true";
    if (OneIn(4)) options["compaction.total-size-threshold"] = "3 kb";
    if (OneIn(4)) options["compaction.force-rewrite-all-files"] = "true";
    if (OneIn(3)) options["compaction.min.file-num"] = "2";
    if (OneIn(3)) options["write-only"] = "true";
    if (OneIn(3)) options["manifest.merge-min-count"] = "2";
    if (keyed_ && OneIn(4)) options["data-file.thin-mode"] = "true";
    sequenced_ = keyed_ && OneIn(3);
    if (sequenced_) options["sequence.field"] = "seq";
    if (sequenced_ && OneIn(2)) options["sequence.field.sort-order"] = "descending";
    ascending_ = !options.contains("sequence.field.sort-order");
    if (keyed_ && OneIn(3)) {
      options["deletion-vectors.enabled"] = "true";
      if (OneIn(2)) options["deletion-vectors.bitmap64"] = "true";
    }
    if (keyed_ && OneIn(2)) {
      options["changelog-producer"] = options.contains("deletion-vectors.enabled") || OneIn(2) ? "lookup" : "full-compaction";
      if (OneIn(2)) options["changelog-producer.row-deduplicate"] = "true";
      if (OneIn(3)) options["changelog-file.format"] = "avro";
      changelog_ = true;
    }
    // Rows of these would not be seen, or have changed unnoticed, before a compaction.
    if (options.contains("deletion-vectors.enabled") || changelog_) options.erase("write-only");
    fields_ = {Column("id", T::Int()), Column("day", T::Int()), Column("seq", T::Int()), Column("v", T::String())};
    std::vector<std::string> keys;
    if (keyed_) keys = partitioned_ ? std::vector<std::string>{"id", "day"} : std::vector<std::string>{"id"};
    scratch_.Create(fields_, partitioned_ ? std::vector<std::string>{"day"} : std::vector<std::string>{}, keys, options);
    fields_ = scratch_.Get()->schema().fields;
    for (const auto& [key, value] : options) description_ += key + "=" + value + " ";
    if (keyed_) description_ += "keyed ";
    if (partitioned_) description_ += "partitioned";
  }

  void Step() {
    TablePtr table = scratch_.Get();
    switch (Below(5)) {
      case 0: {
        CompactRequest request;
        request.full = OneIn(2);
        if (partitioned_ && OneIn(3)) {
          Value day = static_cast<int64_t>(Below(2));
          request.keep_partition = [day](const std::vector<Value>& partition) { return partition[0] == day; };
        }
        description_ += request.full ? " full" : " minor";
        CompactTable(table, request, Quick());
        return;
      }
      case 1:
        if (OneIn(4) && fields_.size() < 6) {
          std::string added = fmt::format("c{}", fields_.size());
          description_ += " add " + added;
          scratch_.catalog.AlterTable({"default", "t"}, {AddColumn{{added}, OneIn(2) ? T::String() : T::Int(), {}, {}}});
          fields_ = scratch_.Get()->schema().fields;
          for (Row& row : rows_) row.emplace_back();
          std::multiset<std::string> widened;
          for (const std::string& row : replayed_) widened.insert(row + "|NULL");
          replayed_ = std::move(widened);
          return;
        }
        [[fallthrough]];
      default: return Write(table);
    }
  }

  void Compare() {
    TablePtr table = scratch_.Get();
    Snapshots(*table);
    std::map<std::tuple<std::string, int32_t, int32_t>, int> runs;
    for (const ManifestEntry& entry : Live(table)) {
      ASSERT_TRUE(entry.file.level == 0 || keyed_);
      ASSERT_EQ(entry.file.level > 5, false);
    }
  }

  const std::string& description() const { return description_; }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  // The newest state is the model's; every older snapshot still reads as it did.
  void Snapshots(const Table& table) {
    auto latest = table.snapshots().Latest();
    if (!latest) return;
    auto now = RowTexts(rows_, fields_);
    ASSERT_EQ(Scan(table).rows, now) << description_;
    for (int64_t id = seen_ + 1; id <= latest->id; ++id) {
      ASSERT_NO_FATAL_FAILURE(Replay(scratch_.Get(), id));
      TimeTravel travel;
      travel.snapshot_id = id;
      states_[id] = Scan(table, nullptr, {}, travel).rows;
    }
    seen_ = latest->id;
    if (changelog_) {
      ASSERT_EQ(std::vector<std::string>(replayed_.begin(), replayed_.end()), now) << "replayed, " << description_;
    }
    int64_t id = static_cast<int64_t>(Below(static_cast<uint64_t>(seen_))) + 1;
    TimeTravel travel;
    travel.snapshot_id = id;
    ASSERT_EQ(Scan(table, nullptr, {}, travel).rows, states_[id]) << "snapshot " << id << ' ' << description_;
  }

  // Changes of a snapshot on top of those before.
  void Replay(const TablePtr& table, int64_t id) {
    if (!changelog_) return;
    for (const std::string& change : Changes(table, id)) {
      std::string row = change.substr(3);
      if (change[0] == '+') {
        replayed_.insert(row);
        continue;
      }
      auto found = replayed_.find(row);
      ASSERT_NE(found, replayed_.end()) << change << " of snapshot " << id << ", " << description_;
      replayed_.erase(found);
    }
  }

  Row KeyOf(const Row& row) const {
    Row key{row[0]};
    if (partitioned_) key.push_back(row[1]);
    return key;
  }

  // -1 when `a` is older than `b` by the sequence field; NULL is the oldest in both directions.
  int Age(const Value& a, const Value& b) const {
    if (IsNull(a) || IsNull(b)) return (IsNull(a) ? 0 : 1) - (IsNull(b) ? 0 : 1);
    int64_t x = std::get<int64_t>(a), y = std::get<int64_t>(b);
    int order = x < y ? -1 : x > y ? 1 : 0;
    return ascending_ ? order : -order;
  }

  void Put(const Row& row, int8_t kind) {
    if (!keyed_) {
      rows_.push_back(row);
      return;
    }
    auto old = newest_.find(KeyOf(row));
    if (sequenced_ && old != newest_.end() && Age(row[2], old->second) < 0) return;
    newest_[KeyOf(row)] = row[2];
    std::erase_if(rows_, [&](const Row& other) { return KeyOf(other) == KeyOf(row); });
    if (kind == 0) rows_.push_back(row);
  }

  void Write(const TablePtr& table) {
    Rows rows;
    std::vector<int8_t> kinds;
    for (uint64_t n = Below(12) + 1; n > 0; --n) {
      Row& row = rows.emplace_back();
      row = {static_cast<int64_t>(Below(30)), static_cast<int64_t>(Below(2)), Value{}, fmt::format("t{}", Below(1000))};
      if (!OneIn(8)) row[2] = static_cast<int64_t>(Below(10));
      for (size_t i = 4; i < fields_.size(); ++i) {
        row.push_back(OneIn(3) ? Value{} : fields_[i].type.IsString() ? Text("x") : Number(static_cast<int64_t>(Below(9))));
      }
      // With a sequence field a dropped delete is forgotten, so an older row may come back: then without deletes.
      if (keyed_) kinds.push_back(!sequenced_ && OneIn(4) ? 3 : 0);
    }
    for (size_t i = 0; i < rows.size(); ++i) Put(rows[i], keyed_ ? kinds[i] : 0);
    description_ += fmt::format(" write({})", rows.size());
    CommitResult result = Upsert(table, rows, kinds);
    ASSERT_FALSE(result.compaction_failure) << *result.compaction_failure;
  }

  std::mt19937_64 random_;
  ScratchCatalog scratch_;
  std::vector<DataField> fields_;
  bool keyed_ = false, partitioned_ = false, sequenced_ = false, ascending_ = true;
  Rows rows_;
  bool changelog_ = false;
  std::multiset<std::string> replayed_;
  std::map<Row, Value> newest_;
  std::map<int64_t, std::vector<std::string>> states_;
  int64_t seen_ = 0;
  std::string description_;
};

TEST(Compaction, RandomTables) { RunRandomTables<Model>(/*steps=*/40, /*seconds=*/10); }

}  // namespace
}  // namespace mica
