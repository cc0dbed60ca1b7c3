// Writes data-file entries into manifests one after another, rolling at the target size, and gathers what the manifest
// list says of each (Format 4.2). Used by ManifestStore::Write and by merges, which stream.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/avro_file.h"
#include "meta/manifest.h"

namespace mica {

class ManifestWriter {
 public:
  ManifestWriter(ManifestStore& store, std::span<const DataType> partition_types);

  void Append(const ManifestEntry& entry);
  // The manifests written, in order; nothing for no entries.
  std::vector<ManifestFileMeta> Finish();

 private:
  struct PartitionRange {
    Value min, max;
    int64_t null_count = 0;
  };
  void Start();
  void Gather(const ManifestEntry& entry);
  void Close();

  ManifestStore& store_;
  std::vector<DataType> types_;     // as the table has them
  std::vector<DataType> nullable_;  // as statistics store them
  std::unique_ptr<AvroFileWriter> file_;
  ManifestFileMeta meta_;
  int64_t entry_count_ = 0;
  bool all_have_row_ids_ = true;
  std::vector<PartitionRange> ranges_;
  std::string last_partition_;
  std::vector<Value> last_values_;
  std::vector<ManifestFileMeta> done_;
};

}  // namespace mica
