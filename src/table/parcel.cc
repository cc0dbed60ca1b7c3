#include "table/parcel.h"

#include "base/bytes.h"
#include "base/error.h"
#include "format/avro_file.h"
#include "meta/manifest_format.h"

namespace mica {

namespace {

constexpr char kVersion = 2;
constexpr std::string_view kSplitMark = "micaSPLT";
constexpr std::string_view kMessageMark = "micaCMIT";

template <typename T, typename Encode>
std::string AvroOf(std::string_view schema, const std::vector<T>& values, const Encode& encode) {
  AvroFileWriter writer(schema, "none", 0);
  for (const T& value : values) {
    writer.Append([&](std::string& out) { encode(value, out); });
  }
  return writer.Finish();
}

[[noreturn]] void TooShort() {
  throw Corrupt("The bytes of a split or a commit message end too early");
}

void Write(const FileChanges& changes, ParcelWriter* out) {
  out->Files(changes.new_files);
  out->Files(changes.deleted_files);
  out->Files(changes.changelog_files);
  out->IndexFiles(changes.new_index_files);
  out->IndexFiles(changes.deleted_index_files);
}

FileChanges Read(ParcelReader* in) {
  FileChanges changes;
  changes.new_files = in->Files();
  changes.deleted_files = in->Files();
  changes.changelog_files = in->Files();
  changes.new_index_files = in->IndexFiles();
  changes.deleted_index_files = in->IndexFiles();
  return changes;
}

}  // namespace

std::string Serialize(const Split& split) {
  ParcelWriter out(kSplitMark);
  out.Number(split.snapshot_id);
  out.Text(split.partition);
  out.Number(split.bucket);
  out.Number(split.total_buckets);
  out.Number(split.raw_convertible);
  out.Files(split.files);
  out.Number(static_cast<int64_t>(split.deletions.size()));
  for (const auto& deletions : split.deletions) {
    out.Number(deletions.has_value());
    if (!deletions) continue;
    out.Text(deletions->path);
    out.Number(deletions->offset);
    out.Number(deletions->length);
    out.Number(deletions->cardinality.value_or(-1));
  }
  return out.Finish();
}

Split DeserializeSplit(std::string_view bytes) {
  ParcelReader in(bytes, kSplitMark);
  Split split;
  split.snapshot_id = in.Number();
  split.partition = in.Text();
  split.bucket = in.SmallNumber();
  split.total_buckets = in.SmallNumber();
  split.raw_convertible = in.Number() != 0;
  split.files = in.Files();
  const int64_t vectors = in.Number();
  if (vectors != 0 && vectors != static_cast<int64_t>(split.files.size())) {
    throw Corrupt("A split has '{}' files and '{}' deletion vectors", split.files.size(), vectors);
  }
  split.deletions.resize(static_cast<size_t>(vectors));
  for (auto& deletions : split.deletions) {
    if (in.Number() == 0) continue;
    deletions.emplace();
    deletions->path = in.Text();
    deletions->offset = in.Number();
    deletions->length = in.Number();
    if (const int64_t cardinality = in.Number(); cardinality >= 0) deletions->cardinality = cardinality;
  }
  in.Finish();
  return split;
}

std::string Serialize(const CommitMessage& message) {
  ParcelWriter out(kMessageMark);
  out.Text(message.partition);
  out.Number(message.bucket);
  out.Number(message.total_buckets);
  Write(message.data, &out);
  Write(message.compact, &out);
  const auto& names = message.base_hash_files;
  out.Number(names ? static_cast<int64_t>(names->size()) : -1);
  if (names) {
    for (const std::string& name : *names) out.Text(name);
  }
  out.Number(message.located_in.value_or(-1));
  return out.Finish();
}

CommitMessage DeserializeCommitMessage(std::string_view bytes) {
  ParcelReader in(bytes, kMessageMark);
  CommitMessage message;
  message.partition = in.Text();
  message.bucket = in.SmallNumber();
  message.total_buckets = in.SmallNumber();
  message.data = Read(&in);
  message.compact = Read(&in);
  const int64_t hash_files = in.Number();
  if (hash_files >= 0) message.base_hash_files.emplace();
  for (int64_t i = 0; i < hash_files; ++i) message.base_hash_files->push_back(in.Text());
  if (const int64_t located_in = in.Number(); located_in >= 0) message.located_in = located_in;
  in.Finish();
  return message;
}

ParcelWriter::ParcelWriter(std::string_view mark) : out_(mark) {
  out_ += kVersion;
}

void ParcelWriter::Number(int64_t value) {
  AppendLittle(out_, value);
}

void ParcelWriter::Text(std::string_view text) {
  Number(static_cast<int64_t>(text.size()));
  out_ += text;
}

void ParcelWriter::Files(const std::vector<DataFileMeta>& files) {
  std::vector<ManifestEntry> entries;
  for (const DataFileMeta& file : files) entries.push_back({.file = file});
  Text(AvroOf(ManifestEntrySchema(), entries, EncodeManifestEntry));
}

void ParcelWriter::IndexFiles(const std::vector<IndexManifestEntry>& files) {
  Text(AvroOf(IndexEntrySchema(true), files,
              [](const IndexManifestEntry& entry, std::string& out) { EncodeIndexEntry(entry, true, out); }));
}

ParcelReader::ParcelReader(std::string_view bytes, std::string_view mark) : rest_(bytes) {
  if (!rest_.starts_with(mark) || rest_.size() == mark.size()) {
    throw Corrupt("The bytes are not those of a value of kind '{}'", mark);
  }
  const char version = rest_[mark.size()];
  if (version != kVersion) {
    throw Unsupported("The bytes are of version '{}', Mica knows version {}", static_cast<int>(version),
                      static_cast<int>(kVersion));
  }
  rest_.remove_prefix(mark.size() + 1);
}

std::string_view ParcelReader::Bytes(size_t size) {
  if (size > rest_.size()) TooShort();
  std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

int64_t ParcelReader::Number() {
  return LoadLittle<int64_t>(Bytes(sizeof(int64_t)).data());
}

int32_t ParcelReader::SmallNumber() {
  const int64_t value = Number();
  if (value != static_cast<int32_t>(value)) throw Corrupt("A number of a split or a commit message is too large");
  return static_cast<int32_t>(value);
}

std::string ParcelReader::Text() {
  const int64_t size = Number();
  if (size < 0) TooShort();
  return std::string(Bytes(static_cast<size_t>(size)));
}

std::vector<DataFileMeta> ParcelReader::Files() {
  const std::string content = Text();
  AvroFileReader reader(content);
  ManifestEntryDecoder decoder(reader.schema_json());
  std::vector<DataFileMeta> files;
  reader.ForEachBlock([&](int64_t count, std::string_view block) {
    decoder.Decode(count, block, {}, [&](ManifestEntry&& entry) { files.push_back(std::move(entry.file)); });
  });
  return files;
}

std::vector<IndexManifestEntry> ParcelReader::IndexFiles() {
  const std::string content = Text();
  AvroFileReader reader(content);
  IndexEntryDecoder decoder(reader.schema_json());
  std::vector<IndexManifestEntry> files;
  reader.ForEachBlock([&](int64_t count, std::string_view block) { decoder.Decode(count, block, &files); });
  return files;
}

void ParcelReader::Finish() const {
  if (!rest_.empty()) throw Corrupt("The bytes of a split or a commit message go on behind their end");
}

}  // namespace mica
