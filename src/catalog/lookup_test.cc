// What a look-up by key reads: only files whose key range may hold it are opened (M-0521).
#include <gtest/gtest.h>

#include "catalog/scratch_table.h"
#include "io/counting_file_system.h"

namespace mica {
namespace {

class Lookup : public testing::Test {
 protected:
  // Sixty files of a hundred keys: k runs through, p is k / 1000.
  void SetUp() override {
    ScratchCatalog scratch(fs_);
    TablePtr table = scratch.Create(
        {Column("p", DataType::Int()), Column("k", DataType::Int()), Column("v", DataType::String())}, {}, {"p", "k"},
        {{"bucket", "1"}, {"write-only", "true"}});
    for (int64_t file = 0; file < 60; ++file) {
      Rows rows;
      for (int64_t k = file * 100; k < file * 100 + 100; ++k) rows.push_back({Number(k / 1000), Number(k), Text("v")});
      Insert(table, rows);
    }
  }

  // Data files that a scan opens, and the rows that it gives.
  std::pair<size_t, size_t> Opens(std::vector<PredicatePtr> parts) {
    auto counting = std::make_shared<CountingFileSystem>(fs_);
    ScratchCatalog scratch(counting);
    const size_t rows = Scan(*scratch.Get(), Predicate::And(std::move(parts))).rows.size();
    size_t files = 0;
    for (const auto& [path, counts] : counting->CountsByPath()) {
      files += path.find("/data-") != std::string::npos && counts.opens > 0 ? 1 : 0;
    }
    return {files, rows};
  }

  static PredicatePtr Is(PredicateOp op, const std::string& column, int64_t value) {
    return Predicate::Compare(op, column, DataType::Int(), Number(value));
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

using Opened = std::pair<size_t, size_t>;

TEST_F(Lookup, OfAKeyOpensOneFile) {
  EXPECT_EQ(Opens({Is(PredicateOp::kEqual, "p", 3), Is(PredicateOp::kEqual, "k", 3456)}), Opened(1, 1));
  EXPECT_EQ(Opens({Is(PredicateOp::kEqual, "p", 2), Is(PredicateOp::kEqual, "k", 3456)}), Opened(0, 0));
}

TEST_F(Lookup, OfAPrefixOpensItsFiles) {
  EXPECT_EQ(Opens({Is(PredicateOp::kEqual, "p", 3)}), Opened(10, 1000));
  EXPECT_EQ(Opens({Is(PredicateOp::kEqual, "p", 3), Is(PredicateOp::kGreater, "k", 3850), Is(PredicateOp::kLess, "k", 3950)}),
            Opened(2, 99));
}

}  // namespace
}  // namespace mica
