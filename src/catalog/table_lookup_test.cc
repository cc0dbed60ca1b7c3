// Rows by key through TableLookup: beside a scan of the same state, over random tables and commits.
#include "table/lookup.h"

#include <random>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "catalog/scratch_table.h"
#include "io/counting_file_system.h"

namespace mica {
namespace {

std::string TextOf(const std::shared_ptr<arrow::RecordBatch>& row, const std::vector<DataField>& fields) {
  if (row == nullptr) return "none";
  EXPECT_EQ(row->num_rows(), 1);
  Row values;
  for (size_t i = 0; i < fields.size(); ++i) {
    values.push_back(ValueAt(*row->column(static_cast<int>(i)), 0, fields[i].type));
  }
  return RowText(values, fields);
}

TEST(TableLookup, FindsWhatAScanFinds) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<DataField> fields = {Column("p", DataType::String()), Column("k", DataType::Int()),
                                         Column("v", DataType::BigInt())};
  for (int round = 0; round < 24; ++round) {
    const bool partitioned = round % 2 == 0;
    Options options{{"bucket", std::to_string(round % 3 == 0 ? -1 : 1 + round % 4)}};
    if (round % 4 == 1) options["merge-engine"] = "partial-update";
    if (round % 4 == 2) options["deletion-vectors.enabled"] = "true";
    if (round % 5 == 3) options["write-only"] = "true";
    ScratchCatalog scratch;
    std::vector<std::string> partitions;
    if (partitioned) partitions.push_back("p");
    const TablePtr table = scratch.Create(fields, partitions, {"p", "k"}, options);
    TableLookup lookup(table, {.cache_bytes = 1 << (10 + random() % 8)});
    for (int commit = 0; commit < 5; ++commit) {
      Rows rows;
      std::vector<int8_t> kinds;
      for (int64_t i = static_cast<int64_t>(random() % 30); i >= 0; --i) {
        rows.push_back({Text(random() % 2 == 0 ? "a" : "b"), Number(static_cast<int64_t>(random() % 20)),
                        Number(commit * 100 + i)});
        kinds.push_back(round % 4 == 1 || random() % 4 != 0 ? 0 : 3);
      }
      Insert(table, rows, kinds);
      EXPECT_TRUE(lookup.Refresh());
      EXPECT_FALSE(lookup.Refresh());
      const std::vector<std::string> all = Scan(*table).rows;
      for (int pass = 0; pass < 2; ++pass) {
        for (const std::string& p : std::vector<std::string>{"a", "b", "c"}) {
          for (int64_t k = 0; k < 20; ++k) {
            std::string expected = "none";
            for (const std::string& row : all) {
              if (row.starts_with(p + "|" + std::to_string(k) + "|")) expected = row;
            }
            ASSERT_EQ(TextOf(lookup.Find({Text(p), Number(k)}), fields), expected)
                << "round " << round << " commit " << commit;
          }
        }
      }
    }
  }
}

TEST(TableLookup, KeepsWhatItFoundUntilItsBucketChanges) {
  auto counting = std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
  ScratchCatalog scratch(counting);
  const std::vector<DataField> fields = {Column("p", DataType::Int()), Column("k", DataType::Int()),
                                         Column("v", DataType::String())};
  const TablePtr table = scratch.Create(fields, {"p"}, {"p", "k"}, {{"bucket", "1"}, {"write-only", "true"}});
  Insert(table, {{Number(1), Number(1), Text("x")}, {Number(2), Number(1), Text("y")}});
  TableLookup lookup(table, {.columns = {{"v", "k"}}});
  const auto find = [&](int64_t p) { return TextOf(lookup.Find({Number(p), Number(1)}), lookup.row_fields()); };
  const auto opened = [&] {
    int64_t count = 0;
    for (const auto& [path, counts] : counting->CountsByPath()) {
      if (path.find("/data-") != std::string::npos) count += counts.opens;
    }
    return count;
  };
  EXPECT_EQ(find(1), "x|1");
  EXPECT_EQ(find(2), "y|1");
  EXPECT_EQ(find(3), "none");
  const int64_t before = opened();
  EXPECT_EQ(find(1) + find(2) + find(3), "x|1y|1none");
  EXPECT_EQ(opened(), before);
  Insert(table, {{Number(2), Number(1), Text("z")}});
  EXPECT_EQ(find(2), "y|1");  // of the snapshot before
  EXPECT_TRUE(lookup.Refresh());
  EXPECT_EQ(find(1), "x|1");
  EXPECT_EQ(find(2), "z|1");
  const int64_t after = opened();
  Insert(table, {{Number(3), Number(1), Text("new")}});
  EXPECT_TRUE(lookup.Refresh());
  EXPECT_EQ(find(3), "new|1");
  EXPECT_GT(opened(), after);
}

TEST(TableLookup, RefusesKeysThatAreNone) {
  ScratchCatalog scratch;
  const std::vector<DataField> fields = {Column("k", DataType::Int()), Column("v", DataType::String())};
  const TablePtr table = scratch.Create(fields, {}, {"k"}, {{"bucket", "1"}});
  TableLookup lookup(table);
  EXPECT_EQ(lookup.snapshot_id(), 0);
  EXPECT_EQ(lookup.Find({Number(1)}), nullptr);
  const Row two = {Number(1), Number(2)}, null = {Value()};
  EXPECT_ERROR(lookup.Find(two), InvalidArgument, "A key of the table 'default.t' has 1 values, not 2");
  EXPECT_ERROR(lookup.Find(null), InvalidArgument, "The key column 'k' cannot be NULL");
  const TablePtr append = scratch.Create(fields, {}, {}, {}, "a");
  EXPECT_ERROR(TableLookup none(append), InvalidArgument, "The table 'default.a' has no primary key to look rows up by");
}

}  // namespace
}  // namespace mica
