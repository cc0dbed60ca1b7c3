// The lines of a table: main and its branches, each with snapshots of its own, all over the same data files and manifests.
// What one line lets go may be what another one lives on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "meta/snapshot.h"
#include "table/table.h"

namespace mica {

struct Line {
  std::string branch;  // "main", or the branch's name
  std::string root;    // where its metadata lies
  SnapshotStore snapshots;
};

// The branch that a table is opened at, "main" for its own line.
std::string BranchOf(const Table& table);
// Where the schemas, snapshots, changelogs, tags and consumers of its line lie: its folder, or the one of the branch.
std::string MetadataRoot(const Table& table);

// main first. Unfinished branches are among them: what they hold counts.
std::vector<Line> AllLines(const Table& table);
// All but the line that the table is opened at.
std::vector<Line> OtherLines(const Table& table);

// Every state of a line that can be read.
struct LineStates {
  std::vector<Snapshot> snapshots;  // ascending
  std::vector<Snapshot> tags;       // where they are not the same as a snapshot, ascending by name
};
// Throws NotFound when a snapshot expires meanwhile.
LineStates StatesOf(Line& line);
// The long-lived changelogs of a line, ascending.
std::vector<Snapshot> ChangelogsOf(const Table& table, const Line& line);

}  // namespace mica
