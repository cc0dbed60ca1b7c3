// Avro object container files as metadata uses them (Format 4): a header with the schema and the codec, then blocks of
// records between sync markers. Bytes only; avro_record.h knows what is in a block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace arrow::util {
class Codec;
class Decompressor;
}  // namespace arrow::util

namespace mica {

// Throws Corrupt for malformed content, Unsupported for a codec that is not null, deflate, snappy, bzip2 or zstandard.
class AvroFileReader {
 public:
  // `content` must outlive the reader.
  explicit AvroFileReader(std::string_view content);
  ~AvroFileReader();

  const std::string& schema_json() const { return schema_json_; }
  // `block` is decompressed and valid during the call only.
  void ForEachBlock(const std::function<void(int64_t count, std::string_view block)>& on_block);

  // One block after another; the bytes are as stored. False at the end.
  struct Block {
    int64_t record_count;
    std::string_view stored;
  };
  bool NextBlock(Block* block);
  // The decompressed bytes, valid until the next call.
  std::string_view Plain(const Block& block);
  // Bytes that NextBlock has not passed yet.
  size_t remaining() const { return rest_.size(); }

 private:
  std::string_view Decompress(std::string_view compressed);

  std::string_view rest_;
  std::string schema_json_;
  std::string codec_name_;
  std::string sync_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::util::Decompressor> decompressor_;
  std::string buffer_;
};

class AvroFileWriter {
 public:
  // `compression` as the options tell it: zstd (zstandard), snappy, deflate, none (null).
  AvroFileWriter(std::string_view schema_json, std::string_view compression, int32_t zstd_level);
  ~AvroFileWriter();

  // Encodes one record by appending to the text given.
  template <typename Encode>
  void Append(Encode&& encode) {
    encode(block_);
    ++block_records_;
    if (block_.size() >= kBlockBytes) FlushBlock();
  }
  // Bytes of the file so far, with those not yet compressed.
  int64_t size() const { return drained_bytes_ + buffered_bytes(); }
  int64_t buffered_bytes() const { return static_cast<int64_t>(out_.size() + block_.size()); }
  // The finished blocks so far, which the writer forgets: for files larger than memory.
  std::string Drain() {
    drained_bytes_ += static_cast<int64_t>(out_.size());
    return std::exchange(out_, {});
  }
  // The whole file, or what was not drained; the writer is done.
  std::string Finish();

 private:
  static constexpr size_t kBlockBytes = 64000;
  void FlushBlock();

  std::string codec_name_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::string sync_;
  std::string out_;
  std::string block_;
  int64_t block_records_ = 0;
  int64_t drained_bytes_ = 0;
};

}  // namespace mica
