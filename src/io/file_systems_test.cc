#include "io/file_systems.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "io/temporary_folder.h"

namespace mica {
namespace {

TEST(FileSystems, BareAndFilePathsAreTheLocalDisk) {
  TemporaryFolder folder;
  OpenFileSystem(folder.path(), {})->ReplaceAtomically(folder.path() + "/a", "1");
  EXPECT_EQ(OpenFileSystem("file:" + folder.path(), {})->ReadFile("file:" + folder.path() + "/a"), "1");
}

TEST(FileSystems, AnUnknownSchemeIsNamed) {  // M-0116
  try {
    OpenFileSystem("hdfs:///warehouse", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("'hdfs'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("oss"));
  }
}

TEST(FileSystems, FaultsCountOverTheWholeProcess) {
  TemporaryFolder folder;
  std::string count_file = folder.path() + "/count";
  auto run = [&](const std::string& fault) {
    pid_t child = ::fork();
    if (child == 0) {
      std::map<std::string, std::string> options{{"test.fault", fault}, {"test.fault.count-file", count_file}};
      int status = 0;
      try {
        OpenFileSystem(folder.path(), options)->ReplaceAtomically(folder.path() + "/a", "1");
        OpenFileSystem(folder.path(), options)->ReplaceAtomically(folder.path() + "/b", "1");
        OpenFileSystem(folder.path(), options)->Stat(folder.path() + "/b");
      } catch (const Error&) {
        status = 1;
      }
      std::exit(status);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  FileSystemPtr fs = OpenFileSystem(folder.path(), {});
  EXPECT_EQ(run("kill:1"), 137);
  EXPECT_TRUE(fs->Exists(folder.path() + "/a"));
  EXPECT_FALSE(fs->Exists(folder.path() + "/b"));
  EXPECT_FALSE(fs->Exists(count_file));
  EXPECT_EQ(run("fail:2"), 1);
  EXPECT_EQ(run("none:0"), 0);
  EXPECT_EQ(fs->ReadFile(count_file), "3\n");
}

}  // namespace
}  // namespace mica
