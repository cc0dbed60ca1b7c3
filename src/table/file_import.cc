#include "table/file_import.h"

#include <algorithm>
#include <unordered_set>

#include "base/executor.h"
#include "base/text.h"
#include "base/uuid.h"
#include "table/live_files.h"

namespace mica {

namespace {

void CheckTarget(const Table& table) {
  const TableSchema& schema = table.schema();
  auto refuse = [&](std::string_view why) {
    throw Unsupported("Files can only be imported into an append table with 'bucket' = '-1': '{}' {}", table.name().ToString(), why);
  };
  if (schema.has_primary_key()) refuse("has a primary key");
  if (BucketModeOf(schema) != BucketMode::kUnaware) refuse(fmt::format("has 'bucket' = '{}'", table.options().bucket()));
  for (const char* option : {"row-tracking.enabled", "data-evolution.enabled"}) {
    if (table.options().Bool(option, false)) refuse(fmt::format("has '{}' = 'true'", option));
  }
}

// "/a/b" of "file:///a//b/"; paths of object stores lose the '/' at the end only.
std::string PlainPath(std::string path) {
  const std::string scheme = SchemeOf(path);
  if (scheme.empty() || scheme == "file") {
    if (!scheme.empty()) path.erase(0, scheme.size() + 1);
    path.erase(std::unique(path.begin(), path.end(), [](char a, char b) { return a == '/' && b == '/'; }), path.end());
  }
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string PlainScheme(const std::string& path) {
  const std::string scheme = SchemeOf(path);
  return scheme == "file" ? "" : scheme;
}

std::vector<FileStatus> FilesIn(const Table& table, const std::string& location) {
  if (SchemeOf(location).empty() && !location.starts_with('/')) {
    throw InvalidArgument("The location '{}' must be an absolute path", location);
  }
  if (PlainScheme(location) != PlainScheme(table.root())) {
    throw InvalidArgument("The location '{}' is not in the storage of table '{}' ('{}')", location, table.name().ToString(),
                          table.root());
  }
  FileSystem& fs = table.file_system();
  const std::string folder = PlainPath(location);
  const auto status = fs.Stat(folder);
  if (!status) throw InvalidArgument("The location '{}' does not exist", location);
  if (!status->is_directory) throw InvalidArgument("The location '{}' is not a directory", location);
  const std::string extension = "." + table.options().file_format();
  std::vector<FileStatus> files = fs.List(folder);
  std::erase_if(files, [&](const FileStatus& file) {
    const std::string name = BaseName(file.path);
    return file.is_directory || !name.ends_with(extension) || name.starts_with('.') || name.starts_with('_');
  });
  for (FileStatus& file : files) file.path = JoinPath(folder, BaseName(file.path));
  std::sort(files.begin(), files.end(), [](const FileStatus& a, const FileStatus& b) { return a.path < b.path; });
  return files;
}

void RefuseKnownFiles(const Table& table, const std::vector<FileStatus>& files, Executor& executor) {
  const auto latest = table.snapshots().Latest();
  if (!latest) return;
  ManifestFilter filter;
  filter.without_stats = true;
  std::unordered_set<std::string> known;
  for (const ManifestEntry& entry : LiveEntries(table.manifests(), *latest, filter, nullptr, executor)) {
    known.insert(PlainPath(table.paths().DataFilePath(entry.partition, entry.bucket, entry.file)));
  }
  for (const FileStatus& file : files) {
    if (known.contains(file.path)) {
      throw AlreadyExists("The file '{}' is in table '{}' already. Nothing was imported", file.path, table.name().ToString());
    }
  }
}

std::vector<Value> PartitionOf(const Table& table, const std::map<std::string, Value>& given) {
  std::vector<Value> values;
  for (const std::string& key : table.schema().partition_keys) {
    const auto value = given.find(key);
    if (value == given.end()) {
      throw InvalidArgument("The partition needs a value for each of [{}]: '{}' has none",
                            Join(table.schema().partition_keys, ", "), key);
    }
    values.push_back(value->second);
  }
  if (given.size() != values.size()) throw InvalidArgument("The table '{}' has no partitions", table.name().ToString());
  return values;
}

}  // namespace

ForeignFiles::ForeignFiles(FileSystemPtr storage, std::shared_ptr<const TableSchema> schema, std::vector<Value> partition,
                           int64_t now_millis, SummaryOptions options)
    : storage_(std::move(storage)),
      schema_(std::move(schema)),
      partition_(std::move(partition)),
      now_millis_(now_millis),
      options_(std::move(options)),
      stats_(*schema_, 0, options_.format.empty() ? TableOptions(schema_->options).file_format() : options_.format) {
  for (const DataField& field : schema_->fields) {
    const auto& keys = schema_->partition_keys;
    const auto key = std::find(keys.begin(), keys.end(), field.name);
    constants_.push_back(key == keys.end() ? -1 : static_cast<int>(key - keys.begin()));
    if (key == keys.end()) fields_.push_back(field);
  }
}

DataFileMeta ForeignFiles::Describe(const FileStatus& status) const {
  FileSummary summary = SummarizeFile(*storage_, status.path, status.size, fields_, options_);
  DataFileMeta file;
  file.file_name = BaseName(status.path);
  file.file_size = status.size;
  file.row_count = summary.row_count;
  file.min_key = file.max_key = BinaryRow().Serialize();
  file.key_stats = SimpleStats::Empty();
  file.value_stats = stats_.Values(WithPartition(std::move(summary)), &file.value_stats_cols);
  file.schema_id = schema_->id;
  file.file_source = FileSource::kAppend;
  file.delete_row_count = 0;
  file.creation_time_millis = LocalWallMillis(now_millis_);
  return file;
}

// All columns of the table: those of the partition are the same in every row.
std::vector<ColumnStats> ForeignFiles::WithPartition(FileSummary summary) const {
  std::vector<ColumnStats> all;
  auto next = summary.stats.begin();
  for (const int constant : constants_) {
    if (constant < 0) {
      all.push_back(std::move(*next++));
      continue;
    }
    const Value& value = partition_[static_cast<size_t>(constant)];
    ColumnStats stats;
    stats.null_count = IsNull(value) ? summary.row_count : 0;
    if (!IsNull(value)) stats.min = stats.max = value;
    all.push_back(std::move(stats));
  }
  return all;
}

int64_t ImportFiles(TablePtr table, const std::string& location, const std::map<std::string, Value>& partition,
                    CommitSettings settings) {
  CheckTarget(*table);
  std::vector<Value> values = PartitionOf(*table, partition);
  const std::vector<FileStatus> files = FilesIn(*table, location);
  if (files.empty()) return 0;
  Executor& executor = settings.executor != nullptr ? *settings.executor : InlineExecutor();
  RefuseKnownFiles(*table, files, executor);
  CommitMessage message;
  message.partition = BinaryRow::Of(values, table->partition_types()).Serialize();
  message.data.new_files.resize(files.size());
  const ForeignFiles foreign(table->file_system_ptr(), table->schema_ptr(), std::move(values),
                             (settings.clock ? settings.clock : SystemClock())());
  executor.ForEach(files.size(), [&](size_t i) {
    DataFileMeta file = foreign.Describe(files[i]);
    file.file_name = fmt::format("data-{}.{}", RandomUuid(), table->options().file_format());
    file.external_path = files[i].path;
    message.data.new_files[i] = std::move(file);
  });
  TableCommit(table, std::move(settings)).Commit({message});
  return static_cast<int64_t>(files.size());
}

}  // namespace mica
