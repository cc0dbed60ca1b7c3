#include "io/faulty_file_system.h"

#include <unistd.h>

#include <array>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "base/text.h"
#include "io/forwarding_streams.h"

namespace mica {

namespace {

enum class CallKind { kRead, kWrite, kPublish };

// One call: learns its number, and goes wrong where the fault says so. The caller asks Before(), acts, asks After().
class Call {
 public:
  Call(FaultState& state, CallKind kind, const char* operation, const std::string& path)
      : fault_(state.fault), kind_(kind), operation_(operation), path_(path) {
    if (fault_.writes_only && kind == CallKind::kRead) return;
    number_ = state.calls.fetch_add(1);
    hit_ = fault_.action != Fault::Action::kNone && number_ == fault_.at;
    late_ = fault_.action != Fault::Action::kNone && fault_.lasting && number_ > fault_.at;
  }

  bool partial() const { return hit_ && fault_.when == Fault::When::kPartial; }
  void Before() const {
    if (late_ || (hit_ && fault_.when == Fault::When::kBefore)) GoWrong();
  }
  void Partial() const {
    if (partial()) GoWrong();
  }
  void After() const {
    if (hit_ && fault_.when == Fault::When::kAfter) GoWrong();
  }

 private:
  [[noreturn]] void GoWrong() const {
    if (fault_.action == Fault::Action::kKill && !late_) ::_exit(137);
    std::string text = fmt::format("Injected fault at call {}: {} '{}'", number_, operation_, path_);
    if (fault_.action == Fault::Action::kUnknown && kind_ == CallKind::kPublish) throw OutcomeUnknown("{}", text);
    throw IoError("{}", text);
  }

  const Fault& fault_;
  CallKind kind_;
  const char* operation_;
  const std::string& path_;
  int64_t number_ = -1;
  bool hit_ = false;
  bool late_ = false;
};

// A call of one step: partial is the same as before.
template <typename Act>
auto Run(FaultState& state, CallKind kind, const char* operation, const std::string& path, Act act) {
  Call call(state, kind, operation, path);
  call.Before();
  call.Partial();
  if constexpr (std::is_void_v<decltype(act())>) {
    act();
    call.After();
  } else {
    auto result = act();
    call.After();
    return result;
  }
}

// Streams speak Status instead of exceptions.
template <typename Act>
auto RunStatus(FaultState& state, CallKind kind, const char* operation, const std::string& path, Act act)
    -> decltype(act()) {
  try {
    return Run(state, kind, operation, path, act);
  } catch (const Error& error) {
    return arrow::Status::IOError(error.message());
  }
}

class FaultyInput final : public ForwardingInput {
 public:
  FaultyInput(std::shared_ptr<arrow::io::RandomAccessFile> inner, std::shared_ptr<FaultState> state, std::string path)
      : ForwardingInput(std::move(inner)), state_(std::move(state)), path_(std::move(path)) {}

  arrow::Result<int64_t> Read(int64_t bytes, void* out) override {
    return RunStatus(*state_, CallKind::kRead, "Read", path_, [&] { return inner_->Read(bytes, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    return RunStatus(*state_, CallKind::kRead, "Read", path_, [&] { return inner_->Read(bytes); });
  }
  using arrow::io::RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    return RunStatus(*state_, CallKind::kRead, "ReadAt", path_, [&] { return inner_->ReadAt(position, bytes, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    return RunStatus(*state_, CallKind::kRead, "ReadAt", path_, [&] { return inner_->ReadAt(position, bytes); });
  }

 private:
  std::shared_ptr<FaultState> state_;
  std::string path_;
};

class FaultyOutput final : public ForwardingOutput {
 public:
  FaultyOutput(std::shared_ptr<arrow::io::OutputStream> inner, std::shared_ptr<FaultState> state, std::string path)
      : ForwardingOutput(std::move(inner)), state_(std::move(state)), path_(std::move(path)) {}

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t bytes) override {
    try {
      Call call(*state_, CallKind::kWrite, "Write", path_);
      call.Before();
      if (call.partial()) {
        ARROW_RETURN_NOT_OK(inner_->Write(data, bytes / 2));
        ARROW_RETURN_NOT_OK(inner_->Flush());  // half a file on the disk, not half a buffer in memory
        call.Partial();
      }
      ARROW_RETURN_NOT_OK(inner_->Write(data, bytes));
      call.After();
      return arrow::Status::OK();
    } catch (const Error& error) {
      return arrow::Status::IOError(error.message());
    }
  }
  arrow::Status Close() override {
    if (inner_->closed()) return arrow::Status::OK();
    return RunStatus(*state_, CallKind::kWrite, "Close", path_, [&] { return inner_->Close(); });
  }

 private:
  std::shared_ptr<FaultState> state_;
  std::string path_;
};

// What a process leaves that died between writing its temporary file and renaming it.
void LeaveHalfATemporaryFile(FileSystem& inner, const std::string& path, std::string_view content) {
  std::string name = "." + BaseName(path) + ".00000000-0000-4000-8000-000000000000.tmp";
  auto out = inner.OpenOutput(JoinPath(ParentPath(path), name));
  Check(out->Write(content.substr(0, content.size() / 2)));
  Check(out->Close());
}

}  // namespace

Fault Fault::Parse(std::string_view text) {
  size_t colon = text.rfind(':');
  std::optional<int64_t> at = colon == std::string_view::npos ? std::nullopt : ParseInteger(text.substr(colon + 1));
  std::vector<std::string> words = SplitList(text.substr(0, colon), '-');
  Fault fault;
  bool good = at.has_value() && *at >= 0 && !words.empty();
  for (size_t i = 0; good && i < words.size(); ++i) {
    const std::string& word = words[i];
    if (i == 0) {
      good = word == "none" || word == "fail" || word == "kill" || word == "unknown";
      fault.action = word == "fail"   ? Action::kFail
                     : word == "kill" ? Action::kKill
                     : word == "none" ? Action::kNone
                                      : Action::kUnknown;
    } else if (word == "after") {
      fault.when = When::kAfter;
    } else if (word == "partial") {
      fault.when = When::kPartial;
    } else if (word == "lasting") {
      fault.lasting = true;
    } else if (word == "writes") {
      fault.writes_only = true;
    } else {
      good = false;
    }
  }
  if (!good) {
    throw InvalidArgument(
        "Cannot read the fault '{}'. Write (none|fail|kill|unknown)[-after|-partial][-lasting][-writes]:<number of the "
        "call>",
        text);
  }
  fault.at = *at;
  return fault;
}

FaultyFileSystem::FaultyFileSystem(FileSystemPtr inner, Fault fault)
    : FaultyFileSystem(std::move(inner), std::make_shared<FaultState>(fault)) {}

FaultyFileSystem::FaultyFileSystem(FileSystemPtr inner, std::shared_ptr<FaultState> state)
    : inner_(std::move(inner)), state_(std::move(state)) {}

std::shared_ptr<arrow::io::RandomAccessFile> FaultyFileSystem::OpenInput(const std::string& path,
                                                                         std::optional<int64_t> size) {
  return std::make_shared<FaultyInput>(
      Run(*state_, CallKind::kRead, "OpenInput", path, [&] { return inner_->OpenInput(path, size); }), state_, path);
}

std::shared_ptr<arrow::io::OutputStream> FaultyFileSystem::OpenOutput(const std::string& path) {
  return std::make_shared<FaultyOutput>(
      Run(*state_, CallKind::kWrite, "OpenOutput", path, [&] { return inner_->OpenOutput(path); }), state_, path);
}

std::optional<FileStatus> FaultyFileSystem::Stat(const std::string& path) {
  return Run(*state_, CallKind::kRead, "Stat", path, [&] { return inner_->Stat(path); });
}

std::vector<FileStatus> FaultyFileSystem::List(const std::string& path) {
  return Run(*state_, CallKind::kRead, "List", path, [&] { return inner_->List(path); });
}

void FaultyFileSystem::CreateFolder(const std::string& path) {
  Run(*state_, CallKind::kWrite, "CreateFolder", path, [&] { inner_->CreateFolder(path); });
}

bool FaultyFileSystem::DeleteFile(const std::string& path) {
  return Run(*state_, CallKind::kWrite, "DeleteFile", path, [&] { return inner_->DeleteFile(path); });
}

void FaultyFileSystem::DeleteFolder(const std::string& path) {
  Run(*state_, CallKind::kWrite, "DeleteFolder", path, [&] { inner_->DeleteFolder(path); });
}

void FaultyFileSystem::Rename(const std::string& from, const std::string& to) {
  Run(*state_, CallKind::kWrite, "Rename", from, [&] { inner_->Rename(from, to); });
}

bool FaultyFileSystem::CreateAtomically(const std::string& path, std::string_view content) {
  Call call(*state_, CallKind::kPublish, "CreateAtomically", path);
  call.Before();
  if (call.partial()) {
    LeaveHalfATemporaryFile(*inner_, path, content);
    call.Partial();
  }
  bool created = inner_->CreateAtomically(path, content);
  call.After();
  return created;
}

void FaultyFileSystem::ReplaceAtomically(const std::string& path, std::string_view content) {
  Call call(*state_, CallKind::kPublish, "ReplaceAtomically", path);
  call.Before();
  if (call.partial()) {
    LeaveHalfATemporaryFile(*inner_, path, content);
    call.Partial();
  }
  inner_->ReplaceAtomically(path, content);
  call.After();
}

}  // namespace mica
