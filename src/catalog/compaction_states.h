// For tests: writes that compact as an INSERT does, the files there are after each, and the changelog as text.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "catalog/scratch_table.h"
#include "compaction/compact.h"
#include "table/file_reader.h"

namespace mica {

inline CommitSettings Quick() {
  CommitSettings settings;
  settings.sleeper = [](int64_t) {};
  return settings;
}

// What an INSERT does: rows, then the compactions that the rules ask for.
inline CommitResult Upsert(const TablePtr& table, const Rows& rows, const std::vector<int8_t>& kinds = {}) {
  auto messages = WriteRows(table, rows, kinds);
  try {
    CompactWritten(table, false, Quick(), &messages);
    return TableCommit(table, Quick()).Commit(messages);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutcomeUnknown) AbortMessages(*table, messages);
    throw;
  }
}

inline std::vector<ManifestEntry> Live(const TablePtr& table) {
  auto latest = table->snapshots().Latest();
  if (!latest) return {};
  return LiveEntries(table->manifests(), *latest, {}, nullptr, InlineExecutor());
}

// "0:1 5:3": level and rows of each file, "=" after files that were there at the last call.
class FileWatch {
 public:
  explicit FileWatch(TablePtr table) : table_(std::move(table)) {}
  std::string Next() {
    std::vector<std::string> parts;
    std::set<std::string> names;
    for (const ManifestEntry& entry : Live(table_)) {
      bool known = known_.contains(entry.file.file_name);
      parts.push_back(fmt::format("{}:{}{}", entry.file.level, entry.file.row_count, known ? "=" : ""));
      names.insert(entry.file.file_name);
    }
    known_ = std::move(names);
    std::sort(parts.begin(), parts.end());
    return Join(parts, " ");
  }

 private:
  TablePtr table_;
  std::set<std::string> known_;
};

// "+I 1|a": the changelog of a snapshot, in the order of its files.
inline std::vector<std::string> Changes(const TablePtr& table, int64_t snapshot_id) {
  std::vector<std::string> changes;
  Snapshot snapshot = table->snapshots().Get(snapshot_id);
  if (!snapshot.changelog_manifest_list) return changes;
  std::vector<DataField> fields = table->schema().fields;
  fields.push_back(ValueKindField());
  int64_t rows = 0;
  for (const ManifestFileMeta& manifest : table->manifests().ReadList(*snapshot.changelog_manifest_list, std::nullopt)) {
    for (const ManifestEntry& entry : table->manifests().Read(manifest.file_name, manifest.file_size)) {
      EXPECT_TRUE(entry.file.file_name.starts_with("changelog-"));
      FileReadRequest request;
      request.partition = entry.partition;
      request.bucket = entry.bucket;
      request.fields = fields;
      auto reader = ReadTableFile(*table, entry.file, request);
      rows += entry.file.row_count;
      while (auto batch = reader->Next()) {
        for (int64_t row = 0; row < batch->num_rows(); ++row) {
          Row values;
          for (size_t i = 0; i < fields.size(); ++i) {
            values.push_back(ValueAt(*batch->column(static_cast<int>(i)), row, fields[i].type));
          }
          constexpr const char* kKinds[] = {"+I", "-U", "+U", "-D"};
          const char* kind = kKinds[std::get<int64_t>(values.back())];
          values.pop_back();
          changes.push_back(fmt::format("{} {}", kind, RowText(values, fields)));
        }
      }
    }
  }
  EXPECT_EQ(snapshot.changelog_record_count.value_or(0), rows);
  return changes;
}

inline std::string AllChanges(const TablePtr& table) {
  std::vector<std::string> all;
  auto latest = table->snapshots().Latest();
  for (int64_t id = 1; latest && id <= latest->id; ++id) {
    for (std::string& change : Changes(table, id)) all.push_back(std::move(change));
  }
  return Join(all, ", ");
}

}  // namespace mica
