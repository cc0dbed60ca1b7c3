// Drops partitions that are too old (Engine 10.4; M-1014): by the time that their values say, or by when files were last
// added.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "table/commit.h"

namespace mica {

// What is absent comes from the options partition.expiration-* and partition.timestamp-*.
struct PartitionExpiryRequest {
  std::optional<std::string> expiration_time;  // "7 d"
  std::optional<std::string> strategy;         // values-time, update-time
  std::optional<std::string> pattern;          // "$dt $hour"; the first partition column when there is none at all
  std::optional<std::string> formatter;        // of Java's DateTimeFormatter; yyyy-MM-dd[ HH:mm:ss] when there is none
  std::optional<int64_t> max_expires;
};

// Drops at most so many, the smallest first, each written as "dt=2024-01-01, hh=09", and returns them. A partition whose time
// cannot be read stays, with a warning. Throws InvalidArgument without partitions or without an expiration time.
std::vector<std::string> ExpirePartitions(const TablePtr& table, const PartitionExpiryRequest& request,
                                          const CommitSettings& settings, int64_t now_millis, Executor& executor);

}  // namespace mica
