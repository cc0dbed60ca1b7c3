// Consumers: how far a streaming reader has come (Format 3.4; M-0642). Snapshots that one has not read yet do not expire.
// Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/file_system.h"

namespace mica {

class ConsumerStore {
 public:
  ConsumerStore(FileSystemPtr fs, std::string root) : fs_(std::move(fs)), root_(std::move(root)) {}

  std::vector<std::string> Ids();  // ascending
  // The snapshot that it reads next; nothing when there is no such consumer.
  std::optional<int64_t> NextSnapshot(const std::string& id);
  // The smallest one of all consumers.
  std::optional<int64_t> MinNextSnapshot();
  void Reset(const std::string& id, int64_t next_snapshot);
  // Deletes those that have not moved since this time.
  void DeleteOlderThan(int64_t millis);
  // A missing consumer is fine.
  void Delete(const std::string& id);

 private:
  std::string PathOf(const std::string& id) const;

  FileSystemPtr fs_;
  std::string root_;
};

}  // namespace mica
