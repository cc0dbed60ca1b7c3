// Writes the files of one bucket at one level, a new one whenever the target size is reached, and describes each for the
// manifest (Format 1.2, 4.3, 9). Files that were not handed out are deleted with the object.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "format/data_file.h"
#include "index/file_index_builder.h"
#include "meta/manifest.h"
#include "table/file_stats.h"
#include "table/table.h"

namespace mica {

class RollingFile {
 public:
  // Batches have the columns of TableSchema::FileFields (primary key), or the table's columns (append).
  // `changelog`: files of changes instead of rows (Engine 4), under the options changelog-file.*.
  RollingFile(TablePtr table, std::string partition, int32_t bucket, int32_t level, FileSource source, Clock clock,
              bool changelog = false);
  ~RollingFile();
  RollingFile(const RollingFile&) = delete;
  RollingFile& operator=(const RollingFile&) = delete;

  // Append tables: the number that the first row of the next batch gets; primary-key rows carry their own.
  void set_next_sequence(int64_t next) { next_sequence_ = next; }
  int64_t next_sequence() const { return next_sequence_; }

  // About how much encoded data may wait in memory for the end of a row group; from the next file on.
  void set_encoder_bytes(int64_t bytes) { write_.row_group_bytes = bytes; }

  void Write(const std::shared_ptr<arrow::RecordBatch>& batch);
  // Ends the open file, if any.
  void CloseFile();
  // Closes, and hands all files out.
  std::vector<DataFileMeta> Finish();

  int64_t BufferedBytes() const { return writer_ ? writer_->BufferedBytes() : 0; }
  bool is_open() const { return writer_ != nullptr; }

 private:
  void Open();
  void Note(const arrow::RecordBatch& batch);
  void WriteIndex();

  TablePtr table_;
  std::string partition_;
  int32_t bucket_;
  int32_t level_;
  FileSource source_;
  Clock clock_;
  bool changelog_;
  bool keyed_;
  bool thin_;
  DataFileWriteOptions write_;
  FileStats stats_;
  DataFileNamer namer_;
  std::vector<int> key_columns_;  // positions in the batch
  std::vector<DataType> key_types_;
  int64_t target_bytes_;
  int64_t target_rows_;

  std::vector<FileIndexColumn> indexed_;

  std::unique_ptr<DataFileWriter> writer_;
  std::unique_ptr<FileIndexBuilder> index_;  // of the open file
  std::string path_;
  DataFileMeta open_;
  std::vector<DataFileMeta> done_;
  int64_t next_sequence_ = 0;
};

// The format and compression of new files at a level.
DataFileWriteOptions WriteOptionsAt(const TableSchema& schema, int32_t level);

}  // namespace mica
