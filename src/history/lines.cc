#include "history/lines.h"

#include <algorithm>

#include "meta/branch.h"
#include "meta/versioned_folder.h"

namespace mica {

std::string BranchOf(const Table& table) {
  std::string branch = SplitBranch(table.name().table).branch;
  return branch.empty() ? std::string(kMainBranch) : branch;
}

std::string MetadataRoot(const Table& table) { return BranchRoot(table.root(), BranchOf(table)); }

std::vector<Line> AllLines(const Table& table) {
  std::vector<Line> lines;
  auto add = [&](std::string branch) {
    std::string root = BranchRoot(table.root(), branch);
    lines.push_back({std::move(branch), root, SnapshotStore(table.file_system_ptr(), root)});
  };
  add(std::string(kMainBranch));
  for (BranchFolder& folder : BranchFolders(table.file_system(), table.root())) add(std::move(folder.name));
  return lines;
}

std::vector<Line> OtherLines(const Table& table) {
  std::vector<Line> lines = AllLines(table);
  std::erase_if(lines, [&](const Line& line) { return line.root == MetadataRoot(table); });
  return lines;
}

LineStates StatesOf(Line& line) {
  LineStates states;
  for (int64_t id : line.snapshots.Ids()) states.snapshots.push_back(line.snapshots.Get(id));
  for (const std::string& name : line.snapshots.TagNames()) {
    auto tag = line.snapshots.FindTag(name);
    if (!tag) continue;
    auto same = std::lower_bound(states.snapshots.begin(), states.snapshots.end(), tag->snapshot.id,
                                 [](const Snapshot& state, int64_t id) { return state.id < id; });
    if (same == states.snapshots.end() || *same != tag->snapshot) states.tags.push_back(std::move(tag->snapshot));
  }
  return states;
}

std::vector<Snapshot> ChangelogsOf(const Table& table, const Line& line) {
  std::vector<Snapshot> changelogs;
  std::string folder = JoinPath(line.root, "changelog");
  for (int64_t id : ListVersions(table.file_system(), folder, "changelog-")) {
    std::string path = fmt::format("{}/changelog-{}", folder, id);
    changelogs.push_back(ReadVersionedFile<Snapshot>(table.file_system(), path, SystemSleeper()));
  }
  return changelogs;
}

}  // namespace mica
