// The bytes of the values that leave a process, split and commit message: a mark with a version, then fields in order.
// Files and index files go as the Avro records of manifests. What comes in is never trusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "table/commit_message.h"
#include "table/split.h"

namespace mica {

std::string Serialize(const Split& split);
std::string Serialize(const CommitMessage& message);
// Throw Corrupt; Unsupported for what a later version wrote.
Split DeserializeSplit(std::string_view bytes);
CommitMessage DeserializeCommitMessage(std::string_view bytes);

class ParcelWriter {
 public:
  explicit ParcelWriter(std::string_view mark);
  void Number(int64_t value);
  void Text(std::string_view text);
  void Files(const std::vector<DataFileMeta>& files);
  void IndexFiles(const std::vector<IndexManifestEntry>& files);
  std::string Finish() { return std::move(out_); }

 private:
  std::string out_;
};

class ParcelReader {
 public:
  // Throws Corrupt when the bytes are not of this mark, Unsupported when they are of a later version. They must outlive
  // the reader.
  ParcelReader(std::string_view bytes, std::string_view mark);
  int64_t Number();
  int32_t SmallNumber();
  std::string Text();
  std::vector<DataFileMeta> Files();
  std::vector<IndexManifestEntry> IndexFiles();
  // Throws Corrupt when something is left.
  void Finish() const;

 private:
  std::string_view Bytes(size_t size);
  std::string_view rest_;
};

}  // namespace mica
