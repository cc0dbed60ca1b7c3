// The bytes of an ORC file below the encodings: every part (footers, streams of columns) is a row of compressed chunks.
// Damage is Corrupt, never more memory than a chunk may have.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>
#include <arrow/util/type_fwd.h>

namespace mica {

// How a file is compressed. Immutable.
class OrcCodec {
 public:
  // By the number of the compression in the postscript and the greatest size of a chunk. Throws Unsupported, Corrupt.
  OrcCodec(uint64_t compression, uint64_t chunk_bytes);
  ~OrcCodec();

  int64_t chunk_bytes() const { return chunk_bytes_; }
  // Takes a chunk off the front; what comes back lies in `in` or in `scratch`.
  std::string_view NextChunk(std::string_view* in, std::vector<char>* scratch) const;
  std::string DecompressAll(std::string_view in) const;
  // In chunks that say of themselves to be uncompressed.
  std::string Store(std::string_view plain) const;

 private:
  size_t Decompress(std::string_view chunk, std::vector<char>* out) const;

  bool compressed_;
  int64_t chunk_bytes_;
  std::unique_ptr<arrow::util::Codec> codec_;
};

// Reads a stream from its begin to its end. To be read behind the end is Corrupt.
class OrcInput {
 public:
  OrcInput() = default;
  // The codec must outlive the input.
  OrcInput(std::shared_ptr<arrow::Buffer> bytes, const OrcCodec* codec);

  uint8_t Byte() {
    if (at_ == end_) [[unlikely]] Refill();
    return *at_++;
  }
  // Little-endian groups of seven bits.
  uint64_t Varint();
  void Copy(void* out, int64_t bytes);
  void Skip(int64_t bytes);

 private:
  void Refill();

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  std::string_view rest_;
  std::vector<char> scratch_;
  std::shared_ptr<arrow::Buffer> bytes_;
  const OrcCodec* codec_ = nullptr;
};

}  // namespace mica
