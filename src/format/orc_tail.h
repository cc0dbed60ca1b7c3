// The tail of an ORC file (footer and postscript), which is Protocol Buffers. Arrow's adapter cannot express some types
// (CHAR, VARCHAR on writing) and reads others wrongly (CHAR of more bytes than characters), so files are shown to it,
// and it to files, with another tail: the types in the footer are exchanged, the columns' bytes stay.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/io/type_fwd.h>

namespace mica {

enum class OrcKind : int32_t {
  kString = 7,
  kTimestamp = 9,
  kVarchar = 16,
  kChar = 17,
  kTimestampInstant = 18,
};

// Of one node of the type tree; nodes are numbered in pre-order, the root struct is 0.
struct OrcType {
  int32_t kind = 0;
  std::vector<uint32_t> children;
  std::vector<std::string> names;  // of a struct's children
  uint64_t precision = 0;          // of a decimal
  uint64_t scale = 0;
  // Least and greatest milliseconds of a timestamp column in the file's statistics.
  std::optional<int64_t> least_millis;
  std::optional<int64_t> greatest_millis;
};

class OrcTail {
 public:
  // `serialized` is a FileTail message. Throws Corrupt.
  explicit OrcTail(std::string_view serialized);

  const std::vector<OrcType>& types() const { return types_; }
  // Where the footer begins in the file.
  int64_t footer_offset() const;
  // Exchanges kind and maximal length (0: none) of a type, keeping all else.
  void Retype(size_t type, OrcKind kind, int32_t length);
  // So that they are not read.
  void ForgetRowIndexes();
  // Footer and postscript as they stand at the end of a file.
  std::string Encode() const;

 private:
  void ParseFooter();
  void CheckTypes() const;
  void CheckStripes() const;

  std::string footer_;
  std::string postscript_;
  int64_t file_bytes_ = 0;
  int64_t postscript_bytes_ = 0;
  int64_t footer_bytes_ = 0;
  std::vector<OrcType> types_;
};

// A file of which only the end is there, or whose end is another: reads behind `offset` come from `tail`, those before
// from `head`; without one they are zeros, for readers that look at more than the tail.
std::shared_ptr<arrow::io::RandomAccessFile> WithTail(std::shared_ptr<arrow::io::RandomAccessFile> head, int64_t offset,
                                                      std::string tail);

}  // namespace mica
