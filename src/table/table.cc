#include "table/table.h"

#include "meta/immutable_options.h"
#include "meta/option_list.h"
#include "meta/startup_mode.h"

namespace mica {

std::shared_ptr<const Table> Table::Open(FileSystemPtr fs, TableName name, std::string root) {
  auto table = std::shared_ptr<Table>(new Table());
  table->fs_ = std::move(fs);
  table->name_ = std::move(name);
  table->root_ = std::move(root);
  table->schemas_ = std::make_shared<SchemaStore>(table->fs_, table->root_);
  table->snapshots_ = std::make_shared<SnapshotStore>(table->fs_, table->root_);
  auto schema = table->schemas_->Latest();
  if (!schema) throw NotFound("The table '{}' does not exist: '{}' has no schema", table->name_.ToString(), table->root_);
  table->schema_ = std::make_shared<const TableSchema>(*std::move(schema));
  table->Derive();
  return table;
}

void Table::Derive() {
  options_ = TableOptions(schema_->options);
  paths_ = std::make_shared<TablePaths>(root_, *schema_);
  manifests_ = NewManifestStore();
}

std::unique_ptr<ManifestStore> Table::NewManifestStore() const {
  ManifestWriteOptions write;
  write.compression = options_.Text("manifest.compression", "zstd");
  write.zstd_level = static_cast<int32_t>(options_.Integer("file.compression.zstd-level", 1));
  write.target_bytes = options_.Bytes("manifest.target-file-size", 8 << 20);
  return std::make_unique<ManifestStore>(fs_, root_, write);
}

std::shared_ptr<const Table> Table::WithOptions(const Options& dynamic) const {
  auto schema = std::make_shared<TableSchema>(*schema_);
  for (const auto& [key, value] : dynamic) {
    auto stored = schema->options.find(key);
    bool changes = stored == schema->options.end() || stored->second != value;
    if (changes) CheckOptionValue(key, value);
    if (changes && key == "bucket") {
      throw InvalidArgument("Cannot change the option 'bucket' of table '{}' for one statement: its files lie in the buckets "
                            "that it was written with. Use ALTER TABLE and rewrite the table", name_.ToString());
    }
    if (changes && IsImmutableOption(key)) {
      throw InvalidArgument("Cannot change the option '{}' of table '{}' for one statement: it is fixed at creation", key,
                            name_.ToString());
    }
    schema->options[key] = value;
  }
  ValidateStartupMode(TableOptions(schema->options));
  return WithSchema(std::move(schema));
}

std::shared_ptr<const Table> Table::WithSchema(std::shared_ptr<const TableSchema> schema) const {
  auto table = std::shared_ptr<Table>(new Table(*this));
  table->schema_ = std::move(schema);
  table->Derive();
  return table;
}

std::vector<DataType> Table::partition_types() const {
  std::vector<DataType> types;
  for (const DataField& field : schema_->PartitionFields()) types.push_back(field.type);
  return types;
}

}  // namespace mica
