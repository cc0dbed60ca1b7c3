#include "types/arrow_types.h"

#include <arrow/api.h>
#include <arrow/util/decimal.h>

#include "base/arrow.h"
#include "base/error.h"
#include "types/decimal.h"
#include "types/timestamp.h"

namespace mica {

namespace {

constexpr const char* kElementName = "element";
constexpr const char* kKeyName = "key";
constexpr const char* kValueName = "value";
constexpr const char* kMetadataName = "metadata";

arrow::TimeUnit::type UnitOf(int32_t precision) {
  if (precision <= 3) return arrow::TimeUnit::MILLI;
  return precision <= 6 ? arrow::TimeUnit::MICRO : arrow::TimeUnit::NANO;
}

int32_t PrecisionOf(arrow::TimeUnit::type unit) {
  return static_cast<int32_t>(unit) * 3;
}

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 1;
    case arrow::TimeUnit::MILLI: return 1000;
    case arrow::TimeUnit::MICRO: return 1'000'000;
    default: return 1'000'000'000;
  }
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Types

std::shared_ptr<arrow::DataType> ToArrowType(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar: return arrow::utf8();
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob: return arrow::binary();
    case TypeRoot::kBoolean: return arrow::boolean();
    case TypeRoot::kTinyInt: return arrow::int8();
    case TypeRoot::kSmallInt: return arrow::int16();
    case TypeRoot::kInt: return arrow::int32();
    case TypeRoot::kBigInt: return arrow::int64();
    case TypeRoot::kFloat: return arrow::float32();
    case TypeRoot::kDouble: return arrow::float64();
    case TypeRoot::kDecimal: return arrow::decimal128(type.precision(), type.scale());
    case TypeRoot::kDate: return arrow::date32();
    case TypeRoot::kTime: return arrow::time32(arrow::TimeUnit::MILLI);
    case TypeRoot::kTimestamp: return arrow::timestamp(UnitOf(type.precision()));
    case TypeRoot::kTimestampLtz: return arrow::timestamp(UnitOf(type.precision()), "UTC");
    case TypeRoot::kVariant:
      return arrow::struct_(
          {arrow::field(kValueName, arrow::binary(), false), arrow::field(kMetadataName, arrow::binary(), false)});
    case TypeRoot::kArray:
      return arrow::list(arrow::field(kElementName, ToArrowType(type.element()), type.element().nullable()));
    case TypeRoot::kMultiset:
      return std::make_shared<arrow::MapType>(arrow::field(kKeyName, ToArrowType(type.element()), false),
                                              arrow::field(kValueName, arrow::int32(), false));
    case TypeRoot::kMap:
      return std::make_shared<arrow::MapType>(
          arrow::field(kKeyName, ToArrowType(type.key()), false),
          arrow::field(kValueName, ToArrowType(type.value()), type.value().nullable()));
    case TypeRoot::kRow: {
      arrow::FieldVector fields;
      for (const DataField& field : type.fields()) fields.push_back(ToArrowField(field));
      return arrow::struct_(std::move(fields));
    }
  }
  throw Unsupported("The type '{}' has no Arrow form", type.ToString());
}

std::shared_ptr<arrow::Field> ToArrowField(const DataField& field) {
  return arrow::field(field.name, ToArrowType(field.type), field.type.nullable());
}

std::shared_ptr<arrow::Schema> ToArrowSchema(const std::vector<DataField>& fields) {
  arrow::FieldVector arrow_fields;
  for (const DataField& field : fields) arrow_fields.push_back(ToArrowField(field));
  return arrow::schema(std::move(arrow_fields));
}

namespace {

bool IsVariant(const arrow::DataType& type) {
  if (type.num_fields() != 2) return false;
  auto is_part = [&](int i, const char* name) {
    const arrow::Field& field = *type.field(i);
    return field.name() == name && !field.nullable() && field.type()->id() == arrow::Type::BINARY;
  };
  return is_part(0, kValueName) && is_part(1, kMetadataName);
}

DataType FromArrowType(const arrow::DataType& type, const std::string& name) {
  auto child = [&](int i) { return FromArrowField(*type.field(i)).type; };
  switch (type.id()) {
    case arrow::Type::BOOL: return DataType(TypeRoot::kBoolean);
    case arrow::Type::INT8: return DataType(TypeRoot::kTinyInt);
    case arrow::Type::INT16:
    case arrow::Type::UINT8: return DataType(TypeRoot::kSmallInt);
    case arrow::Type::INT32:
    case arrow::Type::UINT16: return DataType::Int();
    case arrow::Type::INT64:
    case arrow::Type::UINT32: return DataType::BigInt();
    case arrow::Type::UINT64: return DataType::Decimal(20, 0);
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT: return DataType(TypeRoot::kFloat);
    case arrow::Type::DOUBLE: return DataType(TypeRoot::kDouble);
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW: return DataType::String();
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW: return DataType::Bytes();
    case arrow::Type::FIXED_SIZE_BINARY: {
      const int32_t width = static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width();
      if (width > 0) return DataType(TypeRoot::kBinary, true, width);
      break;
    }
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      if (decimal.precision() > kMaxDecimalPrecision || decimal.scale() < 0 || decimal.scale() > decimal.precision())
        break;
      return DataType::Decimal(decimal.precision(), decimal.scale());
    }
    case arrow::Type::DATE32:
    case arrow::Type::DATE64: return DataType(TypeRoot::kDate);
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return DataType(TypeRoot::kTime, true, PrecisionOf(static_cast<const arrow::TimeType&>(type).unit()));
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      const int32_t precision = PrecisionOf(timestamp.unit());
      return timestamp.timezone().empty() ? DataType::Timestamp(precision) : DataType::TimestampLtz(precision);
    }
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW: return DataType::Array(child(0));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return DataType::Map(FromArrowField(*map.key_field()).type, FromArrowField(*map.item_field()).type);
    }
    case arrow::Type::STRUCT: {
      if (IsVariant(type)) return DataType(TypeRoot::kVariant);
      std::vector<DataField> fields;
      for (const auto& field : type.fields()) fields.push_back(FromArrowField(*field));
      return DataType::Row(std::move(fields));
    }
    case arrow::Type::DICTIONARY:
      return FromArrowType(*static_cast<const arrow::DictionaryType&>(type).value_type(), name);
    default: break;
  }
  throw Unsupported("The field '{}' has the Arrow type '{}', which no Paimon type stands for", name, type.ToString());
}

}  // namespace

DataField FromArrowField(const arrow::Field& field) {
  DataField result;
  result.name = field.name();
  result.type = FromArrowType(*field.type(), field.name()).WithNullable(field.nullable());
  return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Values

namespace {

Int128 ToInt128(const arrow::Decimal128& decimal) {
  return static_cast<Int128>(static_cast<unsigned __int128>(static_cast<uint64_t>(decimal.high_bits())) << 64 |
                             decimal.low_bits());
}

arrow::Decimal128 ToArrowDecimal(Int128 value) {
  return arrow::Decimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value));
}

template <typename ArrayType>
const ArrayType& As(const arrow::Array& array) {
  return static_cast<const ArrayType&>(array);
}

// The view of a text or binary value of any of Arrow's layouts for them; the types alone say how the array is laid out.
std::string BytesAt(const arrow::Array& array, int64_t row) {
  switch (array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY: return std::string(As<arrow::BinaryArray>(array).GetView(row));
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY: return std::string(As<arrow::LargeBinaryArray>(array).GetView(row));
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW: return std::string(As<arrow::BinaryViewArray>(array).GetView(row));
    default: return std::string(As<arrow::FixedSizeBinaryArray>(array).GetView(row));
  }
}

bool HasLayoutOf(const arrow::Array& array, const DataType& type) {
  const arrow::Type::type id = array.type_id();
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return arrow::is_base_binary_like(id) || arrow::is_binary_view_like(id) || id == arrow::Type::FIXED_SIZE_BINARY;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return id == arrow::Type::TIMESTAMP;
    case TypeRoot::kDecimal:
      return id == arrow::Type::DECIMAL128 &&
             static_cast<const arrow::DecimalType&>(*array.type()).scale() == type.scale();
    default: return id == ToArrowType(type)->id();
  }
}

}  // namespace

Value ValueAt(const arrow::Array& array, int64_t row, const DataType& type) {
  if (array.IsNull(row)) return {};
  if (!HasLayoutOf(array, type)) {
    throw InvalidArgument("An Arrow array of type '{}' does not hold values of type '{}'", array.type()->ToString(),
                          type.ToString());
  }
  switch (type.root()) {
    case TypeRoot::kBoolean: return As<arrow::BooleanArray>(array).Value(row);
    case TypeRoot::kTinyInt: return int64_t{As<arrow::Int8Array>(array).Value(row)};
    case TypeRoot::kSmallInt: return int64_t{As<arrow::Int16Array>(array).Value(row)};
    case TypeRoot::kInt: return int64_t{As<arrow::Int32Array>(array).Value(row)};
    case TypeRoot::kBigInt: return int64_t{As<arrow::Int64Array>(array).Value(row)};
    case TypeRoot::kFloat: return As<arrow::FloatArray>(array).Value(row);
    case TypeRoot::kDouble: return As<arrow::DoubleArray>(array).Value(row);
    case TypeRoot::kDecimal:
      return DecimalValue{ToInt128(arrow::Decimal128(As<arrow::Decimal128Array>(array).Value(row)))};
    case TypeRoot::kDate: return int64_t{As<arrow::Date32Array>(array).Value(row)};
    case TypeRoot::kTime: return int64_t{As<arrow::Time32Array>(array).Value(row)};
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const auto unit = static_cast<const arrow::TimestampType&>(*array.type()).unit();
      return TimestampFromUnits(As<arrow::TimestampArray>(array).Value(row), UnitsPerSecond(unit));
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob: return BytesAt(array, row);
    default: throw Unsupported("A value of type '{}' cannot stand alone", type.ToString());
  }
}

void AppendValue(const Value& value, const DataType& type, arrow::ArrayBuilder* builder) {
  if (IsNull(value)) return Check(builder->AppendNull());
  auto append = [&]<typename Builder>(Builder* typed, const auto& item) { Check(typed->Append(item)); };
  switch (type.root()) {
    case TypeRoot::kBoolean: return append(static_cast<arrow::BooleanBuilder*>(builder), std::get<bool>(value));
    case TypeRoot::kTinyInt:
      return append(static_cast<arrow::Int8Builder*>(builder), static_cast<int8_t>(std::get<int64_t>(value)));
    case TypeRoot::kSmallInt:
      return append(static_cast<arrow::Int16Builder*>(builder), static_cast<int16_t>(std::get<int64_t>(value)));
    case TypeRoot::kInt:
      return append(static_cast<arrow::Int32Builder*>(builder), static_cast<int32_t>(std::get<int64_t>(value)));
    case TypeRoot::kDate:
      return append(static_cast<arrow::Date32Builder*>(builder), static_cast<int32_t>(std::get<int64_t>(value)));
    case TypeRoot::kTime:
      return append(static_cast<arrow::Time32Builder*>(builder), static_cast<int32_t>(std::get<int64_t>(value)));
    case TypeRoot::kBigInt: return append(static_cast<arrow::Int64Builder*>(builder), std::get<int64_t>(value));
    case TypeRoot::kFloat: return append(static_cast<arrow::FloatBuilder*>(builder), std::get<float>(value));
    case TypeRoot::kDouble: return append(static_cast<arrow::DoubleBuilder*>(builder), std::get<double>(value));
    case TypeRoot::kDecimal:
      return append(static_cast<arrow::Decimal128Builder*>(builder),
                    ToArrowDecimal(std::get<DecimalValue>(value).unscaled));
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const auto unit = static_cast<const arrow::TimestampType&>(*builder->type()).unit();
      const auto& timestamp = std::get<TimestampValue>(value);
      auto count = TimestampToUnits(timestamp, UnitsPerSecond(unit));
      if (!count) {
        throw Unsupported("The timestamp '{}' of type '{}' is outside of what {} reach in memory. Use at most 6 digits",
                          FormatTimestamp(timestamp, type.precision()), type.ToString(),
                          unit == arrow::TimeUnit::NANO ? "nanoseconds (1677 to 2262)" : "microseconds");
      }
      return append(static_cast<arrow::TimestampBuilder*>(builder), *count);
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob: return append(static_cast<arrow::BinaryBuilder*>(builder), std::get<std::string>(value));
    default: throw Unsupported("A value of type '{}' cannot stand alone", type.ToString());
  }
}

std::shared_ptr<arrow::Array> RepeatValue(const Value& value, const DataType& type, int64_t length) {
  const auto arrow_type = ToArrowType(type);
  if (IsNull(value)) return Take(arrow::MakeArrayOfNull(arrow_type, length));
  auto builder = Take(arrow::MakeBuilder(arrow_type));
  AppendValue(value, type, builder.get());
  const auto one = Take(builder->Finish());
  return Take(arrow::MakeArrayFromScalar(*Take(one->GetScalar(0)), length));
}

BinaryRow RowAt(const arrow::RecordBatch& batch, int64_t row, std::span<const int> columns,
                std::span<const DataType> types) {
  MICA_CHECK(columns.size() == types.size());
  std::vector<Value> values;
  values.reserve(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) values.push_back(ValueAt(*batch.column(columns[i]), row, types[i]));
  return BinaryRow::Of(values, types);
}

}  // namespace mica
