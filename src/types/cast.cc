#include "types/cast.h"

#include <cmath>
#include <limits>

#include <arrow/api.h>
#include <arrow/util/bitmap_ops.h>

#include "base/arrow.h"
#include "base/error.h"
#include "types/arrow_types.h"
#include "types/nested_text.h"
#include "types/text_length.h"

namespace mica {

// ---------------------------------------------------------------------------------------------------------------------
// Which casts there are

namespace {

bool IsFloating(const DataType& type) {
  return type.root() == TypeRoot::kFloat || type.root() == TypeRoot::kDouble;
}
bool IsNumeric(const DataType& type) {
  return type.IsInteger() || IsFloating(type) || type.root() == TypeRoot::kDecimal;
}

// Loses nothing, or only what the kind of type makes plain.
bool CanCastImplicitly(const DataType& from, const DataType& to) {
  switch (to.root()) {
    case TypeRoot::kVarchar: return from.IsString();
    case TypeRoot::kVarbinary: return from.IsBinary();
    case TypeRoot::kChar:
    case TypeRoot::kBinary: return from.root() == to.root();
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
    case TypeRoot::kBigInt: return from.IsInteger() && from.root() <= to.root();
    case TypeRoot::kFloat: return IsNumeric(from) && from.root() != TypeRoot::kDouble;
    case TypeRoot::kDouble:
    case TypeRoot::kDecimal: return IsNumeric(from);
    case TypeRoot::kDate:
    case TypeRoot::kTime: return from.root() == TypeRoot::kTimestamp;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return from.IsTimestamp();
    default: return false;
  }
}

bool CanCastExplicitly(const DataType& from, const DataType& to) {
  const bool is_time = from.root() == TypeRoot::kDate || from.root() == TypeRoot::kTime || from.IsTimestamp();
  const bool is_boolean = from.root() == TypeRoot::kBoolean;
  switch (to.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      if (is_time) return to.root() == TypeRoot::kVarchar && to.length() == DataType::kMaxLength;
      return from.IsString() || from.IsBinary() || IsNumeric(from) || is_boolean;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary: return from.IsString() || from.IsBinary();
    case TypeRoot::kBoolean: return from.IsString() || from.IsInteger();
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
    case TypeRoot::kDecimal: return IsNumeric(from) || from.IsString() || is_boolean;
    case TypeRoot::kInt:
    case TypeRoot::kBigInt: return IsNumeric(from) || from.IsString() || is_boolean || from.IsTimestamp();
    case TypeRoot::kDate:
    case TypeRoot::kTime: return from.IsTimestamp() || from.IsString();
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return is_time || from.IsString() || from.root() == TypeRoot::kInt || from.root() == TypeRoot::kBigInt;
    default: return false;
  }
}

// Whether ARRAY, MAP and ROW have a text: all their parts have one.
bool HasText(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kArray: return HasText(type.element());
    case TypeRoot::kMap: return HasText(type.key()) && HasText(type.value());
    case TypeRoot::kRow:
      for (const DataField& field : type.fields()) {
        if (!HasText(field.type)) return false;
      }
      return true;
    default: return type.IsPrimitive();
  }
}

bool IsTextual(const DataType& type) {
  const bool nested = type.root() == TypeRoot::kArray || type.root() == TypeRoot::kMap || type.root() == TypeRoot::kRow;
  return nested && HasText(type);
}

}  // namespace

bool CanCast(const DataType& from, const DataType& to, bool allow_explicit) {
  if (from.nullable() && !to.nullable() && !allow_explicit) return false;
  if (from.SameTypeAs(to)) return true;
  if (from.root() == to.root()) {
    switch (from.root()) {
      case TypeRoot::kArray:
      case TypeRoot::kMultiset: return CanCast(from.element(), to.element(), allow_explicit);
      case TypeRoot::kMap:
        return CanCast(from.key(), to.key(), allow_explicit) && CanCast(from.value(), to.value(), allow_explicit);
      case TypeRoot::kRow:
        for (const DataField& field : to.fields()) {
          const int old = FindFieldById(from.fields(), field.id);
          if (old >= 0 && !CanCast(from.fields()[static_cast<size_t>(old)].type, field.type, allow_explicit))
            return false;
        }
        return true;
      default: break;
    }
  }
  if (CanCastImplicitly(from, to)) return true;
  if (!allow_explicit) return false;
  return CanCastExplicitly(from, to) || (to.IsString() && IsTextual(from));
}

// ---------------------------------------------------------------------------------------------------------------------
// Nested arrays

namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

// The same rows with another type and other children.
ArrayPtr WithChildren(const arrow::Array& array, const DataType& to, std::vector<ArrayDataPtr> children) {
  ArrayDataPtr data = array.data()->Copy();
  data->type = ToArrowType(to);
  data->child_data = std::move(children);
  return arrow::MakeArray(std::move(data));
}

ArrayPtr CastList(const arrow::Array& array, const DataType& from, const DataType& to) {
  const ArrayPtr elements = arrow::MakeArray(array.data()->child_data[0]);
  return WithChildren(array, to, {CastArray(elements, from.element(), to.element())->data()});
}

// MAP, and MULTISET, whose values are counts.
ArrayPtr CastMap(const arrow::Array& array, const DataType& from, const DataType& to) {
  const arrow::StructArray entries(array.data()->child_data[0]);
  const bool is_map = from.root() == TypeRoot::kMap;
  const ArrayPtr keys = is_map ? CastArray(entries.field(0), from.key(), to.key())
                               : CastArray(entries.field(0), from.element(), to.element());
  const ArrayPtr values = is_map ? CastArray(entries.field(1), from.value(), to.value()) : entries.field(1);
  const auto entry_type = static_cast<const arrow::MapType&>(*ToArrowType(to)).value_type();
  ArrayDataPtr cast =
      arrow::ArrayData::Make(entry_type, entries.length(), {nullptr}, {keys->data(), values->data()}, 0);
  return WithChildren(array, to, {std::move(cast)});
}

ArrayPtr CastRow(const arrow::Array& array, const DataType& from, const DataType& to) {
  const auto& rows = static_cast<const arrow::StructArray&>(array);
  std::vector<ArrayDataPtr> children;
  for (const DataField& field : to.fields()) {
    const int old = FindFieldById(from.fields(), field.id);
    if (old < 0) {
      children.push_back(Take(arrow::MakeArrayOfNull(ToArrowType(field.type), array.length()))->data());
    } else {
      children.push_back(CastArray(rows.field(old), from.fields()[static_cast<size_t>(old)].type, field.type)->data());
    }
  }
  // The fields are cut to the rows, so the bits have to be, too.
  std::shared_ptr<arrow::Buffer> valid = array.null_bitmap();
  if (valid && array.offset() != 0) {
    valid =
        Take(arrow::internal::CopyBitmap(arrow::default_memory_pool(), valid->data(), array.offset(), array.length()));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(to), array.length(), {std::move(valid)},
                                                 std::move(children), array.null_count()));
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

template <typename From, typename To>
To CastNumber(From value) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // BIGINT takes the nearest number it has; the smaller types take the low bits of the nearest INT.
    using Wide = std::conditional_t<sizeof(To) == 8, int64_t, int32_t>;
    if (std::isnan(value)) return 0;
    if (value >= static_cast<From>(std::numeric_limits<Wide>::max()))
      return static_cast<To>(std::numeric_limits<Wide>::max());
    if (value <= static_cast<From>(std::numeric_limits<Wide>::min()))
      return static_cast<To>(std::numeric_limits<Wide>::min());
    return static_cast<To>(static_cast<Wide>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
ArrayPtr CastNumbers(const arrow::Array& array, const DataType& to) {
  const From* values = array.data()->GetValues<From>(1);
  const auto length = static_cast<size_t>(array.length());
  std::shared_ptr<arrow::Buffer> buffer =
      Take(arrow::AllocateBuffer(array.length() * static_cast<int64_t>(sizeof(To))));
  To* out = buffer->mutable_data_as<To>();
  for (size_t i = 0; i < length; ++i) out[i] = CastNumber<From, To>(values[i]);
  std::shared_ptr<arrow::Buffer> valid = array.null_bitmap();
  if (valid && array.offset() != 0) {
    valid =
        Take(arrow::internal::CopyBitmap(arrow::default_memory_pool(), valid->data(), array.offset(), array.length()));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(to), array.length(), {std::move(valid), std::move(buffer)},
                                                 array.null_count()));
}

template <typename From>
ArrayPtr CastNumbersFrom(const arrow::Array& array, const DataType& to) {
  switch (to.root()) {
    case TypeRoot::kTinyInt: return CastNumbers<From, int8_t>(array, to);
    case TypeRoot::kSmallInt: return CastNumbers<From, int16_t>(array, to);
    case TypeRoot::kInt: return CastNumbers<From, int32_t>(array, to);
    case TypeRoot::kBigInt: return CastNumbers<From, int64_t>(array, to);
    case TypeRoot::kFloat: return CastNumbers<From, float>(array, to);
    default: return CastNumbers<From, double>(array, to);
  }
}

ArrayPtr CastPrimitiveNumbers(const arrow::Array& array, const DataType& from, const DataType& to) {
  switch (from.root()) {
    case TypeRoot::kTinyInt: return CastNumbersFrom<int8_t>(array, to);
    case TypeRoot::kSmallInt: return CastNumbersFrom<int16_t>(array, to);
    case TypeRoot::kInt: return CastNumbersFrom<int32_t>(array, to);
    case TypeRoot::kBigInt: return CastNumbersFrom<int64_t>(array, to);
    case TypeRoot::kFloat: return CastNumbersFrom<float>(array, to);
    default: return CastNumbersFrom<double>(array, to);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The rest, value by value

bool AllFit(const arrow::Array& array, const DataType& to) {
  const auto& bytes = static_cast<const arrow::BinaryArray&>(array);
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i) && !FitsLength(bytes.GetView(i), to)) return false;
  }
  return true;
}

ArrayPtr CastOneByOne(const arrow::Array& array, const DataType& from, const DataType& to) {
  auto builder = Take(arrow::MakeBuilder(ToArrowType(to)));
  Check(builder->Reserve(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) {
    AppendValue(*CastValue(ValueAt(array, i, from), from, to, /*exact=*/false), to, builder.get());
  }
  return Take(builder->Finish());
}

ArrayPtr CastToText(const arrow::Array& array, const DataType& from) {
  arrow::StringBuilder builder;
  std::string text;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) {
      Check(builder.AppendNull());
      continue;
    }
    text.clear();
    AppendText(array, i, from, &text);
    Check(builder.Append(text));
  }
  return Take(builder.Finish());
}

ArrayPtr CastFromText(const arrow::Array& array, const DataType& to) {
  const auto& texts = static_cast<const arrow::StringArray&>(array);
  auto builder = Take(arrow::MakeBuilder(ToArrowType(to)));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) {
      Check(builder->AppendNull());
    } else {
      AppendFromText(texts.GetView(i), to, builder.get());
    }
  }
  return Take(builder->Finish());
}

}  // namespace

std::shared_ptr<arrow::Array> CastArray(const std::shared_ptr<arrow::Array>& array, const DataType& from,
                                        const DataType& to) {
  if (from.SameTypeAs(to)) return array;
  if (from.IsString() && IsTextual(to)) return CastFromText(*array, to);
  if (!CanCast(from, to, /*allow_explicit=*/true)) {
    throw Unsupported("There is no cast from '{}' to '{}'", from.ToString(), to.ToString());
  }
  if (from.root() == to.root()) {
    switch (from.root()) {
      case TypeRoot::kArray: return CastList(*array, from, to);
      case TypeRoot::kMap:
      case TypeRoot::kMultiset: return CastMap(*array, from, to);
      case TypeRoot::kRow: return CastRow(*array, from, to);
      default: break;
    }
  }
  if (to.IsString() && !from.IsPrimitive()) return CastToText(*array, from);
  const bool plain_numbers = (from.IsInteger() || IsFloating(from)) && (to.IsInteger() || IsFloating(to));
  if (plain_numbers) return CastPrimitiveNumbers(*array, from, to);
  const bool same_bytes = (from.IsString() && to.IsString()) || (from.IsBinary() && to.IsBinary());
  if (same_bytes && AllFit(*array, to)) return array;
  return CastOneByOne(*array, from, to);
}

}  // namespace mica
