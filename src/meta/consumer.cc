#include "meta/consumer.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace mica {

namespace {

constexpr std::string_view kPrefix = "consumer-";

}  // namespace

std::string ConsumerStore::PathOf(const std::string& id) const {
  if (Trim(id).empty() || id.find('/') != std::string::npos) {
    throw InvalidArgument("A consumer cannot be named '{}': blank names and '/' are not allowed", id);
  }
  return fmt::format("{}/consumer/{}{}", root_, kPrefix, id);
}

std::vector<std::string> ConsumerStore::Ids() {
  std::vector<std::string> ids;
  for (const FileStatus& status : fs_->List(JoinPath(root_, "consumer"))) {
    std::string name = BaseName(status.path);
    if (!status.is_directory && name.size() > kPrefix.size() && name.starts_with(kPrefix)) {
      ids.push_back(name.substr(kPrefix.size()));
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::optional<int64_t> ConsumerStore::NextSnapshot(const std::string& id) {
  std::string path = PathOf(id);
  try {
    return GetKey<int64_t>(ParseJson(fs_->ReadFile(path), path), "nextSnapshot");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kNotFound) return std::nullopt;
    throw;
  }
}

std::optional<int64_t> ConsumerStore::MinNextSnapshot() {
  std::optional<int64_t> least;
  for (const std::string& id : Ids()) {
    auto next = NextSnapshot(id);
    if (next && (!least || *next < *least)) least = next;
  }
  return least;
}

void ConsumerStore::Reset(const std::string& id, int64_t next_snapshot) {
  Json json = Json::object();
  json["nextSnapshot"] = next_snapshot;
  fs_->ReplaceAtomically(PathOf(id), PrettyJson(json));
}

void ConsumerStore::DeleteOlderThan(int64_t millis) {
  for (const FileStatus& status : fs_->List(JoinPath(root_, "consumer"))) {
    bool consumer = !status.is_directory && BaseName(status.path).starts_with(kPrefix);
    if (consumer && status.modified_millis < millis) fs_->DeleteFile(status.path);
  }
}

void ConsumerStore::Delete(const std::string& id) { fs_->DeleteFile(PathOf(id)); }

}  // namespace mica
