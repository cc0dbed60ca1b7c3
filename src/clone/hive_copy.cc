#include "clone/hive_copy.h"

#include <algorithm>
#include <tuple>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/clock.h"
#include "clone/clone_source.h"
#include "clone/table_layout.h"
#include "format/foreign_rows.h"
#include "io/file_copy.h"
#include "table/file_import.h"
#include "table/rolling_file.h"
#include "types/arrow_types.h"
#include "types/binary_row.h"

namespace mica {

HiveFilesCopy::HiveFilesCopy(TableName source, std::vector<HivePart> parts, const std::string& default_partition,
                             std::shared_ptr<const TableSchema> schema, std::optional<std::string> format,
                             Executor& executor)
    : source_(std::move(source)),
      parts_(std::move(parts)),
      schema_(std::move(schema)),
      format_(std::move(format)),
      executor_(executor) {
  std::vector<DataType> types;
  for (const DataField& key : schema_->PartitionFields()) types.push_back(key.type);
  for (const DataField& field : schema_->fields) {
    const auto& keys = schema_->partition_keys;
    if (std::find(keys.begin(), keys.end(), field.name) == keys.end()) fields_.push_back(field);
  }
  ListHiveFiles(&parts_, executor_);
  for (size_t part = 0; part < parts_.size(); ++part) {
    values_.push_back(parts_[part].PartitionValues(types, default_partition));
    partitions_.push_back(BinaryRow::Of(values_[part], types).Serialize());
    for (FileStatus& status : parts_[part].files) files_.push_back({.part = part, .status = std::move(status)});
    parts_[part].files = {};
  }
}

void HiveFilesCopy::Describe(File& file) const {
  const HivePart& part = parts_[file.part];
  file.described = true;
  if (format_ && *format_ != part.format) {
    file.why = fmt::format("'{}' files are wanted", *format_);
  } else {
    try {
      const ForeignFiles foreign(part.storage, schema_, values_[file.part], SystemClock()(),
                                 {.format = part.format, .columns_may_be_missing = true});
      file.meta = foreign.Describe(file.status);
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported) throw;
      file.why = error.message();
    }
  }
  // Whether Mica can read it.
  ReadForeignRows(*part.storage, file.status.path, file.status.size, part.format, fields_)->Next();
}

void HiveFilesCopy::Describe(const std::vector<File*>& files) {
  executor_.ForEach(files.size(), [&](size_t i) { Describe(*files[i]); });
}

void HiveFilesCopy::Describe() {
  std::vector<File*> all;
  for (File& file : files_) all.push_back(&file);
  Describe(all);
}

std::string HiveFilesCopy::MarkOf(const File& file, const std::string& rewritten) const {
  ManifestEntry entry;
  entry.partition = partitions_[file.part];
  entry.file.file_name = BaseName(file.status.path);
  entry.file.file_size = file.status.size;
  entry.file.creation_time_millis = file.status.modified_millis;
  entry.file.external_path = file.status.path + (rewritten.empty() ? "" : "\n" + rewritten);
  return CopiedFileNames::MarkOf(entry);
}

int64_t HiveFilesCopy::Rewrite(const File& file, const Table& target, const DataFileWriteOptions& write,
                               const std::string& path) const {
  const HivePart& part = parts_[file.part];
  const auto rows = ReadForeignRows(*part.storage, file.status.path, file.status.size, part.format, fields_);
  const auto writer = CreateDataFile(target.file_system(), path, write);
  const auto schema = ToArrowSchema(write.fields);
  const std::vector<std::string>& keys = schema_->partition_keys;
  while (const auto batch = rows->Next()) {
    arrow::ArrayVector columns;
    int next = 0;
    for (const DataField& field : write.fields) {
      const auto key = std::find(keys.begin(), keys.end(), field.name);
      columns.push_back(key == keys.end() ? batch->column(next++)
                                          : RepeatValue(values_[file.part][static_cast<size_t>(key - keys.begin())],
                                                        field.type, batch->num_rows()));
    }
    writer->Write(*arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns)));
  }
  return writer->Close().file_bytes;
}

std::string HiveFilesCopy::Copy(const TablePtr& target, const CopyRequest& request) {
  if (files_.empty()) return "is as it was: there is nothing to copy";
  const DataFileWriteOptions write = WriteOptionsAt(target->schema(), 0);
  std::unordered_set<std::string> touched;
  for (const File& file : files_) touched.insert(partitions_[file.part]);
  TargetReplacement replacement(*target, target->snapshots().Latest(), std::move(touched), executor_);

  // What an earlier run has committed.
  std::vector<File*> wanted, unknown;
  auto right = [&](const ManifestEntry& live) {
    return live.file.schema_id == target->schema().id ||
           SameColumns(target->schemas().Get(live.file.schema_id)->fields, target->schema().fields, /*with_ids=*/true);
  };
  int64_t present = 0;
  for (File& file : files_) {
    const ManifestEntry* live = replacement.FindLive(MarkOf(file, write.format), right);
    if (!live && (!format_ || *format_ == parts_[file.part].format))
      live = replacement.FindLive(MarkOf(file, ""), right);
    if (live) {
      replacement.Keep(*live);
      ++present;
      continue;
    }
    wanted.push_back(&file);
    if (!file.described) unknown.push_back(&file);
  }
  Describe(unknown);

  struct Made {
    File* file;
    std::string path;
  };
  std::vector<FileToCopy> to_copy;
  std::vector<Made> made;  // anew
  std::vector<std::tuple<File*, std::string>> names;
  for (File* file : wanted) {
    const bool anew = !file->why.empty();
    const std::string format = anew ? write.format : parts_[file->part].format;
    const std::string name = replacement.names().NameFor("data-." + format, MarkOf(*file, anew ? format : ""));
    DataFileMeta named;
    named.file_name = name;
    const std::string to = target->paths().DataFilePath(partitions_[file->part], 0, named);
    FileToCopy copy{.from = file->status.path, .to = to, .size = file->status.size};
    copy.source = parts_[file->part].storage.get();
    if (anew) {
      copy.make = [this, file, &target, &write, to] {
        return MakeWhole(target->file_system(), to,
                         [&](const std::string& path) { return Rewrite(*file, *target, write, path); });
      };
      made.push_back({file, to});
    }
    to_copy.push_back(std::move(copy));
    names.emplace_back(file, name);
  }
  FileListCopy copy{.source = *parts_.front().storage, .target = target->file_system(), .executor = executor_};
  copy.nothing_there = request.new_target;
  copy.on_progress = request.on_progress;
  copy.progress.files = copy.progress.files_done = present;
  const auto [copied, bytes] = copy.Run(std::move(to_copy), target->name().ToString());
  const int64_t now = (request.commit.clock ? request.commit.clock : SystemClock())();
  executor_.ForEach(made.size(), [&](size_t i) {
    const auto [file, path] = made[i];
    const ForeignFiles foreign(target->file_system_ptr(), target->schema_ptr(), values_[file->part], now,
                               {.format = write.format, .columns_may_be_missing = true});
    const auto status = target->file_system().Stat(path);
    if (!status) throw NotFound("The file '{}', which was just made, is gone", path);
    file->meta = foreign.Describe(*status);
  });
  for (auto& [file, name] : names) {
    file->meta.file_name = name;
    file->meta.schema_id = target->schema().id;
    file->meta.creation_time_millis = LocalWallMillis(now);
    replacement.MessageFor(partitions_[file->part], 0, -1).data.new_files.push_back(file->meta);
  }
  replacement.Commit(target, request.commit);
  const std::string anew =
      made.empty() ? "" : fmt::format(", {} of them written anew because {}", made.size(), made.front().file->why);
  return fmt::format("has {} files: {} copied ({}){}, {} there already", files_.size(), copied, Megabytes(bytes), anew,
                     static_cast<int64_t>(files_.size()) - copied);
}

}  // namespace mica
