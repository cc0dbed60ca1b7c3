// Decodes the Avro records of metadata files (Format 4). The writer's schema is compiled once, by field name, into a
// list of fields to take or to skip; then records are decoded straight into their structs, without a tree in between.
// Missing nullable fields stay absent, unknown ones are skipped. Every read is bounded by the bytes that are there:
// malformed input is Corrupt.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mica {

// A position in decompressed Avro bytes.
class AvroCursor {
 public:
  explicit AvroCursor(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool AtEnd() const { return at_ == end_; }
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }

  int64_t Long() {
    if (at_ != end_ && !(*at_ & 0x80)) [[likely]] {
      uint64_t raw = static_cast<uint8_t>(*at_++);
      return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
    }
    return LongerLong();
  }
  int32_t Int() {
    int64_t value = Long();
    if (value != static_cast<int32_t>(value)) [[unlikely]]
      Fail("an integer is too large");
    return static_cast<int32_t>(value);
  }
  // Of bytes and strings; points into the buffer.
  std::string_view Bytes() {
    int64_t size = Long();
    if (size < 0 || static_cast<uint64_t>(size) > remaining()) [[unlikely]]
      Fail("a text is longer than the block");
    std::string_view bytes(at_, static_cast<size_t>(size));
    at_ += size;
    return bytes;
  }
  void Skip(int64_t bytes) {
    if (bytes < 0 || static_cast<uint64_t>(bytes) > remaining()) [[unlikely]]
      Fail("the block ends too early");
    at_ += bytes;
  }
  // Exactly so many bytes; points into the buffer.
  std::string_view Fixed(int64_t size) {
    const char* at = at_;
    Skip(size);
    return {at, static_cast<size_t>(size)};
  }
  [[noreturn]] static void Fail(std::string_view what);

 private:
  int64_t LongerLong();

  const char* at_;
  const char* end_;
};

// A parsed schema.
enum class AvroKind : uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kRecord,
};

struct AvroNode {
  AvroKind kind = AvroKind::kNull;
  int64_t size = 0;                       // kFixed
  std::vector<std::string> names;         // kRecord
  std::vector<const AvroNode*> children;  // kRecord, kUnion; kArray and kMap have one
};

class AvroSchema {
 public:
  // Throws Corrupt. Recursive types are Unsupported: no metadata file has them.
  static AvroSchema Parse(std::string_view json);
  const AvroNode& root() const { return *root_; }

 private:
  friend class AvroSchemaParser;
  std::vector<std::unique_ptr<AvroNode>> nodes_;
  const AvroNode* root_ = nullptr;
};

// What a reader wants of a field.
enum class AvroWant : uint8_t { kInteger, kText, kArray, kRecord };

struct AvroRule {
  std::string_view name;
  int target;
  AvroWant want;
  bool required = true;
  std::span<const AvroRule> nested = {};  // fields of a record; one rule for the items of an array
};

inline constexpr int kAvroSkip = -1;

// One field of the writer's schema, in its order.
struct AvroField {
  int target = kAvroSkip;
  int8_t null_branch = -1;  // -1: not a union with null
  bool required = false;
  const AvroNode* type = nullptr;  // kAvroSkip: the whole type; otherwise without the union
  std::vector<AvroField> nested;   // of a record; one for the items of an array

  // Reads the union's branch: false for null. Null in a required field is Corrupt.
  bool Present(AvroCursor& cursor) const {
    if (null_branch < 0) return true;
    int64_t branch = cursor.Long();
    if (branch != 0 && branch != 1) [[unlikely]]
      AvroCursor::Fail("a union has no such branch");
    if (branch != null_branch) return true;
    if (required) [[unlikely]]
      AvroCursor::Fail("a required value is null");
    return false;
  }
};

// Throws Corrupt naming the field when a required one is missing or has another type.
std::vector<AvroField> CompileRecord(const AvroNode& record, std::span<const AvroRule> rules);

void SkipAvro(const AvroNode& type, AvroCursor& cursor);

// Calls on_item for every item of an array; `cursor` is at its first block.
template <typename OnItem>
void ForEachItem(AvroCursor& cursor, OnItem&& on_item) {
  while (true) {
    int64_t count = cursor.Long();
    if (count == 0) return;
    if (count < 0) {  // with its size in bytes
      cursor.Long();
      count = count == INT64_MIN ? -1 : -count;
    }
    // Every item that is taken here has at least one byte, so a false count cannot make much of little.
    if (count < 0 || static_cast<uint64_t>(count) > cursor.remaining())
      AvroCursor::Fail("an array is longer than the block");
    for (; count > 0; --count) on_item(cursor);
  }
}

// Encoding.
void AppendAvroLong(std::string& out, int64_t value);
void AppendAvroBytes(std::string& out, std::string_view bytes);

}  // namespace mica
