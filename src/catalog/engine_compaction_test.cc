// Compaction and changelogs under every merge engine (Engine 3, 4): what Paimon for Java does, and random tables beside a
// model.
#include <map>
#include <random>

#include "base/expect_error.h"
#include "catalog/compaction_states.h"
#include "catalog/random_tables.h"
#include "io/counting_file_system.h"

namespace mica {
namespace {

using T = DataType;

constexpr int8_t kAdd = 0, kBefore = 1, kAfter = 2, kGone = 3;

// k, a (sum), b (max), both BIGINT.
TablePtr SumTable(ScratchCatalog& scratch, Options options) {
  options.emplace("bucket", "1");
  options["merge-engine"] = "aggregation";
  options["fields.a.aggregate-function"] = "sum";
  options["fields.b.aggregate-function"] = "max";
  options["fields.b.ignore-retract"] = "true";
  return scratch.Create({Column("k", T::Int()), Column("a", T::BigInt()), Column("b", T::BigInt())}, {}, {"k"}, options);
}

Rows One(int64_t k, Value a, Value b) {
  return {{Number(k), std::move(a), std::move(b)}};
}

TEST(EngineCompaction, PartialSumsStayOnTheirLevels) {
  ScratchCatalog scratch;
  TablePtr table = SumTable(scratch, {{"num-sorted-run.compaction-trigger", "3"}});
  FileWatch watch(table);
  Rows big;
  std::mt19937_64 random(7);
  for (int64_t k = 0; k < 20000; ++k) big.push_back({Number(k), Number(10), Number(static_cast<int64_t>(random() >> 1))});
  Upsert(table, big);
  CompactTable(table, {}, Quick());
  watch.Next();
  Upsert(table, One(1, Number(3), Number(0)), {kGone});
  EXPECT_EQ(watch.Next(), "0:1 3:20000=");
  Upsert(table, One(1, Number(4), Number(0)), {kBefore});
  // Two retracts became one row that takes seven away; what it is taken from lies above.
  EXPECT_EQ(watch.Next(), "2:1 3:20000=");
  auto sum = [&] { return Scan(*table, Predicate::Compare(PredicateOp::kEqual, "k", T::Int(), Number(1)), {"k", "a"}).rows; };
  EXPECT_EQ(sum(), std::vector<std::string>{"1|3"});
  CompactTable(table, {}, Quick());
  EXPECT_EQ(watch.Next(), "3:20000");
  EXPECT_EQ(sum(), std::vector<std::string>{"1|3"});
}

TEST(EngineCompaction, LookupsLeaveRowsOnHigherLevelsThatCountOnce) {
  ScratchCatalog scratch;
  TablePtr table = SumTable(scratch, {{"changelog-producer", "lookup"}, {"num-sorted-run.compaction-trigger", "3"}});
  FileWatch watch(table);
  Rows big;
  for (int64_t k = 0; k < 3000; ++k) big.push_back({Number(k), Number(10), Number(k * 7919 % 10007)});
  Upsert(table, big);
  EXPECT_EQ(watch.Next(), "3:3000");
  Upsert(table, One(1, Number(5), Number(0)));
  EXPECT_EQ(watch.Next(), "2:1 3:3000=");
  EXPECT_EQ(Changes(table, table->snapshots().Latest()->id),
            (std::vector<std::string>{"-U 1|10|7919", "+U 1|15|7919"}));
  auto one = [&] { return Scan(*table, Predicate::Compare(PredicateOp::kEqual, "k", T::Int(), Number(1))).rows; };
  EXPECT_EQ(one(), std::vector<std::string>{"1|15|7919"});
  Upsert(table, One(1, Number(20), Number(9999)), {kGone});
  EXPECT_EQ(one(), std::vector<std::string>{"1|-5|7919"});
  EXPECT_EQ(Changes(table, table->snapshots().Latest()->id),
            (std::vector<std::string>{"-U 1|15|7919", "+U 1|-5|7919"}));
  CompactTable(table, {}, Quick());
  EXPECT_EQ(watch.Next(), "3:3000");
  EXPECT_EQ(one(), std::vector<std::string>{"1|-5|7919"});
}

// Paimon makes the row new that a lookup finds nothing for.
TEST(EngineCompaction, ALoneRetractIsMergedByALookup) {
  ScratchCatalog scratch;
  TablePtr table = SumTable(scratch, {{"changelog-producer", "lookup"}});
  Upsert(table, One(1, Number(3), Value{}), {kGone});
  EXPECT_EQ(AllChanges(table), "+I 1|-3|NULL");
  EXPECT_EQ(Scan(*table).rows, std::vector<std::string>{"1|-3|NULL"});
}

TEST(EngineCompaction, ChangelogsOfSums) {
  for (const char* producer : {"lookup", "full-compaction"}) {
    for (bool deduplicate : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", producer, deduplicate));
      ScratchCatalog scratch;
      Options options{{"changelog-producer", producer}, {"aggregation.remove-record-on-delete", "true"}};
      if (deduplicate) options["changelog-producer.row-deduplicate"] = "true";
      options["bucket"] = "1";
      options["merge-engine"] = "aggregation";
      options["fields.a.aggregate-function"] = "sum";
      TablePtr table = scratch.Create({Column("k", T::Int()), Column("a", T::BigInt()), Column("b", T::BigInt())}, {}, {"k"}, options);
      Upsert(table, One(1, Number(1), Number(1)));
      Upsert(table, One(1, Number(2), Value{}), {kAfter});
      Upsert(table, One(1, Number(0), Value{}));
      Upsert(table, One(1, Number(3), Number(1)), {kGone});
      Upsert(table, One(1, Number(4), Number(2)));
      EXPECT_EQ(AllChanges(table), fmt::format("+I 1|1|1, -U 1|1|1, +U 1|3|1, {}-D 1|3|1, +I 1|4|2",
                                               deduplicate ? "" : "-U 1|3|1, +U 1|3|1, "));
      EXPECT_EQ(Scan(*table).rows, std::vector<std::string>{"1|4|2"});
    }
  }
}

TEST(EngineCompaction, PartialUpdateWithASequenceGroup) {
  for (const char* producer : {"lookup", "full-compaction"}) {
    SCOPED_TRACE(producer);
    ScratchCatalog scratch;
    TablePtr table = scratch.Create(
        {Column("k", T::Int()), Column("a", T::BigInt()), Column("g", T::BigInt()), Column("b", T::BigInt())}, {}, {"k"},
        {{"bucket", "1"}, {"merge-engine", "partial-update"}, {"fields.g.sequence-group", "b"}, {"changelog-producer", producer}});
    auto row = [](Value a, Value g, Value b) { return Rows{{Number(1), a, g, b}}; };
    Upsert(table, row(Number(1), Number(5), Number(50)));
    Upsert(table, row(Number(2), Number(3), Number(30)));
    Upsert(table, row(Value{}, Number(7), Value{}));
    Upsert(table, row(Value{}, Number(8), Value{}), {kGone});
    EXPECT_EQ(AllChanges(table),
              "+I 1|1|5|50, -U 1|1|5|50, +U 1|2|5|50, -U 1|2|5|50, +U 1|2|7|NULL, -U 1|2|7|NULL, +U 1|2|8|NULL");
    EXPECT_EQ(Scan(*table).rows, std::vector<std::string>{"1|2|8|NULL"});
  }
}

TEST(EngineCompaction, FirstRowsShowOnceAndStay) {
  for (const char* producer : {"none", "lookup"}) {
    SCOPED_TRACE(producer);
    ScratchCatalog scratch;
    TablePtr table = scratch.Create({Column("k", T::Int()), Column("v", T::String())}, {}, {"k"},
                                    {{"bucket", "1"}, {"merge-engine", "first-row"}, {"changelog-producer", producer}});
    FileWatch watch(table);
    Upsert(table, {{Number(1), Text("a")}, {Number(2), Text("a")}});
    EXPECT_EQ(watch.Next(), "5:2");
    Upsert(table, {{Number(2), Text("b")}, {Number(3), Text("b")}, {Number(3), Text("c")}});
    EXPECT_EQ(watch.Next(), "5:3");
    for (int i = 0; i < 4; ++i) Upsert(table, {{Number(i), Text("d")}});
    CompactTable(table, {}, Quick());
    EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"0|d", "1|a", "2|a", "3|b"}));
    EXPECT_EQ(AllChanges(table), std::string(producer) == "none" ? "" : "+I 1|a, +I 2|a, +I 3|b, +I 0|d");
    EXPECT_ERROR(Upsert(table, {{Number(9), Text("x")}}, {kGone}), InvalidArgument, "can not accept DELETE");
  }
}

TEST(EngineCompaction, DeletionVectorsHideWhatWasMerged) {
  ScratchCatalog scratch;
  TablePtr table = SumTable(scratch, {{"deletion-vectors.enabled", "true"}});
  for (int64_t i = 1; i <= 9; ++i) {
    Upsert(table, {{Number(i % 2), Number(i), Number(-i)}, {Number(i + 10), Number(1), Number(1)}});
    Scanned scanned = Scan(*table, nullptr, {"a", "b"});
    EXPECT_EQ(scanned.plan.exact_row_count, i + std::min<int64_t>(i, 2));
    for (const Split& split : scanned.plan.splits) EXPECT_TRUE(split.raw_convertible);
  }
  auto keys = Predicate::Compare(PredicateOp::kLess, "k", T::Int(), Number(2));
  EXPECT_EQ(Scan(*table, keys).rows, (std::vector<std::string>{"0|20|-2", "1|25|-1"}));
}

TEST(EngineCompaction, RetractsThatNoMergeTakesAreRefusedBeforeAnythingIsWritten) {
  auto fs = std::make_shared<MemoryFileSystem>();
  ScratchCatalog scratch(fs);
  TablePtr table = scratch.Create({Column("k", T::Int()), Column("b", T::BigInt())}, {}, {"k"},
                                  {{"bucket", "1"}, {"merge-engine", "aggregation"}, {"fields.b.aggregate-function", "max"}});
  const size_t files = fs->Files().size();
  EXPECT_ERROR(Upsert(table, {{Number(1), Number(1)}}, {kGone}), InvalidArgument, "'max' of column 'b'");
  table = scratch.Create({Column("k", T::Int()), Column("b", T::BigInt())}, {}, {"k"},
                         {{"bucket", "1"}, {"merge-engine", "partial-update"}}, "partial");
  EXPECT_ERROR(Upsert(table, {{Number(1), Number(1)}}, {kBefore}), InvalidArgument, "Partial update can not accept delete");
  EXPECT_EQ(fs->Files().size(), files + 1) << "the schema of the second table";
}

// 1,000 keys of 1 % of the key space: of what lies above, files and pages of that stretch are read.
TEST(EngineCompaction, ALookupReadsLittleOfTheBucket) {
  struct Kind {
    const char* engine;
    const char* producer;
    bool vectors;
  };
  for (const Kind& kind : {Kind{"aggregation", "lookup", false}, Kind{"partial-update", "none", true},
                           Kind{"first-row", "lookup", false}, Kind{"deduplicate", "lookup", false}}) {
    SCOPED_TRACE(kind.engine);
    auto fs = std::make_shared<MemoryFileSystem>();
    constexpr int64_t kKeys = 500'000;
    {
      ScratchCatalog scratch(fs);
      Options options{{"bucket", "1"}, {"merge-engine", kind.engine}, {"changelog-producer", kind.producer},
                      {"target-file-size", "40 kb"}, {"num-sorted-run.compaction-trigger", "9"}};
      if (kind.vectors) options["deletion-vectors.enabled"] = "true";
      TablePtr table = scratch.Create({Column("k", T::Int()), Column("v", T::BigInt())}, {}, {"k"}, options);
      Rows big;
      std::mt19937_64 random(7);
      for (int64_t k = 0; k < kKeys; ++k) big.push_back({Number(k), Number(static_cast<int64_t>(random() >> 1))});
      Upsert(table, big);
    }
    auto counting = std::make_shared<CountingFileSystem>(fs);
    ScratchCatalog scratch(counting);
    TablePtr table = scratch.Get();
    int64_t bytes = 0;
    for (const ManifestEntry& entry : Live(table)) bytes += entry.file.file_size;
    Rows some;
    for (int64_t k = 0; k < 1000; ++k) some.push_back({Number(200'000 + 5 * k), Number(1)});
    auto messages = WriteRows(table, some);
    counting->Reset();
    CompactWritten(table, false, Quick(), &messages);
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_LT(counting->Counts("*/bucket-*").bytes_read, bytes / 20) << bytes;
    TableCommit(table, Quick()).Commit(messages);
  }
}

// Engines whose result does not depend on which rows were merged first.
class Model {
 public:
  explicit Model(uint32_t seed) : random_(seed) {
    const char* engines[] = {"aggregation", "aggregation", "partial-update", "first-row", "deduplicate"};
    engine_ = engines[Below(5)];
    partitioned_ = OneIn(3);
    Options options{{"merge-engine", engine_}};
    options["bucket"] = OneIn(4) ? "-1" : OneIn(2) ? "1" : "2";
    const char* formats[] = {"parquet", "orc", "avro"};
    options["file.format"] = formats[Below(3)];
    if (OneIn(2)) options["num-sorted-run.compaction-trigger"] = fmt::format("{}", Below(4) + 1);
    if (OneIn(3)) options["target-file-row-num"] = "5";
    if (OneIn(3)) options["target-file-size"] = "1 b";
    if (OneIn(3)) options["compaction.force-up-level-0"] = "true";
    if (OneIn(4)) options["compaction.force-rewrite-all-files"] = "true";
    if (OneIn(4)) options["data-file.thin-mode"] = "true";
    if (engine_ == "aggregation") {
      options["fields.a.aggregate-function"] = "sum";
      options["fields.b.aggregate-function"] = OneIn(2) ? "max" : "min";
      options["fields.b.ignore-retract"] = "true";
      if (OneIn(2)) options["fields.c.aggregate-function"] = "first_non_null_value";
      options["fields.c.ignore-retract"] = "true";
      maximum_ = options["fields.b.aggregate-function"] == "max";
      first_ = options.contains("fields.c.aggregate-function");
    }
    if (engine_ == "partial-update" && OneIn(2)) {
      options["fields.b.sequence-group"] = "c";
      grouped_ = true;
    }
    if (engine_ == "first-row" || engine_ == "deduplicate" || OneIn(2)) options["ignore-delete"] = "true";
    ignores_ = options.contains("ignore-delete");
    if (engine_ != "first-row" && OneIn(3)) {
      options["deletion-vectors.enabled"] = "true";
      if (OneIn(2)) options["deletion-vectors.bitmap64"] = "true";
    }
    looks_up_ = options.contains("deletion-vectors.enabled");
    if (OneIn(2)) {
      changelog_ = true;
      const bool full = !looks_up_ && engine_ != "first-row" && OneIn(2);
      options["changelog-producer"] = full ? "full-compaction" : "lookup";
      looks_up_ = !full;
      if (OneIn(2)) options["changelog-producer.row-deduplicate"] = "true";
    } else if (OneIn(4)) {
      options["force-lookup"] = "true";
      looks_up_ = true;
    }
    if (!looks_up_ && !changelog_ && engine_ != "first-row" && OneIn(3)) options["write-only"] = "true";
    fields_ = {Column("k", T::Int()), Column("p", T::Int()), Column("a", T::BigInt()), Column("b", T::BigInt()),
               Column("c", T::BigInt())};
    scratch_.Create(fields_, partitioned_ ? std::vector<std::string>{"p"} : std::vector<std::string>{}, {"k", "p"}, options);
    fields_ = scratch_.Get()->schema().fields;
    for (const auto& [key, value] : options) description_ += key + "=" + value + " ";
  }

  void Step() {
    TablePtr table = scratch_.Get();
    if (OneIn(5)) {
      CompactRequest request;
      request.full = OneIn(2);
      description_ += request.full ? " full" : " minor";
      CompactTable(table, request, Quick());
      return;
    }
    Write(table);
  }

  void Compare() {
    TablePtr table = scratch_.Get();
    auto latest = table->snapshots().Latest();
    if (!latest) return;
    Rows rows;
    for (const auto& [key, row] : rows_) rows.push_back(row);
    const auto now = RowTexts(rows, fields_);
    ASSERT_EQ(Scan(*table).rows, now) << description_;
    for (int64_t id = seen_ + 1; changelog_ && id <= latest->id; ++id) {
      for (const std::string& change : Changes(table, id)) {
        if (change[0] == '+') {
          replayed_.insert(change.substr(3));
          continue;
        }
        auto found = replayed_.find(change.substr(3));
        ASSERT_NE(found, replayed_.end()) << change << " of snapshot " << id << ", " << description_;
        replayed_.erase(found);
      }
    }
    seen_ = latest->id;
    if (changelog_) {
      ASSERT_EQ(std::vector<std::string>(replayed_.begin(), replayed_.end()), now) << "replayed, " << description_;
    }
    const auto key = Predicate::Compare(PredicateOp::kLess, "k", T::Int(), Number(4));
    ASSERT_LE(Scan(*table, key, {"c", "k"}).rows.size(), now.size());
  }

  const std::string& description() const { return description_; }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  static Value Sum(const Value& a, const Value& b, int64_t sign) {
    if (IsNull(b)) return a;
    return (IsNull(a) ? 0 : std::get<int64_t>(a)) + sign * std::get<int64_t>(b);
  }

  void Put(const Row& row, int8_t kind) {
    const bool retract = (kind & 1) != 0;
    auto found = rows_.find({row[0], row[1]});
    if (found == rows_.end()) {
      // What a lookup merges goes through the functions, and rows without an order have no group.
      rows_.emplace(std::pair(row[0], row[1]), row);
      return;
    }
    Row& now = found->second;
    if (engine_ == "first-row") return;
    if (engine_ == "deduplicate") {
      now = row;
      return;
    }
    if (engine_ == "aggregation") {
      now[2] = Sum(now[2], row[2], retract ? -1 : 1);
      if (retract) {
        return;
      }
      if (IsNull(now[3]) || (!IsNull(row[3]) && (row[3] > now[3]) == maximum_)) now[3] = row[3];
      if (IsNull(now[4]) || (!first_ && !IsNull(row[4]))) now[4] = row[4];
      return;
    }
    if (!IsNull(row[2])) now[2] = row[2];
    if (grouped_) {
      if (IsNull(row[3]) || (!IsNull(now[3]) && row[3] < now[3])) return;
      now[3] = row[3];
      now[4] = row[4];
      return;
    }
    if (!IsNull(row[3])) now[3] = row[3];
    if (!IsNull(row[4])) now[4] = row[4];
  }

  void Write(const TablePtr& table) {
    Rows rows;
    std::vector<int8_t> kinds;
    for (uint64_t n = Below(12) + 1; n > 0; --n) {
      Row row{static_cast<int64_t>(Below(15)), static_cast<int64_t>(Below(2))};
      for (int i = 0; i < 3; ++i) row.push_back(OneIn(4) ? Value{} : Number(static_cast<int64_t>(Below(20)) - 5));
      // The group of a row without an order is left out where the row meets another.
      if (grouped_ && IsNull(row[3])) row[4] = Value{};
      int8_t kind = OneIn(5) ? kAfter : kAdd;
      const bool known = rows_.contains({row[0], row[1]});
      if (OneIn(4) && (ignores_ || (engine_ == "aggregation" && known))) kind = OneIn(2) ? kBefore : kGone;
      if (!(ignores_ && (kind & 1) != 0)) Put(row, kind);
      rows.push_back(std::move(row));
      kinds.push_back(kind);
    }
    description_ += fmt::format(" write({})", rows.size());
    CommitResult result = Upsert(table, rows, kinds);
    ASSERT_FALSE(result.compaction_failure) << *result.compaction_failure;
  }

  std::mt19937_64 random_;
  ScratchCatalog scratch_;
  std::string engine_;
  std::vector<DataField> fields_;
  bool partitioned_ = false, maximum_ = false, first_ = false, grouped_ = false, ignores_ = false, looks_up_ = false;
  bool changelog_ = false;
  std::map<std::pair<Value, Value>, Row> rows_;
  std::multiset<std::string> replayed_;
  int64_t seen_ = 0;
  std::string description_;
};

TEST(EngineCompaction, RandomTables) { RunRandomTables<Model>(/*steps=*/40, /*seconds=*/8); }

}  // namespace
}  // namespace mica
