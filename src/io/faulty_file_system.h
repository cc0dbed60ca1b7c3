// Passes every call on, numbers it from 0, and makes one call go wrong: the crash and fault tests run an operation with
// the fault at call 0, 1, 2, … until it passes. Reads and writes of open streams are calls too. Thread safe; with
// several threads the numbers follow the order in which the calls arrive.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/file_system.h"

namespace mica {

struct Fault {
  enum class Action {
    kNone,     // only counts
    kFail,     // throws IoError
    kKill,     // ends the process at once with status 137, as kill -9 would
    kUnknown,  // a publish throws OutcomeUnknown; any other call fails with IoError
  };
  enum class When {
    kBefore,   // nothing was done
    kAfter,    // everything was done, and the caller does not learn it
    kPartial,  // half of the bytes of a write; a publish leaves half a temporary file; other calls: before
  };
  Action action = Action::kNone;
  When when = When::kBefore;
  int64_t at = 0;           // the number of the call
  bool lasting = false;     // every later call fails as well: a disk that is gone
  bool writes_only = false; // only calls that change the storage are numbered

  // "fail:7", "kill-after:7", "unknown-partial:7", "fail-lasting:7", "kill-writes:7", "kill-partial-writes:7",
  // "none:0". Throws InvalidArgument.
  static Fault Parse(std::string_view text);
};

// The counter of one or several faulty file systems.
struct FaultState {
  explicit FaultState(Fault fault) : fault(fault) {}
  Fault fault;
  std::atomic<int64_t> calls = 0;
};

class FaultyFileSystem final : public FileSystem {
 public:
  FaultyFileSystem(FileSystemPtr inner, Fault fault);
  FaultyFileSystem(FileSystemPtr inner, std::shared_ptr<FaultState> state);

  int64_t calls() const { return state_->calls; }

  std::shared_ptr<arrow::io::RandomAccessFile> OpenInput(const std::string& path, std::optional<int64_t> size) override;
  std::shared_ptr<arrow::io::OutputStream> OpenOutput(const std::string& path) override;
  std::optional<FileStatus> Stat(const std::string& path) override;
  std::vector<FileStatus> List(const std::string& path) override;
  void CreateFolder(const std::string& path) override;
  bool DeleteFile(const std::string& path) override;
  void DeleteFolder(const std::string& path) override;
  void Rename(const std::string& from, const std::string& to) override;
  bool CreateAtomically(const std::string& path, std::string_view content) override;
  void ReplaceAtomically(const std::string& path, std::string_view content) override;
  bool CanCreateAtomically(std::string* why) override { return inner_->CanCreateAtomically(why); }

 private:
  FileSystemPtr inner_;
  std::shared_ptr<FaultState> state_;
};

}  // namespace mica
