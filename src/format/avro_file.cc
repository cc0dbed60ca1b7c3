#include "format/avro_file.h"

#include <arrow/util/compression.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <random>

#include "base/arrow.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "format/avro_record.h"

namespace mica {

namespace {

constexpr std::string_view kMagic("Obj\x01", 4);
constexpr size_t kSyncBytes = 16;
// A block of a manifest is tens of kilobytes; what grows beyond this is no metadata.
constexpr size_t kUsualBlock = size_t{64} << 10;
constexpr size_t kLargestBlock = size_t{1} << 30;

std::string Random16() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 4; ++i) AppendLittle(bytes, static_cast<uint32_t>(random()));
  return bytes;
}

// Raw deflate, without a header.
void Inflate(std::string_view in, std::string* out) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw Internal("zlib cannot start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  size_t used = 0;
  out->resize(in.size() * 4 + 1024);
  int state = Z_OK;
  while (state == Z_OK && used < kLargestBlock) {
    if (used == out->size()) out->resize(out->size() * 2);
    stream.next_out = reinterpret_cast<Bytef*>(out->data() + used);
    stream.avail_out = static_cast<uInt>(out->size() - used);
    state = inflate(&stream, Z_NO_FLUSH);
    size_t before = used;
    used = out->size() - stream.avail_out;
    if (state == Z_OK && used == before && stream.avail_in == 0) break;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END) throw Corrupt("A deflate block cannot be decompressed");
  out->resize(used);
}

std::string Deflate(std::string_view in) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Internal("zlib cannot start");
  }
  std::string out(deflateBound(&stream, in.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  int state = deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  if (state != Z_STREAM_END) throw Internal("zlib cannot compress");
  return out;
}

// Of any size, which zstd and bzip2 frames need not tell. Returns the plain size; the buffer only grows, so that it is
// not cleared for every block.
size_t DecodeStream(arrow::util::Decompressor* decompressor, std::string_view name, std::string_view in,
                    std::string* out) {
  Check(decompressor->Reset());
  size_t used = 0;
  if (out->size() < 2 * kUsualBlock) out->resize(2 * kUsualBlock);
  const auto* next = reinterpret_cast<const uint8_t*>(in.data());
  size_t left = in.size();
  while (left > 0 || !decompressor->IsFinished()) {
    if (used == out->size()) out->resize(out->size() * 2);
    if (decompressor->IsFinished()) Check(decompressor->Reset());  // another frame follows
    auto step = decompressor->Decompress(static_cast<int64_t>(left), next, static_cast<int64_t>(out->size() - used),
                                         reinterpret_cast<uint8_t*>(out->data() + used));
    if (!step.ok()) throw Corrupt("A {} block cannot be decompressed: {}", name, step.status().message());
    next += step->bytes_read;
    left -= static_cast<size_t>(step->bytes_read);
    used += static_cast<size_t>(step->bytes_written);
    bool stuck = step->bytes_read == 0 && step->bytes_written == 0 && used < out->size();
    if (stuck || used > kLargestBlock) throw Corrupt("A {} block cannot be decompressed", name);
  }
  return used;
}

// Raw snappy, then a big-endian CRC32 of the plain bytes.
void Unsnap(std::string_view in, std::string* out) {
  if (in.size() < 5) throw Corrupt("A snappy block is too short");
  uint32_t crc = LoadBig<uint32_t>(in.data() + in.size() - 4);
  in.remove_suffix(4);
  // The plain size comes first, as a varint.
  uint64_t size = 0;
  for (size_t i = 0; i < 5 && i < in.size(); ++i) {
    size |= static_cast<uint64_t>(static_cast<uint8_t>(in[i]) & 0x7f) << (7 * i);
    if (!(in[i] & 0x80)) break;
  }
  if (size > kLargestBlock) throw Corrupt("A snappy block claims to hold '{}' bytes", size);
  out->resize(size);
  auto codec = Take(arrow::util::Codec::Create(arrow::Compression::SNAPPY));
  auto written = codec->Decompress(static_cast<int64_t>(in.size()), reinterpret_cast<const uint8_t*>(in.data()),
                                   static_cast<int64_t>(size), reinterpret_cast<uint8_t*>(out->data()));
  if (!written.ok() || *written != static_cast<int64_t>(size)) throw Corrupt("A snappy block cannot be decompressed");
  if (crc32(0, reinterpret_cast<const Bytef*>(out->data()), static_cast<uInt>(size)) != crc) {
    throw Corrupt("A snappy block has a wrong checksum");
  }
}

}  // namespace

AvroFileReader::AvroFileReader(std::string_view content) {
  if (!content.starts_with(kMagic)) throw Corrupt("The file is not an Avro container: it does not begin with 'Obj'");
  AvroCursor cursor(content.substr(kMagic.size()));
  codec_name_ = "null";
  bool has_schema = false;
  ForEachItem(cursor, [&](AvroCursor& c) {
    std::string_view key = c.Bytes(), value = c.Bytes();
    if (key == "avro.codec") codec_name_ = value;
    if (key == "avro.schema") {
      schema_json_ = value;
      has_schema = true;
    }
  });
  if (!has_schema) throw Corrupt("The Avro header has no schema");
  constexpr std::array<std::string_view, 5> kCodecs = {"null", "deflate", "snappy", "bzip2", "zstandard"};
  if (std::find(kCodecs.begin(), kCodecs.end(), codec_name_) == kCodecs.end()) {
    throw Unsupported("The Avro codec '{}' is not supported", codec_name_);
  }
  if (codec_name_ == "zstandard" || codec_name_ == "bzip2") {
    codec_ =
        Take(arrow::util::Codec::Create(codec_name_ == "bzip2" ? arrow::Compression::BZ2 : arrow::Compression::ZSTD));
    decompressor_ = Take(codec_->MakeDecompressor());
  }
  if (cursor.remaining() < kSyncBytes) throw Corrupt("The Avro header is cut off");
  rest_ = content.substr(content.size() - cursor.remaining());
  sync_ = rest_.substr(0, kSyncBytes);
  rest_.remove_prefix(kSyncBytes);
}

std::string_view AvroFileReader::Decompress(std::string_view compressed) {
  if (decompressor_) {
    size_t size = DecodeStream(decompressor_.get(), codec_name_, compressed, &buffer_);
    return std::string_view(buffer_).substr(0, size);
  }
  if (codec_name_ == "deflate") Inflate(compressed, &buffer_);
  if (codec_name_ == "snappy") Unsnap(compressed, &buffer_);
  return buffer_;
}

AvroFileReader::~AvroFileReader() = default;

bool AvroFileReader::NextBlock(Block* block) {
  if (rest_.empty()) return false;
  AvroCursor cursor(rest_);
  block->record_count = cursor.Long();
  if (block->record_count < 0) throw Corrupt("An Avro block claims to hold '{}' records", block->record_count);
  block->stored = cursor.Bytes();
  if (cursor.remaining() < kSyncBytes) throw Corrupt("An Avro block is cut off");
  if (rest_.substr(rest_.size() - cursor.remaining(), kSyncBytes) != sync_) {
    throw Corrupt("An Avro block does not end with the sync marker of the file");
  }
  cursor.Skip(kSyncBytes);
  rest_.remove_prefix(rest_.size() - cursor.remaining());
  return true;
}

std::string_view AvroFileReader::Plain(const Block& block) {
  return codec_name_ == "null" ? block.stored : Decompress(block.stored);
}

void AvroFileReader::ForEachBlock(const std::function<void(int64_t count, std::string_view block)>& on_block) {
  Block block;
  while (NextBlock(&block)) on_block(block.record_count, Plain(block));
}

AvroFileWriter::AvroFileWriter(std::string_view schema_json, std::string_view compression, int32_t zstd_level)
    : sync_(Random16()) {
  std::string name = ToLower(compression);
  if (name == "zstd" || name == "zstandard") {
    codec_name_ = "zstandard";
    codec_ = Take(arrow::util::Codec::Create(arrow::Compression::ZSTD, zstd_level));
  } else if (name == "snappy") {
    codec_name_ = "snappy";
    codec_ = Take(arrow::util::Codec::Create(arrow::Compression::SNAPPY));
  } else if (name == "deflate" || name == "gzip") {
    codec_name_ = "deflate";
  } else if (name.empty() || name == "none" || name == "null" || name == "uncompressed") {
    codec_name_ = "null";
  } else {
    throw Unsupported("The compression '{}' is not supported for Avro files. Use zstd, snappy, deflate or none",
                      compression);
  }
  out_ = kMagic;
  AppendAvroLong(out_, 2);
  AppendAvroBytes(out_, "avro.schema");
  AppendAvroBytes(out_, schema_json);
  AppendAvroBytes(out_, "avro.codec");
  AppendAvroBytes(out_, codec_name_);
  AppendAvroLong(out_, 0);
  out_ += sync_;
}

AvroFileWriter::~AvroFileWriter() = default;

void AvroFileWriter::FlushBlock() {
  if (block_records_ == 0) return;
  AppendAvroLong(out_, block_records_);
  if (codec_) {
    const auto* plain = reinterpret_cast<const uint8_t*>(block_.data());
    auto size = static_cast<int64_t>(block_.size());
    std::string compressed(static_cast<size_t>(codec_->MaxCompressedLen(size, plain)), '\0');
    int64_t written = Take(codec_->Compress(size, plain, static_cast<int64_t>(compressed.size()),
                                            reinterpret_cast<uint8_t*>(compressed.data())));
    compressed.resize(static_cast<size_t>(written));
    if (codec_name_ == "snappy") {
      AppendBig(compressed, static_cast<uint32_t>(crc32(0, plain, static_cast<uInt>(block_.size()))));
    }
    AppendAvroBytes(out_, compressed);
  } else {
    AppendAvroBytes(out_, codec_name_ == "deflate" ? Deflate(block_) : block_);
  }
  out_ += sync_;
  block_.clear();
  block_records_ = 0;
}

std::string AvroFileWriter::Finish() {
  FlushBlock();
  return std::move(out_);
}

}  // namespace mica
