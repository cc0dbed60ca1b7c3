#include "io/counting_file_system.h"

#include <fnmatch.h>

#include <arrow/buffer.h>

#include "io/forwarding_streams.h"

namespace mica {

namespace {

using Ledger = CountingFileSystem::Ledger;

class CountingInput final : public ForwardingInput {
 public:
  CountingInput(std::shared_ptr<arrow::io::RandomAccessFile> inner, std::shared_ptr<Ledger> ledger, std::string path)
      : ForwardingInput(std::move(inner)), ledger_(std::move(ledger)), path_(std::move(path)) {}

  arrow::Result<int64_t> Read(int64_t bytes, void* out) override { return Count(inner_->Read(bytes, out)); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override { return Count(inner_->Read(bytes)); }
  using arrow::io::RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    return Count(inner_->ReadAt(position, bytes, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    return Count(inner_->ReadAt(position, bytes));
  }

 private:
  static int64_t Bytes(int64_t bytes) { return bytes; }
  static int64_t Bytes(const std::shared_ptr<arrow::Buffer>& buffer) { return buffer->size(); }
  template <typename T>
  arrow::Result<T> Count(arrow::Result<T> result) {
    ledger_->Add(path_, {.reads = 1, .bytes_read = result.ok() ? Bytes(*result) : 0});
    return result;
  }

  std::shared_ptr<Ledger> ledger_;
  std::string path_;
};

class CountingOutput final : public ForwardingOutput {
 public:
  CountingOutput(std::shared_ptr<arrow::io::OutputStream> inner, std::shared_ptr<Ledger> ledger, std::string path)
      : ForwardingOutput(std::move(inner)), ledger_(std::move(ledger)), path_(std::move(path)) {}

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t bytes) override {
    ledger_->Add(path_, {.writes = 1, .bytes_written = bytes});
    return inner_->Write(data, bytes);
  }

 private:
  std::shared_ptr<Ledger> ledger_;
  std::string path_;
};

}  // namespace

int64_t IoCounts::calls() const {
  return opens + reads + stats + lists + outputs + writes + publishes + folders + deletes + renames;
}

IoCounts& IoCounts::operator+=(const IoCounts& other) {
  opens += other.opens;
  reads += other.reads;
  bytes_read += other.bytes_read;
  stats += other.stats;
  lists += other.lists;
  outputs += other.outputs;
  writes += other.writes;
  bytes_written += other.bytes_written;
  publishes += other.publishes;
  folders += other.folders;
  deletes += other.deletes;
  renames += other.renames;
  return *this;
}

void Ledger::Add(const std::string& path, const IoCounts& added) {
  std::lock_guard lock(mutex);
  counts[path] += added;
}

IoCounts CountingFileSystem::Counts(const std::string& pattern) const {
  std::lock_guard lock(ledger_->mutex);
  IoCounts sum;
  for (const auto& [path, counts] : ledger_->counts) {
    if (::fnmatch(pattern.c_str(), path.c_str(), 0) == 0) sum += counts;
  }
  return sum;
}

std::map<std::string, IoCounts> CountingFileSystem::CountsByPath() const {
  std::lock_guard lock(ledger_->mutex);
  return ledger_->counts;
}

void CountingFileSystem::Reset() {
  std::lock_guard lock(ledger_->mutex);
  ledger_->counts.clear();
}

std::shared_ptr<arrow::io::RandomAccessFile> CountingFileSystem::OpenInput(const std::string& path,
                                                                           std::optional<int64_t> size) {
  ledger_->Add(path, {.opens = 1});
  return std::make_shared<CountingInput>(inner_->OpenInput(path, size), ledger_, path);
}

std::shared_ptr<arrow::io::OutputStream> CountingFileSystem::OpenOutput(const std::string& path) {
  ledger_->Add(path, {.outputs = 1});
  return std::make_shared<CountingOutput>(inner_->OpenOutput(path), ledger_, path);
}

std::optional<FileStatus> CountingFileSystem::Stat(const std::string& path) {
  ledger_->Add(path, {.stats = 1});
  return inner_->Stat(path);
}

std::vector<FileStatus> CountingFileSystem::List(const std::string& path) {
  ledger_->Add(path, {.lists = 1});
  return inner_->List(path);
}

void CountingFileSystem::CreateFolder(const std::string& path) {
  ledger_->Add(path, {.folders = 1});
  inner_->CreateFolder(path);
}

bool CountingFileSystem::DeleteFile(const std::string& path) {
  ledger_->Add(path, {.deletes = 1});
  return inner_->DeleteFile(path);
}

void CountingFileSystem::DeleteFolder(const std::string& path) {
  ledger_->Add(path, {.deletes = 1});
  inner_->DeleteFolder(path);
}

void CountingFileSystem::Rename(const std::string& from, const std::string& to) {
  ledger_->Add(from, {.renames = 1});
  inner_->Rename(from, to);
}

bool CountingFileSystem::CreateAtomically(const std::string& path, std::string_view content) {
  ledger_->Add(path, {.bytes_written = static_cast<int64_t>(content.size()), .publishes = 1});
  return inner_->CreateAtomically(path, content);
}

void CountingFileSystem::ReplaceAtomically(const std::string& path, std::string_view content) {
  ledger_->Add(path, {.bytes_written = static_cast<int64_t>(content.size()), .publishes = 1});
  inner_->ReplaceAtomically(path, content);
}

}  // namespace mica
