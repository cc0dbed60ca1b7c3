#include "hive/hive_structs.h"

namespace mica {

namespace {

namespace database_field {
enum : int16_t { kName = 1, kDescription, kLocation, kParameters, kOwner = 6 };
}
namespace column_field {
enum : int16_t { kName = 1, kType, kComment };
}
namespace serde_field {
enum : int16_t { kLibrary = 2, kParameters = 3 };
}
namespace storage_field {
enum : int16_t {
  kColumns = 1,
  kLocation,
  kInputFormat,
  kOutputFormat,
  kCompressed,
  kBucketCount,
  kSerde,
  kBucketColumns,
  kSortColumns,
  kParameters
};
}
namespace table_field {
enum : int16_t {
  kName = 1,
  kDatabase,
  kOwner,
  kCreated,
  kAccessed,
  kRetention,
  kStorage,
  kPartitionKeys,
  kParameters,
  kOriginalText,
  kExpandedText,
  kType,
};
}
namespace partition_field {
enum : int16_t { kValues = 1, kDatabase, kTable, kCreated, kAccessed, kStorage, kParameters };
}

constexpr const char* kLocationProperty = "paimon_location";

void FromProperty(HiveParameters* parameters, std::string* location) {
  auto property = parameters->find(kLocationProperty);
  if (property == parameters->end()) return;
  *location = std::move(property->second);
  parameters->erase(property);
}

void ToProperty(HiveParameters* parameters, std::string* location, std::string own) {
  if (!location->empty()) (*parameters)[kLocationProperty] = std::move(*location);
  *location = std::move(own);
}

void SetText(ThriftValue& value, int16_t id, const std::string& text) {
  if (text.empty())
    value.fields.erase(id);
  else
    value.fields[id] = ThriftValue::Text(text);
}

ThriftValue ToThrift(const std::vector<HiveColumn>& columns) {
  std::vector<ThriftValue> structs;
  for (const HiveColumn& column : columns) {
    ThriftValue value = ThriftValue::Struct(
        {{column_field::kName, ThriftValue::Text(column.name)}, {column_field::kType, ThriftValue::Text(column.type)}});
    if (column.comment) value.fields[column_field::kComment] = ThriftValue::Text(*column.comment);
    structs.push_back(std::move(value));
  }
  return ThriftValue::Structs(std::move(structs));
}

std::vector<HiveColumn> ToColumns(const ThriftValue& owner, int16_t id) {
  std::vector<HiveColumn> columns;
  const ThriftValue* list = owner.Find(id, ThriftType::kList);
  if (!list) return columns;
  for (const ThriftValue& value : list->items) {
    HiveColumn column{value.TextAt(column_field::kName), value.TextAt(column_field::kType), std::nullopt};
    if (const ThriftValue* comment = value.Find(column_field::kComment, ThriftType::kText))
      column.comment = comment->text;
    columns.push_back(std::move(column));
  }
  return columns;
}

ThriftValue ToThrift(const HiveStorage& storage) {
  ThriftValue value = storage.rest;
  value.fields[storage_field::kColumns] = ToThrift(storage.columns);
  SetText(value, storage_field::kLocation, storage.location);
  SetText(value, storage_field::kInputFormat, storage.input_format);
  SetText(value, storage_field::kOutputFormat, storage.output_format);
  ThriftValue& serde = value.fields[storage_field::kSerde];
  SetText(serde, serde_field::kLibrary, storage.serde);
  serde.fields[serde_field::kParameters] = ThriftValue::TextMap(storage.serde_parameters);
  // The server reads these without asking whether they are there.
  value.fields.try_emplace(storage_field::kCompressed, ThriftValue::Bool(false));
  value.fields.try_emplace(storage_field::kBucketCount, ThriftValue::I32(0));
  value.fields.try_emplace(storage_field::kBucketColumns, ThriftValue::Texts({}));
  value.fields.try_emplace(storage_field::kSortColumns, ThriftValue::Structs({}));
  value.fields.try_emplace(storage_field::kParameters, ThriftValue::TextMap({}));
  return value;
}

HiveStorage ToStorage(const ThriftValue& owner, int16_t id) {
  HiveStorage storage;
  const ThriftValue* value = owner.Find(id, ThriftType::kStruct);
  if (!value) return storage;
  storage.columns = ToColumns(*value, storage_field::kColumns);
  storage.location = value->TextAt(storage_field::kLocation);
  storage.input_format = value->TextAt(storage_field::kInputFormat);
  storage.output_format = value->TextAt(storage_field::kOutputFormat);
  if (const ThriftValue* serde = value->Find(storage_field::kSerde, ThriftType::kStruct)) {
    storage.serde = serde->TextAt(serde_field::kLibrary);
    storage.serde_parameters = serde->TextMapAt(serde_field::kParameters);
  }
  storage.rest = *value;
  return storage;
}

}  // namespace

ThriftValue ToThrift(const HiveDatabase& database) {
  ThriftValue value = database.rest;
  SetText(value, database_field::kName, database.name);
  SetText(value, database_field::kDescription, database.description);
  SetText(value, database_field::kLocation, database.location);
  SetText(value, database_field::kOwner, database.owner);
  value.fields[database_field::kParameters] = ThriftValue::TextMap(database.parameters);
  return value;
}

HiveDatabase ToHiveDatabase(const ThriftValue& value) {
  return {.name = value.TextAt(database_field::kName),
          .description = value.TextAt(database_field::kDescription),
          .location = value.TextAt(database_field::kLocation),
          .owner = value.TextAt(database_field::kOwner),
          .parameters = value.TextMapAt(database_field::kParameters),
          .rest = value};
}

ThriftValue ToThrift(const HiveTable& table) {
  ThriftValue value = table.rest;
  SetText(value, table_field::kName, table.name);
  SetText(value, table_field::kDatabase, table.database);
  SetText(value, table_field::kOwner, table.owner);
  value.fields[table_field::kCreated] = ThriftValue::I32(table.create_seconds);
  value.fields.try_emplace(table_field::kAccessed, ThriftValue::I32(table.create_seconds));
  value.fields.try_emplace(table_field::kRetention, ThriftValue::I32(2147483647));
  value.fields[table_field::kStorage] = ToThrift(table.storage);
  value.fields[table_field::kPartitionKeys] = ToThrift(table.partition_keys);
  value.fields[table_field::kParameters] = ThriftValue::TextMap(table.parameters);
  SetText(value, table_field::kOriginalText, table.view_text);
  SetText(value, table_field::kExpandedText, table.view_text);
  SetText(value, table_field::kType, table.type);
  return value;
}

HiveTable ToHiveTable(const ThriftValue& value) {
  return {.database = value.TextAt(table_field::kDatabase),
          .name = value.TextAt(table_field::kName),
          .owner = value.TextAt(table_field::kOwner),
          .create_seconds = static_cast<int32_t>(value.NumberAt(table_field::kCreated)),
          .type = value.TextAt(table_field::kType),
          .storage = ToStorage(value, table_field::kStorage),
          .partition_keys = ToColumns(value, table_field::kPartitionKeys),
          .parameters = value.TextMapAt(table_field::kParameters),
          .view_text = value.TextAt(table_field::kExpandedText),
          .rest = value};
}

ThriftValue ToThrift(const HivePartition& partition) {
  ThriftValue value = partition.rest;
  value.fields[partition_field::kValues] = ThriftValue::Texts(partition.values);
  SetText(value, partition_field::kDatabase, partition.database);
  SetText(value, partition_field::kTable, partition.table);
  value.fields[partition_field::kCreated] = ThriftValue::I32(partition.create_seconds);
  value.fields[partition_field::kAccessed] = ThriftValue::I32(partition.access_seconds);
  value.fields[partition_field::kStorage] = ToThrift(partition.storage);
  value.fields[partition_field::kParameters] = ThriftValue::TextMap(partition.parameters);
  return value;
}

HivePartition ToHivePartition(const ThriftValue& value) {
  return {.database = value.TextAt(partition_field::kDatabase),
          .table = value.TextAt(partition_field::kTable),
          .values = value.TextsAt(partition_field::kValues),
          .create_seconds = static_cast<int32_t>(value.NumberAt(partition_field::kCreated)),
          .access_seconds = static_cast<int32_t>(value.NumberAt(partition_field::kAccessed)),
          .storage = ToStorage(value, partition_field::kStorage),
          .parameters = value.TextMapAt(partition_field::kParameters),
          .rest = value};
}

void LocationToProperty(HiveDatabase* database) {
  ToProperty(&database->parameters, &database->location, database->rest.TextAt(database_field::kLocation));
}
void LocationToProperty(HiveTable* table) {
  ToProperty(&table->parameters, &table->storage.location, table->storage.rest.TextAt(storage_field::kLocation));
}
void LocationToProperty(HivePartition* partition) {
  ToProperty(&partition->parameters, &partition->storage.location,
             partition->storage.rest.TextAt(storage_field::kLocation));
}
void LocationFromProperty(HiveDatabase* database) {
  FromProperty(&database->parameters, &database->location);
}
void LocationFromProperty(HiveTable* table) {
  FromProperty(&table->parameters, &table->storage.location);
}
void LocationFromProperty(HivePartition* partition) {
  FromProperty(&partition->parameters, &partition->storage.location);
}

}  // namespace mica
