// The bytes of manifests, manifest lists and index manifests (Format 4.1-4.5): their Avro schemas, decoding by the
// writer's schema, encoding, and the ORC form that older versions could write. Used by ManifestStore only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "format/avro_record.h"
#include "meta/manifest.h"

namespace mica {

// Decodes blocks of one manifest.
class ManifestEntryDecoder {
 public:
  explicit ManifestEntryDecoder(std::string_view schema_json);
  // Entries of one block, in order; `filter.keep` skips the rest of an entry. One entry is used for all.
  void Decode(int64_t count, std::string_view block, const ManifestFilter& filter,
              const std::function<void(ManifestEntry&&)>& on_entry) const;

 private:
  AvroSchema schema_;
  std::vector<AvroField> fields_;
  bool filter_first_;  // partition, bucket and total buckets come before the file
};

class ManifestFileDecoder {
 public:
  explicit ManifestFileDecoder(std::string_view schema_json);
  void Decode(int64_t count, std::string_view block, std::vector<ManifestFileMeta>* out) const;

 private:
  AvroSchema schema_;
  std::vector<AvroField> fields_;
};

class IndexEntryDecoder {
 public:
  explicit IndexEntryDecoder(std::string_view schema_json);
  void Decode(int64_t count, std::string_view block, std::vector<IndexManifestEntry>* out) const;

 private:
  AvroSchema schema_;
  std::vector<AvroField> fields_;
};

const std::string& ManifestEntrySchema();
const std::string& ManifestFileSchema();
// `_SOURCE_META` is part of it only when some entry has one: older readers do not know the field.
std::string IndexEntrySchema(bool with_source_meta);

void EncodeManifestEntry(const ManifestEntry& entry, std::string& out);
void EncodeManifestFile(const ManifestFileMeta& manifest, std::string& out);
void EncodeIndexEntry(const IndexManifestEntry& entry, bool with_source_meta, std::string& out);

// Whole files in ORC (Format 4): the same fields in a struct.
std::vector<ManifestEntry> ReadOrcManifest(const std::string& content, const ManifestFilter& filter);
std::vector<ManifestFileMeta> ReadOrcManifestList(const std::string& content);

}  // namespace mica
