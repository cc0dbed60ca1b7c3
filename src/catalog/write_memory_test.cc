// The budget that the writers of one statement share.
#include <gtest/gtest.h>

#include "catalog/scratch_table.h"

namespace mica {
namespace {

using T = DataType;

Rows Numbered(int64_t first, int64_t count) {
  Rows rows;
  for (int64_t i = first; i < first + count; ++i) {
    rows.push_back({Number(i % 7), Number(i), Text(std::string(100, static_cast<char>('a' + i % 26)))});
  }
  return rows;
}

void ExpectShared(const Options& options, std::vector<std::string> keys) {
  ScratchCatalog scratch;
  const std::vector<DataField> fields = {Column("p", T::Int().WithNullable(false)),
                                         Column("k", T::BigInt().WithNullable(false)), Column("t", T::String())};
  TablePtr table = scratch.Create(fields, {"p"}, std::move(keys), options);
  auto memory = std::make_shared<WriteMemory>(256 << 10);
  Rows all;
  std::vector<CommitMessage> messages;
  {
    WriteSettings settings;
    settings.memory = memory;
    auto one = TableWrite::Create(table, settings);
    auto other = TableWrite::Create(table, settings);
    for (int64_t round = 0; round < 12; ++round) {
      for (auto* write : {one.get(), other.get()}) {
        Rows rows = Numbered(static_cast<int64_t>(all.size()), 300);
        write->Write(ToBatch(table->schema().fields, rows));
        all.insert(all.end(), rows.begin(), rows.end());
        EXPECT_LE(memory->used(), memory->limit()) << round;
      }
      EXPECT_GT(memory->used(), 0);
    }
    messages = one->PrepareCommit();
    for (CommitMessage& message : other->PrepareCommit()) messages.push_back(std::move(message));
  }
  EXPECT_EQ(memory->used(), 0);
  CommitRows(table, messages);
  EXPECT_EQ(Scan(*scratch.Get()).rows, RowTexts(all, fields));
}

TEST(WriteMemory, WritersOfAppendTablesStayWithinTheirBudgetTogether) {
  ExpectShared({}, {});
}

TEST(WriteMemory, WritersOfKeyTablesStayWithinTheirBudgetTogether) {
  ExpectShared({{"bucket", "2"}, {"write-only", "true"}}, {"p", "k"});
}

}  // namespace
}  // namespace mica
