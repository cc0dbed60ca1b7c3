#include "table/table.h"

#include "meta/branch.h"
#include "meta/immutable_options.h"
#include "meta/option_list.h"
#include "meta/startup_mode.h"

namespace mica {

std::shared_ptr<const Table> Table::Open(FileSystemPtr fs, TableName name, std::string root) {
  auto table = std::shared_ptr<Table>(new Table());
  table->fs_ = std::move(fs);
  BranchedName parts = SplitBranch(name.table);
  table->name_ = {std::move(name.database), WithBranch(parts.table, parts.branch)};
  table->root_ = std::move(root);
  const std::string& branch = parts.branch;
  if (!branch.empty() && !BranchExists(*table->fs_, table->root_, branch)) {
    try {
      ThrowNoBranch(*table->fs_, table->root_, branch);
    } catch (Error& error) {
      error.Add(fmt::format("table '{}.{}'", table->name_.database, parts.table));
      throw;
    }
  }
  std::string metadata_root = BranchRoot(table->root_, branch);
  table->schemas_ = std::make_shared<SchemaStore>(table->fs_, metadata_root);
  table->snapshots_ = std::make_shared<SnapshotStore>(table->fs_, metadata_root);
  auto schema = table->schemas_->Latest();
  if (schema && !branch.empty()) {
    // Where the branch says of itself that it is one.
    auto own = schema->options.find("branch");
    if (own != schema->options.end() && own->second == branch) schema->options.erase(own);
  }
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
  if (auto wanted = dynamic.find("branch"); wanted != dynamic.end()) {
    Options others = dynamic;
    others.erase("branch");
    // The table of that branch.
    TableName name{name_.database, WithBranch(SplitBranch(name_.table).table, wanted->second)};
    if (name == name_) return WithOptions(others);
    return Open(fs_, std::move(name), root_)->WithOptions(others);
  }
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
