// The schema file `schema/schema-<N>` (Format 2): fields, keys, options, and what follows from them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "io/file_system.h"
#include "types/data_type.h"

namespace mica {

using Options = std::map<std::string, std::string>;

struct TableSchema {
  int32_t version = 3;
  int64_t id = 0;
  std::vector<DataField> fields;
  int32_t highest_field_id = -1;
  std::vector<std::string> partition_keys;
  std::vector<std::string> primary_keys;
  Options options;
  std::optional<std::string> comment;
  int64_t time_millis = 0;

  // Applies the reader fix-ups of old versions; unknown keys are ignored. Throws Corrupt naming `what`.
  static TableSchema FromJson(std::string_view text, std::string_view what);
  std::string ToJson() const;  // the bytes of the file

  bool has_primary_key() const { return !primary_keys.empty(); }
  // Primary keys without partition keys, in primary-key order: the key stored in files.
  std::vector<std::string> TrimmedPrimaryKeys() const;
  // Option bucket-key, or the trimmed primary key.
  std::vector<std::string> BucketKeys() const;
  // Fields by name; throws InvalidArgument with the nearest name.
  std::vector<DataField> FieldsOf(const std::vector<std::string>& names) const;
  const DataField& Field(std::string_view name) const;
  std::vector<DataField> PartitionFields() const { return FieldsOf(partition_keys); }
  // Trimmed primary key, types NOT NULL (unless primary-key.nullable), table names and ids.
  std::vector<DataField> KeyFields() const;
  // Columns of data files (Format 8.1): append: fields; primary key: _KEY_..., _SEQUENCE_NUMBER, _VALUE_KIND, fields.
  std::vector<DataField> FileFields(bool thin) const;
};

// Reads, lists and publishes schema files under `<table root>[/branch/branch-<b>]/schema`. Immutable files are cached.
// Thread safe.
class SchemaStore {
 public:
  SchemaStore(FileSystemPtr fs, std::string root, Sleeper sleeper = SystemSleeper())
      : fs_(std::move(fs)), root_(std::move(root)), sleeper_(std::move(sleeper)) {}
  std::vector<int64_t> Ids();                          // ascending
  std::optional<TableSchema> Latest();                 // nothing when there is no table
  std::shared_ptr<const TableSchema> Get(int64_t id);  // throws NotFound naming id and table
  // False when somebody else published this id first.
  bool Publish(const TableSchema& schema);
  std::string PathOf(int64_t id) const;

 private:
  FileSystemPtr fs_;
  std::string root_;
  Sleeper sleeper_;
  std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<const TableSchema>> cache_;
};

}  // namespace mica
