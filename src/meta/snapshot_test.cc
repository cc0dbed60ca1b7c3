#include "meta/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "io/memory_file_system.h"
#include "meta/golden.h"
#include "meta/versioned_folder.h"

namespace mica {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ErrorKind KindOf(const std::function<void()>& action, std::string* text = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    if (text) *text = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "no error";
  return ErrorKind::kInternal;
}

// What Paimon 1.3.1 writes beyond later versions (Format 3.1).
std::string WithoutOldKeys(std::string text) {
  for (const char* line : {"  \"logOffsets\" : { },\n", "  \"changelogManifestList\" : null,\n"}) {
    if (size_t at = text.find(line); at != std::string::npos) text.erase(at, std::string_view(line).size());
  }
  return text;
}

TEST(Snapshot, WritesTheBytesThatItRead) {
  size_t count = 0;
  for (const std::string& path : GoldenAndFixtures("snapshot-", "snapshot")) {
    std::string text = ReadLocalFile(path);
    EXPECT_EQ(Snapshot::FromJson(text, path).ToJson(), WithoutOldKeys(text)) << path;
    ++count;
  }
  EXPECT_GE(count, 3u);
}

TEST(Tag, WritesTheBytesThatItRead) {
  size_t count = 0;
  for (const std::string& path : GoldenAndFixtures("tag-", "tag")) {
    std::string text = ReadLocalFile(path);
    EXPECT_EQ(Tag::FromJson(text, path).ToJson(), WithoutOldKeys(text)) << path;
    ++count;
  }
  EXPECT_GE(count, 2u);
}

TEST(Tag, ReadsTimesInEveryForm) {
  std::string plain = Golden("tag-plain");
  plain.erase(plain.size() - 2);
  auto parse = [&](const std::string& created, const std::string& retained) {
    return Tag::FromJson(plain + ",\"tagCreateTime\":" + created + ",\"tagTimeRetained\":" + retained + "}", "t");
  };
  Tag tag = parse("[1969, 1, 1, 0, 0, 0, 123456789]", "5.000000000");
  EXPECT_EQ(tag.create_time_local_nanos, -365LL * 86400 * 1000000000 + 123456789);
  EXPECT_EQ(tag.time_retained_nanos, 5000000000);
  EXPECT_THAT(
      tag.ToJson(),
      HasSubstr("\"tagCreateTime\" : [ 1969, 1, 1, 0, 0, 0, 123456789 ],\n  \"tagTimeRetained\" : 5.000000000\n}"));
  EXPECT_THAT(parse("[2024,1,2,3,4]", "1").ToJson(), HasSubstr("[ 2024, 1, 2, 3, 4 ]"));
  EXPECT_THAT(parse("[2024,1,2,3,4,5]", "1").ToJson(), HasSubstr("[ 2024, 1, 2, 3, 4, 5 ]"));
  EXPECT_EQ(parse("\"2024-01-02T03:04:05.5\"", "\"PT24H\""), parse("[2024,1,2,3,4,5,500000000]", "86400"));
  EXPECT_EQ(parse("[2024,1,2,3,4]", "\"P1DT2H3M4.5S\"").time_retained_nanos, 93784500000000);
  for (const char* bad : {"[2024,13,2,3,4]", "[2024,2,30,3,4]", "[2024]", "\"x\"", "7", "[2024,1,2,3,\"4\"]"}) {
    EXPECT_EQ(KindOf([&] { parse(bad, "1"); }), ErrorKind::kCorrupt) << bad;
  }
  for (const char* bad : {"\"24H\"", "\"P\"", "\"PT\"", "[]", "1e300", "99999999999"}) {
    EXPECT_EQ(KindOf([&] { parse("[2024,1,2,3,4]", bad); }), ErrorKind::kCorrupt) << bad;
  }
}

TEST(Snapshot, SurvivesEveryCutAndFlip) {
  for (const char* name : {"snapshot-with-index", "snapshot-with-changelog", "tag-with-retention"}) {
    std::string text = Golden(name);
    for (size_t i = 0; i < text.size(); ++i) {
      EXPECT_EQ(KindOf([&] { Tag::FromJson(text.substr(0, i), "s"); }), ErrorKind::kCorrupt);
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x11);
      try {
        Tag::FromJson(flipped, "s").ToJson();
      } catch (const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kUnsupported) << error.what();
      }
    }
  }
}

TEST(Snapshot, RefusesNewerVersions) {
  std::string text = Golden("snapshot-with-index");
  text.replace(text.find("\"version\" : 3"), 13, "\"version\" : 4");
  std::string message;
  EXPECT_EQ(KindOf([&] { Snapshot::FromJson(text, "snapshot-1"); }, &message), ErrorKind::kUnsupported);
  EXPECT_THAT(message, HasSubstr("snapshot-1"));
}

class SnapshotStoreTest : public testing::Test {
 protected:
  void Put(int64_t id, int64_t time_millis) {
    Snapshot snapshot;
    snapshot.id = id;
    snapshot.time_millis = time_millis;
    snapshot.base_manifest_list = "b";
    snapshot.delta_manifest_list = "d";
    snapshot.commit_user = "u";
    fs_->ReplaceAtomically(store_.PathOf(id), snapshot.ToJson());
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  int waits_ = 0;
  std::function<void()> on_wait_ = [] {};
  SnapshotStore store_{fs_, "/t", [this](int64_t) {
                         ++waits_;
                         on_wait_();
                       }};
};

TEST_F(SnapshotStoreTest, FindsTheLatestAndEarliestWithoutHints) {
  EXPECT_FALSE(store_.Latest().has_value());
  EXPECT_FALSE(store_.EarliestId().has_value());
  for (int64_t id : {3, 4, 10}) Put(id, id);
  fs_->ReplaceAtomically("/t/snapshot/snapshot-11.tmp", "x");
  fs_->ReplaceAtomically("/t/snapshot/.snapshot-12.abc.tmp", "x");
  EXPECT_EQ(store_.LatestId(), 10);
  EXPECT_EQ(store_.EarliestId(), 3);
  EXPECT_THAT(store_.Ids(), ElementsAre(3, 4, 10));
}

TEST_F(SnapshotStoreTest, DoesNotTrustHints) {
  for (int64_t id : {1, 2, 3}) Put(id, id);
  for (const char* hint : {"2", "7", "-1", "0", "", "abc", "9223372036854775807"}) {
    fs_->ReplaceAtomically("/t/snapshot/LATEST", hint);
    fs_->ReplaceAtomically("/t/snapshot/EARLIEST", hint[0] == '2' ? "9" : hint);
    EXPECT_EQ(store_.LatestId(), 3) << hint;
    EXPECT_EQ(store_.EarliestId(), 1) << hint;
    EXPECT_EQ(store_.Latest()->id, 3) << hint;
  }
  store_.WriteLatestHint(3);
  EXPECT_EQ(fs_->ReadFile("/t/snapshot/LATEST"), "3");
  EXPECT_EQ(store_.LatestId(), 3);
}

TEST_F(SnapshotStoreTest, SeesAnIdThatWasGivenAgainAfterARollback) {
  Put(1, 100);
  EXPECT_EQ(store_.Get(1).time_millis, 100);
  Put(1, 200);
  EXPECT_EQ(store_.Get(1).time_millis, 200);
}

TEST_F(SnapshotStoreTest, NamesTheRangeThatExists) {
  std::string text;
  EXPECT_EQ(KindOf([&] { store_.Get(1); }, &text), ErrorKind::kNotFound);
  EXPECT_THAT(text, HasSubstr("no snapshot"));
  for (int64_t id : {3, 4}) Put(id, id);
  EXPECT_EQ(KindOf([&] { store_.Get(9); }, &text), ErrorKind::kNotFound);
  EXPECT_THAT(text, HasSubstr("from '3' to '4'"));
}

// P-50.
TEST_F(SnapshotStoreTest, TravelsToAMoment) {
  std::string text;
  EXPECT_EQ(KindOf([&] { store_.AtTime(5); }, &text), ErrorKind::kNotFound);
  EXPECT_THAT(text, HasSubstr("no snapshot"));
  Put(1, 1000);
  Put(2, 2000);
  EXPECT_EQ(KindOf([&] { store_.AtTime(999); }, &text), ErrorKind::kNotFound);
  EXPECT_THAT(text, HasSubstr("no snapshot earlier than or equal to timestamp '999' (1970-01-01T00:00:00.999Z)"));
  EXPECT_EQ(store_.AtTime(1000).id, 1);
  EXPECT_EQ(store_.AtTime(1500).id, 1);
  EXPECT_EQ(store_.AtTime(2000).id, 2);
  EXPECT_EQ(store_.AtTime(INT64_MAX).id, 2);
  EXPECT_EQ(KindOf([&] { store_.AtTime(INT64_MIN); }), ErrorKind::kNotFound);
}

// P-53.
TEST_F(SnapshotStoreTest, TravelsOverHolesInTheSequence) {
  for (int64_t id = 1; id <= 40; ++id) {
    if (id < 5 || id > 20) Put(id, id * 10);
  }
  for (int64_t time = 10; time <= 410; ++time) {
    int64_t expected = std::min<int64_t>(time / 10, 40);
    if (expected >= 5 && expected <= 20) expected = 4;
    EXPECT_EQ(store_.AtTime(time).id, expected) << time;
  }
}

TEST_F(SnapshotStoreTest, WaitsForAHalfWrittenFile) {
  Put(1, 1);
  std::string whole = fs_->ReadFile(store_.PathOf(1));
  fs_->ReplaceAtomically(store_.PathOf(1), whole.substr(0, 40));
  on_wait_ = [&] {
    if (waits_ == 3) fs_->ReplaceAtomically(store_.PathOf(1), whole);
  };
  EXPECT_EQ(store_.Get(1).id, 1);
  EXPECT_EQ(waits_, 3);
}

TEST_F(SnapshotStoreTest, GivesUpOnAHalfWrittenFile) {
  fs_->ReplaceAtomically(store_.PathOf(1), "{ \"version\" : 3");
  std::string text;
  EXPECT_EQ(KindOf([&] { store_.Get(1); }, &text), ErrorKind::kCorrupt);
  EXPECT_THAT(text, HasSubstr("snapshot-1"));
  EXPECT_THAT(text, HasSubstr("10 times"));
  EXPECT_EQ(waits_, kReadTries - 1);
}

TEST_F(SnapshotStoreTest, FindsTags) {
  EXPECT_THAT(store_.TagNames(), ElementsAre());
  fs_->ReplaceAtomically(store_.TagPath("v2"), Golden("tag-plain"));
  fs_->ReplaceAtomically(store_.TagPath("keeps"), Golden("tag-with-retention"));
  fs_->ReplaceAtomically("/t/tag/tag-success-file/v2_SUCCESS", "");
  EXPECT_THAT(store_.TagNames(), ElementsAre("keeps", "v2"));
  EXPECT_EQ(store_.GetTag("keeps").time_retained_nanos, 31536000LL * 1000000000);
  EXPECT_FALSE(store_.FindTag("../snapshot/snapshot-1").has_value());
  EXPECT_FALSE(store_.FindTag(" ").has_value());
  std::string text;
  EXPECT_EQ(KindOf([&] { store_.GetTag("keep"); }, &text), ErrorKind::kNotFound);
  EXPECT_THAT(text, HasSubstr("Did you mean 'keeps'?"));
}

}  // namespace
}  // namespace mica
