#include "meta/table_options.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/text.h"
#include "meta/option_list.h"

namespace mica {

namespace {

// Keys that an option had before; read when the key itself is not set (Engine 11).
struct OldKey {
  std::string_view key;
  std::string_view old;
};
constexpr OldKey kOldKeys[] = {
    {"scan.mode", "log.scan"},
    {"scan.timestamp-millis", "log.scan.timestamp-millis"},
    {"ignore-delete", "first-row.ignore-delete"},
    {"ignore-delete", "deduplicate.ignore-delete"},
    {"ignore-delete", "partial-update.ignore-delete"},
    {"write-only", "write.compaction-skip"},
    {"snapshot.clean-empty-directories", "snapshot.expire.clean-empty-directories"},
    {"write.batch-size", "orc.write.batch-size"},
    {"lookup-wait", "changelog-producer.lookup-wait"},
    {"file-operation.thread-num", "delete-file.thread-num"},
    {"variant.shreddingSchema", "parquet.variant.shreddingSchema"},
    {"clustering.columns", "sink.clustering.by-columns"},
    {"clustering.strategy", "sink.clustering.strategy"},
    {"blob-descriptor-field", "blob.stored-descriptor-fields"},
    {"format-table.file.compression", "file.compression"},
};

Error CannotParse(std::string_view key, std::string_view value) {
  return InvalidArgument("Could not parse value '{}' for key '{}'.", value, key);
}

}  // namespace

std::string_view CurrentKey(std::string_view key) {
  for (const OldKey& old : kOldKeys) {
    if (old.old == key) return old.key;
  }
  return key;
}

std::optional<std::string> TableOptions::Find(std::string_view key) const {
  auto option = options_.find(std::string(key));
  if (option != options_.end()) return option->second;
  for (const OldKey& old : kOldKeys) {
    if (old.key != key) continue;
    option = options_.find(std::string(old.old));
    if (option != options_.end()) return option->second;
  }
  return std::nullopt;
}

std::string TableOptions::Text(std::string_view key, std::string_view fallback) const {
  auto value = Find(key);
  return value ? *value : std::string(fallback);
}

bool TableOptions::Bool(std::string_view key, bool fallback) const {
  auto value = Find(key);
  if (!value) return fallback;
  if (EqualsIgnoreCase(*value, "true")) return true;
  if (EqualsIgnoreCase(*value, "false")) return false;
  throw CannotParse(key, *value);
}

int64_t TableOptions::Integer(std::string_view key, int64_t fallback) const {
  auto value = Find(key);
  if (!value) return fallback;
  auto number = ParseInteger(*value);
  if (!number) throw CannotParse(key, *value);
  return *number;
}

double TableOptions::Number(std::string_view key, double fallback) const {
  auto value = Find(key);
  if (!value) return fallback;
  double number = 0;
  auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc() || end != value->data() + value->size()) throw CannotParse(key, *value);
  return number;
}

int64_t TableOptions::Bytes(std::string_view key, int64_t fallback) const {
  auto value = Find(key);
  if (!value) return fallback;
  try {
    return ParseMemorySize(*value);
  } catch (const Error& error) {
    throw CannotParse(key, *value).Add(error.message());
  }
}

std::chrono::nanoseconds TableOptions::Duration(std::string_view key, std::chrono::nanoseconds fallback) const {
  auto value = Find(key);
  if (!value) return fallback;
  try {
    return ParseDuration(*value);
  } catch (const Error& error) {
    throw CannotParse(key, *value).Add(error.message());
  }
}

int32_t TableOptions::bucket() const {
  int64_t bucket = Integer("bucket", -1);
  if (bucket < INT32_MIN || bucket > INT32_MAX) throw CannotParse("bucket", Text("bucket", ""));
  return static_cast<int32_t>(bucket);
}

std::string TableOptions::file_format() const {
  return ToLower(Text("file.format", "parquet"));
}

int64_t TableOptions::target_file_bytes(bool primary_key) const {
  return Bytes("target-file-size", int64_t{primary_key ? 128 : 256} << 20);
}

int64_t TableOptions::small_file_bytes(bool primary_key) const {
  const int64_t target = target_file_bytes(primary_key);
  if (!Find("compaction.small-file-ratio")) return target / 10 * 7;
  return static_cast<int64_t>(static_cast<double>(target) * Number("compaction.small-file-ratio", 0.7));
}

PartitionNaming TableOptions::partition_naming() const {
  return {Text("partition.default-name", "__DEFAULT_PARTITION__"), Bool("partition.legacy-name", true)};
}

BucketMode BucketModeOf(const TableSchema& schema) {
  int32_t bucket = TableOptions(schema.options).bucket();
  if (!schema.has_primary_key()) return bucket == -1 ? BucketMode::kUnaware : BucketMode::kHashFixed;
  if (bucket == -2) return BucketMode::kPostpone;
  if (bucket != -1) return BucketMode::kHashFixed;
  auto is_key = [&](const std::string& name) {
    return std::find(schema.primary_keys.begin(), schema.primary_keys.end(), name) != schema.primary_keys.end();
  };
  bool keys_hold_partition = std::all_of(schema.partition_keys.begin(), schema.partition_keys.end(), is_key);
  return keys_hold_partition ? BucketMode::kHashDynamic : BucketMode::kKeyDynamic;
}

}  // namespace mica
