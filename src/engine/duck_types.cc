#include "engine/duck_types.h"

#include "base/error.h"
#include "dialect/type_name.h"

namespace mica::sql {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;

LogicalType ToDuckType(const DataType& type) {
  switch (type.root()) {
    // The collation compares without regard to the padding (P-12).
    case TypeRoot::kChar:
      return LogicalType::VARCHAR_COLLATION(kCharCollation);
    case TypeRoot::kVarchar:
      return LogicalType::VARCHAR;
    case TypeRoot::kBoolean:
      return LogicalType::BOOLEAN;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return LogicalType::BLOB;
    case TypeRoot::kDecimal:
      return LogicalType::DECIMAL(type.precision(), type.scale());
    case TypeRoot::kTinyInt:
      return LogicalType::TINYINT;
    case TypeRoot::kSmallInt:
      return LogicalType::SMALLINT;
    case TypeRoot::kInt:
      return LogicalType::INTEGER;
    case TypeRoot::kBigInt:
      return LogicalType::BIGINT;
    case TypeRoot::kFloat:
      return LogicalType::FLOAT;
    case TypeRoot::kDouble:
      return LogicalType::DOUBLE;
    case TypeRoot::kDate:
      return LogicalType::DATE;
    case TypeRoot::kTime:
      return LogicalType::TIME;
    case TypeRoot::kTimestamp:
      return type.precision() > 6 ? LogicalType::TIMESTAMP_NS : LogicalType::TIMESTAMP;
    case TypeRoot::kTimestampLtz:
      return LogicalType::TIMESTAMP_TZ;
    case TypeRoot::kVariant: {
      duckdb::child_list_t<LogicalType> children;
      children.emplace_back("value", LogicalType::BLOB);
      children.emplace_back("metadata", LogicalType::BLOB);
      return LogicalType::STRUCT(std::move(children));
    }
    case TypeRoot::kArray:
      return LogicalType::LIST(ToDuckType(type.element()));
    case TypeRoot::kMultiset:
      return LogicalType::MAP(ToDuckType(type.element()), LogicalType::INTEGER);
    case TypeRoot::kMap:
      return LogicalType::MAP(ToDuckType(type.key()), ToDuckType(type.value()));
    case TypeRoot::kRow: {
      duckdb::child_list_t<LogicalType> children;
      for (const DataField& field : type.fields()) children.emplace_back(field.name, ToDuckType(field.type));
      return LogicalType::STRUCT(std::move(children));
    }
  }
  throw Unsupported("The type '{}' is not supported in SQL", type.ToString());
}

DataType FromDuckType(const LogicalType& type, const std::string& column) {
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return DataType(TypeRoot::kBoolean);
    case LogicalTypeId::TINYINT:
      return DataType(TypeRoot::kTinyInt);
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::UTINYINT:
      return DataType(TypeRoot::kSmallInt);
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::USMALLINT:
      return DataType::Int();
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UINTEGER:
      return DataType::BigInt();
    case LogicalTypeId::UBIGINT:
      return DataType::Decimal(20, 0);
    case LogicalTypeId::HUGEINT:
      return DataType::Decimal(38, 0);
    case LogicalTypeId::FLOAT:
      return DataType(TypeRoot::kFloat);
    case LogicalTypeId::DOUBLE:
      return DataType(TypeRoot::kDouble);
    case LogicalTypeId::DECIMAL:
      return DataType::Decimal(duckdb::DecimalType::GetWidth(type), duckdb::DecimalType::GetScale(type));
    case LogicalTypeId::SQLNULL:
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::UUID:
    case LogicalTypeId::ENUM:
      return DataType::String();
    case LogicalTypeId::BLOB:
      return DataType::Bytes();
    case LogicalTypeId::DATE:
      return DataType(TypeRoot::kDate);
    case LogicalTypeId::TIME:
      return DataType(TypeRoot::kTime, true, 3);
    case LogicalTypeId::TIMESTAMP_SEC:
      return DataType::Timestamp(0);
    case LogicalTypeId::TIMESTAMP_MS:
      return DataType::Timestamp(3);
    case LogicalTypeId::TIMESTAMP:
      return DataType::Timestamp(6);
    case LogicalTypeId::TIMESTAMP_NS:
      return DataType::Timestamp(9);
    case LogicalTypeId::TIMESTAMP_TZ:
      return DataType::TimestampLtz(6);
    case LogicalTypeId::LIST:
      return DataType::Array(FromDuckType(duckdb::ListType::GetChildType(type), column));
    case LogicalTypeId::ARRAY:
      return DataType::Array(FromDuckType(duckdb::ArrayType::GetChildType(type), column));
    case LogicalTypeId::MAP:
      return DataType::Map(FromDuckType(duckdb::MapType::KeyType(type), column).WithNullable(false),
                           FromDuckType(duckdb::MapType::ValueType(type), column));
    case LogicalTypeId::STRUCT: {
      std::vector<DataField> fields;
      for (const auto& child : duckdb::StructType::GetChildTypes(type)) {
        DataField field;
        field.name = child.first;
        field.type = FromDuckType(child.second, column + "." + std::string(child.first));
        fields.push_back(std::move(field));
      }
      return DataType::Row(std::move(fields));
    }
    default:
      throw Unsupported("The column '{}' has the type '{}', which a table cannot store. Cast it in the query", column,
                        type.ToString());
  }
}

void CheckReadableInSql(const DataType& type, const std::string& column) {
  switch (type.root()) {
    case TypeRoot::kTimestampLtz:
      if (type.precision() > 6) {
        throw Unsupported(
            "The column '{}' of type '{}' cannot be read in SQL without losing digits: instants hold "
            "microseconds there. Leave the column out, or read it through the library",
            column, type.ToString());
      }
      return;
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
      return CheckReadableInSql(type.element(), column);
    case TypeRoot::kMap:
      CheckReadableInSql(type.key(), column);
      return CheckReadableInSql(type.value(), column);
    case TypeRoot::kRow:
      for (const DataField& field : type.fields()) CheckReadableInSql(field.type, column + "." + field.name);
      return;
    default:
      return;
  }
}

namespace {

Int128 ToInt128(duckdb::hugeint_t value) {
  return (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(value.lower);
}

duckdb::hugeint_t ToHuge(Int128 value) {
  duckdb::hugeint_t result;
  result.upper = static_cast<int64_t>(value >> 64);
  result.lower = static_cast<uint64_t>(value);
  return result;
}

int64_t FloorDiv(int64_t a, int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

TimestampValue FromMicros(int64_t micros) {
  int64_t millis = FloorDiv(micros, 1000);
  return TimestampValue{millis, static_cast<int32_t>((micros - millis * 1000) * 1000)};
}

bool IsFinite(const duckdb::Value& value) {
  switch (value.type().id()) {
    case LogicalTypeId::DATE:
      return duckdb::Value::IsFinite(value.GetValueUnsafe<duckdb::date_t>());
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
    case LogicalTypeId::TIMESTAMP_NS: {
      int64_t raw = value.GetValueUnsafe<int64_t>();
      return raw != INT64_MAX && raw != -INT64_MAX && raw != INT64_MIN;
    }
    default:
      return true;
  }
}

}  // namespace

std::optional<Value> FromDuckValue(const duckdb::Value& value, const DataType& type) {
  if (value.IsNull()) return Value{};
  if (value.type().id() != ToDuckType(type).id() || !IsFinite(value)) return std::nullopt;
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return Value(duckdb::StringValue::Get(value));
    case TypeRoot::kBoolean:
      return Value(value.GetValueUnsafe<bool>());
    case TypeRoot::kTinyInt:
      return Value(static_cast<int64_t>(value.GetValueUnsafe<int8_t>()));
    case TypeRoot::kSmallInt:
      return Value(static_cast<int64_t>(value.GetValueUnsafe<int16_t>()));
    case TypeRoot::kInt:
      return Value(static_cast<int64_t>(value.GetValueUnsafe<int32_t>()));
    case TypeRoot::kBigInt:
      return Value(value.GetValueUnsafe<int64_t>());
    case TypeRoot::kFloat:
      return Value(value.GetValueUnsafe<float>());
    case TypeRoot::kDouble:
      return Value(value.GetValueUnsafe<double>());
    case TypeRoot::kDate:
      return Value(static_cast<int64_t>(value.GetValueUnsafe<duckdb::date_t>().days));
    case TypeRoot::kTime: {
      int64_t micros = value.GetValueUnsafe<duckdb::dtime_t>().micros;
      if (micros % 1000 != 0) return std::nullopt;
      return Value(micros / 1000);
    }
    case TypeRoot::kDecimal: {
      if (value.type() != ToDuckType(type)) return std::nullopt;
      switch (value.type().InternalType()) {
        case duckdb::PhysicalType::INT16:
          return Value(DecimalValue{value.GetValueUnsafe<int16_t>()});
        case duckdb::PhysicalType::INT32:
          return Value(DecimalValue{value.GetValueUnsafe<int32_t>()});
        case duckdb::PhysicalType::INT64:
          return Value(DecimalValue{value.GetValueUnsafe<int64_t>()});
        default:
          return Value(DecimalValue{ToInt128(value.GetValueUnsafe<duckdb::hugeint_t>())});
      }
    }
    case TypeRoot::kTimestamp:
      if (type.precision() > 6) {
        int64_t nanos = value.GetValueUnsafe<int64_t>();
        int64_t millis = FloorDiv(nanos, 1000000);
        return Value(TimestampValue{millis, static_cast<int32_t>(nanos - millis * 1000000)});
      }
      return Value(FromMicros(value.GetValueUnsafe<int64_t>()));
    case TypeRoot::kTimestampLtz:
      return Value(FromMicros(value.GetValueUnsafe<int64_t>()));
    default:
      return std::nullopt;
  }
}

duckdb::Value ToDuckValue(const Value& value, const DataType& type) {
  LogicalType duck_type = ToDuckType(type);
  if (IsNull(value)) return duckdb::Value(duck_type);
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return duckdb::Value(std::get<std::string>(value));
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return duckdb::Value::BLOB_RAW(std::get<std::string>(value));
    case TypeRoot::kBoolean:
      return duckdb::Value::BOOLEAN(std::get<bool>(value));
    case TypeRoot::kTinyInt:
      return duckdb::Value::TINYINT(static_cast<int8_t>(std::get<int64_t>(value)));
    case TypeRoot::kSmallInt:
      return duckdb::Value::SMALLINT(static_cast<int16_t>(std::get<int64_t>(value)));
    case TypeRoot::kInt:
      return duckdb::Value::INTEGER(static_cast<int32_t>(std::get<int64_t>(value)));
    case TypeRoot::kBigInt:
      return duckdb::Value::BIGINT(std::get<int64_t>(value));
    case TypeRoot::kFloat:
      return duckdb::Value::FLOAT(std::get<float>(value));
    case TypeRoot::kDouble:
      return duckdb::Value::DOUBLE(std::get<double>(value));
    case TypeRoot::kDate:
      return duckdb::Value::DATE(duckdb::date_t(static_cast<int32_t>(std::get<int64_t>(value))));
    case TypeRoot::kTime:
      return duckdb::Value::TIME(duckdb::dtime_t(std::get<int64_t>(value) * 1000));
    case TypeRoot::kDecimal: {
      Int128 unscaled = std::get<DecimalValue>(value).unscaled;
      uint8_t width = static_cast<uint8_t>(type.precision()), scale = static_cast<uint8_t>(type.scale());
      if (width <= 18) return duckdb::Value::DECIMAL(static_cast<int64_t>(unscaled), width, scale);
      return duckdb::Value::DECIMAL(ToHuge(unscaled), width, scale);
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const auto& timestamp = std::get<TimestampValue>(value);
      if (type.root() == TypeRoot::kTimestamp && type.precision() > 6) {
        return duckdb::Value::TIMESTAMPNS(
            duckdb::timestamp_ns_t(timestamp.millis * 1000000 + timestamp.nanos_of_milli));
      }
      int64_t micros = timestamp.millis * 1000 + timestamp.nanos_of_milli / 1000;
      if (type.root() == TypeRoot::kTimestamp) return duckdb::Value::TIMESTAMP(duckdb::timestamp_t(micros));
      return duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(micros));
    }
    default:
      throw Unsupported("A constant of type '{}' is not supported in SQL", type.ToString());
  }
}

std::string SparkNameOf(const LogicalType& type) {
  if (type.id() == LogicalTypeId::SQLNULL) return "void";
  if (type.id() == LogicalTypeId::INTERVAL) return "interval";
  return dialect::SparkTypeName(FromDuckType(type, "typeof"));
}

}  // namespace mica::sql
