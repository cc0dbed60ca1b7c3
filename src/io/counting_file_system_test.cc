#include "io/counting_file_system.h"

#include <gtest/gtest.h>

#include "base/arrow.h"
#include "io/memory_file_system.h"

namespace mica {
namespace {

TEST(CountingFileSystem, CountsByPathPattern) {
  CountingFileSystem fs(std::make_shared<MemoryFileSystem>());
  fs.CreateAtomically("/t/snapshot/snapshot-1", "abc");
  auto out = fs.OpenOutput("/t/bucket-0/data-1");
  Check(out->Write("0123456789"));
  Check(out->Write("01234"));
  Check(out->Close());
  fs.Reset();
  auto in = fs.OpenInput("/t/bucket-0/data-1", 15);
  Take(in->ReadAt(0, 4));
  Take(in->ReadAt(12, 10));
  fs.ReadFile("/t/snapshot/snapshot-1");
  fs.List("/t/bucket-0");
  fs.Stat("/t/none");

  EXPECT_EQ(fs.Counts("*/bucket-*/data-*").opens, 1);
  EXPECT_EQ(fs.Counts("*/bucket-*/data-*").reads, 2);
  EXPECT_EQ(fs.Counts("*/bucket-*/data-*").bytes_read, 7);
  EXPECT_EQ(fs.Counts("*snapshot*").bytes_read, 3);
  EXPECT_EQ(fs.Counts("*/bucket-0").lists, 1);
  EXPECT_EQ(fs.Counts().opens, 2);
  EXPECT_EQ(fs.Counts().stats, 1);
  EXPECT_EQ(fs.Counts().writes, 0);
  EXPECT_EQ(fs.Counts().calls(), 2 + 3 + 1 + 1);
}

TEST(CountingFileSystem, CountsWrites) {
  CountingFileSystem fs(std::make_shared<MemoryFileSystem>());
  auto out = fs.OpenOutput("/t/a");
  Check(out->Write("0123456789"));
  fs.ReplaceAtomically("/t/b", "xyz");
  fs.Rename("/t/b", "/t/c");
  fs.DeleteFile("/t/c");
  IoCounts counts = fs.Counts();
  EXPECT_EQ(counts.outputs, 1);
  EXPECT_EQ(counts.writes, 1);
  EXPECT_EQ(counts.bytes_written, 13);
  EXPECT_EQ(counts.publishes, 1);
  EXPECT_EQ(counts.renames, 1);
  EXPECT_EQ(counts.deletes, 1);
  EXPECT_EQ(fs.CountsByPath().at("/t/c").deletes, 1);
}

}  // namespace
}  // namespace mica
