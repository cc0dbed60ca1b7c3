#include "format/conform.h"

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/utf8.h>

#include "base/arrow.h"
#include "types/arrow_types.h"
#include "types/text_length.h"
#include "types/timestamp.h"

namespace mica {

namespace {

bool HasOffset(const arrow::ArrayData& data) {
  if (data.offset != 0) return true;
  return std::any_of(data.child_data.begin(), data.child_data.end(),
                     [](const auto& child) { return HasOffset(*child); });
}

// Whoever works on text trusts it to be UTF-8: what is not, in a damaged file, would end the process there.
void CheckText(const arrow::StringArray& array, const std::string& column) {
  static const bool initialized = (arrow::util::InitializeUTF8(), true);
  (void)initialized;
  if (array.length() == 0) return;
  const int64_t begin = array.value_offset(0), end = array.value_offset(array.length());
  if (begin == end) return;
  const uint8_t* bytes = array.raw_data();
  bool valid = arrow::util::ValidateUTF8(bytes + begin, end - begin);
  // All together are text; so is each that does not begin within a character.
  for (int64_t i = 0; valid && i < array.length(); ++i) {
    const int64_t at = array.value_offset(i);
    valid = at == end || (bytes[at] & 0xC0) != 0x80;
  }
  if (!valid) throw Corrupt("The column '{}' of the file has text that is not UTF-8", column);
}

std::shared_ptr<arrow::Array> PadChars(const arrow::StringArray& array, const DataType& type) {
  bool padded = true;
  for (int64_t i = 0; i < array.length() && padded; ++i) {
    padded = array.IsNull(i) || CountCodePoints(array.GetView(i)) >= type.length();
  }
  if (padded) return nullptr;
  arrow::StringBuilder builder;
  Check(builder.Reserve(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) {
      Check(builder.AppendNull());
    } else {
      std::string text(array.GetView(i));
      int64_t missing = type.length() - CountCodePoints(text);
      if (missing > 0) text.append(static_cast<size_t>(missing), ' ');
      Check(builder.Append(text));
    }
  }
  return Take(builder.Finish());
}

// The same bytes under another type.
std::shared_ptr<arrow::Array> Relabel(const std::shared_ptr<arrow::Array>& array,
                                      std::shared_ptr<arrow::DataType> type) {
  auto data = array->data()->Copy();
  data->type = std::move(type);
  return arrow::MakeArray(data);
}

std::shared_ptr<arrow::Array> CastTo(const std::shared_ptr<arrow::Array>& array,
                                     const std::shared_ptr<arrow::DataType>& type, const std::string& column) {
  static const arrow::Status initialized = arrow::compute::Initialize();
  Check(initialized);
  auto result = arrow::compute::Cast(*array, type, arrow::compute::CastOptions::Safe());
  if (!result.ok()) {
    throw Corrupt("The column '{}' of the file is of type {} and cannot be read as {}: {}", column,
                  array->type()->ToString(), type->ToString(), result.status().message());
  }
  return *std::move(result);
}

// Cuts towards the past; what a finer unit cannot hold is refused.
std::shared_ptr<arrow::Array> ChangeUnit(const std::shared_ptr<arrow::Array>& array,
                                         const std::shared_ptr<arrow::DataType>& type, const std::string& column) {
  const auto& from = static_cast<const arrow::TimestampArray&>(*array);
  const int64_t have = UnitsPerSecond(*array->type()), want = UnitsPerSecond(*type);
  auto buffer = Take(arrow::AllocateBuffer(from.length() * static_cast<int64_t>(sizeof(int64_t))));
  auto* out = reinterpret_cast<int64_t*>(buffer->mutable_data());
  if (have >= want) {
    const int64_t divisor = have / want;
    for (int64_t i = 0; i < from.length(); ++i) out[i] = FloorDivide(from.Value(i), divisor);
  } else {
    const int64_t factor = want / have;
    for (int64_t i = 0; i < from.length(); ++i) {
      if (__builtin_mul_overflow(from.Value(i), factor, &out[i]) && from.IsValid(i)) {
        throw Unsupported("The column '{}' has a timestamp that its type cannot hold in memory", column);
      }
    }
  }
  return std::make_shared<arrow::TimestampArray>(type, from.length(), std::move(buffer), from.null_bitmap(),
                                                 from.null_count());
}

std::shared_ptr<arrow::Array> ConformLeaf(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                          const std::string& column) {
  auto wanted = ToArrowType(type);
  const auto& have = array->type();
  if (have->Equals(*wanted)) {
    if (type.IsString()) CheckText(static_cast<const arrow::StringArray&>(*array), column);
    if (type.root() == TypeRoot::kChar) {
      if (auto padded = PadChars(static_cast<const arrow::StringArray&>(*array), type)) return padded;
    }
    return array;
  }
  auto is_integer = [](arrow::Type::type id) { return arrow::is_integer(id); };
  bool allowed = false;
  switch (type.root()) {
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      if (have->id() != arrow::Type::TIMESTAMP) break;
      // The zone of the file is only a label: the table's type says what the number means.
      auto unit = static_cast<const arrow::TimestampType&>(*have).unit();
      auto zone = static_cast<const arrow::TimestampType&>(*wanted).timezone();
      auto labelled = Relabel(array, arrow::timestamp(unit, zone));
      return labelled->type()->Equals(*wanted) ? labelled : ChangeUnit(labelled, wanted, column);
    }
    case TypeRoot::kTime:
      if (have->id() == arrow::Type::INT32) return Relabel(array, wanted);
      allowed = have->id() == arrow::Type::TIME32 || have->id() == arrow::Type::TIME64;
      break;
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      allowed = arrow::is_base_binary_like(have->id()) || have->id() == arrow::Type::DICTIONARY;
      break;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      allowed = arrow::is_base_binary_like(have->id()) || have->id() == arrow::Type::FIXED_SIZE_BINARY;
      break;
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
    case TypeRoot::kBigInt:
      allowed = is_integer(have->id());
      break;
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      allowed = arrow::is_floating(have->id());
      break;
    case TypeRoot::kDecimal:
      allowed = arrow::is_decimal(have->id());
      break;
    case TypeRoot::kDate:
      allowed = have->id() == arrow::Type::DATE64;
      break;
    default:
      break;
  }
  if (!allowed) {
    throw Corrupt("The column '{}' of the file is of type {} and cannot be read as {}", column, have->ToString(),
                  type.ToString());
  }
  return ConformLeaf(CastTo(array, wanted, column), type, column);
}

std::shared_ptr<arrow::Array> Conform(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                      const std::string& column) {
  auto wrong = [&]() {
    return Corrupt("The column '{}' of the file is of type {} and cannot be read as {}", column,
                   array->type()->ToString(), type.ToString());
  };
  switch (type.root()) {
    case TypeRoot::kArray: {
      if (array->type_id() != arrow::Type::LIST) throw wrong();
      const auto& list = static_cast<const arrow::ListArray&>(*array);
      auto values = Conform(list.values(), type.element(), column + ".element");
      return std::make_shared<arrow::ListArray>(ToArrowType(type), list.length(), list.value_offsets(), values,
                                                list.null_bitmap(), list.null_count());
    }
    case TypeRoot::kMap:
    case TypeRoot::kMultiset: {
      if (array->type_id() != arrow::Type::MAP) throw wrong();
      const auto& map = static_cast<const arrow::MapArray&>(*array);
      bool multiset = type.root() == TypeRoot::kMultiset;
      auto keys = Conform(map.keys(), multiset ? type.element() : type.key(), column + ".key");
      auto items = Conform(map.items(), multiset ? DataType::Int() : type.value(), column + ".value");
      return std::make_shared<arrow::MapArray>(ToArrowType(type), map.length(), map.value_offsets(), keys, items,
                                               map.null_bitmap(), map.null_count());
    }
    case TypeRoot::kRow: {
      if (array->type_id() != arrow::Type::STRUCT) throw wrong();
      const auto& row = static_cast<const arrow::StructArray&>(*array);
      arrow::ArrayVector children;
      for (const DataField& field : type.fields()) {
        auto child = row.GetFieldByName(field.name);
        // A field added later than the file is not the file's concern; its own schema names what it has.
        if (!child) throw Corrupt("The column '{}' of the file has no field '{}'", column, field.name);
        children.push_back(Conform(child, field.type, column + "." + field.name));
      }
      return std::make_shared<arrow::StructArray>(ToArrowType(type), row.length(), std::move(children),
                                                  row.null_bitmap(), row.null_count());
    }
    case TypeRoot::kVariant:
      throw Unsupported("The column '{}' of type VARIANT cannot be read yet", column);
    default:
      return ConformLeaf(array, type, column);
  }
}

}  // namespace

std::shared_ptr<arrow::Array> ConformArray(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                           const std::string& column) {
  auto flat = array;
  if (HasOffset(*array->data())) flat = Take(arrow::Concatenate({array}));
  return Conform(flat, type, column);
}

std::shared_ptr<arrow::DataType> NarrowDecimalType(const DataType& type) {
  if (type.root() != TypeRoot::kDecimal || type.precision() > 18) return nullptr;
  return type.precision() <= 9 ? arrow::decimal32(type.precision(), type.scale())
                               : arrow::decimal64(type.precision(), type.scale());
}

std::shared_ptr<arrow::Array> NarrowDecimals(const std::shared_ptr<arrow::Array>& array, const DataType& type) {
  if (array->type_id() != arrow::Type::DECIMAL128) return array;
  auto narrow = NarrowDecimalType(type);
  if (narrow == nullptr) return array;
  const auto& wide = static_cast<const arrow::Decimal128Array&>(*array);
  const auto width = static_cast<size_t>(narrow->byte_width());
  auto buffer = Take(arrow::AllocateBuffer(wide.length() * static_cast<int64_t>(width)));
  // The low bytes of a value that fits.
  uint8_t* out = buffer->mutable_data();
  const uint8_t* values = wide.raw_values();
  const auto copy = [&]<size_t kWidth>(std::integral_constant<size_t, kWidth>) {
    for (int64_t i = 0; i < wide.length(); ++i) {
      std::memcpy(out + static_cast<size_t>(i) * kWidth, values + i * 16, kWidth);
    }
  };
  if (width == 4) {
    copy(std::integral_constant<size_t, 4>());
  } else {
    copy(std::integral_constant<size_t, 8>());
  }
  std::shared_ptr<arrow::Buffer> validity;
  if (wide.null_count() > 0) {
    validity = wide.null_bitmap();
    if (wide.offset() != 0) {
      validity = Take(arrow::internal::CopyBitmap(arrow::default_memory_pool(), wide.null_bitmap_data(), wide.offset(),
                                                  wide.length()));
    }
  }
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = {std::move(validity), std::move(buffer)};
  return arrow::MakeArray(
      arrow::ArrayData::Make(std::move(narrow), wide.length(), std::move(buffers), wide.null_count()));
}

int64_t UnitsPerSecond(const arrow::DataType& type) {
  switch (static_cast<const arrow::TimestampType&>(type).unit()) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1'000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    case arrow::TimeUnit::NANO:
      break;
  }
  return 1'000'000'000;
}

}  // namespace mica
