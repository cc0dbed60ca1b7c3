// Branches (Format 3.6): lines of snapshots, schemas and tags of their own in `<table>/branch/branch-<name>`, which share the
// data files and manifests of the table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_system.h"

namespace mica {

inline constexpr std::string_view kMainBranch = "main";

// The name of a table may say which branch is meant: `t$branch_b`, and with a system table `t$branch_b$files`.
struct BranchedName {
  std::string table;   // `t`, `t$files`
  std::string branch;  // "": main
};
// Throws InvalidArgument for an empty table or branch.
BranchedName SplitBranch(const std::string& name);
std::string WithBranch(const std::string& table, std::string_view branch);

// Where the metadata of a branch lies; the table's own folder for main and for "".
std::string BranchRoot(const std::string& table_root, std::string_view branch);

struct BranchFolder {
  std::string name;
  int64_t modified_millis = 0;  // of the folder; 0 where the storage has no folders
};
// The folders of branches, ascending, main not among them. One may be unfinished: see BranchExists.
std::vector<BranchFolder> BranchFolders(FileSystem& fs, const std::string& table_root);
// A branch is there once its first schema is: it is written last and deleted first.
bool BranchExists(FileSystem& fs, const std::string& table_root, std::string_view branch);
// Names of the branches that are there, ascending, without main.
std::vector<std::string> BranchNames(FileSystem& fs, const std::string& table_root);

// Throws InvalidArgument for a new name that is 'main', blank or a number, or that holds '/', ':', '$' or control characters.
void CheckBranchName(const std::string& name);
// Throws NotFound with the nearest name.
[[noreturn]] void ThrowNoBranch(FileSystem& fs, const std::string& table_root, std::string_view branch);

}  // namespace mica
