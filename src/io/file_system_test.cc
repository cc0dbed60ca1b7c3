// What holds for every file system, run over the local disk (both ways of publishing), memory and the wrappers.
#include "io/file_system.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <arrow/util/future.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "io/counting_file_system.h"
#include "io/faulty_file_system.h"
#include "io/local_file_system.h"
#include "io/memory_file_system.h"
#include "io/temporary_folder.h"

namespace mica {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

template <typename F>
Error ErrorOf(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::kInternal, "no error");
}

#define EXPECT_ERROR(statement, kind_name, text)        \
  do {                                                  \
    Error error = ErrorOf([&] { statement; });          \
    EXPECT_EQ(error.kind(), ErrorKind::k##kind_name) << error.what(); \
    EXPECT_THAT(error.what(), HasSubstr(text));         \
  } while (false)

void Write(FileSystem& fs, const std::string& path, std::string_view content) {
  auto out = fs.OpenOutput(path);
  Check(out->Write(content));
  Check(out->Close());
}


class EveryFileSystem : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string kind = GetParam();
    root_ = kind == "memory" ? "memory:/root" : kind == "local_uri" ? "file://" + folder_.path() : folder_.path();
    if (kind == "memory") fs_ = std::make_shared<MemoryFileSystem>();
    else if (kind == "local_link") fs_ = std::make_shared<LocalFileSystem>(LocalFileSystem::Publish::kLink);
    else fs_ = std::make_shared<LocalFileSystem>();
    if (kind == "wrapped") {
      fs_ = std::make_shared<CountingFileSystem>(std::make_shared<FaultyFileSystem>(fs_, Fault{}));
    }
  }
  std::string At(const std::string& name) { return JoinPath(root_, name); }
  std::set<std::string> Names(const std::string& folder) {
    std::set<std::string> names;
    for (const FileStatus& status : fs_->List(folder)) names.insert(BaseName(status.path));
    return names;
  }

  TemporaryFolder folder_;
  std::string root_;
  FileSystemPtr fs_;
};

INSTANTIATE_TEST_SUITE_P(All, EveryFileSystem, testing::Values("local", "local_link", "local_uri", "memory", "wrapped"),
                         [](const auto& info) { return info.param; });

TEST_P(EveryFileSystem, WritesMakeParentFoldersAndReadBack) {
  Write(*fs_, At("a/b/c"), "hello");
  EXPECT_EQ(fs_->ReadFile(At("a/b/c")), "hello");
  Write(*fs_, At("a/b/c"), "new");
  EXPECT_EQ(fs_->ReadFile(At("a/b/c")), "new");
  EXPECT_EQ(fs_->Stat(At("a/b/c"))->size, 3);
  EXPECT_FALSE(fs_->Stat(At("a/b/c"))->is_directory);
  EXPECT_TRUE(fs_->Stat(At("a/b"))->is_directory);
  EXPECT_FALSE(fs_->Exists(At("a/x")));
  EXPECT_FALSE(fs_->Exists(At("a/b/c/below-a-file")));
}

TEST_P(EveryFileSystem, LargeAndSmallWritesKeepTheirOrder) {
  auto out = fs_->OpenOutput(At("mixed"));
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    std::string piece(static_cast<size_t>(i * i * 7 % 90000), static_cast<char>('a' + i % 26));
    Check(out->Write(piece));
    expected += piece;
    EXPECT_EQ(Take(out->Tell()), static_cast<int64_t>(expected.size()));
  }
  Check(out->Close());
  EXPECT_TRUE(out->closed());
  Check(out->Close());
  EXPECT_EQ(fs_->ReadFile(At("mixed")), expected);
}

TEST_P(EveryFileSystem, ReadsAtPositionsAndStopsAtTheEnd) {
  Write(*fs_, At("f"), "0123456789");
  auto in = fs_->OpenInput(At("f"), 10);
  EXPECT_EQ(Take(in->GetSize()), 10);
  EXPECT_EQ(Take(in->ReadAt(3, 4))->ToString(), "3456");
  EXPECT_EQ(Take(in->ReadAt(8, 100))->ToString(), "89");
  EXPECT_EQ(Take(in->ReadAt(10, 5))->size(), 0);
  Check(in->Seek(2));
  EXPECT_EQ(Take(in->Read(2))->ToString(), "23");
  char bytes[4];
  EXPECT_EQ(Take(in->Read(4, bytes)), 4);
  EXPECT_EQ(std::string(bytes, 4), "4567");
  EXPECT_EQ(Take(in->Tell()), 8);
  EXPECT_EQ(Take(in->ReadAsync(5, 2).MoveResult())->ToString(), "56");
  auto many = in->ReadManyAsync({{0, 2}, {4, 3}});
  EXPECT_EQ(Take(many[1].MoveResult())->ToString(), "456");
}

TEST_P(EveryFileSystem, MissingFilesAreNamed) {
  EXPECT_ERROR(fs_->OpenInput(At("none"), std::nullopt), NotFound, At("none"));
  EXPECT_ERROR(fs_->OpenInput(At("none"), 5), NotFound, "open");
  EXPECT_ERROR(fs_->Rename(At("none"), At("other")), NotFound, At("none"));
  EXPECT_FALSE(fs_->DeleteFile(At("none")));
  EXPECT_TRUE(fs_->List(At("none")).empty());
  fs_->DeleteFolder(At("none"));
  fs_->CreateFolder(At("folder"));
  EXPECT_ERROR(fs_->OpenInput(At("folder"), std::nullopt), IoError, "directory");
}

TEST_P(EveryFileSystem, ListsDirectChildrenInTheSpellingOfTheCaller) {
  Write(*fs_, At("t/one"), "1");
  Write(*fs_, At("t/ä ö=%20#?"), "22");
  Write(*fs_, At("t/sub/deep"), "333");
  Write(*fs_, At("t2/other"), "");
  std::vector<std::string> seen;
  for (const FileStatus& status : fs_->List(At("t"))) {
    seen.push_back(status.path + (status.is_directory ? "/" : ":" + std::to_string(status.size)));
    EXPECT_TRUE(fs_->Exists(status.path));
    EXPECT_GT(status.modified_millis, 1600000000000);
  }
  EXPECT_THAT(seen, UnorderedElementsAre(At("t/one") + ":1", At("t/ä ö=%20#?") + ":2", At("t/sub") + "/"));
}

TEST_P(EveryFileSystem, DeletesFilesAndFolders) {
  Write(*fs_, At("t/a"), "1");
  Write(*fs_, At("t/sub/x/b"), "2");
  Write(*fs_, At("tt"), "3");
  EXPECT_TRUE(fs_->DeleteFile(At("t/a")));
  EXPECT_FALSE(fs_->Exists(At("t/a")));
  fs_->DeleteFolder(At("t"));
  EXPECT_FALSE(fs_->Exists(At("t")));
  EXPECT_TRUE(fs_->Exists(At("tt")));
}

TEST_P(EveryFileSystem, CreateFolderIsHappyWithOneThatExists) {
  fs_->CreateFolder(At("x/y/z"));
  fs_->CreateFolder(At("x/y/z"));
  EXPECT_TRUE(fs_->Stat(At("x/y/z"))->is_directory);
  Write(*fs_, At("file"), "");
  EXPECT_ERROR(fs_->CreateFolder(At("file")), AlreadyExists, "file");
}

TEST_P(EveryFileSystem, RenamesFilesAndFoldersButNeverOntoAnother) {
  Write(*fs_, At("t/a"), "1");
  Write(*fs_, At("t/sub/b"), "2");
  fs_->Rename(At("t"), At("new/place/u"));
  EXPECT_FALSE(fs_->Exists(At("t")));
  EXPECT_EQ(fs_->ReadFile(At("new/place/u/sub/b")), "2");
  fs_->Rename(At("new/place/u/a"), At("new/place/u/c"));
  EXPECT_EQ(fs_->ReadFile(At("new/place/u/c")), "1");
  Write(*fs_, At("target"), "keep");
  EXPECT_ERROR(fs_->Rename(At("new/place/u/c"), At("target")), AlreadyExists, "target");
  EXPECT_EQ(fs_->ReadFile(At("target")), "keep");
  fs_->CreateFolder(At("empty"));
  EXPECT_ERROR(fs_->Rename(At("new"), At("empty")), AlreadyExists, "empty");
  EXPECT_EQ(fs_->ReadFile(At("new/place/u/c")), "1");
}

TEST_P(EveryFileSystem, PublishesOnceAndLeavesNothingBeside) {
  std::string why;
  ASSERT_TRUE(fs_->CanCreateAtomically(&why));
  EXPECT_TRUE(fs_->CreateAtomically(At("snapshot/snapshot-1"), "first"));
  EXPECT_FALSE(fs_->CreateAtomically(At("snapshot/snapshot-1"), "second"));
  EXPECT_EQ(fs_->ReadFile(At("snapshot/snapshot-1")), "first");
  EXPECT_EQ(Names(At("snapshot")), std::set<std::string>{"snapshot-1"});
}

TEST_P(EveryFileSystem, ReplacesAtomically) {
  fs_->ReplaceAtomically(At("hints/LATEST"), "1");
  fs_->ReplaceAtomically(At("hints/LATEST"), "22");
  EXPECT_EQ(fs_->ReadFile(At("hints/LATEST")), "22");
  EXPECT_EQ(Names(At("hints")), std::set<std::string>{"LATEST"});
}

TEST_P(EveryFileSystem, OfEightThreadsExactlyOnePublishes) {
  for (int round = 0; round < 50; ++round) {
    std::string path = At("race/snapshot-" + std::to_string(round));
    std::atomic<int> ready = 0, winners = 0, winner = -1;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        ++ready;
        while (ready < 8) std::this_thread::yield();
        if (fs_->CreateAtomically(path, "by " + std::to_string(i))) {
          ++winners;
          winner = i;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(winners, 1);
    ASSERT_EQ(fs_->ReadFile(path), "by " + std::to_string(winner));
  }
  EXPECT_EQ(Names(At("race")).size(), 50u);
}

TEST(Paths, JoinAndSplit) {
  EXPECT_EQ(JoinPath("/a", "b"), "/a/b");
  EXPECT_EQ(JoinPath("/a/", "b"), "/a/b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("/a", ""), "/a");
  EXPECT_EQ(BaseName("/a/b/"), "b");
  EXPECT_EQ(BaseName("b"), "b");
  EXPECT_EQ(BaseName("/"), "");
  EXPECT_EQ(BaseName("s3://bucket"), "bucket");
  EXPECT_EQ(ParentPath("/a/b/"), "/a");
  EXPECT_EQ(ParentPath("/a"), "/");
  EXPECT_EQ(ParentPath("/"), "/");
  EXPECT_EQ(ParentPath("a"), "");
  EXPECT_EQ(ParentPath("a/b"), "a");
  EXPECT_EQ(ParentPath("s3://bucket/a"), "s3://bucket");
  EXPECT_EQ(ParentPath("s3://bucket"), "s3://");
  EXPECT_EQ(ParentPath("file:/a"), "file:/");
  EXPECT_EQ(ParentPath("file:///a/b"), "file:///a");
  EXPECT_EQ(SchemeOf("S3a://x/y"), "s3a");
  EXPECT_EQ(SchemeOf("/a:/b"), "");
  EXPECT_EQ(SchemeOf("dt=10:00"), "");
  EXPECT_EQ(LocalPath("file:///a/b"), "/a/b");
  EXPECT_EQ(LocalPath("file:/a/b"), "/a/b");
  EXPECT_EQ(LocalPath("/a/b"), "/a/b");
}

}  // namespace
}  // namespace mica
