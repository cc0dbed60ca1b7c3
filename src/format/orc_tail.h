// The tail of an ORC file (footer and postscript, Format 8.3): types, stripes and statistics. The library that writes
// cannot express some types (CHAR, VARCHAR), so its tail is exchanged: the types in the footer, the columns' bytes stay.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/io/type_fwd.h>

#include "format/orc_chunks.h"

namespace mica {

enum class OrcKind : int32_t {
  kBoolean = 0,
  kByte = 1,
  kShort = 2,
  kInt = 3,
  kLong = 4,
  kFloat = 5,
  kDouble = 6,
  kString = 7,
  kBinary = 8,
  kTimestamp = 9,
  kList = 10,
  kMap = 11,
  kStruct = 12,
  kUnion = 13,
  kDecimal = 14,
  kDate = 15,
  kVarchar = 16,
  kChar = 17,
  kTimestampInstant = 18,
};

// One node of the type tree; nodes are numbered in pre-order, the root struct is 0.
struct OrcType {
  OrcKind kind = OrcKind::kStruct;
  std::vector<uint32_t> children;
  std::vector<std::string> names;  // of a struct's children
  uint64_t precision = 0;          // of a decimal
  uint64_t scale = 0;
};

// Parts of the file, in bytes; they follow each other from `offset` on and lie before the footer.
struct OrcStripe {
  int64_t offset = 0;
  int64_t index_bytes = 0;
  int64_t data_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t row_count = 0;
};

class OrcTail {
 public:
  // Throws Corrupt.
  static OrcTail Read(arrow::io::RandomAccessFile& file);
  // `end` are the last bytes of a file of `file_bytes`, the footer among them.
  OrcTail(std::string_view end, int64_t file_bytes);

  const std::vector<OrcType>& types() const { return types_; }
  const std::vector<OrcStripe>& stripes() const { return stripes_; }
  int64_t row_count() const { return row_count_; }
  const OrcCodec& codec() const { return *codec_; }
  // Where the footer begins in the file.
  int64_t footer_offset() const { return file_bytes_ - 1 - postscript_bytes_ - footer_bytes_; }
  // How many bytes before it hold the statistics of the stripes.
  int64_t metadata_bytes() const { return metadata_bytes_; }

  // Exchanges kind and maximal length (0: none) of a type, keeping all else.
  void Retype(size_t type, OrcKind kind, int32_t length);
  // Footer and postscript as they stand at the end of a file.
  std::string Encode() const;

 private:
  void ParsePostscript(std::string_view end);
  void ParseFooter();
  void CheckTypes() const;
  void AddStripe(std::string_view message);

  std::string footer_;
  std::string postscript_;
  int64_t file_bytes_ = 0;
  int64_t postscript_bytes_ = 0;
  int64_t footer_bytes_ = 0;
  int64_t metadata_bytes_ = 0;
  int64_t row_count_ = 0;
  std::shared_ptr<const OrcCodec> codec_;
  std::vector<OrcType> types_;
  std::vector<OrcStripe> stripes_;
};

}  // namespace mica
