#include "catalog/hive_files.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/text.h"
#include "catalog/hive_table.h"
#include "types/partition_path.h"

namespace mica {

namespace {

bool IsHidden(const std::string& path) {
  const std::string name = BaseName(path);
  return name.starts_with('.') || name.starts_with('_');
}

std::string FormatOf(const HiveStorage& storage, const std::string& whose) {
  const std::string serde = ToLower(storage.serde), input = ToLower(storage.input_format);
  for (const char* format : {"parquet", "orc", "avro"}) {
    if (serde.find(format) != std::string::npos || input.find(format) != std::string::npos) return format;
  }
  throw Unsupported(
      "The files of '{}' are in an unsupported format ('{}'): only ORC, Parquet and Avro can be taken over", whose,
      storage.serde);
}

std::vector<FileStatus> VisibleFiles(FileSystem& fs, const std::string& folder) {
  std::vector<FileStatus> files = fs.List(folder);
  std::erase_if(files, [](const FileStatus& file) { return file.is_directory || IsHidden(file.path); });
  for (FileStatus& file : files) file.path = JoinPath(folder, BaseName(file.path));
  std::sort(files.begin(), files.end(), [](const FileStatus& a, const FileStatus& b) { return a.path < b.path; });
  return files;
}

std::string FirstStray(FileSystem& fs, const std::string& folder, const std::unordered_set<std::string>& known) {
  for (const FileStatus& child : fs.List(folder)) {
    if (IsHidden(child.path)) continue;
    const std::string path = JoinPath(folder, BaseName(child.path));
    if (!child.is_directory) {
      if (!known.contains(path)) return path;
    } else if (std::string stray = FirstStray(fs, path, known); !stray.empty()) {
      return stray;
    }
  }
  return "";
}

}  // namespace

std::string HiveDefaultPartition(HiveMetastore& metastore) {
  return metastore.ConfigValue("hive.exec.default.partition.name", "__HIVE_DEFAULT_PARTITION__");
}

std::string StorageOf(const std::string& location) {
  const std::string scheme = SchemeOf(location);
  if (scheme.empty() || scheme == "file") return "";
  return location.substr(0, location.find('/', location.find("://") + 3));
}

std::vector<HivePart> HivePartsOf(HiveCatalog& catalog, const HiveTable& table) {
  const std::string name = table.database + "." + table.name;
  if (IsView(table) || table.type == "MATERIALIZED_VIEW")
    throw Unsupported("'{}' is a view, which has no files of its own", name);
  if (IsTrue(table.parameters, "transactional")) {
    throw Unsupported(
        "'{}' is a transactional table of Hive: its files hold changes, not rows. Write its rows to a plain table "
        "first",
        name);
  }
  std::vector<HivePart> parts;
  if (table.partition_keys.empty()) {
    parts.push_back({.location = table.storage.location, .format = HiveFormatOf(table)});
  } else {
    HiveFormatOf(table);
    catalog.metastore().ForEachPartition(table.database, table.name, [&](std::vector<HivePartition> partitions) {
      for (HivePartition& partition : partitions) {
        const std::string format =
            FormatOf(partition.storage, fmt::format("{} ({})", name, Join(partition.values, "/")));
        parts.push_back({.values = std::move(partition.values),
                         .location = std::move(partition.storage.location),
                         .format = format});
      }
    });
  }
  std::map<std::string, FileSystemPtr> storages;
  for (HivePart& part : parts) {
    FileSystemPtr& storage = storages[StorageOf(part.location)];
    if (!storage) storage = catalog.FileSystemOf(part.location);
    part.storage = storage;
  }
  return parts;
}

void ListHiveFiles(std::vector<HivePart>* parts, Executor& executor) {
  executor.ForEach(parts->size(), [&](size_t i) {
    HivePart& part = (*parts)[i];
    part.files = VisibleFiles(*part.storage, HiveCatalog::PlainLocation(part.location));
  });
}

std::string HiveFormatOf(const HiveTable& table) {
  return FormatOf(table.storage, table.database + "." + table.name);
}

std::vector<Value> HivePart::PartitionValues(const std::vector<DataType>& types, const std::string& default_name) const {
  PartitionNaming naming;
  naming.default_name = default_name;
  std::vector<Value> partition;
  for (size_t i = 0; i < types.size(); ++i) partition.push_back(ParsePartitionValue(values.at(i), types[i], naming));
  return partition;
}

std::string FirstVisibleFile(FileSystem& fs, const std::string& folder) {
  return FirstStray(fs, folder, {});
}

std::string StrayFile(HiveCatalog& catalog, const HiveTable& table, const std::vector<HivePart>& parts) {
  std::unordered_set<std::string> known;
  for (const HivePart& part : parts) {
    for (const FileStatus& file : part.files) known.insert(file.path);
  }
  return FirstStray(*catalog.FileSystemOf(table.storage.location), HiveCatalog::PlainLocation(table.storage.location),
                    known);
}

}  // namespace mica
