#include "io/memory_file_system.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include "base/clock.h"
#include "base/error.h"

namespace mica {

namespace {

using Entry = MemoryFileSystem::Entry;
using State = MemoryFileSystem::State;

// One spelling a file: no doubled and no trailing slashes.
std::string Key(const std::string& path) {
  std::string key;
  for (char c : path) {
    if (c == '/' && !key.empty() && key.back() == '/') continue;
    key += c;
  }
  while (key.size() > 1 && key.back() == '/') key.pop_back();
  return key;
}

int64_t Now(const State& state) { return state.now ? *state.now : SystemClock()(); }

Entry* Find(State& state, const std::string& key) {
  auto found = state.entries.find(key);
  return found == state.entries.end() ? nullptr : found->second.get();
}

void MakeFolders(State& state, const std::string& key) {
  if (Entry* entry = Find(state, key)) {
    if (!entry->is_folder) throw AlreadyExists("Cannot create the folder '{}': a file has this name", key);
    return;
  }
  std::string parent = Key(ParentPath(key));
  if (!parent.empty() && parent != key) MakeFolders(state, parent);
  state.entries[key] = std::make_shared<Entry>(Entry{.is_folder = true, .modified_millis = Now(state)});
}

std::shared_ptr<Entry> NewFile(State& state, const std::string& key, std::string_view content) {
  if (Entry* entry = Find(state, key); entry && entry->is_folder) {
    throw IoError("Cannot create '{}': a folder has this name", key);
  }
  MakeFolders(state, Key(ParentPath(key)));
  auto entry = std::make_shared<Entry>(Entry{.content = std::string(content), .modified_millis = Now(state)});
  state.entries[key] = entry;
  return entry;
}

// The entries below a folder: from the first to one past the last.
auto Below(State& state, const std::string& key) {
  std::string prefix = key == "/" ? key : key + "/";
  auto begin = state.entries.lower_bound(prefix);
  prefix.back() = '/' + 1;
  return std::pair(begin, state.entries.lower_bound(prefix));
}

FileStatus StatusOf(std::string path, const Entry& entry) {
  return {.path = std::move(path),
          .size = static_cast<int64_t>(entry.content.size()),
          .modified_millis = entry.modified_millis,
          .is_directory = entry.is_folder};
}

class MemoryOutput final : public arrow::io::OutputStream {
 public:
  MemoryOutput(std::shared_ptr<State> state, std::shared_ptr<Entry> entry)
      : state_(std::move(state)), entry_(std::move(entry)) {
    set_mode(arrow::io::FileMode::WRITE);
  }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override {
    std::lock_guard lock(state_->mutex);
    return static_cast<int64_t>(entry_->content.size());
  }
  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t bytes) override {
    if (closed_) return arrow::Status::Invalid("Write to a closed file");
    std::lock_guard lock(state_->mutex);
    entry_->content.append(static_cast<const char*>(data), static_cast<size_t>(bytes));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<Entry> entry_;
  bool closed_ = false;
};

}  // namespace

void MemoryFileSystem::SetNow(int64_t millis) {
  std::lock_guard lock(state_->mutex);
  state_->now = millis;
}

std::map<std::string, std::string> MemoryFileSystem::Files() {
  std::lock_guard lock(state_->mutex);
  std::map<std::string, std::string> files;
  for (const auto& [path, entry] : state_->entries) {
    if (!entry->is_folder) files[path] = entry->content;
  }
  return files;
}

std::shared_ptr<arrow::io::RandomAccessFile> MemoryFileSystem::OpenInput(const std::string& path,
                                                                         std::optional<int64_t>) {
  std::lock_guard lock(state_->mutex);
  Entry* entry = Find(*state_, Key(path));
  if (!entry) throw NotFound("Cannot open '{}': No such file or directory", path);
  if (entry->is_folder) throw IoError("Cannot open '{}': Is a directory", path);
  return std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(entry->content));
}

std::shared_ptr<arrow::io::OutputStream> MemoryFileSystem::OpenOutput(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  return std::make_shared<MemoryOutput>(state_, NewFile(*state_, Key(path), ""));
}

std::optional<FileStatus> MemoryFileSystem::Stat(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  Entry* entry = Find(*state_, Key(path));
  return entry ? std::optional(StatusOf(path, *entry)) : std::nullopt;
}

std::vector<FileStatus> MemoryFileSystem::List(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  std::vector<FileStatus> children;
  std::string key = Key(path);
  auto [begin, end] = Below(*state_, key);
  for (auto it = begin; it != end; ++it) {
    if (Key(ParentPath(it->first)) == key)
      children.push_back(StatusOf(JoinPath(path, BaseName(it->first)), *it->second));
  }
  return children;
}

void MemoryFileSystem::CreateFolder(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  MakeFolders(*state_, Key(path));
}

bool MemoryFileSystem::DeleteFile(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  std::string key = Key(path);
  Entry* entry = Find(*state_, key);
  if (!entry) return false;
  if (entry->is_folder) throw IoError("Cannot delete '{}': Is a directory", path);
  state_->entries.erase(key);
  return true;
}

void MemoryFileSystem::DeleteFolder(const std::string& path) {
  std::lock_guard lock(state_->mutex);
  std::string key = Key(path);
  if (Entry* entry = Find(*state_, key); entry && !entry->is_folder) {
    throw NotFound("Cannot delete the folder '{}': Not a directory", path);
  }
  auto [begin, end] = Below(*state_, key);
  state_->entries.erase(begin, end);
  state_->entries.erase(key);
}

void MemoryFileSystem::Rename(const std::string& from, const std::string& to) {
  std::lock_guard lock(state_->mutex);
  std::string source = Key(from), target = Key(to);
  if (!Find(*state_, source)) throw NotFound("Cannot rename '{}': No such file or directory", from);
  if (Find(*state_, target)) throw AlreadyExists("Cannot rename '{}': '{}' exists", from, to);
  MakeFolders(*state_, Key(ParentPath(target)));
  auto [begin, end] = Below(*state_, source);
  std::map<std::string, std::shared_ptr<Entry>> moved;
  for (auto it = begin; it != end; ++it) moved[target + it->first.substr(source.size())] = it->second;
  state_->entries.erase(begin, end);
  moved[target] = state_->entries.extract(source).mapped();
  state_->entries.merge(moved);
}

bool MemoryFileSystem::CreateAtomically(const std::string& path, std::string_view content) {
  std::lock_guard lock(state_->mutex);
  std::string key = Key(path);
  if (Find(*state_, key)) return false;
  NewFile(*state_, key, content);
  return true;
}

void MemoryFileSystem::ReplaceAtomically(const std::string& path, std::string_view content) {
  std::lock_guard lock(state_->mutex);
  NewFile(*state_, Key(path), content);
}

bool MemoryFileSystem::CanCreateAtomically(std::string*) { return true; }

}  // namespace mica
