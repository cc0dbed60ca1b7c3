#include "meta/branch.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {

constexpr std::string_view kPrefix = "branch-";
constexpr std::string_view kSuffix = "$branch_";

}  // namespace

BranchedName SplitBranch(const std::string& name) {
  size_t at = name.find('$');
  if (at == std::string::npos || name.compare(at, kSuffix.size(), kSuffix) != 0) return {name, ""};
  size_t begin = at + kSuffix.size();
  size_t end = std::min(name.find('$', begin), name.size());
  if (at == 0 || end == begin) throw InvalidArgument("'{}' is not the name of a table", name);
  std::string branch = name.substr(begin, end - begin);
  return {name.substr(0, at) + name.substr(end), branch == kMainBranch ? "" : branch};
}

std::string WithBranch(const std::string& table, std::string_view branch) {
  if (branch.empty() || branch == kMainBranch) return table;
  size_t system = std::min(table.find('$'), table.size());
  return fmt::format("{}{}{}{}", table.substr(0, system), kSuffix, branch, table.substr(system));
}

std::string BranchRoot(const std::string& table_root, std::string_view branch) {
  if (branch.empty() || branch == kMainBranch) return table_root;
  return JoinPath(table_root, fmt::format("branch/{}{}", kPrefix, branch));
}

std::vector<BranchFolder> BranchFolders(FileSystem& fs, const std::string& table_root) {
  std::vector<BranchFolder> folders;
  for (const FileStatus& status : fs.List(JoinPath(table_root, "branch"))) {
    std::string name = BaseName(status.path);
    if (!status.is_directory || name.size() <= kPrefix.size() || !name.starts_with(kPrefix)) continue;
    folders.push_back({name.substr(kPrefix.size()), status.modified_millis});
  }
  std::sort(folders.begin(), folders.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return folders;
}

bool BranchExists(FileSystem& fs, const std::string& table_root, std::string_view branch) {
  if (Trim(branch).empty() || branch.find('/') != std::string_view::npos) return false;
  return fs.Exists(BranchRoot(table_root, branch) + "/schema/schema-0");
}

std::vector<std::string> BranchNames(FileSystem& fs, const std::string& table_root) {
  std::vector<std::string> names;
  for (BranchFolder& folder : BranchFolders(fs, table_root)) {
    if (BranchExists(fs, table_root, folder.name)) names.push_back(std::move(folder.name));
  }
  return names;
}

void CheckBranchName(const std::string& name) {
  if (name == kMainBranch) throw InvalidArgument("Branch name 'main' is the default branch and cannot be used");
  if (Trim(name).empty()) throw InvalidArgument("Branch name '{}' is blank", name);
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    throw InvalidArgument("Branch name cannot be pure numeric string but is '{}'", name);
  }
  for (char c : name) {
    if (c == '/' || c == ':' || c == '$' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      throw InvalidArgument("A branch cannot be named '{}': '/', ':', '$' and control characters are not allowed", name);
    }
  }
}

void ThrowNoBranch(FileSystem& fs, const std::string& table_root, std::string_view branch) {
  throw NotFound("Branch name '{}' doesn't exist{}", branch, DidYouMean(std::string(branch), BranchNames(fs, table_root)));
}

}  // namespace mica
