#include "io/faulty_file_system.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "io/local_file_system.h"
#include "io/memory_file_system.h"
#include "io/temporary_folder.h"

namespace mica {
namespace {

// A commit in small: data file, manifest, published snapshot, hint. Five calls that write, and a read of the hint.
void Commit(FileSystem& fs) {
  fs.Stat("/t/LATEST");
  auto out = fs.OpenOutput("/t/data");
  Check(out->Write("0123456789"));
  Check(out->Close());
  if (!fs.CreateAtomically("/t/snapshot-1", "snapshot")) throw Conflict("lost");
  fs.ReplaceAtomically("/t/LATEST", "1");
}

TEST(FaultyFileSystem, FailsEachCallInTurnUntilTheOperationPasses) {
  for (auto when : {Fault::When::kBefore, Fault::When::kAfter, Fault::When::kPartial}) {
    int64_t i = 0;
    for (;; ++i) {
      auto memory = std::make_shared<MemoryFileSystem>();
      FaultyFileSystem fs(memory, Fault{.action = Fault::Action::kFail, .when = when, .at = i});
      try {
        Commit(fs);
        EXPECT_EQ(fs.calls(), 6);
        break;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIoError);
        EXPECT_THAT(error.what(), testing::HasSubstr("call " + std::to_string(i)));
      }
      // What is on the disk tells when the call went wrong.
      if (i == 2 && when == Fault::When::kBefore) {
        EXPECT_EQ(memory->Files()["/t/data"], "");
      }
      if (i == 2 && when == Fault::When::kPartial) {
        EXPECT_EQ(memory->Files()["/t/data"], "01234");
      }
      if (i == 2 && when == Fault::When::kAfter) {
        EXPECT_EQ(memory->Files()["/t/data"], "0123456789");
      }
      if (i == 4) {
        EXPECT_EQ(memory->Exists("/t/snapshot-1"), when == Fault::When::kAfter);
      }
      if (i == 4 && when == Fault::When::kPartial) {
        EXPECT_EQ(memory->Files().size(), 2u);  // data and half a temporary file
      }
    }
    EXPECT_EQ(i, 6);
  }
}

TEST(FaultyFileSystem, AnOutcomeCanBeUnknown) {
  for (auto when : {Fault::When::kBefore, Fault::When::kAfter}) {
    auto memory = std::make_shared<MemoryFileSystem>();
    FaultyFileSystem fs(memory, Fault{.action = Fault::Action::kUnknown, .when = when, .at = 4});
    try {
      Commit(fs);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kOutcomeUnknown);
    }
    EXPECT_EQ(memory->Exists("/t/snapshot-1"), when == Fault::When::kAfter);
  }
}

TEST(FaultyFileSystem, ALastingFaultFailsWhatFollows) {
  FaultyFileSystem fs(std::make_shared<MemoryFileSystem>(), Fault::Parse("fail-lasting:1"));
  fs.CreateFolder("/a");
  EXPECT_THROW(fs.CreateFolder("/b"), Error);
  EXPECT_THROW(fs.Stat("/a"), Error);
}

TEST(FaultyFileSystem, CanNumberWritesOnly) {
  FaultyFileSystem fs(std::make_shared<MemoryFileSystem>(), Fault::Parse("fail-writes:1"));
  fs.Stat("/a");
  fs.CreateFolder("/a");
  fs.List("/a");
  EXPECT_THROW(fs.CreateFolder("/b"), Error);
  EXPECT_EQ(fs.calls(), 2);
}

TEST(FaultyFileSystem, KillsTheProcess) {
  TemporaryFolder folder;
  std::string path = folder.path() + "/f";
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    FaultyFileSystem fs(std::make_shared<LocalFileSystem>(), Fault::Parse("kill-partial:1"));
    auto out = fs.OpenOutput(path);
    (void)out->Write("0123456789");
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 137);
  EXPECT_EQ(LocalFileSystem().ReadFile(path), "01234");
}

TEST(FaultyFileSystem, RefusesFaultsItCannotRead) {
  for (const char* text : {"", "fail", "fail:", "fail:x", "fail:-1", "explode:1", "fail-sometimes:1"}) {
    EXPECT_THROW(Fault::Parse(text), Error) << text;
  }
}

}  // namespace
}  // namespace mica
