#include "meta/startup_mode.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {

using Keys = std::vector<std::string>;

const Keys kTimes = {"scan.timestamp-millis", "scan.timestamp"};
const Keys kVersions = {"scan.snapshot-id", "scan.tag-name", "scan.watermark", "scan.version"};
const Keys kIncremental = {"incremental-between", "incremental-between-timestamp", "incremental-to-auto-tag"};
constexpr const char* kFileCreation = "scan.file-creation-time-millis";
constexpr const char* kCreation = "scan.creation-time-millis";

Keys Given(const TableOptions& options, const Keys& keys) {
  Keys given;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(given), [&](const std::string& key) { return options.Find(key).has_value(); });
  return given;
}

void ExactlyOne(const TableOptions& options, const Keys& keys, const std::string& mode) {
  if (Given(options, keys).size() == 1) return;
  throw InvalidArgument("must set only one key in [{}] when you use {} for scan.mode", Join(keys, ","), mode);
}

void None(const TableOptions& options, const Keys& keys, const Keys& because) {
  Keys given = Given(options, keys);
  if (!given.empty()) throw InvalidArgument("[{}] must be null when you set [{}]", given.front(), Join(because, ","));
}

Keys Concat(std::initializer_list<Keys> lists) {
  Keys all;
  for (const Keys& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace

std::string StartupModeOf(const TableOptions& options) {
  std::string mode = ToLower(options.Text("scan.mode", "default"));
  if (mode == "full") return "latest-full";
  if (mode != "default") return mode;
  if (!Given(options, kTimes).empty()) return "from-timestamp";
  if (!Given(options, kVersions).empty()) return "from-snapshot";
  if (options.Find(kFileCreation)) return "from-file-creation-time";
  if (options.Find(kCreation)) return "from-creation-timestamp";
  if (!Given(options, kIncremental).empty()) return "incremental";
  return "latest-full";
}

void ValidateStartupMode(const TableOptions& options) {
  std::string mode = StartupModeOf(options);
  const Keys versions = {"scan.snapshot-id", "scan.tag-name"};
  if (mode == "from-timestamp") {
    ExactlyOne(options, kTimes, mode);
    None(options, Concat({versions, {kFileCreation}, kIncremental}), kTimes);
  } else if (mode == "from-snapshot") {
    ExactlyOne(options, kVersions, mode);
    None(options, Concat({kTimes, {kFileCreation}, kIncremental}), versions);
  } else if (mode == "incremental") {
    ExactlyOne(options, kIncremental, mode);
    None(options, Concat({kTimes, versions, {kFileCreation}}), kIncremental);
  } else if (mode == "from-snapshot-full") {
    ExactlyOne(options, {"scan.snapshot-id"}, mode);
    None(options, Concat({kTimes, {kFileCreation, "scan.tag-name"}, kIncremental}), {"scan.snapshot-id"});
  } else if (mode == "from-file-creation-time") {
    ExactlyOne(options, {kFileCreation}, mode);
    None(options, Concat({versions, {"scan.timestamp-millis"}, kIncremental}), {kFileCreation});
  } else {
    Keys given = Given(options, Concat({kTimes, {kFileCreation}, versions, kIncremental}));
    if (!given.empty()) throw InvalidArgument("{} must be null when you use {} for scan.mode", given.front(), mode);
  }
}

}  // namespace mica
