// Makes, changes and removes tags (Engine 10.3; M-0608 to M-0625). A tag file is a copy of a snapshot, so a tag can be read
// after its snapshot has expired. Thread safe against other processes: a tag is created exclusively.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace mica {

struct TagRequest {
  std::string name;
  std::optional<int64_t> snapshot_id;  // the latest snapshot when absent
  // How long it stays; absent: `tag.default-time-retained`, and without that for ever.
  std::optional<std::chrono::nanoseconds> time_retained;
};

enum class TagExists { kFail, kKeep, kReplace };
enum class TagMissing { kFail, kIgnore };

// Refuses names that are blank or hold '/', ':' or control characters, a snapshot that neither exists nor is held by
// another tag, and a second automatic tag of one snapshot (M-0621).
void CreateTag(const Table& table, const TagRequest& request, TagExists exists, const Clock& clock,
               Executor& executor);
// Gives an existing tag another snapshot and retention. Throws NotFound.
void ReplaceTag(const Table& table, const TagRequest& request, const Clock& clock, Executor& executor);
// Deletes tags, and the files that only they held (M-0616). All are looked at before the first goes. Refuses a tag that a
// branch begins with.
void DeleteTags(const Table& table, const std::vector<std::string>& names, TagMissing missing, Executor& executor);
// The retention stays. Throws NotFound and AlreadyExists; refuses a tag that a branch begins with.
void RenameTag(const Table& table, const std::string& from, const std::string& to);

// Deletes the tags whose retention has passed, and with `older_than` those made before it, in milliseconds since the
// epoch (M-0622). Tags that branches begin with stay. Returns their names.
std::vector<std::string> ExpireTags(const Table& table, std::optional<int64_t> older_than_millis, int64_t now_millis,
                                    Executor& executor);

// Throws InvalidArgument when a branch begins with the tag; `change` is the verb of the message.
void RefuseAnchor(const Table& table, const std::string& name, const Tag& tag, std::string_view change);

// The snapshot with this id, from its own file or from a tag that holds it. Throws NotFound.
Snapshot FindSnapshotOrTagged(const Table& table, int64_t id);

}  // namespace mica
