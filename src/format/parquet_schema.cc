#include "format/parquet_schema.h"

#include <cmath>

#include <parquet/metadata.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include "base/bytes.h"

namespace mica {

namespace {

using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;

// The least number of bytes that holds every unscaled value of a precision.
int32_t DecimalBytes(int32_t precision) {
  int32_t bytes = 1;
  while (std::pow(2.0L, 8 * bytes - 1) < std::pow(10.0L, precision)) ++bytes;
  return bytes;
}

// The group of keys and values has the old mark MAP_KEY_VALUE alone. The library adds a logical type, which it has no
// call to leave out, but which is open to derived classes.
struct NodeMembers : parquet::schema::Node {
  static constexpr auto logical_type() { return &NodeMembers::logical_type_; }
};

NodePtr MapEntries(const NodePtr& key, const NodePtr& value) {
  NodePtr entries =
      GroupNode::Make("key_value", Repetition::REPEATED, {key, value}, parquet::ConvertedType::MAP_KEY_VALUE);
  (*entries).*NodeMembers::logical_type() = LogicalType::None();
  return entries;
}

// `owner` is the id of the column or ROW field whose type this is part of, `depth` counts array and map levels below
// it.
NodePtr ToNode(const std::string& name, const DataType& type, bool required, int32_t id, int32_t owner, int32_t depth) {
  Repetition::type repetition = required || !type.nullable() ? Repetition::REQUIRED : Repetition::OPTIONAL;
  auto leaf = [&](std::shared_ptr<const LogicalType> logical, parquet::Type::type physical, int32_t length = -1) {
    return PrimitiveNode::Make(name, repetition, std::move(logical), physical, length, id);
  };
  auto none = LogicalType::None();
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return leaf(LogicalType::String(), parquet::Type::BYTE_ARRAY);
    case TypeRoot::kBoolean:
      return leaf(none, parquet::Type::BOOLEAN);
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return leaf(none, parquet::Type::BYTE_ARRAY);
    case TypeRoot::kTinyInt:
      return leaf(LogicalType::Int(8, true), parquet::Type::INT32);
    case TypeRoot::kSmallInt:
      return leaf(LogicalType::Int(16, true), parquet::Type::INT32);
    case TypeRoot::kInt:
      return leaf(none, parquet::Type::INT32);
    case TypeRoot::kBigInt:
      return leaf(none, parquet::Type::INT64);
    case TypeRoot::kFloat:
      return leaf(none, parquet::Type::FLOAT);
    case TypeRoot::kDouble:
      return leaf(none, parquet::Type::DOUBLE);
    case TypeRoot::kDecimal: {
      auto decimal = LogicalType::Decimal(type.precision(), type.scale());
      if (type.precision() <= 9) return leaf(decimal, parquet::Type::INT32);
      if (type.precision() <= 18) return leaf(decimal, parquet::Type::INT64);
      return leaf(decimal, parquet::Type::FIXED_LEN_BYTE_ARRAY, DecimalBytes(type.precision()));
    }
    case TypeRoot::kDate:
      return leaf(LogicalType::Date(), parquet::Type::INT32);
    case TypeRoot::kTime:
      return leaf(LogicalType::Time(true, LogicalType::TimeUnit::MILLIS), parquet::Type::INT32);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      if (type.precision() > 6) return leaf(none, parquet::Type::INT96);
      auto unit = type.precision() <= 3 ? LogicalType::TimeUnit::MILLIS : LogicalType::TimeUnit::MICROS;
      // The converted type is written even for local timestamps, as parquet-mr does.
      return leaf(LogicalType::Timestamp(type.root() == TypeRoot::kTimestampLtz, unit, /*is_from_converted_type=*/false,
                                         /*force_set_converted_type=*/true),
                  parquet::Type::INT64);
    }
    case TypeRoot::kArray: {
      NodePtr element = ToNode("element", type.element(), false, ElementFieldId(owner, depth), owner, depth + 1);
      NodePtr list = GroupNode::Make("list", Repetition::REPEATED, {element});
      return GroupNode::Make(name, repetition, {list}, LogicalType::List(), id);
    }
    case TypeRoot::kMultiset:
    case TypeRoot::kMap: {
      bool multiset = type.root() == TypeRoot::kMultiset;
      const DataType& key_type = multiset ? type.element() : type.key();
      DataType value_type = multiset ? DataType::Int().WithNullable(false) : type.value();
      NodePtr key = ToNode("key", key_type, true, MapKeyFieldId(owner, depth), owner, depth + 1);
      NodePtr value = ToNode("value", value_type, false, MapValueFieldId(owner, depth), owner, depth + 1);
      NodePtr entries = MapEntries(key, value);
      return GroupNode::Make(name, repetition, {entries}, LogicalType::Map(), id);
    }
    case TypeRoot::kRow: {
      parquet::schema::NodeVector children;
      for (const DataField& field : type.fields()) {
        children.push_back(ToNode(field.name, field.type, false, field.id, field.id, 1));
      }
      return GroupNode::Make(name, repetition, children, nullptr, id);
    }
    case TypeRoot::kVariant:
      break;
  }
  throw Unsupported("The column '{}' of type {} cannot be written to Parquet files yet", name, type.ToString());
}

}  // namespace

std::shared_ptr<GroupNode> ToParquetSchema(const std::vector<DataField>& fields) {
  parquet::schema::NodeVector nodes;
  for (const DataField& field : fields) nodes.push_back(ToNode(field.name, field.type, false, field.id, field.id, 1));
  return std::static_pointer_cast<GroupNode>(GroupNode::Make("paimon_schema", Repetition::REQUIRED, nodes));
}

namespace {

std::optional<Value> FromInteger(int64_t raw, const parquet::ColumnDescriptor& column, const DataType& type) {
  const auto& logical = column.logical_type();
  switch (type.root()) {
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
    case TypeRoot::kBigInt: {
      bool plain = !logical || logical->is_none() ||
                   (logical->is_int() && static_cast<const parquet::IntLogicalType&>(*logical).is_signed());
      return plain ? std::optional<Value>(raw) : std::nullopt;
    }
    case TypeRoot::kDate:
      return logical && logical->is_date() ? std::optional<Value>(raw) : std::nullopt;
    case TypeRoot::kTime:
      return column.physical_type() == parquet::Type::INT32 ? std::optional<Value>(raw) : std::nullopt;
    case TypeRoot::kDecimal: {
      if (!logical || !logical->is_decimal()) return std::nullopt;
      if (static_cast<const parquet::DecimalLogicalType&>(*logical).scale() != type.scale()) return std::nullopt;
      return DecimalValue{raw};
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      if (!logical || !logical->is_timestamp()) return std::nullopt;
      auto unit = static_cast<const parquet::TimestampLogicalType&>(*logical).time_unit();
      if (unit == LogicalType::TimeUnit::MILLIS) return TimestampValue{raw, 0};
      if (unit != LogicalType::TimeUnit::MICROS) return std::nullopt;
      int64_t millis = raw / 1000, rest = raw % 1000;
      if (rest < 0) {
        --millis;
        rest += 1000;
      }
      return TimestampValue{millis, static_cast<int32_t>(rest * 1000)};
    }
    default:
      return std::nullopt;
  }
}

std::optional<Value> FromFixed(std::string_view bytes, const parquet::ColumnDescriptor& column, const DataType& type) {
  const auto& logical = column.logical_type();
  if (type.root() != TypeRoot::kDecimal || !logical || !logical->is_decimal() || bytes.empty() || bytes.size() > 16) {
    return std::nullopt;
  }
  if (static_cast<const parquet::DecimalLogicalType&>(*logical).scale() != type.scale()) return std::nullopt;
  Int128 value = static_cast<int8_t>(bytes[0]);
  for (size_t i = 1; i < bytes.size(); ++i) value = value * 256 + static_cast<uint8_t>(bytes[i]);
  return DecimalValue{value};
}

}  // namespace

std::optional<Value> DecodeBound(const std::string& bytes, const parquet::ColumnDescriptor& column,
                                 const DataType& type) {
  switch (column.physical_type()) {
    case parquet::Type::BOOLEAN:
      if (type.root() != TypeRoot::kBoolean || bytes.size() != 1) return std::nullopt;
      return bytes[0] != 0;
    case parquet::Type::INT32:
      return bytes.size() == 4 ? FromInteger(LoadLittle<int32_t>(bytes.data()), column, type) : std::nullopt;
    case parquet::Type::INT64:
      return bytes.size() == 8 ? FromInteger(LoadLittle<int64_t>(bytes.data()), column, type) : std::nullopt;
    case parquet::Type::FLOAT: {
      if (bytes.size() != 4) return std::nullopt;
      float value = LoadLittle<float>(bytes.data());
      if (std::isnan(value)) return std::nullopt;
      if (type.root() == TypeRoot::kFloat) return value;
      return type.root() == TypeRoot::kDouble ? std::optional<Value>(static_cast<double>(value)) : std::nullopt;
    }
    case parquet::Type::DOUBLE: {
      if (bytes.size() != 8 || type.root() != TypeRoot::kDouble) return std::nullopt;
      double value = LoadLittle<double>(bytes.data());
      return std::isnan(value) ? std::nullopt : std::optional<Value>(value);
    }
    case parquet::Type::BYTE_ARRAY:
      if (type.root() == TypeRoot::kDecimal) return FromFixed(bytes, column, type);
      return type.IsString() ? std::optional<Value>(bytes) : std::nullopt;
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return FromFixed(bytes, column, type);
    default:
      return std::nullopt;
  }
}

ColumnStats ChunkStats(const parquet::ColumnChunkMetaData& chunk, const parquet::ColumnDescriptor& column,
                       const DataType& type) {
  ColumnStats stats;
  if (!chunk.is_stats_set()) return stats;
  auto encoded = chunk.encoded_statistics();
  if (!encoded) return stats;
  if (encoded->has_null_count) stats.null_count = encoded->null_count;
  if (!encoded->has_min || !encoded->has_max) return stats;
  stats.min = DecodeBound(encoded->min(), column, type);
  stats.max = DecodeBound(encoded->max(), column, type);
  if (!stats.min || !stats.max) stats.min = stats.max = std::nullopt;
  return stats;
}

}  // namespace mica
