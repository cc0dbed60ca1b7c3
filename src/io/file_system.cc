#include "io/file_system.h"

#include <arrow/io/interfaces.h>

#include "base/arrow.h"

namespace mica {

namespace {
std::string_view WithoutTrailingSlashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

// Where the first name begins: after "/", "s3://", "file:/" or "file:///".
size_t RootLength(std::string_view path) {
  std::string scheme = SchemeOf(path);
  size_t root = scheme.empty() ? 0 : scheme.size() + 1;
  while (root < path.size() && path[root] == '/') ++root;
  return root;
}
}  // namespace

std::string FileSystem::ReadFile(const std::string& path) {
  std::shared_ptr<arrow::io::RandomAccessFile> file = OpenInput(path, std::nullopt);
  std::string content(static_cast<size_t>(Take(file->GetSize())), '\0');
  int64_t read = Take(file->ReadAt(0, static_cast<int64_t>(content.size()), content.data()));
  content.resize(static_cast<size_t>(read));
  Check(file->Close());
  return content;
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  std::string out(folder);
  if (name.empty()) return out;
  if (!out.empty() && out.back() != '/') out += '/';
  out += name;
  return out;
}

std::string BaseName(std::string_view path) {
  path = WithoutTrailingSlashes(path);
  size_t root = RootLength(path);
  if (root >= path.size()) return "";
  size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos || slash < root ? path.substr(root) : path.substr(slash + 1));
}

std::string ParentPath(std::string_view path) {
  path = WithoutTrailingSlashes(path);
  size_t root = RootLength(path);
  size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash < root) return std::string(path.substr(0, root));
  return std::string(WithoutTrailingSlashes(path.substr(0, slash)));
}

std::string SchemeOf(std::string_view path) {
  size_t colon = path.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 >= path.size() || path[colon + 1] != '/') return "";
  std::string scheme;
  for (char c : path.substr(0, colon)) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!letter && !(other && !scheme.empty())) return "";
    scheme += letter ? static_cast<char>(c | 0x20) : c;
  }
  return scheme;
}

}  // namespace mica
