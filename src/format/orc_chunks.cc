#include "format/orc_chunks.h"

#include <algorithm>
#include <cstring>

#include <arrow/buffer.h>
#include <arrow/util/compression.h>

#include "base/arrow.h"
#include "base/error.h"

namespace mica {

namespace {

// A chunk's header is its length and, in the lowest bit, whether it is stored as it is.
constexpr size_t kHeaderBytes = 3;
constexpr uint64_t kLongestChunk = (1 << 23) - 1;

std::unique_ptr<arrow::util::Codec> MakeCodec(uint64_t compression) {
  switch (compression) {
    case 0:
      return nullptr;
    case 1: {
      arrow::util::GZipCodecOptions options;
      options.gzip_format = arrow::util::GZipFormat::DEFLATE;
      return Take(arrow::util::Codec::Create(arrow::Compression::GZIP, options));
    }
    case 2:
      return Take(arrow::util::Codec::Create(arrow::Compression::SNAPPY));
    case 4:
      return Take(arrow::util::Codec::Create(arrow::Compression::LZ4));
    case 5:
      return Take(arrow::util::Codec::Create(arrow::Compression::ZSTD));
    default:
      throw Unsupported("The ORC file has the compression number '{}'. Mica reads none, zlib, snappy, lz4 and zstd",
                        compression);
  }
}

}  // namespace

OrcCodec::OrcCodec(uint64_t compression, uint64_t chunk_bytes)
    : compressed_(compression != 0), chunk_bytes_(static_cast<int64_t>(chunk_bytes)), codec_(MakeCodec(compression)) {
  if (compressed_ && (chunk_bytes == 0 || chunk_bytes > kLongestChunk + 1)) {
    throw Corrupt("The ORC file has chunks of '{}' bytes", chunk_bytes);
  }
}

OrcCodec::~OrcCodec() = default;

std::string_view OrcCodec::NextChunk(std::string_view* in, std::vector<char>* scratch) const {
  if (!compressed_) return std::exchange(*in, std::string_view());
  if (in->size() < kHeaderBytes) throw Corrupt("A compressed chunk has no header");
  uint32_t header = 0;
  std::memcpy(&header, in->data(), kHeaderBytes);
  in->remove_prefix(kHeaderBytes);
  const size_t size = header >> 1;
  if (size > in->size()) throw Corrupt("A compressed chunk is longer than its stream");
  std::string_view chunk = in->substr(0, size);
  in->remove_prefix(size);
  if (header & 1) return chunk;
  scratch->resize(static_cast<size_t>(chunk_bytes_));
  return {scratch->data(), Decompress(chunk, scratch)};
}

size_t OrcCodec::Decompress(std::string_view chunk, std::vector<char>* out) const {
  const auto size = static_cast<int64_t>(chunk.size());
  const auto* from = reinterpret_cast<const uint8_t*>(chunk.data());
  auto* to = reinterpret_cast<uint8_t*>(out->data());
  auto checked = [](auto result) {
    if (!result.ok()) throw Corrupt("A compressed chunk cannot be read: {}", result.status().message());
    return *std::move(result);
  };
  if (codec_->compression_type() != arrow::Compression::ZSTD) {
    return static_cast<size_t>(checked(codec_->Decompress(size, from, chunk_bytes_, to)));
  }
  // In one call the library wants to know how much comes out.
  auto decompressor = Take(codec_->MakeDecompressor());
  auto result = checked(decompressor->Decompress(size, from, chunk_bytes_, to));
  if (!decompressor->IsFinished()) throw Corrupt("A compressed chunk is longer than the file's chunks");
  return static_cast<size_t>(result.bytes_written);
}

std::string OrcCodec::DecompressAll(std::string_view in) const {
  std::string out;
  std::vector<char> scratch;
  while (!in.empty()) out.append(NextChunk(&in, &scratch));
  return out;
}

std::string OrcCodec::Store(std::string_view plain) const {
  if (!compressed_) return std::string(plain);
  std::string out;
  const size_t longest = std::min<size_t>(static_cast<size_t>(chunk_bytes_), kLongestChunk);
  for (size_t at = 0; at < plain.size(); at += longest) {
    std::string_view part = plain.substr(at, longest);
    const auto header = static_cast<uint32_t>(part.size() << 1 | 1);
    out.append(reinterpret_cast<const char*>(&header), kHeaderBytes);
    out.append(part);
  }
  return out;
}

OrcInput::OrcInput(std::shared_ptr<arrow::Buffer> bytes, const OrcCodec* codec)
    : rest_(*bytes), bytes_(std::move(bytes)), codec_(codec) {}

void OrcInput::Refill() {
  while (at_ == end_) {
    if (rest_.empty()) throw Corrupt("A stream of the column ends before its rows");
    std::string_view chunk = codec_->NextChunk(&rest_, &scratch_);
    at_ = reinterpret_cast<const uint8_t*>(chunk.data());
    end_ = at_ + chunk.size();
  }
}

uint64_t OrcInput::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = Byte();
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  throw Corrupt("A number of the column is too long");
}

void OrcInput::Copy(void* out, int64_t bytes) {
  auto* to = static_cast<uint8_t*>(out);
  while (bytes > 0) {
    if (at_ == end_) Refill();
    const int64_t some = std::min<int64_t>(bytes, end_ - at_);
    std::memcpy(to, at_, static_cast<size_t>(some));
    at_ += some;
    to += some;
    bytes -= some;
  }
}

void OrcInput::Skip(int64_t bytes) {
  while (bytes > 0) {
    if (at_ == end_) Refill();
    const int64_t some = std::min<int64_t>(bytes, end_ - at_);
    at_ += some;
    bytes -= some;
  }
}

}  // namespace mica
