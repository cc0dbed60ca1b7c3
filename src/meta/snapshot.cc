#include "meta/snapshot.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "meta/versioned_folder.h"

namespace mica {

namespace {

constexpr int32_t kCurrentVersion = 3;
constexpr int64_t kNanosOfSecond = 1'000'000'000;
constexpr int64_t kSecondsOfDay = 86'400;
constexpr std::string_view kKindNames[] = {"APPEND", "COMPACT", "OVERWRITE", "ANALYZE"};

CommitKind KindOfName(const std::string& name) {
  for (size_t i = 0; i < std::size(kKindNames); ++i) {
    if (kKindNames[i] == name) return static_cast<CommitKind>(i);
  }
  throw Unsupported("The commit kind '{}' is unknown", name);
}

Snapshot ParseSnapshot(const Json& json) {
  if (!json.is_object()) throw Corrupt("A snapshot is a JSON object, not '{}'", json.type_name());
  Snapshot s;
  s.version = GetOptional<int32_t>(json, "version").value_or(1);
  if (s.version > kCurrentVersion) {
    throw Unsupported("The snapshot has version '{}', written by a newer Paimon. Mica knows versions 1 to {}",
                      s.version, kCurrentVersion);
  }
  s.uuid = GetOptional<std::string>(json, "uuid");
  s.id = GetKey<int64_t>(json, "id");
  s.schema_id = GetKey<int64_t>(json, "schemaId");
  s.base_manifest_list = GetKey<std::string>(json, "baseManifestList");
  s.base_manifest_list_size = GetOptional<int64_t>(json, "baseManifestListSize");
  s.delta_manifest_list = GetKey<std::string>(json, "deltaManifestList");
  s.delta_manifest_list_size = GetOptional<int64_t>(json, "deltaManifestListSize");
  s.changelog_manifest_list = GetOptional<std::string>(json, "changelogManifestList");
  s.changelog_manifest_list_size = GetOptional<int64_t>(json, "changelogManifestListSize");
  s.index_manifest = GetOptional<std::string>(json, "indexManifest");
  s.commit_user = GetKey<std::string>(json, "commitUser");
  s.writer_version = GetOptional<std::string>(json, "writerVersion");
  s.commit_identifier = GetKey<int64_t>(json, "commitIdentifier");
  s.commit_kind = KindOfName(GetKey<std::string>(json, "commitKind"));
  s.time_millis = GetKey<int64_t>(json, "timeMillis");
  s.total_record_count = GetOptional<int64_t>(json, "totalRecordCount");
  s.delta_record_count = GetOptional<int64_t>(json, "deltaRecordCount");
  s.changelog_record_count = GetOptional<int64_t>(json, "changelogRecordCount");
  s.watermark = GetOptional<int64_t>(json, "watermark");
  s.statistics = GetOptional<std::string>(json, "statistics");
  if (const Json* properties = FindKey(json, "properties")) {
    if (!properties->is_object()) throw Corrupt("The value of key 'properties' is not an object");
    s.properties.emplace();
    for (const auto& [key, value] : properties->items()) {
      if (value.is_null()) continue;
      if (!value.is_string()) throw Corrupt("The value of property '{}' is not a string", key);
      (*s.properties)[key] = value.get<std::string>();
    }
  }
  s.next_row_id = GetOptional<int64_t>(json, "nextRowId");
  s.operation = GetOptional<std::string>(json, "operation");
  return s;
}

Json SnapshotJson(const Snapshot& s) {
  Json json = Json::object();
  auto put = [&](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  json["version"] = s.version;
  put("uuid", s.uuid);
  json["id"] = s.id;
  json["schemaId"] = s.schema_id;
  json["baseManifestList"] = s.base_manifest_list;
  put("baseManifestListSize", s.base_manifest_list_size);
  json["deltaManifestList"] = s.delta_manifest_list;
  put("deltaManifestListSize", s.delta_manifest_list_size);
  put("changelogManifestList", s.changelog_manifest_list);
  put("changelogManifestListSize", s.changelog_manifest_list_size);
  put("indexManifest", s.index_manifest);
  json["commitUser"] = s.commit_user;
  put("writerVersion", s.writer_version);
  json["commitIdentifier"] = s.commit_identifier;
  json["commitKind"] = CommitKindName(s.commit_kind);
  json["timeMillis"] = s.time_millis;
  put("totalRecordCount", s.total_record_count);
  put("deltaRecordCount", s.delta_record_count);
  put("changelogRecordCount", s.changelog_record_count);
  put("watermark", s.watermark);
  put("statistics", s.statistics);
  if (s.properties && !s.properties->empty()) {
    json["properties"] = Json::object();
    for (const auto& [key, value] : *s.properties) json["properties"][key] = value;
  }
  put("nextRowId", s.next_row_id);
  put("operation", s.operation);
  return json;
}

[[noreturn]] void Rethrow(const Error& error, std::string_view kind, std::string_view what) {
  ErrorKind as = error.kind() == ErrorKind::kUnsupported ? ErrorKind::kUnsupported : ErrorKind::kCorrupt;
  throw Error(as, error.message()).Add(fmt::format("{} file '{}'", kind, what));
}

// ---- the two extra values of a tag ----

int64_t LocalNanos(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute, int64_t second,
                   int64_t nano) {
  bool valid = year >= 1678 && year <= 2261 && month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour >= 0 &&
               hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60 && nano >= 0 &&
               nano < kNanosOfSecond;
  if (!valid) throw Corrupt("The value of key 'tagCreateTime' is not a date and time");
  std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) throw Corrupt("The value of key 'tagCreateTime' is not a date and time");
  int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return (days * kSecondsOfDay + hour * 3600 + minute * 60 + second) * kNanosOfSecond + nano;
}

// Takes the digits at the front of `text`.
int64_t TakeDigits(std::string_view* text, std::string_view key, size_t* digits = nullptr) {
  size_t count = 0;
  while (count < text->size() && (*text)[count] >= '0' && (*text)[count] <= '9') ++count;
  auto number = ParseInteger(text->substr(0, count));
  if (!number) throw Corrupt("The value of key '{}' cannot be read", key);
  if (digits) *digits = count;
  text->remove_prefix(count);
  return *number;
}

// Digits after a decimal point as nanoseconds.
int64_t TakeFraction(std::string_view* text, std::string_view key) {
  size_t digits = 0;
  int64_t fraction = TakeDigits(text, key, &digits);
  if (digits > 9) throw Corrupt("The value of key '{}' cannot be read", key);
  for (; digits < 9; ++digits) fraction *= 10;
  return fraction;
}

int64_t ParseIsoDateTime(std::string_view text) {
  constexpr std::string_view kKey = "tagCreateTime";
  auto expect = [&](char c) {
    if (text.empty() || text.front() != c) throw Corrupt("The value of key '{}' cannot be read", kKey);
    text.remove_prefix(1);
  };
  int64_t year = TakeDigits(&text, kKey);
  expect('-');
  int64_t month = TakeDigits(&text, kKey);
  expect('-');
  int64_t day = TakeDigits(&text, kKey);
  expect('T');
  int64_t hour = TakeDigits(&text, kKey);
  expect(':');
  int64_t minute = TakeDigits(&text, kKey);
  int64_t second = 0, nano = 0;
  if (!text.empty()) {
    expect(':');
    second = TakeDigits(&text, kKey);
  }
  if (!text.empty()) {
    expect('.');
    nano = TakeFraction(&text, kKey);
  }
  if (!text.empty()) throw Corrupt("The value of key '{}' cannot be read", kKey);
  return LocalNanos(year, month, day, hour, minute, second, nano);
}

int64_t ParseCreateTime(const Json& json) {
  if (json.is_string()) return ParseIsoDateTime(json.get<std::string>());
  if (!json.is_array() || json.size() < 5 || json.size() > 7) {
    throw Corrupt("The value of key 'tagCreateTime' is not an array of 5 to 7 integers");
  }
  int64_t parts[7] = {};
  for (size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_number_integer()) throw Corrupt("The value of key 'tagCreateTime' is not an array of integers");
    parts[i] = json[i].get<int64_t>();
  }
  return LocalNanos(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]);
}

int64_t SecondsToNanos(int64_t seconds, int64_t nanos) {
  int64_t out;
  if (__builtin_mul_overflow(seconds, kNanosOfSecond, &out) || __builtin_add_overflow(out, nanos, &out)) {
    throw Corrupt("The value of key 'tagTimeRetained' is too large");
  }
  return out;
}

// PT24H, P1DT2H3M4.5S.
int64_t ParseIsoDuration(std::string_view text) {
  constexpr std::string_view kKey = "tagTimeRetained";
  if (!text.starts_with("P") || text.size() < 3) throw Corrupt("The value of key '{}' is not a duration", kKey);
  text.remove_prefix(1);
  int64_t seconds = 0, nanos = 0;
  bool in_time = false;
  while (!text.empty()) {
    if (text.front() == 'T' && !in_time) {
      in_time = true;
      text.remove_prefix(1);
    }
    int64_t number = TakeDigits(&text, kKey);
    if (text.starts_with(".")) {
      text.remove_prefix(1);
      nanos = TakeFraction(&text, kKey);
    }
    char unit = text.empty() ? ' ' : text.front();
    int64_t factor = unit == 'D' && !in_time  ? kSecondsOfDay
                     : unit == 'H' && in_time ? 3600
                     : unit == 'M' && in_time ? 60
                     : unit == 'S' && in_time ? 1
                                              : 0;
    int64_t part;
    if (factor == 0 || __builtin_mul_overflow(number, factor, &part) ||
        __builtin_add_overflow(seconds, part, &seconds)) {
      throw Corrupt("The value of key '{}' is not a duration", kKey);
    }
    text.remove_prefix(1);
  }
  return SecondsToNanos(seconds, nanos);
}

int64_t ParseRetained(const Json& json) {
  if (json.is_string()) return ParseIsoDuration(json.get<std::string>());
  if (json.is_number_integer()) return SecondsToNanos(json.get<int64_t>(), 0);
  if (!json.is_number()) throw Corrupt("The value of key 'tagTimeRetained' is not a number");
  double seconds = json.get<double>();
  if (!(std::abs(seconds) < 9e9)) throw Corrupt("The value of key 'tagTimeRetained' is too large");
  double whole = std::floor(seconds);
  return SecondsToNanos(static_cast<int64_t>(whole), std::llround((seconds - whole) * 1e9));
}

std::string CreateTimeText(int64_t nanos) {
  int64_t seconds = nanos / kNanosOfSecond, nano = nanos % kNanosOfSecond;
  if (nano < 0) {
    nano += kNanosOfSecond;
    --seconds;
  }
  int64_t days = seconds / kSecondsOfDay, rest = seconds % kSecondsOfDay;
  if (rest < 0) {
    rest += kSecondsOfDay;
    --days;
  }
  std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  int64_t second = rest % 60;
  std::string text =
      fmt::format("[ {}, {}, {}, {}, {}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), rest / 3600, rest / 60 % 60);
  if (second != 0 || nano != 0) text += fmt::format(", {}", second);
  if (nano != 0) text += fmt::format(", {}", nano);
  return text + " ]";
}

std::string RetainedText(int64_t nanos) {
  // Decimal text of seconds; a double would not hold nine decimals.
  bool negative = nanos < 0;
  uint64_t size = negative ? 0 - static_cast<uint64_t>(nanos) : static_cast<uint64_t>(nanos);
  return fmt::format("{}{}.{:09}", negative ? "-" : "", size / kNanosOfSecond, size % kNanosOfSecond);
}

std::string MillisText(int64_t millis) {
  int64_t seconds = millis / 1000, rest = millis % 1000;
  if (rest < 0) {
    rest += 1000;
    --seconds;
  }
  int64_t days = seconds / kSecondsOfDay, second = seconds % kSecondsOfDay;
  if (second < 0) {
    second += kSecondsOfDay;
    --days;
  }
  // Years outside of the calendar's range print as their number.
  if (days < -1'000'000 || days > 3'000'000) return fmt::format("{} ms", millis);
  std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), second / 3600,
                     second / 60 % 60, second % 60, rest);
}

}  // namespace

std::string_view CommitKindName(CommitKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

Snapshot Snapshot::FromJson(std::string_view text, std::string_view what) {
  try {
    return ParseSnapshot(ParseJson(text, what));
  } catch (const Error& error) {
    Rethrow(error, "snapshot", what);
  }
}

std::string Snapshot::ToJson() const {
  return PrettyJson(SnapshotJson(*this));
}

Tag Tag::FromJson(std::string_view text, std::string_view what) {
  try {
    Json json = ParseJson(text, what);
    Tag tag;
    tag.snapshot = ParseSnapshot(json);
    if (const Json* created = FindKey(json, "tagCreateTime")) tag.create_time_local_nanos = ParseCreateTime(*created);
    if (const Json* retained = FindKey(json, "tagTimeRetained")) tag.time_retained_nanos = ParseRetained(*retained);
    return tag;
  } catch (const Error& error) {
    Rethrow(error, "tag", what);
  }
}

std::string Tag::ToJson() const {
  std::string text = snapshot.ToJson();
  text.erase(text.size() - 2);  // without "\n}"
  if (create_time_local_nanos) text += ",\n  \"tagCreateTime\" : " + CreateTimeText(*create_time_local_nanos);
  if (time_retained_nanos) text += ",\n  \"tagTimeRetained\" : " + RetainedText(*time_retained_nanos);
  return text + "\n}";
}

std::string SnapshotStore::PathOf(int64_t id) const {
  return fmt::format("{}/snapshot/snapshot-{}", root_, id);
}

std::optional<Snapshot> SnapshotStore::Read(int64_t id) {
  try {
    return ReadVersionedFile<Snapshot>(*fs_, PathOf(id), sleeper_);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kNotFound) return std::nullopt;
    throw;
  }
}

std::optional<int64_t> SnapshotStore::Hint(std::string_view name) {
  // A hint that cannot be read is no hint: the listing decides.
  try {
    auto id = ParseInteger(fs_->ReadFile(fmt::format("{}/snapshot/{}", root_, name)));
    return id && *id > 0 ? id : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool SnapshotStore::Exists(int64_t id) {
  return fs_->Exists(PathOf(id));
}

std::vector<int64_t> SnapshotStore::Ids() {
  return ListVersions(*fs_, JoinPath(root_, "snapshot"), "snapshot-");
}

std::optional<int64_t> SnapshotStore::LatestId() {
  auto hint = Hint("LATEST");
  // Beyond Format 1.4 the hinted snapshot itself must be there: after a rollback the hint may be too high.
  if (hint && *hint < INT64_MAX && !Exists(*hint + 1) && Exists(*hint)) return hint;
  std::vector<int64_t> ids = Ids();
  if (ids.empty()) return std::nullopt;
  return ids.back();
}

std::optional<int64_t> SnapshotStore::HintedEarliestId() {
  auto hint = Hint("EARLIEST");
  return hint && Exists(*hint) ? hint : std::nullopt;
}

std::optional<int64_t> SnapshotStore::EarliestId() {
  if (auto hint = HintedEarliestId()) return hint;
  std::vector<int64_t> ids = Ids();
  if (ids.empty()) return std::nullopt;
  return ids.front();
}

std::optional<Snapshot> SnapshotStore::Latest() {
  // A rollback may remove the file between the two looks.
  for (int attempt = 1; attempt <= kReadTries; ++attempt) {
    auto id = LatestId();
    if (!id) return std::nullopt;
    if (auto snapshot = Read(*id)) return snapshot;
  }
  throw NotFound("The latest snapshot of the table at '{}' vanished {} times while it was read", root_, kReadTries);
}

Snapshot SnapshotStore::Get(int64_t id) {
  if (auto snapshot = Read(id)) return *std::move(snapshot);
  std::vector<int64_t> ids = Ids();
  if (ids.empty()) throw NotFound("The snapshot '{}' does not exist: the table has no snapshot", id);
  throw NotFound("The snapshot '{}' does not exist. The table has snapshots from '{}' to '{}'", id, ids.front(),
                 ids.back());
}

Snapshot SnapshotStore::AtTime(int64_t epoch_millis) {
  std::vector<int64_t> ids = Ids();
  if (ids.empty()) throw NotFound("There is no snapshot in the table at '{}'", root_);
  // Searches the ids that exist, so gaps between them do not matter. A file that is gone by now was expired: too old.
  std::optional<Snapshot> best;
  std::optional<Snapshot> earliest;
  size_t low = 0, high = ids.size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    auto snapshot = Read(ids[middle]);
    if (!snapshot) {
      low = middle + 1;
    } else if (snapshot->time_millis <= epoch_millis) {
      best = std::move(snapshot);
      low = middle + 1;
    } else {
      earliest = std::move(snapshot);
      high = middle;
    }
  }
  if (best) return *std::move(best);
  if (!earliest) throw NotFound("There is no snapshot in the table at '{}'", root_);
  throw NotFound(
      "There is no snapshot earlier than or equal to timestamp '{}' ({}). The earliest snapshot '{}' is of '{}' ({})",
      epoch_millis, MillisText(epoch_millis), earliest->id, earliest->time_millis, MillisText(earliest->time_millis));
}

Snapshot SnapshotStore::AtWatermark(int64_t watermark) {
  for (int64_t id : Ids()) {
    auto snapshot = Read(id);
    if (snapshot && snapshot->watermark && *snapshot->watermark >= watermark) return *std::move(snapshot);
  }
  throw NotFound("There is no snapshot with a watermark at or above {} in the table at '{}'", watermark, root_);
}

void SnapshotStore::MoveLatestHintBack(int64_t id) {
  fs_->ReplaceAtomically(root_ + "/snapshot/LATEST", std::to_string(id));
}

void SnapshotStore::WriteLatestHint(int64_t id) {
  try {
    MoveLatestHintBack(id);
  } catch (const Error& error) {
    Log(LogLevel::kWarning, fmt::format("The hint of the latest snapshot was not written: {}", error.what()));
  }
}

std::string SnapshotStore::TagPath(const std::string& name) const {
  return fmt::format("{}/tag/tag-{}", root_, name);
}

std::vector<std::string> SnapshotStore::TagNames() {
  std::vector<std::string> names;
  for (const FileStatus& status : fs_->List(JoinPath(root_, "tag"))) {
    std::string name = BaseName(status.path);
    if (!status.is_directory && name.size() > 4 && name.starts_with("tag-")) names.push_back(name.substr(4));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<Tag> SnapshotStore::FindTag(const std::string& name) {
  if (Trim(name).empty() || name.find('/') != std::string::npos) return std::nullopt;
  try {
    return ReadVersionedFile<Tag>(*fs_, TagPath(name), sleeper_);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kNotFound) return std::nullopt;
    throw;
  }
}

Tag SnapshotStore::GetTag(const std::string& name) {
  if (auto tag = FindTag(name)) return *std::move(tag);
  throw NotFound("The tag '{}' does not exist{}", name, DidYouMean(name, TagNames()));
}

}  // namespace mica
