// Snapshot files, their hints, and tags (Format 1.4, 3.1, 3.3). A snapshot is the only thing that changes what readers
// see; publishing one is table/commit's, through CreateAtomically.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "io/file_system.h"

namespace mica {

enum class CommitKind { kAppend, kCompact, kOverwrite, kAnalyze };
std::string_view CommitKindName(CommitKind kind);

inline constexpr int64_t kBatchCommitIdentifier = INT64_MAX;

struct Snapshot {
  int32_t version = 3;
  std::optional<std::string> uuid;
  int64_t id = 0;
  int64_t schema_id = 0;
  std::string base_manifest_list;
  std::optional<int64_t> base_manifest_list_size;
  std::string delta_manifest_list;
  std::optional<int64_t> delta_manifest_list_size;
  std::optional<std::string> changelog_manifest_list;
  std::optional<int64_t> changelog_manifest_list_size;
  std::optional<std::string> index_manifest;
  std::string commit_user;
  std::optional<std::string> writer_version;
  int64_t commit_identifier = kBatchCommitIdentifier;
  CommitKind commit_kind = CommitKind::kAppend;
  int64_t time_millis = 0;
  std::optional<int64_t> total_record_count;
  std::optional<int64_t> delta_record_count;
  std::optional<int64_t> changelog_record_count;
  std::optional<int64_t> watermark;
  std::optional<std::string> statistics;
  std::optional<std::map<std::string, std::string>> properties;
  std::optional<int64_t> next_row_id;
  std::optional<std::string> operation;

  static Snapshot FromJson(std::string_view text, std::string_view what);
  std::string ToJson() const;
  bool operator==(const Snapshot&) const = default;
};

// A tag file is a snapshot and, with retention, two more keys (Format 3.3).
struct Tag {
  Snapshot snapshot;
  std::optional<int64_t> create_time_local_nanos;  // local wall clock, nanoseconds as if UTC
  std::optional<int64_t> time_retained_nanos;
  static Tag FromJson(std::string_view text, std::string_view what);
  std::string ToJson() const;
  bool operator==(const Tag&) const = default;
};

// Reads and finds snapshots and tags under `<root>[/branch/...]`. Thread safe. Nothing is cached: after a rollback an
// id is given again to another snapshot.
class SnapshotStore {
 public:
  SnapshotStore(FileSystemPtr fs, std::string root, Sleeper sleeper = SystemSleeper())
      : fs_(std::move(fs)), root_(std::move(root)), sleeper_(std::move(sleeper)) {}

  std::string PathOf(int64_t id) const;
  std::optional<int64_t> LatestId();  // by hint, else by listing (Format 1.4)
  std::optional<int64_t> EarliestId();
  // What the hint says, if that snapshot is there: found without a listing.
  std::optional<int64_t> HintedEarliestId();
  std::optional<Snapshot> Latest();
  std::optional<Snapshot> Read(int64_t id);  // nothing when the file is not there
  Snapshot Get(int64_t id);  // NotFound lists the range that exists
  bool Exists(int64_t id);
  std::vector<int64_t> Ids();  // ascending, by listing
  // The newest snapshot with time_millis <= t; NotFound as P-50 says.
  Snapshot AtTime(int64_t epoch_millis);
  // The first snapshot whose watermark is at or above the given one; NotFound when there is none.
  Snapshot AtWatermark(int64_t watermark);
  // Failures are logged only: a hint may name an older snapshot.
  void WriteLatestHint(int64_t id);
  // Fails where it cannot be written, for those who delete newer snapshots: Java trusts a hint beyond the latest one.
  void MoveLatestHintBack(int64_t id);

  std::vector<std::string> TagNames();  // ascending
  std::optional<Tag> FindTag(const std::string& name);
  Tag GetTag(const std::string& name);  // NotFound with the nearest name
  std::string TagPath(const std::string& name) const;

 private:
  std::optional<int64_t> Hint(std::string_view name);

  FileSystemPtr fs_;
  std::string root_;
  Sleeper sleeper_;
};

}  // namespace mica
