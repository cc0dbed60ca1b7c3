// Avro object container files as metadata uses them (Format 4): a header with the schema and the codec, then blocks of
// records between sync markers. Bytes only; avro_record.h knows what is in a block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

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
  // `compression` as the option manifest.compression: zstd (zstandard), snappy, deflate, none (null).
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
  int64_t size() const { return static_cast<int64_t>(out_.size() + block_.size()); }
  // The whole file; the writer is done.
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
};

}  // namespace mica
