// ValidateSchema of table_options.h: the rules a table has to keep at creation and after every change (Engine 12.4).
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "format/data_file.h"
#include "format/format_types.h"
#include "meta/merge_options.h"
#include "meta/startup_mode.h"
#include "meta/table_options.h"
#include "types/bucket_function.h"

namespace mica {

namespace {

using Names = std::vector<std::string>;

bool Holds(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string List(const Names& names) {
  return "[" + Join(names, ", ") + "]";
}

Names Repeated(const Names& names) {
  Names repeated;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second && !Holds(repeated, name)) repeated.push_back(name);
  }
  return repeated;
}

Names ColumnNames(const TableSchema& schema) {
  Names names;
  for (const DataField& field : schema.fields) names.push_back(field.name);
  return names;
}

std::string_view TypeWord(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kArray:
      return "ArrayType";
    case TypeRoot::kMultiset:
      return "MultisetType";
    case TypeRoot::kMap:
      return "MapType";
    case TypeRoot::kRow:
      return "RowType";
    case TypeRoot::kVariant:
      return "VariantType";
    default:
      return "BlobType";
  }
}

bool IsTrue(const TableOptions& options, std::string_view key) {
  return options.Bool(key, false);
}

// A word out of a list, lower-case; any other is refused as Java's enums do.
std::string Word(const TableOptions& options, std::string_view key, std::string_view fallback,
                 std::initializer_list<std::string_view> known) {
  std::string value = options.Text(key, fallback);
  for (std::string_view word : known) {
    if (EqualsIgnoreCase(word, value)) return std::string(word);
  }
  throw InvalidArgument("Could not parse value '{}' for key '{}'. Expected one of: [{}]", value, key,
                        Join(Names(known.begin(), known.end()), ", "));
}

void ValidateColumns(const TableSchema& schema) {
  Names names = ColumnNames(schema);
  for (const std::string& name : names) {
    if (Trim(name).empty()) throw InvalidArgument("A column has no name");
  }
  if (Names twice = Repeated(names); !twice.empty()) {
    throw InvalidArgument("Table column {} must not contain duplicate fields. Found: {}", List(names), List(twice));
  }
  if (Names twice = Repeated(schema.partition_keys); !twice.empty()) {
    throw InvalidArgument("Partition key constraint {} must not contain duplicate columns. Found: {}",
                          List(schema.partition_keys), List(twice));
  }
  if (Names twice = Repeated(schema.primary_keys); !twice.empty()) {
    throw InvalidArgument("Primary key constraint {} must not contain duplicate columns. Found: {}",
                          List(schema.primary_keys), List(twice));
  }
  for (const std::string& key : schema.partition_keys) {
    if (!Holds(names, key)) {
      throw InvalidArgument("Table column {} should include all partition fields {}", List(names),
                            List(schema.partition_keys));
    }
  }
  for (const std::string& key : schema.primary_keys) {
    if (!Holds(names, key)) {
      throw InvalidArgument("Table column {} should include all primary key constraint {}", List(names),
                            List(schema.primary_keys));
    }
  }
}

void ValidateKeyTypes(const TableSchema& schema) {
  auto check = [&](const Names& keys, std::string_view intro) {
    for (const std::string& key : keys) {
      const DataType& type = schema.Field(key).type;
      if (!type.IsPrimitive())
        throw Unsupported("The type {} in {} field {} is unsupported", TypeWord(type), intro, key);
    }
  };
  check(schema.primary_keys, "primary key");
  check(schema.partition_keys, "partition");
  for (const DataField& field : schema.PartitionFields()) {
    if (field.type.IsBinary()) {
      throw Unsupported("The type {} in partition field {} is unsupported: a partition folder has no name for it",
                        field.type.ToString(), field.name);
    }
  }
  if (schema.has_primary_key() && schema.TrimmedPrimaryKeys().empty()) {
    throw InvalidArgument(
        "Primary key constraint {} should not be same with partition fields {}, this will result in only one record in "
        "a "
        "partition",
        List(schema.primary_keys), List(schema.partition_keys));
  }
}

// M-0205.
void ValidateType(const std::string& column, const DataType& type) {
  auto check = [&](bool valid, std::string_view rule) {
    if (!valid) throw InvalidArgument("The type {} of column '{}' is out of bounds: {}", type.ToString(), column, rule);
  };
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return check(type.length() >= 1, "the length is 1 to 2147483647");
    case TypeRoot::kDecimal:
      check(type.precision() >= 1 && type.precision() <= 38, "the precision is 1 to 38");
      return check(type.scale() >= 0 && type.scale() <= type.precision(), "the scale is 0 to the precision");
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return check(type.precision() >= 0 && type.precision() <= 9, "the precision is 0 to 9");
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
      return ValidateType(column, type.element());
    case TypeRoot::kMap:
      ValidateType(column, type.key());
      return ValidateType(column, type.value());
    case TypeRoot::kRow: {
      Names names;
      for (const DataField& field : type.fields()) {
        names.push_back(field.name);
        ValidateType(column, field.type);
      }
      if (Names twice = Repeated(names); !twice.empty()) {
        throw InvalidArgument("The row column '{}' must not contain duplicate fields. Found: {}", column, List(twice));
      }
      return;
    }
    default:
      return;
  }
}

// M-0210.
void ValidateReservedNames(const TableSchema& schema) {
  constexpr std::array<std::string_view, 5> kSystemNames = {"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind",
                                                            "_ROW_ID"};
  for (const DataField& field : schema.fields) {
    if (std::find(kSystemNames.begin(), kSystemNames.end(), field.name) != kSystemNames.end()) {
      throw InvalidArgument("Field name[{}] in schema cannot be exist in [{}]", field.name,
                            Join(Names(kSystemNames.begin(), kSystemNames.end()), ", "));
    }
    if (field.name.starts_with(kKeyPrefix)) {
      throw InvalidArgument("Field name[{}] in schema cannot start with [{}]", field.name, kKeyPrefix);
    }
  }
}

// M-0305.
void ValidateBucket(const TableSchema& schema, const TableOptions& options) {
  int32_t bucket = options.bucket();
  Names bucket_keys = schema.BucketKeys();
  if (Names twice = Repeated(bucket_keys); !twice.empty()) {
    throw InvalidArgument("'bucket-key' names {} repeatedly.", List(twice));
  }
  if (options.Find("bucket-key")) {
    Names columns = ColumnNames(schema);
    for (const std::string& key : bucket_keys) {
      if (!Holds(columns, key)) {
        throw InvalidArgument("Field names {} should contains all bucket keys {}.", List(columns), List(bucket_keys));
      }
      if (Holds(schema.partition_keys, key)) {
        throw InvalidArgument("Bucket keys {} should not in partition keys {}.", List(bucket_keys),
                              List(schema.partition_keys));
      }
      if (schema.has_primary_key() && !Holds(schema.primary_keys, key)) {
        throw InvalidArgument("Primary keys {} should contains all bucket keys {}.", List(schema.primary_keys),
                              List(bucket_keys));
      }
    }
  }
  if (bucket == -1) {
    if (options.Find("bucket-key")) {
      throw InvalidArgument(
          "Cannot define 'bucket-key' with bucket = -1, please remove the 'bucket-key' setting or specify a bucket "
          "number.");
    }
    if (!schema.has_primary_key() && options.Find("full-compaction.delta-commits")) {
      throw InvalidArgument(
          "AppendOnlyTable of unaware or dynamic bucket does not support 'full-compaction.delta-commits'");
    }
    return;
  }
  if (bucket < 1 && !(bucket == -2 && schema.has_primary_key())) {
    throw InvalidArgument("The number of buckets needs to be greater than 0.");
  }
  if (!schema.has_primary_key() && bucket_keys.empty() && !(bucket == 1 && schema.version == 1)) {
    throw InvalidArgument("You should define a 'bucket-key' for bucketed append mode.");
  }
  Names nested;
  for (const std::string& key : bucket_keys) {
    if (!schema.Field(key).type.IsPrimitive()) nested.push_back(key);
  }
  if (!nested.empty()) {
    throw InvalidArgument("nested type can not in bucket-key, in your table these key are {}", List(nested));
  }
  std::vector<DataType> types;
  for (const std::string& key : bucket_keys) types.push_back(schema.Field(key).type);
  CheckBucketKey(BucketFunctionOf(options.Text("bucket-function.type", "default")), types);
}

// Rows are ordered by the column.
void CheckOrder(const DataField& field, std::string_view option) {
  if (field.type.IsPrimitive()) return;
  throw InvalidArgument("The column '{}' of '{}' is of type {}, which has no order", field.name, option,
                        field.type.ToString());
}

void ValidateSequenceField(const TableSchema& schema, const TableOptions& options, const std::string& engine) {
  Names fields = SplitList(options.Text("sequence.field", ""), ',');
  if (fields.empty()) return;
  Names columns = ColumnNames(schema);
  for (const std::string& field : fields) {
    if (!Holds(columns, field)) throw InvalidArgument("Sequence field: '{}' can not be found in table schema.", field);
    if (options.Find("fields." + field + ".aggregate-function")) {
      throw InvalidArgument("Should not define aggregation on sequence field: '{}'.", field);
    }
    if (std::count(fields.begin(), fields.end(), field) > 1) {
      throw InvalidArgument("Sequence field '{}' is defined repeatedly.", field);
    }
    CheckOrder(schema.Field(field), "sequence.field");
  }
  if (!schema.has_primary_key()) return;
  if (engine == "first-row") throw InvalidArgument("Do not support use sequence field on FIRST_ROW merge engine. Unset 'sequence.field'");
  // Also with fixed buckets: what counts is whether the key holds the partition columns.
  for (const std::string& key : schema.partition_keys) {
    if (!Holds(schema.primary_keys, key)) {
      throw InvalidArgument(
          "You can not use sequence.field in cross partition update case (Primary key constraint '{}' not include all "
          "partition fields '{}').",
          List(schema.primary_keys), List(schema.partition_keys));
    }
  }
}

// Options `fields.<column>[,<column>...].<word>` name columns that exist.
void ValidateFieldOptions(const TableSchema& schema, const TableOptions& options) {
  Names columns = ColumnNames(schema);
  for (const auto& [key, value] : options.raw()) {
    if (!key.starts_with("fields.")) continue;
    std::string rest = key.substr(7);
    for (const std::string& column : SplitList(rest.substr(0, rest.find('.')), ',')) {
      if (column == "default-aggregate-function") continue;
      if (!Holds(columns, column)) throw InvalidArgument("Field {} can not be found in table schema.", column);
      const bool nested = std::count(rest.begin(), rest.end(), '.') > 1 && schema.Field(column).type.root() == TypeRoot::kRow;
      if (nested) throw InvalidArgument("Nested-field path is not supported on ROW field '{}': {}", column, key);
    }
  }
}

void ValidatePartialUpdate(const TableSchema& schema, const TableOptions& options) {
  constexpr std::string_view kGroup = ".sequence-group";
  Names columns = ColumnNames(schema);
  std::map<std::string, std::vector<Names>> groups_of;  // protected column -> ordering columns of its groups
  std::set<std::string> group_columns;
  bool has_groups = false;
  for (const auto& [key, value] : options.raw()) {
    if (!key.starts_with("fields.") || !key.ends_with(kGroup)) continue;
    has_groups = true;
    Names order = SplitList(key.substr(7, key.size() - 7 - kGroup.size()), ',');
    group_columns.insert(order.begin(), order.end());
    for (const std::string& column : order) {
      if (!Holds(columns, column)) throw InvalidArgument("Field {} can not be found in table schema.", column);
      CheckOrder(schema.Field(column), key);
    }
    if (Names twice = Repeated(order); !twice.empty()) {
      throw InvalidArgument("Sequence field '{}' is defined repeatedly in '{}'.", twice[0], key);
    }
    for (const std::string& column : SplitList(value, ',')) {
      if (!Holds(columns, column)) throw InvalidArgument("Field {} can not be found in table schema.", column);
      groups_of[column].push_back(order);
    }
  }
  for (const auto& [column, groups] : groups_of) {
    if (groups.size() < 2) continue;
    Names texts;
    for (const Names& group : groups) texts.push_back(List(group));
    throw InvalidArgument("Field {} is defined repeatedly by multiple groups: {}.", column, List(texts));
  }
  constexpr std::string_view kConflict =
      "{} and {} have conflicting behavior so should not be enabled at the same time.";
  bool on_delete = IsTrue(options, "partial-update.remove-record-on-delete");
  Names on_group = SplitList(options.Text("partial-update.remove-record-on-sequence-group", ""), ',');
  if (on_delete && IsTrue(options, "ignore-delete")) {
    throw InvalidArgument(kConflict, "ignore-delete", "partial-update.remove-record-on-delete");
  }
  if (on_delete && has_groups) {
    throw InvalidArgument(kConflict, "sequence group", "partial-update.remove-record-on-delete");
  }
  if (!on_group.empty() && IsTrue(options, "ignore-delete")) {
    throw InvalidArgument(kConflict, "ignore-delete", "partial-update.remove-record-on-sequence-group");
  }
  for (const std::string& column : on_group) {
    if (!group_columns.count(column)) {
      throw InvalidArgument(
          "field '{}' defined in 'partial-update.remove-record-on-sequence-group' option must be part of sequence "
          "groups",
          column);
    }
  }
}

void ValidateChangelog(const TableSchema& schema, const TableOptions& options, const std::string& engine) {
  std::string producer = Word(options, "changelog-producer", "none", {"none", "input", "full-compaction", "lookup"});
  if (!schema.has_primary_key() && producer != "none") {
    throw Unsupported("Can not set changelog-producer on table without primary keys, please define primary keys.");
  }
  bool overwrite = IsTrue(options, "streaming-read-overwrite");
  if (overwrite && (producer == "full-compaction" || producer == "lookup")) {
    throw Unsupported(
        "Cannot set streaming-read-overwrite to true when changelog producer is full-compaction or lookup because it "
        "will "
        "read duplicated changes.");
  }
  if (overwrite && !schema.has_primary_key()) {
    throw InvalidArgument(
        "Doesn't support streaming read the changes from overwrite when the primary keys are not defined. Please use "
        "streaming-read-append-overwrite to enable the streaming read overwrite commit for append table.");
  }
  if (options.Find("full-compaction.delta-commits") && producer == "lookup") {
    throw Unsupported(
        "'full-compaction.delta-commits' is incompatible with 'changelog-producer'='lookup'. Use "
        "'changelog-producer'='full-compaction' to get periodic full compaction with changelog generation, or remove "
        "'full-compaction.delta-commits'.");
  }
  if (!schema.has_primary_key()) return;
  if (engine == "first-row" && producer != "none" && producer != "lookup") {
    throw InvalidArgument("Only support 'none' and 'lookup' changelog-producer on FIRST_ROW merge engine");
  }
  if (IsTrue(options, "deletion-vectors.enabled")) {
    if (producer == "full-compaction") {
      throw InvalidArgument("Deletion vectors mode is only supported for NONE/INPUT/LOOKUP changelog producer now. Unset "
                            "'deletion-vectors.enabled' or choose another 'changelog-producer'");
    }
    if (engine == "first-row" && !IsTrue(options, "pk-clustering-override")) {
      throw InvalidArgument(
          "First row merge engine does not need deletion vectors because there is no deletion of old data in this "
          "merge "
          "engine. Unset 'deletion-vectors.enabled'");
    }
  }
}

// M-0338.
void ValidateRetention(const TableOptions& options) {
  auto check = [&](std::string_view min_key, std::string_view max_key, int64_t min_default, int64_t max_default) {
    int64_t min = options.Integer(min_key, min_default), max = options.Integer(max_key, max_default);
    if (min < 1) throw InvalidArgument("{} should be at least 1", min_key);
    if (min > max) throw InvalidArgument("{} should not be larger than {}", min_key, max_key);
    return std::pair(min, max);
  };
  auto [min, max] = check("snapshot.num-retained.min", "snapshot.num-retained.max", 10, INT32_MAX);
  check("changelog.num-retained.min", "changelog.num-retained.max", min, max);
  if (options.Integer("target-file-row-num", INT64_MAX) < 1)
    throw InvalidArgument("target-file-row-num should be at least 1");
}

// The formats of files of each kind and level.
void ValidateFormats(const TableSchema& schema, const TableOptions& options) {
  std::set<std::string> formats = {options.file_format()};
  if (auto changelog = options.Find("changelog-file.format")) formats.insert(*changelog);
  for (const std::string& entry : SplitList(options.Text("file.format.per.level", ""), ',')) {
    const size_t colon = entry.find(':');
    if (colon != std::string::npos) formats.insert(std::string(Trim(entry.substr(colon + 1))));
  }
  for (const std::string& format : formats) CheckFormatHolds(format, schema.fields);
}

// Numbers that mean nothing below 1.
void ValidateLeast(const TableOptions& options) {
  for (const char* key : {"num-sorted-run.compaction-trigger", "num-levels", "full-compaction.delta-commits",
                          "dynamic-bucket.target-row-num", "postpone.default-bucket-num"}) {
    if (options.Find(key) && options.Integer(key, 1) < 1) throw InvalidArgument("{} should be at least 1", key);
  }
}

void ValidateTimeField(const TableSchema& schema, const TableOptions& options) {
  auto name = options.Find("record-level.time-field");
  if (!name) return;
  int position = FindField(schema.fields, *name);
  if (position < 0) throw InvalidArgument("Can not find time field {} for record level expire.", *name);
  const DataType& type = schema.fields[static_cast<size_t>(position)].type;
  if (type.root() != TypeRoot::kInt && type.root() != TypeRoot::kBigInt && !type.IsTimestamp()) {
    throw InvalidArgument(
        "The record level time field type should be one of INT, BIGINT, or TIMESTAMP, but field type is {}.",
        type.ToString());
  }
}

void ValidateRowTracking(const TableSchema& schema, const TableOptions& options) {
  bool tracking = IsTrue(options, "row-tracking.enabled");
  if (tracking) {
    if (schema.has_primary_key()) throw InvalidArgument("Cannot define primary-key for row tracking table.");
    if (options.bucket() != -1) {
      throw InvalidArgument("Cannot define bucket for row tracking table, it only support bucket = -1");
    }
  }
  size_t blobs = 0;
  for (const DataField& field : schema.fields) {
    if (field.type.root() != TypeRoot::kBlob) continue;
    ++blobs;
    if (Holds(schema.partition_keys, field.name)) {
      throw InvalidArgument("The BLOB type column '{}' can not be part of partition keys.", field.name);
    }
  }
  if (blobs > 0 && !schema.has_primary_key() && !IsTrue(options, "data-evolution.enabled")) {
    throw InvalidArgument("Data evolution config must enabled for table with BLOB type column.");
  }
  if (blobs > 0 && blobs == schema.fields.size()) {
    throw InvalidArgument("Table with BLOB type column must have other normal columns.");
  }
  if (!IsTrue(options, "data-evolution.enabled")) return;
  if (!tracking) throw InvalidArgument("Data evolution config must enabled with row-tracking.enabled");
  if (IsTrue(options, "deletion-vectors.enabled")) {
    throw InvalidArgument("Data evolution config must disabled with deletion-vectors.enabled");
  }
  if (IsTrue(options, "clustering.incremental")) {
    throw InvalidArgument("Data evolution config must disabled with clustering.incremental");
  }
}

void ValidateOrdering(const TableSchema& schema, const TableOptions& options) {
  if (IsTrue(options, "sequence.snapshot-ordering")) {
    if (!schema.has_primary_key()) {
      throw InvalidArgument("sequence.snapshot-ordering = true requires a primary-key table; append-only tables cannot use "
                            "snapshot-based sequence ordering.");
    }
    if (options.Find("sequence.field")) {
      throw InvalidArgument("sequence.snapshot-ordering = true is mutually exclusive with sequence.field; the snapshot id is "
                            "the sole tiebreaker.");
    }
    if (!IsTrue(options, "write-only")) {
      throw InvalidArgument("sequence.snapshot-ordering = true requires write-only = true: a compaction before the snapshot "
                            "would not know the order. Compact by a job of its own");
    }
  }
  if (!IsTrue(options, "clustering.incremental")) return;
  if (schema.has_primary_key()) throw InvalidArgument("Cannot define primary-key for incremental clustering table.");
  if (options.bucket() == -1) return;
  if (options.Bool("bucket-append-ordered", true)) {
    throw InvalidArgument("bucket-append-ordered must be false for incremental clustering table.");
  }
  if (IsTrue(options, "deletion-vectors.enabled")) {
    throw InvalidArgument("Cannot enable deletion-vectors for incremental clustering table which bucket is not -1.");
  }
}

void ValidateNamedColumns(const TableSchema& schema, const TableOptions& options) {
  Names columns = ColumnNames(schema);
  if (auto kind = options.Find("rowkind.field")) {
    if (!Holds(columns, *kind)) {
      throw InvalidArgument("Rowkind field: '{}' can not be found in table schema.", *kind);
    }
    if (!schema.Field(*kind).type.IsString()) {
      throw InvalidArgument("The column '{}' of 'rowkind.field' must be STRING but is {}", *kind,
                            schema.Field(*kind).type.ToString());
    }
  }
  for (const auto& [key, value] : options.raw()) {
    if (!key.starts_with("file-index.") || !key.ends_with(".columns")) continue;
    for (const std::string& column : SplitList(value, ',')) {
      std::string name = column.substr(0, column.find('['));
      if (!Holds(columns, name)) {
        throw InvalidArgument(
            "Column '{}' specified in 'file-index.<index-type>.columns' does not exist in table schema. Existing "
            "columns: {}.",
            name, List(columns));
      }
    }
  }
  if (options.Find("scan.fallback-branch") && options.Find("scan.primary-branch")) {
    throw InvalidArgument("Cannot set both 'scan.fallback-branch' and 'scan.primary-branch' at the same time.");
  }
  if (IsTrue(options, "primary-key.nullable") && !schema.has_primary_key()) {
    throw InvalidArgument("Option 'primary-key.nullable' can only be enabled for a table with primary keys.");
  }
}

void ValidatePartitionExpiration(const TableSchema& schema, const TableOptions& options) {
  if (options.Find("partition.expiration-time") && schema.partition_keys.empty()) {
    throw InvalidArgument("Can not set 'partition.expiration-time' for non-partitioned table.");
  }
}

void ValidateClusteringOverride(const TableOptions& options, const std::string& engine) {
  if (!IsTrue(options, "pk-clustering-override")) return;
  auto refuse = [](std::string_view what) {
    throw Unsupported("Cannot support {} in 'pk-clustering-override' mode.", what);
  };
  if (options.Text("clustering.columns", "").empty()) {
    throw InvalidArgument("Cannot support 'pk-clustering-override' mode without 'clustering.columns'.");
  }
  if (!IsTrue(options, "deletion-vectors.enabled")) refuse("deletion-vectors disabled");
  if (options.Find("record-level.expire-time")) refuse("record level expire time enabled");
  if (engine != "deduplicate" && engine != "first-row") refuse("merge engine: " + engine);
  if (!options.Text("sequence.field", "").empty()) refuse("sequence field: " + options.Text("sequence.field", ""));
  const std::string producer = ToLower(options.Text("changelog-producer", "none"));
  if (producer != "none" && producer != "input") refuse("changelog producer: " + producer);
}

void ValidateUpsertKey(const TableSchema& schema, const TableOptions& options) {
  const Names keys = SplitList(options.Text("upsert-key", ""), ',');
  if (keys.empty()) return;
  if (schema.has_primary_key()) {
    throw InvalidArgument("Cannot define 'upsert-key' {} with 'primary-key' {}.", List(keys), List(schema.primary_keys));
  }
  for (const std::string& key : keys) {
    if (!Holds(ColumnNames(schema), key)) throw InvalidArgument("Cannot find field: {}", key);
    const DataType& type = schema.Field(key).type;
    if (!type.IsPrimitive()) throw Unsupported("The type {} in upsert key field {} is unsupported", TypeWord(type), key);
  }
}

}  // namespace

void ValidateSchema(const TableSchema& schema) {
  TableOptions options(schema.options);
  ValidateColumns(schema);
  ValidateReservedNames(schema);
  for (const DataField& field : schema.fields) ValidateType(field.name, field.type);
  ValidateKeyTypes(schema);
  ValidateBucket(schema, options);
  Word(options, "scan.mode", "default",
       {"default", "latest-full", "full", "latest", "compacted-full", "from-timestamp", "from-creation-timestamp",
        "from-file-creation-time", "from-snapshot", "from-snapshot-full", "incremental"});
  ValidateStartupMode(options);
  std::string engine =
      Word(options, "merge-engine", "deduplicate", {"deduplicate", "partial-update", "aggregation", "first-row"});
  ValidateFieldOptions(schema, options);
  ValidateSequenceField(schema, options, engine);
  if (schema.has_primary_key() && engine == "partial-update") ValidatePartialUpdate(schema, options);
  if (schema.has_primary_key()) MergeOptionsOf(schema);
  ValidateChangelog(schema, options, engine);
  ValidateRetention(options);
  ValidateFormats(schema, options);
  ValidateLeast(options);
  ValidateTimeField(schema, options);
  ValidateRowTracking(schema, options);
  ValidateOrdering(schema, options);
  ValidateNamedColumns(schema, options);
  ValidatePartitionExpiration(schema, options);
  ValidateClusteringOverride(options, engine);
  ValidateUpsertKey(schema, options);
}

}  // namespace mica
