// CheckReadable and CheckWritable of table_options.h: the one list of what Mica cannot yet do with a table.
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "format/data_file.h"
#include "meta/table_options.h"

namespace mica {

namespace {

enum class When {
  kSet,      // whatever the value
  kTrue,     // a Boolean option that is on
  kNotThis,  // anything but `value`
};

struct Refusal {
  std::string_view key;
  When when;
  std::string_view value;  // kNotThis: what is fine, which is also the default
  bool reading;
  bool writing;
  bool primary_key_only;
  std::string_view reason;
};

// What a plain reader or writer would get wrong. Options that are not here change speed, size or maintenance only, or
// are carried out.
constexpr Refusal kRefusals[] = {
    {"type", When::kNotThis, "table", true, true, false, "only ordinary tables have snapshots to read"},
    {"branch", When::kNotThis, "main", true, true, false, "the branch lies elsewhere"},
    {"sequence.snapshot-ordering", When::kTrue, "", true, true, true, "an older row could win"},
    {"pk-clustering-override", When::kTrue, "", true, true, true, "files are not sorted by key"},
    {"record-level.expire-time", When::kSet, "", true, true, true, "expired rows would appear"},
    {"data-evolution.enabled", When::kTrue, "", true, true, false, "the columns of a row lie in several files"},
    {"row-tracking.enabled", When::kTrue, "", false, true, false, "new rows would have no ids"},
    {"chain-table.enabled", When::kTrue, "", true, true, false, "rows of the chained branches would be missing"},
    {"query-auth.enabled", When::kTrue, "", true, false, false, "hidden rows and columns would be shown"},
    {"scan.fallback-branch", When::kSet, "", true, false, false, "partitions of the other branch would be missing"},
    {"scan.primary-branch", When::kSet, "", true, false, false, "partitions of the other branch would be missing"},
    {"scan.bucket", When::kSet, "", true, false, false, "rows of other buckets would appear"},
    {"incremental-between", When::kSet, "", true, false, false, "the whole table would be read"},
    {"incremental-between-timestamp", When::kSet, "", true, false, false, "the whole table would be read"},
    {"incremental-to-auto-tag", When::kSet, "", true, false, false, "the whole table would be read"},
    {"postpone.merge-on-read", When::kTrue, "", true, false, true, "postponed rows would be missing"},
    {"primary-key.nullable", When::kTrue, "", false, true, true, "NULL in a key column is not written"},
    {"commit.callbacks", When::kSet, "", false, true, false, "its Java classes would not be called"},
    {"commit.strict-mode.last-safe-snapshot", When::kSet, "", false, true, false, "the strict check would be left out"},
    {"blob-field", When::kSet, "", true, true, false, "blobs lie in files of their own"},
    {"blob-descriptor-field", When::kSet, "", true, true, false, "blobs would not be resolved"},
    {"blob-view-field", When::kSet, "", true, true, false, "blobs would not be resolved"},
    {"vector-field", When::kSet, "", true, true, false, "vectors lie in files of their own"},
    {"vector.file.format", When::kSet, "", true, true, false, "vectors lie in files of their own"},
    {"pk-vector.index.columns", When::kSet, "", false, true, true, "the index would miss new rows"},
    {"pk-btree.index.columns", When::kSet, "", false, true, true, "the index would miss new rows"},
    {"pk-bitmap.index.columns", When::kSet, "", false, true, true, "the index would miss new rows"},
    {"pk-multivalue.index.columns", When::kSet, "", false, true, true, "the index would miss new rows"},
    {"pk-full-text.index.columns", When::kSet, "", false, true, true, "the index would miss new rows"},
    {"metadata.iceberg.storage", When::kNotThis, "disabled", false, true, false,
     "the Iceberg metadata would fall behind"},
};

[[noreturn]] void Refuse(bool reading, std::string_view key, std::string_view value, std::string_view reason) {
  throw Unsupported("Cannot {} a table with '{}' = '{}' yet: {}", reading ? "read" : "write to", key, value, reason);
}

void CheckListed(const TableSchema& schema, const TableOptions& options, bool reading) {
  for (const Refusal& refusal : kRefusals) {
    if (!(reading ? refusal.reading : refusal.writing)) continue;
    if (refusal.primary_key_only && !schema.has_primary_key()) continue;
    auto value = options.Find(refusal.key);
    if (!value || value->empty()) continue;
    bool refused = refusal.when == When::kSet || (refusal.when == When::kTrue && options.Bool(refusal.key, false)) ||
                   (refusal.when == When::kNotThis && !EqualsIgnoreCase(*value, refusal.value));
    if (refused) Refuse(reading, refusal.key, *value, refusal.reason);
  }
}

// Options with a column, a type or a list in their name.
void CheckPatterned(const TableOptions& options, bool reading) {
  for (const auto& [key, value] : options.raw()) {
    if (key.starts_with("fields.") && key.ends_with(".map.storage-layout") && !EqualsIgnoreCase(value, "default")) {
      Refuse(reading, key, value, "the map lies in shared columns");
    }
    if (reading) continue;
    const bool index = key.starts_with("file-index.") && key.ends_with(".columns") && !value.empty();
    const bool known = key == "file-index.bloom-filter.columns" || key == "file-index.bitmap.columns";
    if (index && (!known || value.find('[') != std::string::npos)) {
      Refuse(false, key, value, "new files would have no index");
    }
  }
  if (!reading && options.Find("data-file.external-paths") &&
      !EqualsIgnoreCase(options.Text("data-file.external-paths.strategy", "none"), "none")) {
    Refuse(false, "data-file.external-paths", options.Text("data-file.external-paths", ""),
           "new files would lie inside the table");
  }
}

bool Contains(const DataType& type, TypeRoot root) {
  if (type.root() == root) return true;
  switch (type.root()) {
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
      return Contains(type.element(), root);
    case TypeRoot::kMap:
      return Contains(type.key(), root) || Contains(type.value(), root);
    case TypeRoot::kRow:
      for (const DataField& field : type.fields()) {
        if (Contains(field.type, root)) return true;
      }
      return false;
    default:
      return false;
  }
}

// Keys that lack partition columns move between partitions: where they lie is read, and they are deleted where they leave.
void CheckKeysMove(const TableSchema& schema, const TableOptions& options) {
  const std::string engine = options.Text("merge-engine", "deduplicate");
  const std::string key = fmt::format("the primary key [{}] lacks partition columns", Join(schema.primary_keys, ", "));
  const bool waits = EqualsIgnoreCase(engine, "first-row") || options.Bool("deletion-vectors.enabled", false);
  if (waits && options.Bool("write-only", false)) {
    Refuse(false, "write-only", "true", key + ", and keys of rows that are not compacted would be missed");
  }
  if (EqualsIgnoreCase(engine, "deduplicate") && options.Bool("ignore-delete", false)) {
    Refuse(false, "ignore-delete", "true", key + ", and a row that moves would stay in its old partition too");
  }
}

void CheckTypes(const TableSchema& schema, bool reading) {
  for (const DataField& field : schema.fields) {
    bool refused = Contains(field.type, TypeRoot::kBlob) || (!reading && Contains(field.type, TypeRoot::kVariant));
    if (refused) {
      throw Unsupported("Cannot {} a table with column '{}' of type {} yet", reading ? "read" : "write to", field.name,
                        field.type.ToString());
    }
  }
}

}  // namespace

void CheckReadable(const TableSchema& schema) {
  TableOptions options(schema.options);
  CheckListed(schema, options, /*reading=*/true);
  CheckPatterned(options, /*reading=*/true);
  CheckTypes(schema, /*reading=*/true);
}

void CheckWritable(const TableSchema& schema) {
  TableOptions options(schema.options);
  CheckListed(schema, options, /*reading=*/false);
  CheckPatterned(options, /*reading=*/false);
  CheckTypes(schema, /*reading=*/false);
  switch (BucketModeOf(schema)) {
    case BucketMode::kKeyDynamic:
      CheckKeysMove(schema, options);
      break;
    case BucketMode::kPostpone:
    case BucketMode::kHashFixed:
    case BucketMode::kHashDynamic:
    case BucketMode::kUnaware:
      break;
  }
  CheckFormatSupported(options.file_format());
}

}  // namespace mica
