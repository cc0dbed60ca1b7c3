#include "hive/hive_type.h"

#include <cctype>

#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {

constexpr int32_t kLongestHiveChar = 255;
constexpr int32_t kLongestHiveVarchar = 65535;
constexpr int kDepthAtMost = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  DataType All() {
    DataType type = Type(0);
    if (at_ != text_.size()) Fail();
    return type;
  }

 private:
  [[noreturn]] void Fail() const { throw InvalidArgument("'{}' is not a type of Hive", text_); }

  bool Accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void Expect(char c) {
    if (!Accept(c)) Fail();
  }

  std::string_view Until(std::string_view ends) {
    const size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    const std::string_view word = Trim(text_.substr(at_, end - at_));
    at_ = end;
    return word;
  }

  // "(10,2)", or the fallbacks.
  std::pair<int32_t, int32_t> Numbers(int32_t first, int32_t second) {
    if (!Accept('(')) return {first, second};
    auto number = [&] {
      auto value = ParseInteger(Until(",)"));
      if (!value || *value < 0 || *value > DataType::kMaxLength) Fail();
      return static_cast<int32_t>(*value);
    };
    first = number();
    second = Accept(',') ? number() : 0;
    Expect(')');
    return {first, second};
  }

  DataType Type(int depth) {
    if (depth > kDepthAtMost) Fail();
    const std::string name = ToLower(Until("(<,>:"));
    if (name == "array") {
      Expect('<');
      DataType element = Type(depth + 1);
      Expect('>');
      return DataType::Array(std::move(element));
    }
    if (name == "map") {
      Expect('<');
      DataType key = Type(depth + 1);
      Expect(',');
      DataType value = Type(depth + 1);
      Expect('>');
      return DataType::Map(std::move(key), std::move(value));
    }
    if (name == "struct") return Struct(depth);
    return Atomic(name);
  }

  DataType Struct(int depth) {
    Expect('<');
    std::vector<DataField> fields;
    do {
      DataField field;
      field.name = Until(":");
      if (field.name.size() >= 2 && field.name.front() == '`' && field.name.back() == '`') {
        field.name = field.name.substr(1, field.name.size() - 2);
      }
      Expect(':');
      field.type = Type(depth + 1);
      fields.push_back(std::move(field));
    } while (Accept(','));
    Expect('>');
    return DataType::Row(std::move(fields));
  }

  DataType Atomic(const std::string& name) {
    if (name == "boolean") return DataType(TypeRoot::kBoolean);
    if (name == "tinyint") return DataType(TypeRoot::kTinyInt);
    if (name == "smallint") return DataType(TypeRoot::kSmallInt);
    if (name == "int" || name == "integer") return DataType::Int();
    if (name == "bigint") return DataType::BigInt();
    if (name == "float") return DataType(TypeRoot::kFloat);
    if (name == "double") return DataType(TypeRoot::kDouble);
    if (name == "string") return DataType::String();
    if (name == "binary") return DataType::Bytes();
    if (name == "date") return DataType(TypeRoot::kDate);
    if (name == "timestamp") return DataType::Timestamp(6);
    if (name == "timestamp with local time zone") return DataType::TimestampLtz(6);
    if (name == "decimal") {
      auto [precision, scale] = Numbers(10, 0);
      return DataType::Decimal(precision, scale);
    }
    if (name == "char") return DataType::Char(Numbers(1, 0).first);
    if (name == "varchar") return DataType::Varchar(Numbers(1, 0).first);
    if (name == "void" || name == "uniontype" || name.starts_with("interval")) {
      throw Unsupported("Paimon has no type for Hive's '{}'", text_);
    }
    Fail();
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::string HiveTypeText(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return "boolean";
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
    case TypeRoot::kDecimal:
      return fmt::format("decimal({},{})", type.precision(), type.scale());
    case TypeRoot::kChar:
      return type.length() > kLongestHiveChar ? "string" : fmt::format("char({})", type.length());
    case TypeRoot::kVarchar:
      return type.length() > kLongestHiveVarchar ? "string" : fmt::format("varchar({})", type.length());
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return "binary";
    case TypeRoot::kDate:
      return "date";
    case TypeRoot::kTime:
      return "string";
    case TypeRoot::kTimestamp:
      return "timestamp";
    case TypeRoot::kTimestampLtz:
      return "timestamp with local time zone";
    case TypeRoot::kVariant:
      return "struct<value:binary,metadata:binary>";
    case TypeRoot::kArray:
      return fmt::format("array<{}>", HiveTypeText(type.element()));
    case TypeRoot::kMultiset:
      return fmt::format("map<{},int>", HiveTypeText(type.element()));
    case TypeRoot::kMap:
      return fmt::format("map<{},{}>", HiveTypeText(type.key()), HiveTypeText(type.value()));
    case TypeRoot::kRow: {
      std::vector<std::string> fields;
      for (const DataField& field : type.fields()) fields.push_back(field.name + ":" + HiveTypeText(field.type));
      return fmt::format("struct<{}>", Join(fields, ","));
    }
  }
  return "string";
}

DataType ParseHiveType(std::string_view text) {
  return Parser(text).All();
}

}  // namespace mica
