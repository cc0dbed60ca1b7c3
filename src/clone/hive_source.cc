#include <algorithm>
#include <array>

#include "base/log.h"
#include "base/text.h"
#include "catalog/hive_files.h"
#include "catalog/hive_table.h"
#include "catalog/schema_change.h"
#include "clone/clone_source.h"
#include "clone/hive_copy.h"

namespace mica {

namespace {

// Where writers of a format look for the compression, and which of them are written here too.
std::optional<std::string> CompressionOf(const HiveStorage& storage, const Options& of_format,
                                         const std::string& format) {
  const std::string key = format == "orc" ? "orc.compress" : format == "avro" ? "avro.codec" : "parquet.compression";
  auto found = of_format.find(key);
  if (found == of_format.end()) {
    found = storage.serde_parameters.find("compression");
    if (found == storage.serde_parameters.end()) return std::nullopt;
  }
  const std::string name = ToLower(found->second);
  const std::array<std::string_view, 3> everywhere = {"zstd", "snappy", "none"};
  if (std::find(everywhere.begin(), everywhere.end(), name) != everywhere.end()) return name;
  if (format == "orc" && (name == "zlib" || name == "lz4")) return name;
  if (format == "parquet" && (name == "gzip" || name == "lz4" || name == "uncompressed")) return name;
  return std::nullopt;
}

// What new files of the clone are written like.
Options FormatOptions(const HiveTable& table, const std::string& format) {
  Options options;
  const std::string prefix = format + ".";
  for (const HiveParameters* parameters : {&table.parameters, &table.storage.serde_parameters}) {
    for (const auto& [key, value] : *parameters) {
      if (ToLower(key).starts_with(prefix)) options[prefix + key.substr(prefix.size())] = value;
    }
  }
  const auto compression = CompressionOf(table.storage, options, format);
  for (const char* key : {"orc.compress", "avro.codec", "parquet.compression"}) options.erase(key);
  if (compression) options["file.compression"] = *compression;
  return options;
}

class HiveSource final : public CloneSource {
 public:
  HiveSource(std::shared_ptr<HiveCatalog> catalog, HiveTable table)
      : catalog_(std::move(catalog)),
        table_(std::move(table)),
        name_{table_.database, table_.name},
        parts_(HivePartsOf(*catalog_, table_)),
        format_(HiveFormatOf(table_)),
        default_partition_(HiveDefaultPartition(catalog_->metastore())),
        fields_(FieldsOf(table_)) {
    if (auto key = catalog_->metastore().PrimaryKey(table_.database, table_.name); !key.empty()) {
      Log(LogLevel::kWarning, fmt::format("'{}' declares the primary key [{}], which Hive never kept: its clone is an "
                                          "append table without one",
                                          name_.ToString(), Join(key, ", ")));
    }
  }

  const TableName& name() const override { return name_; }

  TableDefinition Definition(const TargetWishes& wishes) const override {
    if (!wishes.options.empty()) {
      throw InvalidArgument(
          "Parameter 'target_table_conf' is only supported when clone_from is paimon, and '{}' is a table of "
          "Hive. Leave it out, and use ALTER TABLE afterwards",
          name_.ToString());
    }
    TableDefinition definition = AppendTableLike(table_, default_partition_);
    const std::string format = wishes.file_format.value_or(format_);
    if (format == format_) definition.options.merge(FormatOptions(table_, format));
    definition.options["file.format"] = format;
    CheckWritable(FirstSchema(definition));
    return definition;
  }

  Options DatabaseProperties() const override {
    const auto database = catalog_->metastore().FindDatabase(name_.database);
    if (!database || database->description.empty()) return {};
    return {{"comment", database->description}};
  }

  void CheckTarget(const Table& target, const TargetWishes& wishes) const override {
    const TableDefinition definition = Definition(wishes);
    CheckCloneTarget(name_, FirstSchema(definition), target, wishes);
    auto refuse = [&](const std::string& why) {
      throw InvalidArgument("The table '{}' cannot take the rows of '{}': {}", target.name().ToString(),
                            name_.ToString(), why);
    };
    if (BucketModeOf(target.schema()) != BucketMode::kUnaware) {
      refuse(fmt::format("it has 'bucket' = '{}', not '-1'. Clone into another table", target.options().bucket()));
    }
    if (const std::string own = target.options().file_format();
        !wishes.file_format && !EqualsIgnoreCase(own, format_)) {
      refuse(fmt::format("its 'file.format' is '{}', not '{}'. With 'prefer_file_format' = '{}' rows are written anew",
                         own, format_, own));
    }
    for (const DataField& field : fields_) {
      if (target.schema().fields[static_cast<size_t>(FindField(target.schema().fields, field.name))].type.nullable())
        continue;
      refuse(fmt::format(
          "its column '{}' is NOT NULL, and Hive's can hold NULL. Let it be NULL, or clone into another table",
          field.name));
    }
  }

  void CheckPlace(const std::string& root) const override {
    CheckApart(table_.storage.location, root);
    for (const HivePart& part : parts_) {
      if (StorageOf(part.location) == StorageOf(root)) CheckApart(part.location, root);
    }
  }

  void Choose(const PartitionChoice& choice, Executor& /*executor*/) override {
    const std::vector<DataField> keys(fields_.end() - static_cast<ptrdiff_t>(table_.partition_keys.size()),
                                      fields_.end());
    std::vector<DataType> types;
    for (const DataField& key : keys) types.push_back(key.type);
    std::vector<std::vector<Value>> partitions;
    if (!keys.empty()) {
      for (const HivePart& part : parts_) partitions.push_back(part.PartitionValues(types, default_partition_));
    }
    const KeepPartition keep = choice(name_, keys, partitions);
    size_t kept = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (!keep(partitions[i])) continue;
      if (kept != i) parts_[kept] = std::move(parts_[i]);
      ++kept;
    }
    parts_.resize(kept);
  }

  void CheckFiles(std::shared_ptr<const TableSchema> schema, const TargetWishes& wishes, Executor& executor) override {
    files_.emplace(name_, std::move(parts_), default_partition_, std::move(schema), wishes.file_format, executor);
    files_->Describe();
  }

  std::string Copy(const TablePtr& target, const TargetWishes& wishes, const CopyRequest& request) override {
    Executor& executor = request.executor();
    if (!files_) {
      files_.emplace(name_, std::move(parts_), default_partition_, target->schema_ptr(), wishes.file_format, executor);
    }
    return files_->Copy(target, request);
  }

 private:
  std::shared_ptr<HiveCatalog> catalog_;
  HiveTable table_;
  TableName name_;
  std::vector<HivePart> parts_;
  std::string format_;
  std::string default_partition_;
  std::vector<DataField> fields_;  // those of the partition last
  std::optional<HiveFilesCopy> files_;
};

}  // namespace

std::unique_ptr<CloneSource> HiveCloneSource(std::shared_ptr<HiveCatalog> catalog, HiveTable table) {
  return std::make_unique<HiveSource>(std::move(catalog), std::move(table));
}

}  // namespace mica
