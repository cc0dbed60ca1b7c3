// Copies the files of a table of Hive into an append table and commits them there as an overwrite (M-0907): byte for
// byte where they can be files of the table as they are, otherwise each is written anew as one file. Both have names
// that tell what they were made of, so that a run after one that was cut short makes nothing again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/hive_files.h"
#include "clone/table_copy.h"
#include "clone/target_replacement.h"
#include "format/data_file.h"

namespace mica {

class HiveFilesCopy {
 public:
  // Lists the files. `schema`: of the target. `format`: the only one that its files may have.
  HiveFilesCopy(TableName source, std::vector<HivePart> parts, const std::string& default_partition,
                std::shared_ptr<const TableSchema> schema, std::optional<std::string> format, Executor& executor);

  // Looks into every file. Throws Corrupt or Unsupported naming one that cannot be read as the columns of the table.
  void Describe();
  // Throws as Describe does before anything is made, and as CopyTable does. What was done, after the target's name.
  std::string Copy(const TablePtr& target, const CopyRequest& request);

 private:
  struct File {
    size_t part;
    FileStatus status;
    std::string why;  // it has to be written anew; "": it is copied
    bool described = false;
    DataFileMeta meta;  // of a file that is copied, under its name in the source
  };

  void Describe(const std::vector<File*>& files);
  void Describe(File& file) const;
  // `rewritten`: the format that it is written anew in, or "".
  std::string MarkOf(const File& file, const std::string& rewritten) const;
  int64_t Rewrite(const File& file, const Table& target, const DataFileWriteOptions& write,
                  const std::string& path) const;

  TableName source_;
  std::vector<HivePart> parts_;
  std::vector<std::vector<Value>> values_;  // of the partition of each part
  std::vector<std::string> partitions_;     // the same, serialized
  std::shared_ptr<const TableSchema> schema_;
  std::vector<DataField> fields_;  // of the schema, without those of the partition
  std::optional<std::string> format_;
  Executor& executor_;
  std::vector<File> files_;
};

}  // namespace mica
