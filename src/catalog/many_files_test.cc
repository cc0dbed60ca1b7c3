// What a table of very many files costs (P-70): appending reads none of them, a plan and a drop of one partition open only
// manifests that can have it, manifests keep to their size.
#include <gtest/gtest.h>

#include "catalog/scratch_table.h"
#include "io/counting_file_system.h"
#include "types/binary_row.h"

namespace mica {
namespace {

constexpr int64_t kDays = 2000, kFilesADay = 40, kDaysACommit = 100;
constexpr int64_t kManifestBytes = 1 << 20;

class ManyFiles : public testing::Test {
 protected:
  void Make(Options options) {
    options["manifest.target-file-size"] = "1 mb";
    table_ = scratch_.Create({Column("k", DataType::Int()), Column("day", DataType::Int())}, {"day"}, {}, options);
    Insert(table_, {{Number(1), Number(0)}});
    const Split model = PlanScan(*table_, {.snapshot = ResolveSnapshot(*table_, {}).snapshot}).splits.at(0);
    for (int64_t first = 0; first < kDays; first += kDaysACommit) {
      std::vector<CommitMessage> messages;
      for (int64_t day = first; day < first + kDaysACommit; ++day) {
        CommitMessage message{.partition = Partition(day), .bucket = model.bucket, .total_buckets = model.total_buckets};
        for (int64_t i = 0; i < kFilesADay; ++i) {
          DataFileMeta file = model.files[0];
          file.file_name = fmt::format("data-{:08x}-0000-4000-8000-{:012x}-{}.parquet", day * 2654435761, day, i);
          message.data.new_files.push_back(std::move(file));
        }
        messages.push_back(std::move(message));
      }
      CommitRows(table_, messages);
    }
    counting_->Reset();
  }

  std::string Partition(int64_t day) const {
    const Row values = {Number(day)};
    return BinaryRow::Of(values, table_->partition_types()).Serialize();
  }

  // Manifests that were opened since the last call.
  size_t Opened() {
    size_t opened = 0;
    for (const auto& [path, counts] : counting_->CountsByPath()) {
      if (path.find("/manifest/manifest-") == std::string::npos || path.find("-list-") != std::string::npos) continue;
      opened += counts.opens > 0;
    }
    counting_->Reset();
    return opened;
  }

  std::shared_ptr<CountingFileSystem> counting_ =
      std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
  ScratchCatalog scratch_{counting_};
  TablePtr table_;
};

TEST_F(ManyFiles, CostOnlyWhatTheyAreAskedFor) {
  Make({});
  const TablePtr table = scratch_.Get();  // no manifest is known from before
  size_t manifests = 0, too_large = 0;
  for (const FileStatus& file : counting_->List(table->root() + "/manifest")) {
    if (file.path.find("/manifest-list-") != std::string::npos) continue;
    ++manifests;
    too_large += file.size > 3 * kManifestBytes / 2;
  }
  ASSERT_GE(manifests, 8u);
  EXPECT_EQ(too_large, 0u);

  const PredicatePtr day = Predicate::Compare(PredicateOp::kEqual, "day", DataType::Int(), Number(777));
  const ScanPlan plan = PlanScan(*table, {.snapshot = ResolveSnapshot(*table, {}).snapshot, .predicate = day});
  EXPECT_EQ(plan.counts.files_kept, kFilesADay);
  EXPECT_LE(Opened(), 2u);

  auto messages = WriteRows(table, {{Number(2), Number(5)}});
  counting_->Reset();
  CommitRows(table, messages);
  EXPECT_EQ(Opened(), 0u);

  TableCommit(table, {}).Overwrite({.partition = {{"day", Number(777)}}}, {});
  EXPECT_LE(Opened(), 2u);
  const auto left = PlanScan(*table, {.snapshot = ResolveSnapshot(*table, {}).snapshot}).counts.files_kept;
  EXPECT_EQ(left, 1 + 1 + (kDays - 1) * kFilesADay);

  // A partition without a value.
  Insert(table, {{Number(3), Value()}, {Number(4), Number(6)}});
  const auto files = [&] {
    return PlanScan(*table, {.snapshot = ResolveSnapshot(*table, {}).snapshot}).counts.files_kept;
  };
  EXPECT_EQ(files(), left + 2);
  Replace(table, {.dynamic = true}, {{Number(5), Value()}});
  EXPECT_EQ(files(), left + 2);
  counting_->Reset();
  TableCommit(table, {}).DropPartitions({{{"day", Value()}}, {{"day", Number(6)}}});
  EXPECT_LE(Opened(), 4u);
  EXPECT_EQ(files(), left + 2 - 1 - 1 - kFilesADay);
}

// New rows come after those of their buckets, whose partitions alone are looked at.
TEST_F(ManyFiles, AreNotReadByWritersOfOnePartition) {
  Make({{"bucket", "1"}, {"bucket-key", "k"}});
  const TablePtr table = scratch_.Get();
  auto messages = WriteRows(table, {{Number(2), Number(5)}, {Number(3), Number(5)}});
  EXPECT_LE(Opened(), 2u);
  ASSERT_EQ(messages.size(), 1u);
  // The fixture's first file of day 5 has the number 0, as all its files have.
  EXPECT_EQ(messages[0].data.new_files.at(0).min_sequence_number, 1);
  CommitRows(table, messages);

  // A partition that comes later has its files looked up too.
  auto writer = TableWrite::Create(table, {});
  writer->Write(ToBatch(table->schema().fields, {{Number(4), Number(5)}}));
  writer->Write(ToBatch(table->schema().fields, {{Number(4), Number(6)}}));
  messages = writer->PrepareCommit();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].data.new_files.at(0).min_sequence_number, 3);
  EXPECT_EQ(messages[1].data.new_files.at(0).min_sequence_number, 1);
}

}  // namespace
}  // namespace mica
