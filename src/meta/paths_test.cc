#include "meta/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace mica {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;

TableSchema Schema(Options options = {}, bool partitioned = true) {
  TableSchema schema;
  schema.fields = {{0, "k", DataType::Int()}, {1, "dt", DataType::String()}};
  if (partitioned) schema.partition_keys = {"dt"};
  schema.options = std::move(options);
  return schema;
}

std::string Partition(const std::string& text) {
  std::vector<Value> values = {Value(text)};
  std::vector<DataType> types = {DataType::String()};
  return BinaryRow::Of(values, types).Serialize();
}

TEST(TablePaths, LeadsToBuckets) {
  TablePaths paths("/w/db.db/t", Schema());
  EXPECT_EQ(paths.BucketPath(Partition("a/b"), 3), "/w/db.db/t/dt=a%2Fb/bucket-3");
  EXPECT_EQ(paths.BucketPath(Partition(" "), -2), "/w/db.db/t/dt=__DEFAULT_PARTITION__/bucket-postpone");
  EXPECT_EQ(paths.DataRoot(), "/w/db.db/t");
  TablePaths plain("/t", Schema({{"data-file.path-directory", "data/files/"}}, false));
  EXPECT_EQ(plain.BucketPath(BinaryRow().Serialize(), 0), "/t/data/files/bucket-0");
  EXPECT_EQ(plain.DataRoot(), "/t/data/files");
  TablePaths named("/t", Schema({{"partition.default-name", "none"}}));
  EXPECT_EQ(named.PartitionFolder(Partition("")), "dt=none/");
}

TEST(TablePaths, FollowsExternalPaths) {
  TablePaths paths("/t", Schema());
  DataFileMeta file;
  file.file_name = "data-1.parquet";
  file.extra_files = {"data-1.parquet.index"};
  EXPECT_THAT(paths.DataFilePaths(Partition("a"), 0, file),
              ElementsAre("/t/dt=a/bucket-0/data-1.parquet", "/t/dt=a/bucket-0/data-1.parquet.index"));
  file.external_path = "s3://x/y/data-1.parquet";
  EXPECT_THAT(paths.DataFilePaths(Partition("a"), 0, file),
              ElementsAre("s3://x/y/data-1.parquet", "s3://x/y/data-1.parquet.index"));
}

TEST(TablePaths, PutsIndexFilesWhereTheOptionSays) {
  IndexManifestEntry entry;
  entry.partition = Partition("a");
  entry.bucket = 1;
  entry.file_name = "index-0";
  EXPECT_EQ(TablePaths("/t", Schema()).IndexFilePath(entry), "/t/index/index-0");
  TablePaths beside("/t", Schema({{"index-file-in-data-file-dir", "true"}}));
  EXPECT_EQ(beside.IndexFilePath(entry), "/t/dt=a/bucket-1/index-0");
  entry.external_path = "/x/index-0";
  EXPECT_EQ(beside.IndexFilePath(entry), "/x/index-0");
}

TEST(TablePaths, DoesNotLeaveTheTable) {
  TablePaths paths("/t", Schema());
  DataFileMeta file;
  for (const char* name : {"../x", "", "..", "a/b"}) {
    file.file_name = name;
    EXPECT_THROW(paths.DataFilePath(Partition("a"), 0, file), Error) << name;
  }
}

TEST(DataFileNamer, CountsAndAddsTheExtension) {
  DataFileNamer plain(Schema());
  std::string first = plain.NextDataFile("parquet", "zstd"), second = plain.NextChangelogFile("ORC", "none");
  EXPECT_EQ(first, "data-" + plain.uuid() + "-0.parquet");
  EXPECT_EQ(second, "changelog-" + plain.uuid() + "-1.orc");
  DataFileNamer prefixed(Schema({{"data-file.prefix", "d_"}, {"file.suffix.include.compression", "true"}}));
  EXPECT_EQ(prefixed.NextDataFile("parquet", "ZSTD"), "d_" + prefixed.uuid() + "-0.zst.parquet");
  EXPECT_EQ(prefixed.NextDataFile("parquet", "none"), "d_" + prefixed.uuid() + "-1.parquet");
}

// Format 1.2.
TEST(DataFileExtension, PutsTheCompressionWhereReadersLook) {
  EXPECT_EQ(DataFileExtension("parquet", "zstd", false), ".parquet");
  EXPECT_EQ(DataFileExtension("parquet", "zstd", true), ".zst.parquet");
  EXPECT_EQ(DataFileExtension("parquet", "gzip", true), ".gz.parquet");
  EXPECT_EQ(DataFileExtension("parquet", "uncompressed", true), ".uncompressed.parquet");
  EXPECT_EQ(DataFileExtension("parquet", "none", true), ".parquet");
  EXPECT_EQ(DataFileExtension("csv", "zstd", false), ".csv.zst");
}

TEST(IndexFileNamer, Counts) {
  IndexFileNamer namer;
  EXPECT_THAT(namer.Next(), MatchesRegex("index-[0-9a-f-]{36}-0"));
  EXPECT_THAT(namer.Next(), MatchesRegex("index-[0-9a-f-]{36}-1"));
}

}  // namespace
}  // namespace mica
