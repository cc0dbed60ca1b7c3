#include "table/parcel.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "base/mutations.h"
#include "types/binary_row.h"

namespace mica {
namespace {

DataFileMeta File(const std::string& name) {
  DataFileMeta file;
  file.file_name = name;
  file.file_size = 1234;
  file.row_count = 56;
  file.min_key = file.max_key = BinaryRow().Serialize();
  file.key_stats = file.value_stats = SimpleStats::Empty();
  file.level = 3;
  file.creation_time_millis = 1'700'000'000'000;
  file.file_source = FileSource::kCompact;
  file.value_stats_cols = std::vector<std::string>{"a", "b"};
  file.write_cols = std::vector<std::string>{"a"};
  return file;
}

Split SomeSplit() {
  return {.snapshot_id = 7,
          .partition = BinaryRow().Serialize(),
          .bucket = 2,
          .total_buckets = 4,
          .files = {File("one"), File("two")},
          .raw_convertible = false};
}

CommitMessage SomeMessage() {
  CommitMessage message{.partition = BinaryRow().Serialize(), .bucket = -1, .total_buckets = 5};
  message.data.new_files = {File("new")};
  message.data.new_index_files = {{.partition = message.partition, .index_type = "HASH", .file_name = "index-1"}};
  message.compact.deleted_files = {File("before"), File("before too")};
  message.compact.new_files = {File("after")};
  message.base_hash_files = std::vector<std::string>{"index-0"};
  message.located_in = 7;
  return message;
}

TEST(ParcelTest, SplitsComeBack) {
  const Split split = SomeSplit();
  const Split back = DeserializeSplit(Serialize(split));
  EXPECT_EQ(back.snapshot_id, split.snapshot_id);
  EXPECT_EQ(back.partition, split.partition);
  EXPECT_EQ(back.bucket, split.bucket);
  EXPECT_EQ(back.total_buckets, split.total_buckets);
  EXPECT_EQ(back.raw_convertible, split.raw_convertible);
  EXPECT_EQ(std::vector<DataFileMeta>(back.files), std::vector<DataFileMeta>(split.files));
}

TEST(ParcelTest, CommitMessagesComeBack) {
  const CommitMessage message = SomeMessage();
  const CommitMessage back = DeserializeCommitMessage(Serialize(message));
  EXPECT_EQ(back.partition, message.partition);
  EXPECT_EQ(back.bucket, message.bucket);
  EXPECT_EQ(back.total_buckets, message.total_buckets);
  EXPECT_EQ(back.data.new_files, message.data.new_files);
  EXPECT_EQ(back.data.new_index_files, message.data.new_index_files);
  EXPECT_TRUE(back.data.changelog_files.empty());
  EXPECT_EQ(back.compact.deleted_files, message.compact.deleted_files);
  EXPECT_EQ(back.compact.new_files, message.compact.new_files);
  EXPECT_EQ(back.base_hash_files, message.base_hash_files);
  EXPECT_EQ(back.located_in, message.located_in);
  EXPECT_FALSE(DeserializeCommitMessage(Serialize(CommitMessage())).base_hash_files);
  EXPECT_FALSE(DeserializeCommitMessage(Serialize(CommitMessage())).located_in);
}

TEST(ParcelTest, OtherBytesAreRefused) {
  std::string bytes = Serialize(SomeSplit());
  EXPECT_ERROR(DeserializeCommitMessage(bytes), Corrupt, "micaCMIT");
  EXPECT_ERROR(DeserializeSplit(bytes + "x"), Corrupt, "behind their end");
  EXPECT_ERROR(DeserializeSplit(""), Corrupt, "micaSPLT");
  bytes[8] = 9;
  EXPECT_ERROR(DeserializeSplit(bytes), Unsupported, "version '9'");
}

TEST(DamagedParcelTest, IsAnError) {
  Mutations mutations;
  const std::string split = Serialize(SomeSplit()), message = Serialize(SomeMessage());
  for (int i = 0; i < Mutations::Rounds(1000); ++i) {
    const std::string damaged_split = mutations.Of(split), damaged_message = mutations.Of(message);
    Mutations::ExpectErrorOrValue([&] { DeserializeSplit(damaged_split); });
    Mutations::ExpectErrorOrValue([&] { DeserializeCommitMessage(damaged_message); });
  }
}

}  // namespace
}  // namespace mica
