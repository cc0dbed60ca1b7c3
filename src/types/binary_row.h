// BinaryRow (Format 6): the row form of partitions, keys and statistics. Bytes are canonical, so that equality of rows
// is equality of bytes. Not used for data in batches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "types/value.h"

namespace mica {

class BinaryRow {
 public:
  BinaryRow();  // arity 0
  BinaryRow(int32_t arity, std::string bytes) : arity_(arity), bytes_(std::move(bytes)) {}

  // One value a type; NULL keeps the reserved space that Format 6.1 asks for.
  static BinaryRow Of(std::span<const Value> values, std::span<const DataType> types);

  // Format 6.5: big-endian arity, then the bytes. Deserialize throws Corrupt on anything malformed.
  static BinaryRow Deserialize(std::string_view serialized);
  std::string Serialize() const;

  int32_t arity() const { return arity_; }
  const std::string& bytes() const { return bytes_; }

  bool IsNullAt(int32_t position) const;
  // Throws Corrupt when the bytes do not hold such a value. Nested types throw Unsupported.
  Value Get(int32_t position, const DataType& type) const;
  std::vector<Value> Values(std::span<const DataType> types) const;

  int32_t Hash() const;  // Format 7.1

  bool operator==(const BinaryRow&) const = default;

 private:
  int32_t arity_ = 0;
  std::string bytes_;
};

struct BinaryRowHash {
  size_t operator()(const BinaryRow& row) const { return std::hash<std::string>()(row.bytes()); }
};

}  // namespace mica
