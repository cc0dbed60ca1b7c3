#include "catalog/file_views.h"

#include <algorithm>

namespace mica {

namespace {

constexpr std::string_view kFolder = ".views";
constexpr std::string_view kSuffix = ".json";

}  // namespace

FileViews::FileViews(FileSystemPtr fs, std::string database_path)
    : fs_(std::move(fs)), folder_(JoinPath(database_path, kFolder)) {}

std::string FileViews::PathOf(const std::string& name) const { return JoinPath(folder_, name + std::string(kSuffix)); }

std::vector<std::string> FileViews::Names() const {
  std::vector<std::string> names;
  for (const FileStatus& child : fs_->List(folder_)) {
    std::string name = BaseName(child.path);
    // What begins with a dot is a file that is being written.
    if (child.is_directory || !name.ends_with(kSuffix) || name.starts_with('.')) continue;
    names.push_back(name.substr(0, name.size() - kSuffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<View> FileViews::Find(const std::string& name) const {
  std::string path = PathOf(name);
  if (!fs_->Exists(path)) return std::nullopt;
  return View::FromJson(fs_->ReadFile(path), path);
}

bool FileViews::Save(const std::string& name, const View& view, bool replace) const {
  if (!replace) return fs_->CreateAtomically(PathOf(name), view.ToJson());
  fs_->ReplaceAtomically(PathOf(name), view.ToJson());
  return true;
}

bool FileViews::Remove(const std::string& name) const { return fs_->DeleteFile(PathOf(name)); }

}  // namespace mica
