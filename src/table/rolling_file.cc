#include "table/rolling_file.h"

#include <arrow/api.h>

#include "table/file_index_columns.h"
#include "types/arrow_types.h"

namespace mica {

DataFileWriteOptions WriteOptionsAt(const TableSchema& schema, int32_t level) {
  TableOptions options(schema.options);
  DataFileWriteOptions write;
  bool thin = options.Bool("data-file.thin-mode", false);
  write.fields = schema.has_primary_key() ? schema.FileFields(thin) : schema.fields;
  auto format = OptionAtLevel(options, "file.format.per.level", level);
  write.format = format ? *format : options.file_format();
  CheckFormatSupported(write.format);
  auto compression = OptionAtLevel(options, "file.compression.per.level", level);
  write.compression = compression ? *compression : options.Text("file.compression", "zstd");
  write.zstd_level = static_cast<int32_t>(options.Integer("file.compression.zstd-level", 1));
  for (const auto& [key, value] : schema.options) {
    bool of_format = key.starts_with("parquet.") || key.starts_with("orc.") || key.starts_with("avro.");
    if (of_format || key == "file.block-size") write.format_options[key] = value;
  }
  return write;
}

namespace {

// The table with the options of changelog files in the place of those of data files.
TablePtr WithChangelogOptions(const TablePtr& table) {
  TableSchema schema = table->schema();
  auto replace = [&](const char* from, const char* to, const char* per_level) {
    auto value = table->options().Find(from);
    if (!value) return;
    schema.options[to] = *value;
    schema.options.erase(per_level);
  };
  replace("changelog-file.format", "file.format", "file.format.per.level");
  replace("changelog-file.compression", "file.compression", "file.compression.per.level");
  replace("changelog-file.stats-mode", "metadata.stats-mode", "metadata.stats-mode.per.level");
  return table->WithSchema(std::make_shared<const TableSchema>(std::move(schema)));
}

}  // namespace

RollingFile::RollingFile(TablePtr table, std::string partition, int32_t bucket, int32_t level, FileSource source, Clock clock,
                         bool changelog)
    : table_(changelog ? WithChangelogOptions(table) : std::move(table)),
      partition_(std::move(partition)),
      bucket_(bucket),
      level_(level),
      source_(source),
      clock_(std::move(clock)),
      changelog_(changelog),
      keyed_(table_->schema().has_primary_key()),
      thin_(table_->options().Bool("data-file.thin-mode", false)),
      write_(WriteOptionsAt(table_->schema(), level)),
      stats_(table_->schema(), level, write_.format),
      namer_(table_->schema()),
      target_bytes_(table_->options().target_file_bytes(keyed_)),
      target_rows_(table_->options().Integer("target-file-row-num", INT64_MAX)) {
  if (!changelog_) indexed_ = FileIndexColumnsOf(table_->schema());
  if (!keyed_) return;
  for (const DataField& key : table_->schema().KeyFields()) {
    key_columns_.push_back(FindField(write_.fields, thin_ ? key.name : KeyField(key).name));
    key_types_.push_back(key.type);
  }
}

RollingFile::~RollingFile() {
  writer_.reset();
  auto remove = [&](const std::string& path) {
    try {
      table_->file_system().DeleteFile(path);
    } catch (const std::exception&) {
      // An orphan: nothing refers to it.
    }
  };
  if (!path_.empty()) {
    for (const std::string& path : table_->paths().DataFilePaths(partition_, bucket_, open_)) remove(path);
  }
  for (const DataFileMeta& file : done_) {
    for (const std::string& path : table_->paths().DataFilePaths(partition_, bucket_, file)) remove(path);
  }
}

void RollingFile::Open() {
  open_ = DataFileMeta{};
  open_.file_name = changelog_ ? namer_.NextChangelogFile(write_.format, write_.compression)
                               : namer_.NextDataFile(write_.format, write_.compression);
  path_ = table_->paths().DataFilePath(partition_, bucket_, open_);
  writer_ = CreateDataFile(table_->file_system(), path_, write_);
  if (!indexed_.empty()) index_ = std::make_unique<FileIndexBuilder>(indexed_);
  open_.schema_id = table_->schema().id;
  open_.level = level_;
  open_.file_source = source_;
  open_.delete_row_count = 0;
  open_.min_key = open_.max_key = BinaryRow().Serialize();
  open_.key_stats = SimpleStats::Empty();
  open_.min_sequence_number = INT64_MAX;
  open_.max_sequence_number = INT64_MIN;
}

void RollingFile::Note(const arrow::RecordBatch& batch) {
  if (!keyed_) {
    open_.min_sequence_number = std::min(open_.min_sequence_number, next_sequence_);
    next_sequence_ += batch.num_rows();
    open_.max_sequence_number = next_sequence_ - 1;
    return;
  }
  int sequence_at = static_cast<int>(thin_ ? 0 : key_columns_.size());
  const auto& sequence = static_cast<const arrow::Int64Array&>(*batch.column(sequence_at));
  const auto& kinds = static_cast<const arrow::Int8Array&>(*batch.column(sequence_at + 1));
  int64_t retracts = 0;
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    open_.min_sequence_number = std::min(open_.min_sequence_number, sequence.Value(i));
    open_.max_sequence_number = std::max(open_.max_sequence_number, sequence.Value(i));
    retracts += kinds.Value(i) & 1;  // 1 is -U, 3 is -D
  }
  open_.delete_row_count = *open_.delete_row_count + retracts;
  if (open_.row_count == 0) open_.min_key = RowAt(batch, 0, key_columns_, key_types_).Serialize();
  open_.max_key = RowAt(batch, batch.num_rows() - 1, key_columns_, key_types_).Serialize();
}

void RollingFile::Write(const std::shared_ptr<arrow::RecordBatch>& batch) {
  for (int64_t begin = 0; begin < batch->num_rows();) {
    if (!writer_) Open();
    int64_t rows = std::min(batch->num_rows() - begin, target_rows_ - open_.row_count);
    auto part = rows == batch->num_rows() ? batch : batch->Slice(begin, rows);
    Note(*part);
    writer_->Write(*part);
    if (index_) index_->Add(*part);
    open_.row_count += rows;
    begin += rows;
    if (open_.row_count >= target_rows_ || writer_->EstimatedBytes() >= target_bytes_) CloseFile();
  }
}

void RollingFile::CloseFile() {
  if (!writer_) return;
  WrittenFile written = writer_->Close();
  writer_.reset();
  open_.file_size = written.file_bytes;
  size_t first_value = 0;
  if (keyed_) {
    std::vector<ColumnStats> keys;
    for (int column : key_columns_) keys.push_back(written.stats[static_cast<size_t>(column)]);
    open_.key_stats = stats_.Keys(keys);
    first_value = write_.fields.size() - table_->schema().fields.size();
  }
  std::vector<ColumnStats> values(written.stats.begin() + static_cast<std::ptrdiff_t>(first_value), written.stats.end());
  open_.value_stats = stats_.Values(values, &open_.value_stats_cols);
  if (index_) WriteIndex();
  open_.creation_time_millis = LocalWallMillis(clock_());
  done_.push_back(std::move(open_));
  path_.clear();
}

void RollingFile::WriteIndex() {
  const std::string index = WriteFileIndex(index_->Parts());
  index_.reset();
  PlaceFileIndex(*table_, partition_, bucket_, index, open_.file_name + std::string(kFileIndexSuffix), &open_);
}

std::vector<DataFileMeta> RollingFile::Finish() {
  CloseFile();
  return std::exchange(done_, {});
}

}  // namespace mica
