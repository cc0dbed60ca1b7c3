#include "dialect/type_name.h"

#include <fmt/format.h>

namespace mica::dialect {

namespace {

std::string FieldNames(const DataType& type) {
  std::string text;
  for (const DataField& field : type.fields()) {
    if (!text.empty()) text += ",";
    text += field.name + ":" + SparkTypeName(field.type);
  }
  return text;
}

}  // namespace

std::string SparkTypeName(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kChar:
      return fmt::format("char({})", type.length());
    case TypeRoot::kVarchar:
      return type.length() == DataType::kMaxLength ? "string" : fmt::format("varchar({})", type.length());
    case TypeRoot::kBoolean:
      return "boolean";
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return "binary";
    case TypeRoot::kDecimal:
      return fmt::format("decimal({},{})", type.precision(), type.scale());
    case TypeRoot::kTinyInt:
      return "tinyint";
    case TypeRoot::kSmallInt:
      return "smallint";
    case TypeRoot::kInt:
      return "int";
    case TypeRoot::kBigInt:
      return "bigint";
    case TypeRoot::kFloat:
      return "float";
    case TypeRoot::kDouble:
      return "double";
    case TypeRoot::kDate:
      return "date";
    case TypeRoot::kTime:
      return fmt::format("time({})", type.precision());
    case TypeRoot::kTimestamp:
      return "timestamp_ntz";
    case TypeRoot::kTimestampLtz:
      return "timestamp";
    case TypeRoot::kVariant:
      return "variant";
    case TypeRoot::kArray:
      return "array<" + SparkTypeName(type.element()) + ">";
    case TypeRoot::kMultiset:
      return "map<" + SparkTypeName(type.element()) + ",int>";
    case TypeRoot::kMap:
      return "map<" + SparkTypeName(type.key()) + "," + SparkTypeName(type.value()) + ">";
    case TypeRoot::kRow:
      return "struct<" + FieldNames(type) + ">";
  }
  return type.ToString();
}

std::string FlinkTypeName(const DataType& type) {
  return type.WithNullable(true).ToString();
}

}  // namespace mica::dialect
