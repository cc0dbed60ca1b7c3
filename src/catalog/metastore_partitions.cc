#include "catalog/metastore_partitions.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "catalog/hive_table.h"
#include "history/tag_preview.h"
#include "meta/branch.h"
#include "table/partitions.h"

namespace mica {

namespace {

constexpr std::string_view kDoneSuffix = ".done";

TableName MainOf(const TableName& name) {
  return {name.database, SplitBranch(name.table).table};
}

// The partitions that the changes of a snapshot add files to, and those that they only take files from.
struct Touched {
  std::set<std::string> added;
  std::set<std::string> removed;
};

Touched TouchedBy(const Table& table, const Snapshot& snapshot) {
  Touched touched;
  ManifestFilter filter;
  filter.without_stats = true;
  for (const ManifestFileMeta& manifest :
       table.manifests().ReadList(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size)) {
    for (const ManifestEntry& entry : table.manifests().Read(manifest.file_name, manifest.file_size, filter)) {
      (entry.kind == FileKind::kAdd ? touched.added : touched.removed).insert(entry.partition);
    }
  }
  for (const std::string& partition : touched.added) touched.removed.erase(partition);
  return touched;
}

}  // namespace

MetastorePartitions::MetastorePartitions(std::shared_ptr<HiveMetastore> metastore, Clock clock)
    : metastore_(std::move(metastore)), clock_(std::move(clock)) {}

std::vector<std::string> MetastorePartitions::ValuesOf(const Table& table, const std::string& partition) const {
  const std::vector<DataType> types = table.partition_types();
  const BinaryRow row = BinaryRow::Deserialize(partition);
  std::vector<std::string> values;
  for (size_t i = 0; i < types.size(); ++i) {
    values.push_back(
        PartitionValueText(row.Get(static_cast<int>(i), types[i]), types[i], table.options().partition_naming()));
  }
  return values;
}

void MetastorePartitions::Add(const TableName& name, const std::vector<std::vector<std::string>>& partitions) const {
  if (partitions.empty()) return;
  const auto table = metastore_->FindTable(name.database, name.table);
  if (!table) throw NotFound("The metastore does not know the table '{}'", name.ToString());
  auto data_folder = table->parameters.find("data-file.path-directory");
  std::string folder = table->storage.location;
  if (data_folder != table->parameters.end()) folder = JoinPath(folder, data_folder->second);
  std::vector<HivePartition> made;
  for (const std::vector<std::string>& values : partitions) {
    if (values.size() != table->partition_keys.size()) {
      throw InvalidArgument(
          "The metastore knows {} partition columns of '{}' where there are {}. The procedure repair mends that",
          table->partition_keys.size(), name.ToString(), values.size());
    }
    std::string location = folder;
    for (size_t i = 0; i < values.size(); ++i) {
      location = JoinPath(location, EscapePathName(table->partition_keys[i].name) + "=" + EscapePathName(values[i]));
    }
    made.push_back(NewHivePartition(*table, values, location, clock_()));
  }
  metastore_->AddPartitions(name.database, name.table, made);
}

void MetastorePartitions::AfterCommit(const Table& table, const Snapshot& snapshot) const {
  if (!HasMetastorePartitions(table.schema())) return;
  const TableName name = MainOf(table.name());
  if (name.table != table.name().table) return;  // a branch has no partitions of its own there
  if (!TagPartitionField(table.schema()).empty()) {
    if (auto period = TagPreview(table.options()).PeriodOf(snapshot)) Add(name, {{*period}});
    return;
  }
  const Touched touched = TouchedBy(table, snapshot);
  std::vector<std::vector<std::string>> added;
  for (const std::string& partition : touched.added) added.push_back(ValuesOf(table, partition));
  Add(name, added);
  if (touched.removed.empty()) return;
  std::set<std::string> live;
  for (const PartitionSummary& partition : ListPartitions(table, snapshot, {}, InlineExecutor()))
    live.insert(partition.partition);
  for (const std::string& partition : touched.removed) {
    if (!live.contains(partition)) metastore_->DropPartition(name.database, name.table, ValuesOf(table, partition));
  }
}

size_t MetastorePartitions::Repair(const Table& table, Executor& executor) const {
  if (!HasMetastorePartitions(table.schema())) return 0;
  std::vector<std::vector<std::string>> partitions;
  const auto snapshot = table.snapshots().Latest();
  if (!TagPartitionField(table.schema()).empty()) {
    for (const std::string& tag : table.snapshots().TagNames()) partitions.push_back({tag});
    if (auto period = snapshot ? TagPreview(table.options()).PeriodOf(*snapshot) : std::nullopt)
      partitions.push_back({*period});
  } else if (snapshot) {
    for (const PartitionSummary& partition : ListPartitions(table, *snapshot, {}, executor)) {
      partitions.push_back(ValuesOf(table, partition.partition));
    }
  }
  std::sort(partitions.begin(), partitions.end());
  partitions.erase(std::unique(partitions.begin(), partitions.end()), partitions.end());
  Add(MainOf(table.name()), partitions);
  // What is no longer there is forgotten.
  const TableName name = MainOf(table.name());
  std::vector<std::vector<std::string>> gone;
  metastore_->ForEachPartition(name.database, name.table, [&](const std::vector<HivePartition>& known) {
    for (const HivePartition& partition : known) {
      const bool done = !partition.values.empty() && partition.values.back().ends_with(kDoneSuffix);
      if (!done && !std::binary_search(partitions.begin(), partitions.end(), partition.values))
        gone.push_back(partition.values);
    }
  });
  for (const std::vector<std::string>& values : gone) metastore_->DropPartition(name.database, name.table, values);
  return partitions.size();
}

void MetastorePartitions::MarkDone(const Table& table, const std::string& partition) const {
  if (!HasMetastorePartitions(table.schema()) || table.schema().partition_keys.empty()) {
    throw Unsupported("The action 'done-partition' needs a table with 'metastore.partitioned-table' = 'true'");
  }
  std::vector<std::string> values = ValuesOf(table, partition);
  values.back() += kDoneSuffix;
  Add(MainOf(table.name()), {values});
}

void MetastorePartitions::MarkEvent(const Table& table, const std::string& partition) const {
  const std::vector<std::string> values = ValuesOf(table, partition);
  HiveParameters spec;
  for (size_t i = 0; i < values.size(); ++i) spec[table.schema().partition_keys[i]] = values[i];
  metastore_->MarkPartitionDone(table.name().database, MainOf(table.name()).table, spec);
}

std::vector<std::string> MetastorePartitions::Names(const Table& table) const {
  std::vector<std::string> names = metastore_->PartitionNames(table.name().database, MainOf(table.name()).table);
  for (std::string& name : names) name = UnescapePathName(name);
  std::sort(names.begin(), names.end());
  return names;
}

void MetastorePartitions::AddTag(const TableName& name, const std::string& tag) const {
  Add(name, {{tag}});
}

void MetastorePartitions::DropTag(const TableName& name, const std::string& tag) const {
  metastore_->DropPartition(name.database, name.table, {tag});
}

namespace {

class TagFileSystem final : public FileSystem {
 public:
  TagFileSystem(FileSystemPtr inner, std::string root, TableName name,
                std::shared_ptr<const MetastorePartitions> partitions)
      : inner_(std::move(inner)),
        prefix_(JoinPath(root, "tag/tag-")),
        name_(std::move(name)),
        partitions_(std::move(partitions)) {}

  std::shared_ptr<arrow::io::RandomAccessFile> OpenInput(const std::string& path,
                                                         std::optional<int64_t> size) override {
    return inner_->OpenInput(path, size);
  }
  std::shared_ptr<arrow::io::OutputStream> OpenOutput(const std::string& path) override {
    return inner_->OpenOutput(path);
  }
  std::optional<FileStatus> Stat(const std::string& path) override { return inner_->Stat(path); }
  std::vector<FileStatus> List(const std::string& path) override { return inner_->List(path); }
  void CreateFolder(const std::string& path) override { inner_->CreateFolder(path); }
  void DeleteFolder(const std::string& path) override { inner_->DeleteFolder(path); }
  bool CanCreateAtomically(std::string* why) override { return inner_->CanCreateAtomically(why); }

  bool DeleteFile(const std::string& path) override {
    const bool deleted = inner_->DeleteFile(path);
    if (deleted) Gone(path);
    return deleted;
  }
  void Rename(const std::string& from, const std::string& to) override {
    inner_->Rename(from, to);
    Gone(from);
    Made(to);
  }
  bool CreateAtomically(const std::string& path, std::string_view content) override {
    const bool created = inner_->CreateAtomically(path, content);
    if (created) Made(path);
    return created;
  }
  void ReplaceAtomically(const std::string& path, std::string_view content) override {
    inner_->ReplaceAtomically(path, content);
    Made(path);
  }

 private:
  // The tag is what it is by now; what the metastore says of it can be mended.
  template <typename Function>
  void Tell(const std::string& path, const Function& function) const {
    if (!path.starts_with(prefix_) || path.find('/', prefix_.size()) != std::string::npos) return;
    const std::string tag = path.substr(prefix_.size());
    try {
      function(tag);
    } catch (const Error& error) {
      Log(LogLevel::kWarning,
          fmt::format("The metastore was not told of the tag '{}' of '{}': {}. CALL sys.repair('{}') mends that", tag,
                      name_.ToString(), error.what(), name_.ToString()));
    }
  }
  void Made(const std::string& path) const {
    Tell(path, [&](const std::string& tag) { partitions_->AddTag(name_, tag); });
  }
  void Gone(const std::string& path) const {
    Tell(path, [&](const std::string& tag) { partitions_->DropTag(name_, tag); });
  }

  FileSystemPtr inner_;
  std::string prefix_;
  TableName name_;
  std::shared_ptr<const MetastorePartitions> partitions_;
};

}  // namespace

FileSystemPtr WithTagPartitions(FileSystemPtr inner, std::string root, TableName name,
                                std::shared_ptr<const MetastorePartitions> partitions) {
  return std::make_shared<TagFileSystem>(std::move(inner), std::move(root), std::move(name), std::move(partitions));
}

}  // namespace mica
