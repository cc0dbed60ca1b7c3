#include "meta/manifest.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <utility>

#include "base/arrow.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/uuid.h"
#include "format/avro_file.h"
#include "meta/manifest_format.h"
#include "meta/manifest_writer.h"

namespace mica {

namespace {

bool IsOrc(std::string_view content) {
  return content.starts_with("ORC");
}

// What `body` finds wrong names the file.
template <typename Body>
auto NamingFile(const std::string& path, const Body& body) {
  try {
    return body();
  } catch (Error& error) {
    error.Add(fmt::format("metadata file '{}'", path));
    throw;
  }
}

std::shared_ptr<arrow::Buffer> ReadWhole(FileSystem& fs, const std::string& path, std::optional<int64_t> size) {
  auto file = fs.OpenInput(path, size);
  return NamingFile(path, [&] {
    int64_t bytes = size ? *size : Take(file->GetSize());
    std::shared_ptr<arrow::Buffer> content = Take(file->ReadAt(0, bytes));
    if (content->size() != bytes) throw Corrupt("The file has '{}' bytes, not '{}'", content->size(), bytes);
    return content;
  });
}

std::string_view TextOf(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

// Runs `read` on the whole file.
template <typename Read>
void WithFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size, const Read& read) {
  auto content = ReadWhole(fs, path, size);
  NamingFile(path, [&] { read(TextOf(*content)); });
}

// Decoders by the schema they are compiled from: it is mostly the same, and parsing it costs more than a small file.
template <typename Decoder>
std::shared_ptr<const Decoder> DecoderFor(const std::string& schema_json) {
  constexpr size_t kMostKept = 16;
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<const Decoder>> kept;
  std::lock_guard lock(mutex);
  auto known = kept.find(schema_json);
  if (known != kept.end()) return known->second;
  auto decoder = std::make_shared<const Decoder>(schema_json);
  if (kept.size() >= kMostKept) kept.clear();
  kept.emplace(schema_json, decoder);
  return decoder;
}

class AvroManifest final : public OpenManifest {
 public:
  AvroManifest(std::string path, std::shared_ptr<arrow::Buffer> content)
      : path_(std::move(path)),
        content_(std::move(content)),
        decoder_(DecoderFor<ManifestEntryDecoder>(AvroFileReader(TextOf(*content_)).schema_json())) {}

  void Scan(size_t part, size_t parts, const ManifestFilter& filter,
            const std::function<void(ManifestEntry&&)>& on_entry) const override {
    NamingFile(path_, [&] {
      AvroFileReader reader(TextOf(*content_));
      const size_t total = reader.remaining();
      // A block belongs to the part in which it begins.
      for (AvroFileReader::Block block;;) {
        const size_t at = total - reader.remaining();
        if (!reader.NextBlock(&block)) return;
        const size_t owner = at * parts / total;
        if (owner > part) return;
        if (owner == part) decoder_->Decode(block.record_count, reader.Plain(block), filter, on_entry);
      }
    });
  }

 private:
  std::string path_;
  std::shared_ptr<arrow::Buffer> content_;
  std::shared_ptr<const ManifestEntryDecoder> decoder_;
};

// Not divided: only old tables have these.
class OrcManifest final : public OpenManifest {
 public:
  OrcManifest(std::string path, std::shared_ptr<arrow::Buffer> content)
      : path_(std::move(path)), content_(std::move(content)) {}

  void Scan(size_t part, size_t /*parts*/, const ManifestFilter& filter,
            const std::function<void(ManifestEntry&&)>& on_entry) const override {
    if (part > 0) return;
    NamingFile(path_, [&] {
      for (ManifestEntry& entry : ReadOrcManifest(content_->ToString(), filter)) on_entry(std::move(entry));
    });
  }

 private:
  std::string path_;
  std::shared_ptr<arrow::Buffer> content_;
};

}  // namespace

SimpleStats SimpleStats::Empty() {
  static const std::string kEmptyRow = BinaryRow().Serialize();
  return {kEmptyRow, kEmptyRow, std::vector<std::optional<int64_t>>()};
}

std::string FileIdentity(std::string_view partition, int32_t bucket, const DataFileMeta& file) {
  std::string key;
  key.reserve(partition.size() + file.file_name.size() + 32);
  auto put = [&](std::string_view text) {
    AppendLittle(key, static_cast<uint32_t>(text.size()));
    key += text;
  };
  auto put_optional = [&](const std::optional<std::string>& text) {
    key += text ? '\1' : '\0';
    if (text) put(*text);
  };
  // The name differs soonest, so it comes first.
  put(file.file_name);
  put(partition);
  AppendLittle(key, bucket);
  AppendLittle(key, file.level);
  AppendLittle(key, static_cast<uint32_t>(file.extra_files.size()));
  for (const std::string& name : file.extra_files) put(name);
  put_optional(file.embedded_file_index);
  put_optional(file.external_path);
  return key;
}

ManifestStore::ManifestStore(FileSystemPtr fs, std::string table_root, ManifestWriteOptions options)
    : fs_(std::move(fs)), root_(std::move(table_root)), options_(std::move(options)), uuid_(RandomUuid()) {}

std::string ManifestStore::PathOf(const std::string& name) const {
  if (name.empty() || name.find('/') != std::string::npos)
    throw Corrupt("The metadata file name '{}' is not a plain name", name);
  return fmt::format("{}/manifest/{}", root_, name);
}

std::vector<std::string> ManifestStore::TakeWritten() {
  std::lock_guard lock(mutex_);
  return std::exchange(written_, {});
}

std::pair<std::string, int64_t> ManifestStore::WriteNew(std::string name, std::string_view content) {
  {
    // Before it exists: what fails half way has to be cleaned up too.
    std::lock_guard lock(mutex_);
    written_.push_back(name);
  }
  std::string path = PathOf(name);
  auto stream = fs_->OpenOutput(path);
  Check(stream->Write(content.data(), static_cast<int64_t>(content.size())));
  Check(stream->Close());
  return {std::move(name), static_cast<int64_t>(content.size())};
}

std::unique_ptr<AvroFileWriter> ManifestStore::NewManifestContent() const {
  return std::make_unique<AvroFileWriter>(ManifestEntrySchema(), options_.compression, options_.zstd_level);
}

std::pair<std::string, int64_t> ManifestStore::WriteManifest(std::string_view content) {
  return WriteNew(fmt::format("manifest-{}-{}", uuid_, manifest_count_++), content);
}

std::vector<ManifestFileMeta> ManifestStore::ReadList(const std::string& name, std::optional<int64_t> size) {
  std::vector<ManifestFileMeta> manifests;
  WithFile(*fs_, PathOf(name), size, [&](std::string_view content) {
    if (IsOrc(content)) {
      manifests = ReadOrcManifestList(std::string(content));
      return;
    }
    AvroFileReader reader(content);
    auto decoder = DecoderFor<ManifestFileDecoder>(reader.schema_json());
    reader.ForEachBlock([&](int64_t count, std::string_view block) { decoder->Decode(count, block, &manifests); });
  });
  return manifests;
}

std::pair<std::string, int64_t> ManifestStore::WriteList(const std::vector<ManifestFileMeta>& manifests) {
  AvroFileWriter writer(ManifestFileSchema(), options_.compression, options_.zstd_level);
  for (const ManifestFileMeta& manifest : manifests) {
    writer.Append([&](std::string& out) { EncodeManifestFile(manifest, out); });
  }
  return WriteNew(fmt::format("manifest-list-{}-{}", uuid_, list_count_++), writer.Finish());
}

std::shared_ptr<const OpenManifest> ManifestStore::Open(const std::string& name, std::optional<int64_t> size) {
  std::string path = PathOf(name);
  std::shared_ptr<arrow::Buffer> content = ReadWhole(*fs_, path, size);
  return NamingFile(path, [&]() -> std::shared_ptr<const OpenManifest> {
    if (IsOrc(TextOf(*content))) return std::make_shared<OrcManifest>(path, content);
    return std::make_shared<AvroManifest>(path, content);
  });
}

void ManifestStore::Scan(const std::string& name, std::optional<int64_t> size, const ManifestFilter& filter,
                         const std::function<void(ManifestEntry&&)>& on_entry) {
  Open(name, size)->Scan(0, 1, filter, on_entry);
}

std::vector<ManifestEntry> ManifestStore::Read(const std::string& name, std::optional<int64_t> size,
                                               const ManifestFilter& filter) {
  std::vector<ManifestEntry> entries;
  Scan(name, size, filter, [&](ManifestEntry&& entry) { entries.push_back(std::move(entry)); });
  return entries;
}

std::vector<ManifestFileMeta> ManifestStore::Write(const std::vector<ManifestEntry>& entries,
                                                   std::span<const DataType> partition_types, int64_t /*schema_id*/) {
  ManifestWriter writer(*this, partition_types);
  for (const ManifestEntry& entry : entries) writer.Append(entry);
  return writer.Finish();
}

std::vector<IndexManifestEntry> ManifestStore::ReadIndex(const std::string& name) {
  std::vector<IndexManifestEntry> entries;
  WithFile(*fs_, PathOf(name), std::nullopt, [&](std::string_view content) {
    if (IsOrc(content)) throw Unsupported("An index manifest in ORC cannot be read");
    AvroFileReader reader(content);
    IndexEntryDecoder decoder(reader.schema_json());
    reader.ForEachBlock([&](int64_t count, std::string_view block) { decoder.Decode(count, block, &entries); });
  });
  return entries;
}

std::pair<std::string, int64_t> ManifestStore::WriteIndex(const std::vector<IndexManifestEntry>& entries) {
  bool with_source_meta = std::any_of(entries.begin(), entries.end(), [](const IndexManifestEntry& entry) {
    return entry.global_index && entry.global_index->source_meta;
  });
  AvroFileWriter writer(IndexEntrySchema(with_source_meta), options_.compression, options_.zstd_level);
  for (const IndexManifestEntry& entry : entries) {
    writer.Append([&](std::string& out) { EncodeIndexEntry(entry, with_source_meta, out); });
  }
  return WriteNew(fmt::format("index-manifest-{}-{}", uuid_, index_count_++), writer.Finish());
}

}  // namespace mica
