#include "catalog/hive_table.h"

#include <algorithm>

#include "base/text.h"
#include "hive/hive_type.h"

namespace mica {

namespace {

constexpr std::string_view kInputFormat = "org.apache.paimon.hive.mapred.PaimonInputFormat";
constexpr std::string_view kOutputFormat = "org.apache.paimon.hive.mapred.PaimonOutputFormat";
constexpr std::string_view kSerde = "org.apache.paimon.hive.PaimonSerDe";
constexpr std::string_view kStorageHandler = "org.apache.paimon.hive.PaimonStorageHandler";
constexpr std::string_view kHivePrefix = "hive.";
constexpr std::string_view kDialectPrefix = "view.dialect.";  // of a view's properties: its text in that dialect
// What Hive's own empty table has.
constexpr std::string_view kViewInputFormat = "org.apache.hadoop.mapred.SequenceFileInputFormat";
constexpr std::string_view kViewOutputFormat = "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat";
constexpr std::string_view kViewSerde = "org.apache.hadoop.hive.serde2.MetadataTypedColumnsetSerDe";

HiveColumn ColumnOf(const DataField& field) {
  return {field.name, HiveTypeText(field.type), field.description};
}

int32_t Seconds(int64_t millis) {
  return static_cast<int32_t>(millis / 1000);
}

HiveParameters PropertiesOf(const TableSchema& schema, const Options& catalog) {
  HiveParameters properties;
  auto all = catalog.find("sync-all-properties");
  if (all != catalog.end() && EqualsIgnoreCase(all->second, "false")) {
    for (const auto& [key, value] : schema.options) {
      const bool kept =
          key.starts_with(kHivePrefix) || key == "partition.expiration-time" || key == "data-file.path-directory";
      if (kept) properties[key] = value;
    }
    return properties;
  }
  properties = schema.options;
  if (schema.has_primary_key()) properties["primary-key"] = Join(schema.primary_keys, ",");
  if (!schema.partition_keys.empty()) properties["partition"] = Join(schema.partition_keys, ",");
  if (auto keys = schema.BucketKeys(); !keys.empty()) properties["bucket-key"] = Join(keys, ",");
  return properties;
}

void SetStorage(HiveTable* table, const TableSchema& schema) {
  HiveStorage& storage = table->storage;
  storage.input_format = kInputFormat;
  storage.output_format = kOutputFormat;
  storage.serde = kSerde;
  storage.serde_parameters.clear();
  storage.columns.clear();
  table->partition_keys.clear();
  const std::string tag_field = TagPartitionField(schema);
  const bool partitioned = HasMetastorePartitions(schema) && tag_field.empty();
  for (const DataField& field : schema.fields) {
    const auto& keys = schema.partition_keys;
    const bool key = partitioned && std::find(keys.begin(), keys.end(), field.name) != keys.end();
    if (!key) storage.columns.push_back(ColumnOf(field));
  }
  if (partitioned) {
    for (const std::string& name : schema.partition_keys) {
      table->partition_keys.push_back(ColumnOf(schema.fields[static_cast<size_t>(FindField(schema.fields, name))]));
    }
  }
  if (!tag_field.empty()) table->partition_keys.push_back({tag_field, "string", std::nullopt});
  if (schema.comment) table->parameters["comment"] = *schema.comment;
}

HiveTable NewAt(const HiveTablePlace& place) {
  HiveTable table;
  table.database = place.name.database;
  table.name = place.name.table;
  table.owner = place.owner;
  table.create_seconds = Seconds(place.now_millis);
  return table;
}

}  // namespace

bool IsPaimonTable(const HiveTable& table) {
  return table.storage.input_format == kInputFormat && table.storage.output_format == kOutputFormat;
}

bool IsExternalTable(const HiveTable& table) {
  return table.type == kExternalTable;
}
bool IsView(const HiveTable& table) {
  return table.type == kVirtualView;
}

bool WantsExternal(const Options& table, const Options& catalog) {
  auto type = catalog.find("table.type");
  return table.contains("path") || IsTrue(table, "external") || IsTrue(table, "EXTERNAL") ||
         (type != catalog.end() && EqualsIgnoreCase(type->second, "external"));
}

std::string TagPartitionField(const TableSchema& schema) {
  auto option = schema.options.find("metastore.tag-to-partition");
  if (option == schema.options.end() || Trim(option->second).empty()) return "";
  const std::string& field = option->second;
  if (!schema.partition_keys.empty()) {
    throw InvalidArgument(
        "'metastore.tag-to-partition' = '{}' is for tables without partitions: this one is partitioned by [{}]", field,
        Join(schema.partition_keys, ", "));
  }
  if (FindField(schema.fields, field) >= 0) {
    throw InvalidArgument(
        "'metastore.tag-to-partition' = '{}' cannot be the name of a column of the table. Choose another name", field);
  }
  return field;
}

bool HasMetastorePartitions(const TableSchema& schema) {
  if (!TagPartitionField(schema).empty()) return true;
  auto option = schema.options.find("metastore.partitioned-table");
  return !schema.partition_keys.empty() && option != schema.options.end() && EqualsIgnoreCase(option->second, "true");
}

HiveTable NewHiveTable(const HiveTablePlace& place, const TableSchema& schema, const Options& catalog) {
  HiveTable table = NewAt(place);
  table.type = place.external ? kExternalTable : kManagedTable;
  table.parameters = PropertiesOf(schema, catalog);
  table.parameters["table_type"] = "PAIMON";
  table.parameters["storage_handler"] = kStorageHandler;
  if (place.external) table.parameters["EXTERNAL"] = "TRUE";
  SetStorage(&table, schema);
  table.storage.location = place.location;
  return table;
}

void UpdateHiveTable(HiveTable* table, const TableSchema& schema, const Options& catalog,
                     const std::vector<std::string>& removed_options) {
  for (auto& [key, value] : PropertiesOf(schema, catalog)) table->parameters[key] = value;
  for (const std::string& key : removed_options) table->parameters.erase(key);
  if (!schema.comment) table->parameters.erase("comment");
  SetStorage(table, schema);
}

HiveTable NewHiveView(const HiveTablePlace& place, const View& view) {
  HiveTable table = NewAt(place);
  table.type = kVirtualView;
  table.view_text = view.QueryFor("spark");
  table.parameters = view.options;
  if (view.comment) table.parameters["comment"] = *view.comment;
  for (const auto& [dialect, text] : view.dialects) table.parameters[std::string(kDialectPrefix) + dialect] = text;
  for (const DataField& field : view.fields) table.storage.columns.push_back(ColumnOf(field));
  table.storage.input_format = kViewInputFormat;
  table.storage.output_format = kViewOutputFormat;
  table.storage.serde = kViewSerde;
  return table;
}

View ViewOf(const HiveTable& table) {
  View view;
  view.fields = FieldsOf(table);
  view.query = table.view_text;
  for (const auto& [key, value] : table.parameters) {
    if (key == "comment")
      view.comment = value;
    else if (key.starts_with(kDialectPrefix))
      view.dialects[key.substr(kDialectPrefix.size())] = value;
    else
      view.options[key] = value;
  }
  return view;
}

std::vector<DataField> FieldsOf(const HiveTable& table) {
  std::vector<DataField> fields;
  for (const auto* columns : {&table.storage.columns, &table.partition_keys}) {
    for (const HiveColumn& column : *columns) {
      DataField field;
      field.id = static_cast<int32_t>(fields.size());
      field.name = column.name;
      field.description = column.comment;
      try {
        field.type = ParseHiveType(column.type);
      } catch (Error& error) {
        error.Add(fmt::format("column '{}' of '{}.{}'", column.name, table.database, table.name));
        throw;
      }
      fields.push_back(std::move(field));
    }
  }
  return fields;
}

TableDefinition AppendTableLike(const HiveTable& table, const std::string& default_partition) {
  TableDefinition definition;
  definition.fields = FieldsOf(table);
  for (const HiveColumn& key : table.partition_keys) definition.partition_keys.push_back(key.name);
  definition.options["bucket"] = "-1";
  if (auto comment = table.parameters.find("comment"); comment != table.parameters.end()) {
    definition.comment = comment->second;
    definition.options["hive.comment"] = comment->second;
  }
  if (!definition.partition_keys.empty()) definition.options["partition.default-name"] = default_partition;
  return definition;
}

HivePartition NewHivePartition(const HiveTable& table, std::vector<std::string> values, const std::string& location,
                               int64_t now_millis) {
  HivePartition partition;
  partition.database = table.database;
  partition.table = table.name;
  partition.values = std::move(values);
  partition.create_seconds = partition.access_seconds = Seconds(now_millis);
  partition.storage = table.storage;
  partition.storage.location = location;
  return partition;
}

}  // namespace mica
