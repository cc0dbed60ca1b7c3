#include "types/data_type.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "types/decimal.h"

namespace mica {

struct DataType::Children {
  std::vector<DataType> types;    // ARRAY, MULTISET: element; MAP: key, value
  std::vector<DataField> fields;  // ROW
};

namespace {

constexpr int32_t kMaxTimePrecision = 9;
// Schema files come from outside: deeper nesting than this is refused before it can use up the stack.
constexpr int kMaxNesting = 200;

std::string_view RootName(TypeRoot root) {
  constexpr std::array<std::string_view, 22> kNames = {
      "CHAR",    "VARCHAR", "BOOLEAN", "BINARY",   "VARBINARY", "DECIMAL", "TINYINT",   "SMALLINT",
      "INT",     "BIGINT",  "FLOAT",   "DOUBLE",   "DATE",      "TIME",    "TIMESTAMP", "TIMESTAMP_LTZ",
      "VARIANT", "BLOB",    "ARRAY",   "MULTISET", "MAP",       "ROW"};
  return kNames[static_cast<size_t>(root)];
}

std::string QuoteName(std::string_view name) {
  std::string quoted = "`";
  for (char c : name) {
    if (c == '`') quoted += '`';
    quoted += c;
  }
  return quoted + "`";
}

std::string QuoteText(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  return quoted + "'";
}

}  // namespace

DataType DataType::Array(DataType element) {
  DataType type(TypeRoot::kArray);
  type.children_ = std::make_shared<const Children>(Children{{std::move(element)}, {}});
  return type;
}

DataType DataType::Multiset(DataType element) {
  DataType type(TypeRoot::kMultiset);
  type.children_ = std::make_shared<const Children>(Children{{std::move(element)}, {}});
  return type;
}

DataType DataType::Map(DataType key, DataType value) {
  DataType type(TypeRoot::kMap);
  type.children_ = std::make_shared<const Children>(Children{{std::move(key), std::move(value)}, {}});
  return type;
}

DataType DataType::Row(std::vector<DataField> fields) {
  DataType type(TypeRoot::kRow);
  type.children_ = std::make_shared<const Children>(Children{{}, std::move(fields)});
  return type;
}

const DataType& DataType::element() const {
  MICA_CHECK(root_ == TypeRoot::kArray || root_ == TypeRoot::kMultiset);
  return children_->types[0];
}

const DataType& DataType::key() const {
  MICA_CHECK(root_ == TypeRoot::kMap);
  return children_->types[0];
}

const DataType& DataType::value() const {
  MICA_CHECK(root_ == TypeRoot::kMap);
  return children_->types[1];
}

const std::vector<DataField>& DataType::fields() const {
  MICA_CHECK(root_ == TypeRoot::kRow);
  return children_->fields;
}

DataType DataType::WithNullable(bool nullable) const {
  DataType type = *this;
  type.nullable_ = nullable;
  return type;
}

bool DataType::IsPrimitive() const {
  return root_ < TypeRoot::kVariant;
}

bool DataType::operator==(const DataType& other) const {
  if (root_ != other.root_ || nullable_ != other.nullable_ || length_ != other.length_ || scale_ != other.scale_) {
    return false;
  }
  if (children_ == other.children_) return true;
  if (!children_ || !other.children_) return false;
  return children_->types == other.children_->types && children_->fields == other.children_->fields;
}

std::string DataType::ToString() const {
  std::string text;
  switch (root_) {
    case TypeRoot::kVarchar: text = length_ == kMaxLength ? "STRING" : fmt::format("VARCHAR({})", length_); break;
    case TypeRoot::kVarbinary: text = length_ == kMaxLength ? "BYTES" : fmt::format("VARBINARY({})", length_); break;
    case TypeRoot::kChar:
    case TypeRoot::kBinary:
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp: text = fmt::format("{}({})", RootName(root_), length_); break;
    case TypeRoot::kTimestampLtz: text = fmt::format("TIMESTAMP({}) WITH LOCAL TIME ZONE", length_); break;
    case TypeRoot::kDecimal: text = fmt::format("DECIMAL({}, {})", length_, scale_); break;
    case TypeRoot::kArray:
    case TypeRoot::kMultiset: text = fmt::format("{}<{}>", RootName(root_), element().ToString()); break;
    case TypeRoot::kMap: text = fmt::format("MAP<{}, {}>", key().ToString(), value().ToString()); break;
    case TypeRoot::kRow: {
      text = "ROW<";
      for (const DataField& field : fields()) {
        if (text.size() > 4) text += ", ";
        text += QuoteName(field.name) + " " + field.type.ToString();
        if (field.description && !field.description->empty()) text += " " + QuoteText(*field.description);
      }
      text += ">";
      break;
    }
    default: text = RootName(root_);
  }
  if (!nullable_) text += " NOT NULL";
  return text;
}

Json DataType::ToJson() const {
  if (!children_) return ToString();
  Json json;
  json["type"] = std::string(RootName(root_)) + (nullable_ ? "" : " NOT NULL");
  switch (root_) {
    case TypeRoot::kMap:
      json["key"] = key().ToJson();
      json["value"] = value().ToJson();
      break;
    case TypeRoot::kRow: {
      Json& array = json["fields"] = Json::array();
      for (const DataField& field : fields()) array.push_back(field.ToJson());
      break;
    }
    default: json["element"] = element().ToJson();
  }
  return json;
}

Json DataField::ToJson() const {
  Json json;
  json["id"] = id;
  json["name"] = name;
  json["type"] = type.ToJson();
  if (description) json["description"] = *description;
  if (default_value) json["defaultValue"] = *default_value;
  return json;
}

namespace {

DataType TypeFromJson(const Json& json, int32_t* next_field_id, int depth);

DataField FieldFromJson(const Json& json, int32_t* next_field_id, int depth) {
  if (!json.is_object()) throw Corrupt("Cannot read a field: it is {}, not an object", json.type_name());
  DataField field;
  field.name = GetKey<std::string>(json, "name");
  // A field takes its number before the fields inside of it.
  if (auto id = GetOptional<int64_t>(json, "id")) {
    if (*id < INT32_MIN || *id > INT32_MAX)
      throw Corrupt("The id '{}' of field '{}' is no 32-bit integer", *id, field.name);
    field.id = static_cast<int32_t>(*id);
  } else {
    field.id = (*next_field_id)++;
  }
  const Json* type = FindKey(json, "type");
  if (!type) throw Corrupt("The field '{}' has no type", field.name);
  field.type = TypeFromJson(*type, next_field_id, depth);
  field.description = GetOptional<std::string>(json, "description");
  if (const Json* value = FindKey(json, "defaultValue")) {
    field.default_value = value->is_string() ? value->get<std::string>() : value->dump();
  }
  return field;
}

DataType TypeFromJson(const Json& json, int32_t* next_field_id, int depth) {
  if (depth > kMaxNesting) throw Corrupt("A type is nested more than '{}' levels deep", kMaxNesting);
  if (json.is_string()) return DataType::Parse(json.get_ref<const std::string&>());
  if (!json.is_object()) throw Corrupt("Cannot read a type: it is {}, not a string or an object", json.type_name());
  const std::string name = GetKey<std::string>(json, "type");
  auto child = [&](std::string_view key) {
    const Json* found = FindKey(json, key);
    if (!found) throw Corrupt("The type '{}' has no '{}'", name, key);
    return TypeFromJson(*found, next_field_id, depth + 1);
  };
  const bool nullable = name.find("NOT NULL") == std::string::npos;
  if (name.starts_with("ARRAY")) return DataType::Array(child("element")).WithNullable(nullable);
  if (name.starts_with("MULTISET")) return DataType::Multiset(child("element")).WithNullable(nullable);
  if (name.starts_with("MAP")) {
    DataType key = child("key");
    return DataType::Map(std::move(key), child("value")).WithNullable(nullable);
  }
  if (name.starts_with("ROW")) {
    const Json* array = FindKey(json, "fields");
    if (!array || !array->is_array()) throw Corrupt("The type '{}' has no array 'fields'", name);
    std::vector<DataField> fields;
    fields.reserve(array->size());
    for (const Json& field : *array) fields.push_back(FieldFromJson(field, next_field_id, depth + 1));
    return DataType::Row(std::move(fields)).WithNullable(nullable);
  }
  if (name.starts_with("VECTOR")) throw Unsupported("The type '{}' is not supported", name);
  throw Corrupt("The type '{}' is unknown", name);
}

// Words, integers and punctuation of a type's text.
struct Token {
  enum Kind { kWord, kInteger, kSymbol } kind;
  std::string text;  // words in upper case
};

class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : text_(text) { Tokenize(); }

  DataType ParseWhole() {
    DataType type = ParseOne();
    type = type.WithNullable(ParseNullability());
    // Postfix notation: "INT ARRAY", "INT NOT NULL ARRAY ARRAY NOT NULL".
    for (int depth = 0; position_ < tokens_.size(); ++depth) {
      if (depth > kMaxNesting) Fail("it is nested too deep");
      if (Accept("ARRAY")) {
        type = DataType::Array(std::move(type));
      } else if (Accept("MULTISET")) {
        type = DataType::Multiset(std::move(type));
      } else {
        Fail(fmt::format("'{}' is not expected", tokens_[position_].text));
      }
      type = type.WithNullable(ParseNullability());
    }
    return type;
  }

 private:
  [[noreturn]] void Fail(const std::string& reason) const {
    throw InvalidArgument("Cannot read the type '{}': {}", text_, reason);
  }

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static bool IsSymbol(char c) { return c == '(' || c == ')' || c == ',' || c == '<' || c == '>' || c == '.'; }

  void Tokenize() {
    for (size_t i = 0; i < text_.size();) {
      const char c = text_[i];
      if (IsSpace(c)) {
        ++i;
      } else if (IsSymbol(c)) {
        tokens_.push_back({Token::kSymbol, std::string(1, c)});
        ++i;
      } else {
        const size_t start = i;
        const bool integer = IsDigit(c);
        while (i < text_.size() && (integer ? IsDigit(text_[i]) : !IsSpace(text_[i]) && !IsSymbol(text_[i]))) ++i;
        std::string word(text_.substr(start, i - start));
        std::transform(word.begin(), word.end(), word.begin(),
                       [](char w) { return w >= 'a' && w <= 'z' ? w - 32 : w; });
        tokens_.push_back({integer ? Token::kInteger : Token::kWord, std::move(word)});
      }
    }
  }

  bool Accept(std::string_view text) {
    if (position_ >= tokens_.size() || tokens_[position_].kind == Token::kInteger || tokens_[position_].text != text) {
      return false;
    }
    ++position_;
    return true;
  }

  void Expect(std::string_view text) {
    if (!Accept(text)) Fail(fmt::format("'{}' is expected", text));
  }

  int32_t ParseInt() {
    if (position_ >= tokens_.size() || tokens_[position_].kind != Token::kInteger) Fail("a number is expected");
    auto number = ParseInteger(tokens_[position_].text);
    if (!number || *number > DataType::kMaxLength) Fail(fmt::format("'{}' is too large", tokens_[position_].text));
    ++position_;
    return static_cast<int32_t>(*number);
  }

  // "(n)" or the default; refuses what is outside of [low, high].
  int32_t ParseParameter(int32_t default_value, int32_t low, int32_t high) {
    int32_t value = default_value;
    if (Accept("(")) {
      value = ParseInt();
      Expect(")");
    }
    CheckRange(value, low, high);
    return value;
  }

  void CheckRange(int32_t value, int32_t low, int32_t high) const {
    if (value < low || value > high) Fail(fmt::format("'{}' is not between {} and {}", value, low, high));
  }

  bool ParseNullability() {
    if (Accept("NOT")) {
      Expect("NULL");
      return false;
    }
    Accept("NULL");
    return true;
  }

  DataType ParseDecimal() {
    int32_t precision = 10;
    int32_t scale = 0;
    if (Accept("(")) {
      precision = ParseInt();
      if (Accept(",")) scale = ParseInt();
      Expect(")");
    }
    CheckRange(precision, 1, kMaxDecimalPrecision);
    CheckRange(scale, 0, precision);
    return DataType::Decimal(precision, scale);
  }

  DataType ParseTimestamp() {
    const int32_t precision = ParseParameter(6, 0, kMaxTimePrecision);
    if (Accept("WITHOUT")) {
      ExpectTimeZone();
    } else if (Accept("WITH")) {
      if (!Accept("LOCAL")) Fail("'LOCAL' is expected: timestamps that carry a zone are no type of Paimon");
      ExpectTimeZone();
      return DataType::TimestampLtz(precision);
    }
    return DataType::Timestamp(precision);
  }

  void ExpectTimeZone() {
    Expect("TIME");
    Expect("ZONE");
  }

  DataType ParseOne() {
    constexpr int32_t kMax = DataType::kMaxLength;
    if (position_ >= tokens_.size()) Fail("it ends too early");
    if (tokens_[position_].kind != Token::kWord) Fail(fmt::format("'{}' is not expected", tokens_[position_].text));
    const std::string& word = tokens_[position_++].text;
    if (word == "CHAR") return DataType(TypeRoot::kChar, true, ParseParameter(1, 1, kMax));
    if (word == "VARCHAR") return DataType(TypeRoot::kVarchar, true, ParseParameter(1, 1, kMax));
    if (word == "STRING") return DataType::String();
    if (word == "BINARY") return DataType(TypeRoot::kBinary, true, ParseParameter(1, 1, kMax));
    if (word == "VARBINARY") return DataType(TypeRoot::kVarbinary, true, ParseParameter(1, 1, kMax));
    if (word == "BYTES") return DataType::Bytes();
    if (word == "BOOLEAN") return DataType(TypeRoot::kBoolean);
    if (word == "DECIMAL" || word == "NUMERIC" || word == "DEC") return ParseDecimal();
    if (word == "TINYINT") return DataType(TypeRoot::kTinyInt);
    if (word == "SMALLINT") return DataType(TypeRoot::kSmallInt);
    if (word == "INT" || word == "INTEGER") return DataType::Int();
    if (word == "BIGINT") return DataType::BigInt();
    if (word == "FLOAT") return DataType(TypeRoot::kFloat);
    if (word == "DOUBLE") {
      Accept("PRECISION");
      return DataType(TypeRoot::kDouble);
    }
    if (word == "DATE") return DataType(TypeRoot::kDate);
    if (word == "TIME") {
      const int32_t precision = ParseParameter(0, 0, kMaxTimePrecision);
      if (Accept("WITHOUT")) ExpectTimeZone();
      return DataType(TypeRoot::kTime, true, precision);
    }
    if (word == "TIMESTAMP") return ParseTimestamp();
    if (word == "TIMESTAMP_LTZ") return DataType::TimestampLtz(ParseParameter(6, 0, kMaxTimePrecision));
    if (word == "VARIANT") return DataType(TypeRoot::kVariant);
    if (word == "BLOB") return DataType(TypeRoot::kBlob);
    if (word == "GEOMETRY" || word == "GEOGRAPHY" || word == "VECTOR") {
      throw Unsupported("The type '{}' is not supported", text_);
    }
    Fail(fmt::format("'{}' is no type", word));
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
};

}  // namespace

DataType DataType::FromJson(const Json& json, int32_t* next_field_id) {
  int32_t own_counter = 0;
  return TypeFromJson(json, next_field_id ? next_field_id : &own_counter, 0);
}

DataType DataType::Parse(std::string_view text) {
  return TypeParser(text).ParseWhole();
}

DataField DataField::FromJson(const Json& json, int32_t* next_field_id) {
  int32_t own_counter = 0;
  return FieldFromJson(json, next_field_id ? next_field_id : &own_counter, 0);
}

DataField SequenceNumberField() {
  return {kSequenceNumberId, std::string(kSequenceNumber), DataType::BigInt().WithNullable(false)};
}

DataField ValueKindField() {
  return {kValueKindId, std::string(kValueKind), DataType(TypeRoot::kTinyInt, false)};
}

DataField KeyField(const DataField& field) {
  DataField key = field;
  key.id += kKeyFieldIdBase;
  key.name = std::string(kKeyPrefix) + field.name;
  return key;
}

int FindField(const std::vector<DataField>& fields, std::string_view name) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int FindFieldById(const std::vector<DataField>& fields, int32_t id) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].id == id) return static_cast<int>(i);
  }
  return -1;
}

DataType AssignNestedIds(const DataType& type, int32_t* highest_id) {
  switch (type.root()) {
    case TypeRoot::kArray:
      return DataType::Array(AssignNestedIds(type.element(), highest_id)).WithNullable(type.nullable());
    case TypeRoot::kMultiset:
      return DataType::Multiset(AssignNestedIds(type.element(), highest_id)).WithNullable(type.nullable());
    case TypeRoot::kMap: {
      DataType key = AssignNestedIds(type.key(), highest_id);
      return DataType::Map(std::move(key), AssignNestedIds(type.value(), highest_id)).WithNullable(type.nullable());
    }
    case TypeRoot::kRow: {
      // Format 2.1: inside a type, what a field holds is numbered before the field itself.
      std::vector<DataField> fields = type.fields();
      for (DataField& field : fields) {
        field.type = AssignNestedIds(field.type, highest_id);
        field.id = ++*highest_id;
      }
      return DataType::Row(std::move(fields)).WithNullable(type.nullable());
    }
    default: return type;
  }
}

std::vector<DataField> AssignFieldIds(std::vector<DataField> fields, int32_t* highest_id) {
  for (DataField& field : fields) {
    field.id = ++*highest_id;
    field.type = AssignNestedIds(field.type, highest_id);
  }
  return fields;
}

namespace {
int32_t HighestNestedId(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kArray:
    case TypeRoot::kMultiset: return HighestNestedId(type.element());
    case TypeRoot::kMap: return std::max(HighestNestedId(type.key()), HighestNestedId(type.value()));
    case TypeRoot::kRow: return HighestFieldId(type.fields());
    default: return -1;
  }
}
}  // namespace

int32_t HighestFieldId(const std::vector<DataField>& fields) {
  int32_t highest = -1;
  for (const DataField& field : fields) {
    if (field.id < kSystemFieldIdStart) highest = std::max(highest, field.id);
    highest = std::max(highest, HighestNestedId(field.type));
  }
  return highest;
}

namespace {
// Format 8.2. Ids near the top of the range wrap like Java's ints.
constexpr uint32_t kDerivedIdBase = 536870911;
constexpr uint32_t kDerivedIdsPerField = 1024;
}  // namespace

int32_t ElementFieldId(int32_t field_id, int32_t depth) {
  return static_cast<int32_t>(kDerivedIdBase + kDerivedIdsPerField * static_cast<uint32_t>(field_id) +
                              static_cast<uint32_t>(depth));
}

int32_t MapKeyFieldId(int32_t field_id, int32_t depth) {
  return static_cast<int32_t>(kDerivedIdBase - kDerivedIdsPerField * static_cast<uint32_t>(field_id) -
                              static_cast<uint32_t>(depth));
}

int32_t MapValueFieldId(int32_t field_id, int32_t depth) {
  return ElementFieldId(field_id, depth);
}

}  // namespace mica
