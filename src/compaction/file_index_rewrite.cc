#include "compaction/file_index_rewrite.h"

#include <algorithm>
#include <set>

#include <arrow/api.h>

#include "base/text.h"
#include "table/file_index_columns.h"
#include "table/file_reader.h"
#include "table/index_pruning.h"
#include "table/write.h"

namespace mica {

namespace {

constexpr int32_t kBatchRows = 65536;

// "data-x-0.parquet.index", then "data-x-0.parquet-1.index" and so on.
std::string NewIndexName(const DataFileMeta& file) {
  for (const std::string& name : file.extra_files) {
    if (!name.ends_with(kFileIndexSuffix)) continue;
    const std::string base = name.substr(0, name.size() - kFileIndexSuffix.size());
    const size_t dash = base.rfind('-');
    const bool counted = dash != std::string::npos && base.starts_with(file.file_name) && dash >= file.file_name.size();
    const auto number = counted ? ParseInteger(std::string_view(base).substr(dash + 1)) : std::nullopt;
    return fmt::format("{}-{}{}", file.file_name, number.value_or(0) + 1, kFileIndexSuffix);
  }
  return file.file_name + std::string(kFileIndexSuffix);
}

class Rewriter {
 public:
  explicit Rewriter(TablePtr table) : table_(std::move(table)), columns_(FileIndexColumnsOf(table_->schema())) {
    if (!columns_.empty()) return;
    throw InvalidArgument("Table '{}' has no file index to write: set 'file-index.bloom-filter.columns' or "
                          "'file-index.bitmap.columns' first", table_->name().ToString());
  }

  // The file's new entry; nothing when it lacks no index.
  std::optional<DataFileMeta> Rewrite(const BucketFiles& bucket, const DataFileMeta& file, int64_t* made) const {
    std::vector<FileIndexPart> parts;
    std::vector<FileIndexColumn> missing = columns_;
    if (auto old = FileIndexOf(*table_, bucket.partition, bucket.bucket, file)) {
      parts = old->Parts();
      std::erase_if(missing, [&](const FileIndexColumn& column) {
        return std::any_of(parts.begin(), parts.end(), [&](const FileIndexPart& part) {
          return part.column == column.column && part.kind == column.kind;
        });
      });
    }
    // Columns that the file does not have in this form are left to the next rewriting of its rows.
    const auto schema = file.schema_id == table_->schema().id ? table_->schema_ptr() : table_->schemas().Get(file.schema_id);
    std::erase_if(missing, [&](const FileIndexColumn& column) {
      const int now = FindField(table_->schema().fields, column.column);
      const DataField& field = table_->schema().fields[static_cast<size_t>(now)];
      const int then = FindFieldById(schema->fields, field.id);
      return then < 0 || schema->fields[static_cast<size_t>(then)].name != field.name ||
             !schema->fields[static_cast<size_t>(then)].type.SameTypeAs(field.type);
    });
    if (missing.empty()) return std::nullopt;

    FileIndexBuilder builder(missing);
    FileReadRequest request;
    request.partition = bucket.partition;
    request.bucket = bucket.bucket;
    request.batch_rows = kBatchRows;
    for (const FileIndexColumn& column : missing) {
      if (FindField(request.fields, column.column) < 0) request.fields.push_back(table_->schema().Field(column.column));
    }
    auto reader = ReadTableFile(*table_, file, request);
    while (auto batch = reader->Next()) builder.Add(*batch);
    for (FileIndexPart& part : builder.Parts()) parts.push_back(std::move(part));
    DataFileMeta indexed = file;
    indexed.embedded_file_index.reset();
    const std::string name = NewIndexName(file);
    std::erase_if(indexed.extra_files, [](const std::string& extra) { return extra.ends_with(kFileIndexSuffix); });
    PlaceFileIndex(*table_, bucket.partition, bucket.bucket, WriteFileIndex(parts), name, &indexed);
    *made += static_cast<int64_t>(missing.size());
    return indexed;
  }

 private:
  TablePtr table_;
  std::vector<FileIndexColumn> columns_;
};

}  // namespace

FileIndexRewriteReport RewriteFileIndexes(const TablePtr& table, const BucketSelection& selection,
                                          const CommitSettings& given) {
  CheckWritable(table->schema());
  const Rewriter rewriter(table);
  FileIndexRewriteReport report;
  const auto latest = table->snapshots().Latest();
  if (!latest) return report;
  CommitSettings settings = given;
  settings.ignore_empty = true;
  if (!settings.clock) settings.clock = SystemClock();
  Executor& executor = settings.executor ? *settings.executor : InlineExecutor();
  const std::vector<BucketFiles> buckets = LiveBuckets(*table, *latest, selection, settings.clock, executor);
  std::vector<CommitMessage> messages(buckets.size());
  std::vector<int64_t> made(buckets.size());
  std::set<std::string> partitions;
  try {
    executor.ForEach(buckets.size(), [&](size_t i) {
      messages[i] = buckets[i].MessageOf({});
      for (const DataFileMeta& file : buckets[i].files) {
        auto indexed = rewriter.Rewrite(buckets[i], file, &made[i]);
        if (!indexed) continue;
        messages[i].compact.deleted_files.push_back(file);
        messages[i].compact.new_files.push_back(*std::move(indexed));
      }
    });
    for (size_t i = 0; i < buckets.size(); ++i) {
      report.indexes += made[i];
      if (made[i] > 0) partitions.insert(buckets[i].partition);
    }
    std::erase_if(messages, [](const CommitMessage& message) { return message.compact.empty(); });
    report.partitions = static_cast<int64_t>(partitions.size());
    if (!messages.empty()) TableCommit(table, settings).Commit(messages);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kOutcomeUnknown) throw;
    // The data files are those that were there; only their new indexes go.
    for (const CommitMessage& message : messages) {
      for (size_t i = 0; i < message.compact.new_files.size(); ++i) {
        const std::vector<std::string>& old = message.compact.deleted_files[i].extra_files;
        for (const std::string& name : message.compact.new_files[i].extra_files) {
          if (std::find(old.begin(), old.end(), name) != old.end()) continue;
          table->file_system().DeleteFile(
              table->paths().ExtraFilePath(message.partition, message.bucket, message.compact.new_files[i], name));
        }
      }
    }
    throw;
  }
  return report;
}

}  // namespace mica
