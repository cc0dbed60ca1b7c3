#include "history/dead_branches.h"

#include "base/error.h"
#include "history/unused_files.h"
#include "meta/versioned_folder.h"

namespace mica {

namespace {

constexpr std::string_view kPrefix = "retired-branch-";

}  // namespace

void NoteDeadBranch(const Table& table, Line& branch) {
  std::vector<Snapshot> states;
  CanRead(fmt::format("The branch '{}'", branch.branch), [&] {
    LineStates alive = StatesOf(branch);
    std::vector<Snapshot> changelogs = ChangelogsOf(table, branch);
    states = std::move(alive.snapshots);
    states.insert(states.end(), alive.tags.begin(), alive.tags.end());
    states.insert(states.end(), changelogs.begin(), changelogs.end());
  });
  for (size_t i = 0; i < states.size(); ++i) {
    std::string path = fmt::format("{}/snapshot/{}{}-{}", table.root(), kPrefix, branch.branch, i);
    table.file_system().ReplaceAtomically(path, states[i].ToJson());
  }
}

int64_t CleanDeadBranches(const Table& table, Executor& executor) {
  FileSystem& fs = table.file_system();
  std::vector<std::string> notes;
  for (const FileStatus& status : fs.List(JoinPath(table.root(), "snapshot"))) {
    if (!status.is_directory && BaseName(status.path).starts_with(kPrefix)) notes.push_back(status.path);
  }
  if (notes.empty()) return 0;
  UnusedDataFiles data(table, executor);
  UnusedMetadata metadata(table);
  std::vector<Snapshot> dead;
  bool known = CanRead("What other snapshots use", [&] {
    for (const std::string& path : notes) dead.push_back(ReadVersionedFile<Snapshot>(fs, path, SystemSleeper()));
    for (const Snapshot& state : dead) {
      data.AddWhole(state);
      data.AddChangelog(state);
    }
    data.Keep(KeepLines(table, AllLines(table), &data, &metadata));
  });
  if (!known) return 0;
  for (const Snapshot& state : dead) metadata.Collect(state);
  std::vector<std::string> paths = data.Paths();
  DeleteFiles(fs, paths, executor);
  DeleteFiles(fs, metadata.paths(), executor);
  for (const std::string& path : notes) fs.DeleteFile(path);
  return static_cast<int64_t>(paths.size() + metadata.paths().size());
}

}  // namespace mica
