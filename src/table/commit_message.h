// What one writer of one bucket asks to commit (Engine 1.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meta/manifest.h"

namespace mica {

struct FileChanges {
  std::vector<DataFileMeta> new_files;
  std::vector<DataFileMeta> deleted_files;
  std::vector<DataFileMeta> changelog_files;
  std::vector<IndexManifestEntry> new_index_files;
  std::vector<IndexManifestEntry> deleted_index_files;
  bool empty() const {
    return new_files.empty() && deleted_files.empty() && changelog_files.empty() && new_index_files.empty() &&
           deleted_index_files.empty();
  }
};

struct CommitMessage {
  std::string partition;  // serialized BinaryRow
  int32_t bucket = 0;
  int32_t total_buckets = -1;
  FileChanges data;     // the append part
  FileChanges compact;  // deleted_files = compactBefore, new_files = compactAfter
  // Dynamic buckets: names of the HASH index files of the whole partition that the writer assigned keys from. When
  // others are there at commit time, somebody else assigned keys meanwhile and this commit is a conflict (P-42).
  std::optional<std::vector<std::string>> base_hash_files;
  // Keys that lack partition columns: the snapshot in which they were looked up, 0 for none. A later one that is no
  // compaction makes this commit a conflict.
  std::optional<int64_t> located_in;
};

}  // namespace mica
