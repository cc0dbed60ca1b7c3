#include "meta/table_schema.h"

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "meta/versioned_folder.h"

namespace mica {

namespace {

constexpr int32_t kCurrentVersion = 3;

std::vector<std::string> GetNames(const Json& json, std::string_view key) {
  std::vector<std::string> names;
  const Json* array = FindKey(json, key);
  if (!array) return names;
  if (!array->is_array()) throw Corrupt("The value of key '{}' is not an array", key);
  for (const Json& name : *array) {
    if (!name.is_string()) throw Corrupt("The array of key '{}' holds something that is not a string", key);
    names.push_back(name.get<std::string>());
  }
  return names;
}

Options GetOptions(const Json& json) {
  Options options;
  const Json* object = FindKey(json, "options");
  if (!object) return options;
  if (!object->is_object()) throw Corrupt("The value of key 'options' is not an object");
  for (const auto& [key, value] : object->items()) {
    if (value.is_null()) continue;
    if (!value.is_string()) throw Corrupt("The value of option '{}' is not a string", key);
    options[key] = value.get<std::string>();
  }
  return options;
}

TableSchema ParseSchema(const Json& json) {
  if (!json.is_object()) throw Corrupt("A schema is a JSON object, not '{}'", json.type_name());
  TableSchema schema;
  schema.version = GetOptional<int32_t>(json, "version").value_or(1);
  if (schema.version > kCurrentVersion || schema.version < 1) {
    throw Unsupported("The schema has version '{}', written by a newer Paimon. Mica knows versions 1 to {}",
                      schema.version, kCurrentVersion);
  }
  schema.id = GetKey<int64_t>(json, "id");
  const Json* fields = FindKey(json, "fields");
  if (!fields || !fields->is_array()) throw Corrupt("The key 'fields' is missing or not an array");
  int32_t next_field_id = 0;
  std::set<std::string> names;
  for (const Json& field : *fields) {
    schema.fields.push_back(DataField::FromJson(field, &next_field_id));
    if (!names.insert(schema.fields.back().name).second) {
      throw Corrupt("The column '{}' is there twice", schema.fields.back().name);
    }
  }
  schema.highest_field_id = GetOptional<int32_t>(json, "highestFieldId").value_or(HighestFieldId(schema.fields));
  schema.partition_keys = GetNames(json, "partitionKeys");
  schema.primary_keys = GetNames(json, "primaryKeys");
  for (const auto* keys : {&schema.partition_keys, &schema.primary_keys}) {
    for (const std::string& key : *keys) {
      if (!names.count(key)) throw Corrupt("The key column '{}' is not a column of the schema", key);
    }
  }
  schema.options = GetOptions(json);
  schema.comment = GetOptional<std::string>(json, "comment");
  schema.time_millis = GetOptional<int64_t>(json, "timeMillis").value_or(0);
  // Format 2, reader fix-ups: what an option meant when it was left out then.
  if (schema.version <= 1) schema.options.try_emplace("bucket", "1");
  if (schema.version <= 2) schema.options.try_emplace("file.format", "orc");
  return schema;
}

}  // namespace

TableSchema TableSchema::FromJson(std::string_view text, std::string_view what) {
  try {
    return ParseSchema(ParseJson(text, what));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUnsupported) throw Error(error).Add(fmt::format("schema file '{}'", what));
    throw Error(ErrorKind::kCorrupt, error.message()).Add(fmt::format("schema file '{}'", what));
  }
}

std::string TableSchema::ToJson() const {
  Json json = Json::object();
  json["version"] = version;
  json["id"] = id;
  json["fields"] = Json::array();
  for (const DataField& field : fields) json["fields"].push_back(field.ToJson());
  json["highestFieldId"] = highest_field_id;
  json["partitionKeys"] = partition_keys;
  json["primaryKeys"] = primary_keys;
  json["options"] = Json::object();
  for (const auto& [key, value] : options) json["options"][key] = value;
  if (comment) json["comment"] = *comment;
  json["timeMillis"] = time_millis;
  return PrettyJson(json);
}

std::vector<std::string> TableSchema::TrimmedPrimaryKeys() const {
  std::vector<std::string> trimmed;
  for (const std::string& key : primary_keys) {
    if (std::find(partition_keys.begin(), partition_keys.end(), key) == partition_keys.end()) trimmed.push_back(key);
  }
  return trimmed;
}

std::vector<std::string> TableSchema::BucketKeys() const {
  auto option = options.find("bucket-key");
  if (option == options.end()) return TrimmedPrimaryKeys();
  return SplitList(option->second, ',');
}

const DataField& TableSchema::Field(std::string_view name) const {
  int position = FindField(fields, name);
  if (position >= 0) return fields[static_cast<size_t>(position)];
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  throw InvalidArgument("There is no column '{}'{}", name, DidYouMean(name, names));
}

std::vector<DataField> TableSchema::FieldsOf(const std::vector<std::string>& names) const {
  std::vector<DataField> found;
  found.reserve(names.size());
  for (const std::string& name : names) found.push_back(Field(name));
  return found;
}

std::vector<DataField> TableSchema::KeyFields() const {
  std::vector<DataField> keys = FieldsOf(TrimmedPrimaryKeys());
  auto nullable = options.find("primary-key.nullable");
  if (nullable != options.end() && EqualsIgnoreCase(nullable->second, "true")) return keys;
  for (DataField& key : keys) key.type = key.type.WithNullable(false);
  return keys;
}

std::vector<DataField> TableSchema::FileFields(bool thin) const {
  if (!has_primary_key()) return fields;
  std::vector<DataField> columns;
  if (!thin) {
    for (const DataField& key : KeyFields()) columns.push_back(KeyField(key));
  }
  columns.push_back(SequenceNumberField());
  columns.push_back(ValueKindField());
  columns.insert(columns.end(), fields.begin(), fields.end());
  return columns;
}

std::string SchemaStore::PathOf(int64_t id) const {
  return fmt::format("{}/schema/schema-{}", root_, id);
}

std::vector<int64_t> SchemaStore::Ids() {
  return ListVersions(*fs_, JoinPath(root_, "schema"), "schema-");
}

std::optional<TableSchema> SchemaStore::Latest() {
  // Ids have no gaps, so a folder of many versions need not be listed while the newest known one is still the newest.
  std::optional<int64_t> known;
  {
    std::lock_guard lock(mutex_);
    if (!cache_.empty()) known = cache_.rbegin()->first;
  }
  if (known && *known < INT64_MAX && !fs_->Exists(PathOf(*known + 1)) && fs_->Exists(PathOf(*known))) return *Get(*known);
  std::vector<int64_t> ids = Ids();
  if (ids.empty()) return std::nullopt;
  return *Get(ids.back());
}

std::shared_ptr<const TableSchema> SchemaStore::Get(int64_t id) {
  {
    std::lock_guard lock(mutex_);
    auto cached = cache_.find(id);
    if (cached != cache_.end()) return cached->second;
  }
  std::string path = PathOf(id);
  std::shared_ptr<const TableSchema> schema;
  try {
    schema = std::make_shared<const TableSchema>(ReadVersionedFile<TableSchema>(*fs_, path, sleeper_));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kNotFound) throw;
    throw NotFound("The schema '{}' of the table at '{}' does not exist", id, root_);
  }
  std::lock_guard lock(mutex_);
  return cache_.try_emplace(id, schema).first->second;
}

bool SchemaStore::Publish(const TableSchema& schema) {
  return fs_->CreateAtomically(PathOf(schema.id), schema.ToJson());
}

}  // namespace mica
