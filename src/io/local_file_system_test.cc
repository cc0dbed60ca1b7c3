// What only a disk does: rights, links, races between processes, and few system calls.
#include "io/local_file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "io/temporary_folder.h"

namespace mica {
namespace {

TEST(LocalFileSystem, OfEightProcessesExactlyOnePublishes) {
  TemporaryFolder folder;
  for (auto publish : {LocalFileSystem::Publish::kRename, LocalFileSystem::Publish::kLink}) {
    for (int round = 0; round < 10; ++round) {
      std::string path =
          folder.path() + "/snapshot-" + std::to_string(round) + std::to_string(static_cast<int>(publish));
      int gate[2];
      ASSERT_EQ(::pipe(gate), 0);
      std::vector<pid_t> children;
      for (int i = 0; i < 8; ++i) {
        pid_t child = ::fork();
        if (child == 0) {
          ::close(gate[1]);
          char byte;
          (void)!::read(gate[0], &byte, 1);  // returns when the parent closes its end
          ::_exit(LocalFileSystem(publish).CreateAtomically(path, std::to_string(i)) ? 1 : 0);
        }
        children.push_back(child);
      }
      ::close(gate[0]);
      ::close(gate[1]);
      int winners = 0, winner = -1;
      for (int i = 0; i < 8; ++i) {
        int status = 0;
        ::waitpid(children[static_cast<size_t>(i)], &status, 0);
        ASSERT_TRUE(WIFEXITED(status));
        if (WEXITSTATUS(status) == 1) {
          ++winners;
          winner = i;
        }
      }
      ASSERT_EQ(winners, 1);
      EXPECT_EQ(LocalFileSystem().ReadFile(path), std::to_string(winner));
    }
  }
  EXPECT_EQ(LocalFileSystem().List(folder.path()).size(), 20u);
}

TEST(LocalFileSystem, ReplacingNeverShowsHalfAFile) {
  TemporaryFolder folder;
  std::string path = folder.path() + "/LATEST";
  LocalFileSystem fs;
  const std::string small(10, 'a'), large(100000, 'b');
  fs.ReplaceAtomically(path, small);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; i < 500; ++i) fs.ReplaceAtomically(path, i % 2 == 0 ? large : small);
    stop = true;
  });
  while (!stop) {
    std::string content = fs.ReadFile(path);
    ASSERT_TRUE(content == small || content == large) << content.size();
  }
  writer.join();
}

TEST(LocalFileSystem, LackOfRightsNamesPathAndOperation) {  // M-0118
  if (::geteuid() == 0) {
    // The right to everything ignores modes; a file used as a folder and /proc still refuse.
    try {
      LocalFileSystem().OpenOutput("/proc/mica/x");
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("Cannot create"));
      EXPECT_THAT(error.what(), testing::HasSubstr("/proc/mica"));
    }
    return;
  }
  TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0500), 0);
  try {
    LocalFileSystem().CreateAtomically(folder.path() + "/x", "1");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kPermissionDenied);
    EXPECT_THAT(error.what(), testing::HasSubstr("create"));
    EXPECT_THAT(error.what(), testing::HasSubstr(folder.path() + "/x"));
  }
}

TEST(LocalFileSystem, DeletingAFolderDoesNotFollowLinks) {
  TemporaryFolder folder;
  LocalFileSystem fs;
  fs.ReplaceAtomically(folder.path() + "/outside/keep", "1");
  fs.ReplaceAtomically(folder.path() + "/t/own", "1");
  std::filesystem::create_directory_symlink(folder.path() + "/outside", folder.path() + "/t/link");
  fs.DeleteFolder(folder.path() + "/t");
  EXPECT_FALSE(fs.Exists(folder.path() + "/t"));
  EXPECT_TRUE(fs.Exists(folder.path() + "/outside/keep"));
}

TEST(LocalFileSystem, ABrokenLinkIsNotListed) {
  TemporaryFolder folder;
  std::filesystem::create_symlink(folder.path() + "/nowhere", folder.path() + "/link");
  LocalFileSystem().ReplaceAtomically(folder.path() + "/real", "1");
  EXPECT_EQ(LocalFileSystem().List(folder.path()).size(), 1u);
}

TEST(LocalFileSystem, MovesBetweenDisks) {
  struct stat here, there;
  TemporaryFolder folder;
  if (::stat("/dev/shm", &there) != 0 || ::stat(folder.path().c_str(), &here) != 0 || here.st_dev == there.st_dev) {
    GTEST_SKIP() << "one disk only";
  }
  std::string other = "/dev/shm/" + BaseName(folder.path());
  LocalFileSystem fs;
  fs.ReplaceAtomically(folder.path() + "/t/sub/a", "1");
  fs.Rename(folder.path() + "/t", other + "/u");
  EXPECT_EQ(fs.ReadFile(other + "/u/sub/a"), "1");
  EXPECT_FALSE(fs.Exists(folder.path() + "/t"));
  EXPECT_EQ(fs.List(other).size(), 1u);
  fs.ReplaceAtomically(folder.path() + "/v", "2");
  EXPECT_THROW(fs.Rename(folder.path() + "/v", other + "/u"), Error);
  EXPECT_EQ(fs.ReadFile(folder.path() + "/v"), "2");
  EXPECT_EQ(fs.List(other).size(), 1u);
  fs.DeleteFolder(other);
}

TEST(LocalFileSystem, AFailedPublishLeavesNoTemporaryFile) {
  TemporaryFolder folder;
  LocalFileSystem fs;
  std::string name(240, 'n');  // fits itself, but not with the decoration of a temporary name
  EXPECT_THROW(fs.CreateAtomically(folder.path() + "/" + name, "1"), Error);
  fs.CreateFolder(folder.path() + "/folder");
  EXPECT_FALSE(fs.CreateAtomically(folder.path() + "/folder", "1"));
  EXPECT_THROW(fs.ReplaceAtomically(folder.path() + "/folder", "1"), Error);
  EXPECT_EQ(fs.List(folder.path()).size(), 1u);
}

TEST(LocalFileSystem, AnAbandonedOutputWritesNoMore) {
  TemporaryFolder folder;
  LocalFileSystem fs;
  {
    auto out = fs.OpenOutput(folder.path() + "/f");
    Check(out->Write("gathered"));
  }
  EXPECT_EQ(fs.ReadFile(folder.path() + "/f"), "");
}

}  // namespace
}  // namespace mica
