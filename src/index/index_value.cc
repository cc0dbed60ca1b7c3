#include "index/index_value.h"

#include <bit>
#include <cmath>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "base/error.h"

namespace mica {
namespace {

int32_t FloatBits(float value) {
  return std::isnan(value) ? 0x7fc00000 : std::bit_cast<int32_t>(value);
}
int64_t DoubleBits(double value) {
  return std::isnan(value) ? 0x7ff8000000000000 : std::bit_cast<int64_t>(value);
}

int64_t TimestampNumber(const TimestampValue& value, const DataType& type) {
  if (type.precision() <= 3) return value.millis;
  return value.millis * 1000 + value.nanos_of_milli / 1000;
}

}  // namespace

template <typename T>
T IndexInput::Read() {
  return LoadBig<T>(Bytes(sizeof(T)).data());
}
template int16_t IndexInput::Read();
template int32_t IndexInput::Read();
template int64_t IndexInput::Read();
template <>
int8_t IndexInput::Read() {
  return static_cast<int8_t>(Bytes(1)[0]);
}

std::string_view IndexInput::Bytes(int64_t count) {
  if (count < 0 || static_cast<uint64_t>(count) > rest_.size()) {
    throw Corrupt("An index ends too early: {} bytes are wanted of {}", count, rest_.size());
  }
  const std::string_view bytes = rest_.substr(0, static_cast<size_t>(count));
  rest_.remove_prefix(static_cast<size_t>(count));
  return bytes;
}

bool HasIndexValue(const DataType& type) {
  return type.IsPrimitive() && !type.IsBinary() && type.root() != TypeRoot::kDecimal;
}

bool HasIndexHash(const DataType& type) {
  return type.IsPrimitive() && type.root() != TypeRoot::kBoolean && type.root() != TypeRoot::kDecimal;
}

std::optional<int32_t> IndexValueBytes(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyInt:
      return 1;
    case TypeRoot::kSmallInt:
      return 2;
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
    case TypeRoot::kFloat:
      return 4;
    case TypeRoot::kBigInt:
    case TypeRoot::kDouble:
    case TypeRoot::kDecimal:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return 8;
    default:
      return std::nullopt;
  }
}

void AppendIndexValue(const Value& value, const DataType& type, std::string* out) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      out->push_back(std::get<bool>(value) ? 1 : 0);
      return;
    case TypeRoot::kTinyInt:
      out->push_back(static_cast<char>(std::get<int64_t>(value)));
      return;
    case TypeRoot::kSmallInt:
      return AppendBig(*out, static_cast<int16_t>(std::get<int64_t>(value)));
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return AppendBig(*out, static_cast<int32_t>(std::get<int64_t>(value)));
    case TypeRoot::kBigInt:
      return AppendBig(*out, std::get<int64_t>(value));
    case TypeRoot::kFloat:
      return AppendBig(*out, FloatBits(std::get<float>(value)));
    case TypeRoot::kDouble:
      return AppendBig(*out, DoubleBits(std::get<double>(value)));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return AppendBig(*out, TimestampNumber(std::get<TimestampValue>(value), type));
    default: {
      const auto& text = std::get<std::string>(value);
      AppendBig(*out, static_cast<int32_t>(text.size()));
      out->append(text);
    }
  }
}

Value ReadIndexValue(IndexInput* in, const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return in->Read<int8_t>() != 0;
    case TypeRoot::kTinyInt:
      return int64_t{in->Read<int8_t>()};
    case TypeRoot::kSmallInt:
      return int64_t{in->Read<int16_t>()};
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return int64_t{in->Read<int32_t>()};
    case TypeRoot::kBigInt:
      return in->Read<int64_t>();
    case TypeRoot::kFloat:
      return std::bit_cast<float>(in->Read<int32_t>());
    case TypeRoot::kDouble:
      return std::bit_cast<double>(in->Read<int64_t>());
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const auto number = in->Read<int64_t>();
      if (type.precision() <= 3) return TimestampValue{number, 0};
      const int64_t millis = number >= 0 ? number / 1000 : -((-number + 999) / 1000);
      return TimestampValue{millis, static_cast<int32_t>((number - millis * 1000) * 1000)};
    }
    default:
      return std::string(in->Bytes(in->Read<int32_t>()));
  }
}

Value AsIndexed(const Value& value, const DataType& type) {
  if (!type.IsTimestamp() || IsNull(value)) return value;
  TimestampValue time = std::get<TimestampValue>(value);
  time.nanos_of_milli = type.precision() <= 3 ? 0 : time.nanos_of_milli / 1000 * 1000;
  return time;
}

// Thomas Wang's, with arithmetic shifts to the right.
int64_t IndexHashOfNumber(int64_t number) {
  auto key = static_cast<uint64_t>(number);
  const auto right = [](uint64_t k, int bits) { return static_cast<uint64_t>(static_cast<int64_t>(k) >> bits); };
  key = ~key + (key << 21);
  key ^= right(key, 24);
  key = key + (key << 3) + (key << 8);
  key ^= right(key, 14);
  key = key + (key << 2) + (key << 4);
  key ^= right(key, 28);
  key += key << 31;
  return static_cast<int64_t>(key);
}

int64_t IndexHashOfBytes(std::string_view bytes) {
  return static_cast<int64_t>(XXH64(bytes.data(), bytes.size(), 0));
}

int64_t IndexHash(const Value& value, const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kFloat:
      return IndexHashOfNumber(FloatBits(std::get<float>(value)));
    case TypeRoot::kDouble:
      return IndexHashOfNumber(DoubleBits(std::get<double>(value)));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return IndexHashOfNumber(TimestampNumber(std::get<TimestampValue>(value), type));
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return IndexHashOfBytes(std::get<std::string>(value));
    default:
      return IndexHashOfNumber(std::get<int64_t>(value));
  }
}

std::vector<Value> StoredForms(const Value& literal, const DataType& type) {
  if (type.root() == TypeRoot::kFloat && std::get<float>(literal) == 0) return {0.0F, -0.0F};
  if (type.root() == TypeRoot::kDouble && std::get<double>(literal) == 0) return {0.0, -0.0};
  if (type.root() != TypeRoot::kChar) return {literal};
  std::string text = std::get<std::string>(literal);
  text.resize(text.find_last_not_of(' ') + 1);
  std::vector<Value> forms{text};
  // Longer than the literal: CHAR(n) is at most n characters, of one byte where blanks follow.
  while (static_cast<int32_t>(text.size()) < type.length()) forms.emplace_back(text += ' ');
  return forms;
}

}  // namespace mica
