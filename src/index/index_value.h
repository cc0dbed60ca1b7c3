// How file indexes (Format 11) see values: their bytes in bitmap-like indexes, their hash in bloom filters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types/data_type.h"
#include "types/value.h"

namespace mica {

// Takes numbers and bytes off the front of an index body, big-endian. Throws Corrupt where it ends too early.
class IndexInput {
 public:
  explicit IndexInput(std::string_view bytes) : rest_(bytes) {}
  template <typename T>
  T Read();
  std::string_view Bytes(int64_t count);
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Whether bitmap-like indexes take the type: not binary, not nested; `decimals`: BSI takes them by their unscaled value.
bool HasIndexValue(const DataType& type);
// Whether bloom filters do: not BOOLEAN, not DECIMAL, not nested.
bool HasIndexHash(const DataType& type);

// Big-endian; text with its length in front. Timestamps in milliseconds up to precision 3, otherwise microseconds.
void AppendIndexValue(const Value& value, const DataType& type, std::string* out);
Value ReadIndexValue(IndexInput* in, const DataType& type);
// Of AppendIndexValue; nullopt: it varies.
std::optional<int32_t> IndexValueBytes(const DataType& type);
// A timestamp cut to what the index holds of it; other values as they are.
Value AsIndexed(const Value& value, const DataType& type);

// The number that bloom filters are made from.
int64_t IndexHash(const Value& value, const DataType& type);
int64_t IndexHashOfNumber(int64_t number);  // of the bits of floats too
int64_t IndexHashOfBytes(std::string_view bytes);

// Stored values that may equal a literal: both zeros, text with any number of trailing blanks where CHAR is compared.
std::vector<Value> StoredForms(const Value& literal, const DataType& type);

}  // namespace mica
