// Streams of a stripe as Java lays them out.
#include <fstream>
#include <sstream>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "format/data_file.h"
#include "io/memory_file_system.h"

namespace mica {
namespace {

// A row whose inner row is NULL: its columns have empty streams, which begin where other streams begin.
TEST(OrcStripeTest, EmptyStreamsMoveNoOther) {
  std::ifstream in(std::string(MICA_SOURCE_DIR) + "/tests/golden/format/empty-streams.orc", std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  MemoryFileSystem fs;
  fs.ReplaceAtomically("/f.orc", text.str());

  const DataType inner = DataType::Row({{8, "f0", DataType::Char(8)},
                                        {9, "f1", DataType::Char(8)},
                                        {10, "f2", DataType::Decimal(18, 9)},
                                        {11, "f3", DataType(TypeRoot::kTime, true, 3)}});
  DataFileReadOptions options;
  options.fields = {{1, "plain", DataType(TypeRoot::kSmallInt)},
                    {2, "日本", DataType(TypeRoot::kTime, true, 3)},
                    {4, "select", DataType::Row({{5, "f0", DataType::Int()},
                                                 {6, "f1", DataType::Varchar(1)},
                                                 {7, "f2", DataType(TypeRoot::kFloat)},
                                                 {12, "f3", inner}})},
                    {13, "Upper", DataType(TypeRoot::kTime, true, 3)}};
  auto batch = OpenDataFile(fs, "/f.orc", std::nullopt, options)->Next();
  ASSERT_EQ(batch->num_rows(), 1);
  EXPECT_EQ(batch->column(0)->GetScalar(0).ValueOrDie()->ToString(), "0");
  EXPECT_EQ(batch->column(1)->GetScalar(0).ValueOrDie()->ToString(), "22:25:27.813");
  EXPECT_EQ(batch->column(3)->GetScalar(0).ValueOrDie()->ToString(), "21:50:51.388");
  const auto& select = static_cast<const arrow::StructArray&>(*batch->column(2));
  EXPECT_EQ(select.field(0)->GetScalar(0).ValueOrDie()->ToString(), "2147483647");
  EXPECT_TRUE(select.field(3)->IsNull(0));
}

}  // namespace
}  // namespace mica
