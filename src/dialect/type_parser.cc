#include "dialect/type_parser.h"

#include <array>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "dialect/keywords.h"

namespace mica::dialect {
namespace {

constexpr int32_t kMaxPrecision = 9;
constexpr int32_t kDefaultTimestampPrecision = 6;
// Deep enough for any schema; keeps broken text from using up the stack.
constexpr int kMaxDepth = 100;

class TypeParser {
 public:
  TypeParser(Cursor& cursor, const TypeRules& rules) : cursor_(cursor), rules_(rules) {}

  DataType Parse(int depth) {
    if (depth > kMaxDepth) throw cursor_.UnsupportedHere(fmt::format("types nested deeper than {}", kMaxDepth));
    DataType type = Base(depth);
    for (int wraps = 0;; ++wraps) {
      if (wraps + depth > kMaxDepth)
        throw cursor_.UnsupportedHere(fmt::format("types nested deeper than {}", kMaxDepth));
      if (cursor_.AcceptSequence({"NOT", "NULL"})) {
        type = type.WithNullable(false);
      } else if (cursor_.Accept("NULL")) {
        type = type.WithNullable(true);
      } else if (cursor_.Accept("ARRAY")) {
        type = DataType::Array(type);
      } else if (cursor_.Accept("MULTISET")) {
        type = DataType::Multiset(type);
      } else if (cursor_.Peek().IsOperator("[") && cursor_.Peek(1).IsOperator("]")) {
        cursor_.Next();
        cursor_.Next();
        type = DataType::Array(type);
      } else {
        return type;
      }
    }
  }

 private:
  struct Simple {
    std::string_view name;
    TypeRoot root;
  };
  static constexpr std::array kSimple = {
      Simple{"BOOLEAN", TypeRoot::kBoolean},   Simple{"BOOL", TypeRoot::kBoolean},
      Simple{"TINYINT", TypeRoot::kTinyInt},   Simple{"BYTE", TypeRoot::kTinyInt},
      Simple{"SMALLINT", TypeRoot::kSmallInt}, Simple{"SHORT", TypeRoot::kSmallInt},
      Simple{"INT", TypeRoot::kInt},           Simple{"INTEGER", TypeRoot::kInt},
      Simple{"BIGINT", TypeRoot::kBigInt},     Simple{"LONG", TypeRoot::kBigInt},
      Simple{"FLOAT", TypeRoot::kFloat},       Simple{"REAL", TypeRoot::kFloat},
      Simple{"DATE", TypeRoot::kDate},         Simple{"VARIANT", TypeRoot::kVariant},
      Simple{"BLOB", TypeRoot::kBlob},
  };

  DataType Base(int depth) {
    for (const Simple& simple : kSimple) {
      if (cursor_.Accept(simple.name)) return DataType(simple.root);
    }
    if (cursor_.Accept("DOUBLE")) {
      cursor_.Accept("PRECISION");
      return DataType(TypeRoot::kDouble);
    }
    if (cursor_.Accept("STRING")) return DataType::String();
    if (cursor_.Accept("BYTES")) return DataType::Bytes();
    if (auto word = cursor_.AcceptOneOf({"CHAR", "CHARACTER", "VARCHAR", "BINARY", "VARBINARY"})) return Lengthy(*word);
    if (cursor_.AcceptOneOf({"DECIMAL", "DEC", "NUMERIC"})) return Decimal();
    if (auto word = cursor_.AcceptOneOf({"TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "TIMESTAMPTZ"})) {
      return Temporal(*word);
    }
    if (cursor_.Accept("ARRAY")) return Collection(TypeRoot::kArray, depth);
    if (cursor_.Accept("MULTISET")) return Collection(TypeRoot::kMultiset, depth);
    if (cursor_.Accept("MAP")) return Map(depth);
    if (cursor_.AcceptOneOf({"ROW", "STRUCT"})) return Row(depth);
    throw Unknown();
  }

  Error Unknown() const {
    static const std::vector<std::string> kNames = {
        "ARRAY",    "BIGINT",    "BINARY",        "BLOB",          "BOOLEAN", "BYTE",      "BYTES",   "CHAR",
        "DATE",     "DECIMAL",   "DOUBLE",        "FLOAT",         "INT",     "INTEGER",   "LONG",    "MAP",
        "MULTISET", "NUMERIC",   "REAL",          "ROW",           "SHORT",   "SMALLINT",  "STRING",  "STRUCT",
        "TIME",     "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "TINYINT", "VARBINARY", "VARCHAR", "VARIANT"};
    if (cursor_.Peek().kind != TokenKind::kWord) return cursor_.Expected("a data type");
    std::string_view word = cursor_.Peek().text;
    return SyntaxError(cursor_.source(), cursor_.Peek().range.begin,
                       fmt::format("unknown data type '{}'{}", word, DidYouMean(ToUpper(word), kNames)));
  }

  // One number in range, the current token.
  int32_t Number(int64_t low, int64_t high, std::string_view what) {
    size_t at = cursor_.Peek().range.begin;
    int64_t value = cursor_.ExpectInteger(what);
    if (value < low || value > high) {
      throw SyntaxError(cursor_.source(), at,
                        fmt::format("{} is {}, it must be from {} to {}", what, value, low, high));
    }
    return static_cast<int32_t>(value);
  }

  std::optional<int32_t> Argument(int64_t low, int64_t high, std::string_view what) {
    if (!cursor_.AcceptOperator("(")) return std::nullopt;
    int32_t value = Number(low, high, what);
    cursor_.ExpectOperator(")");
    return value;
  }

  DataType Lengthy(std::string_view word) {
    size_t at = cursor_.Peek().range.begin;
    if (word == "CHARACTER") word = cursor_.Accept("VARYING") ? "VARCHAR" : "CHAR";
    std::optional<int32_t> length = Argument(1, DataType::kMaxLength, "the length");
    bool spark = cursor_.dialect() == Dialect::kSpark;
    if (!length && word == "BINARY" && spark) return DataType::Bytes();
    if (!length && spark) {
      throw SyntaxError(
          cursor_.source(), at,
          fmt::format("{} needs a length, as in {}(10). For text of any length write STRING, for bytes BINARY", word,
                      word));
    }
    TypeRoot root = word == "CHAR"      ? TypeRoot::kChar
                    : word == "VARCHAR" ? TypeRoot::kVarchar
                    : word == "BINARY"  ? TypeRoot::kBinary
                                        : TypeRoot::kVarbinary;
    return DataType(root, true, length.value_or(1));
  }

  DataType Decimal() {
    int32_t precision = 10;
    int32_t scale = 0;
    if (cursor_.AcceptOperator("(")) {
      precision = Number(1, 38, "the precision of DECIMAL");
      if (cursor_.AcceptOperator(",")) scale = Number(0, precision, "the scale of DECIMAL");
      cursor_.ExpectOperator(")");
    }
    return DataType::Decimal(precision, scale);
  }

  DataType Temporal(std::string_view word) {
    std::optional<int32_t> precision = Argument(0, kMaxPrecision, fmt::format("the precision of {}", word));
    int32_t digits = precision.value_or(kDefaultTimestampPrecision);
    if (word == "TIME") {
      cursor_.AcceptSequence({"WITHOUT", "TIME", "ZONE"});
      return DataType(TypeRoot::kTime, true, precision.value_or(0));
    }
    if (word == "TIMESTAMP_LTZ" || word == "TIMESTAMPTZ") return DataType::TimestampLtz(digits);
    if (word == "TIMESTAMP_NTZ" || cursor_.AcceptSequence({"WITHOUT", "TIME", "ZONE"}))
      return DataType::Timestamp(digits);
    if (cursor_.AcceptSequence({"WITH", "LOCAL", "TIME", "ZONE"})) return DataType::TimestampLtz(digits);
    if (cursor_.AtSequence({"WITH", "TIME", "ZONE"})) {
      throw cursor_.UnsupportedHere(
          "TIMESTAMP WITH TIME ZONE: a zone in each value. Use TIMESTAMP WITH LOCAL TIME ZONE");
    }
    bool local = cursor_.dialect() == Dialect::kSpark && !precision && !rules_.timestamp_ntz;
    return local ? DataType::TimestampLtz(digits) : DataType::Timestamp(digits);
  }

  // The bracket that opened; the one that closes has to fit.
  std::string_view Open() {
    if (cursor_.AcceptOperator("(")) return ")";
    // The tokenizer takes <> as one operator; an empty list is an error here anyway.
    cursor_.ExpectOperator("<");
    return ">";
  }

  DataType Collection(TypeRoot root, int depth) {
    std::string_view close = Open();
    DataType element = Parse(depth + 1);
    cursor_.ExpectOperator(close);
    return root == TypeRoot::kArray ? DataType::Array(element) : DataType::Multiset(element);
  }

  DataType Map(int depth) {
    std::string_view close = Open();
    DataType key = Parse(depth + 1);
    cursor_.ExpectOperator(",");
    DataType value = Parse(depth + 1);
    cursor_.ExpectOperator(close);
    return DataType::Map(key, value);
  }

  // ROW<a INT 'note', b STRING>, STRUCT<a: INT COMMENT 'note'>
  DataType Row(int depth) {
    std::string_view close = Open();
    std::vector<DataField> fields;
    std::unordered_set<std::string> names;
    do {
      DataField field;
      size_t at = cursor_.Peek().range.begin;
      field.name = cursor_.ExpectName("a field name");
      if (!names.insert(field.name).second) {
        throw SyntaxError(cursor_.source(), at, fmt::format("field '{}' is given twice", field.name));
      }
      cursor_.AcceptOperator(":");
      field.type = Parse(depth + 1);
      if (cursor_.Accept("COMMENT") || cursor_.AtString()) field.description = cursor_.ExpectString("a comment");
      fields.push_back(std::move(field));
    } while (cursor_.AcceptOperator(","));
    cursor_.ExpectOperator(close);
    return DataType::Row(std::move(fields));
  }

  Cursor& cursor_;
  TypeRules rules_;
};

std::string EngineTimestamp(int32_t precision) {
  if (precision == 0) return "TIMESTAMP_S";
  if (precision <= 3) return "TIMESTAMP_MS";
  return precision <= 6 ? "TIMESTAMP" : "TIMESTAMP_NS";
}

}  // namespace

DataType ParseType(Cursor& cursor, const TypeRules& rules) {
  return TypeParser(cursor, rules).Parse(0);
}

DataType ParseType(std::string_view text, Dialect dialect, const TypeRules& rules) {
  Tokens tokens = Tokenize(text, dialect);
  if (tokens.unclosed != Unclosed::kNothing)
    throw SyntaxError(text, tokens.unclosed_at, "quote or comment is not closed");
  Cursor cursor(text, tokens.list, dialect);
  DataType type = ParseType(cursor, rules);
  cursor.ExpectEnd();
  return type;
}

std::string EngineType(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return "VARCHAR";
    case TypeRoot::kBoolean:
      return "BOOLEAN";
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return "BLOB";
    case TypeRoot::kDecimal:
      return fmt::format("DECIMAL({}, {})", type.precision(), type.scale());
    case TypeRoot::kTinyInt:
      return "TINYINT";
    case TypeRoot::kSmallInt:
      return "SMALLINT";
    case TypeRoot::kInt:
      return "INTEGER";
    case TypeRoot::kBigInt:
      return "BIGINT";
    case TypeRoot::kFloat:
      return "FLOAT";
    case TypeRoot::kDouble:
      return "DOUBLE";
    case TypeRoot::kDate:
      return "DATE";
    case TypeRoot::kTime:
      return "TIME";
    case TypeRoot::kTimestamp:
      return EngineTimestamp(type.precision());
    case TypeRoot::kTimestampLtz:
      return "TIMESTAMPTZ";
    case TypeRoot::kVariant:
      return "VARIANT";
    case TypeRoot::kArray:
      return EngineType(type.element()) + "[]";
    case TypeRoot::kMultiset:
      return fmt::format("MAP({}, INTEGER)", EngineType(type.element()));
    case TypeRoot::kMap:
      return fmt::format("MAP({}, {})", EngineType(type.key()), EngineType(type.value()));
    case TypeRoot::kRow:
      break;
  }
  std::string out = "STRUCT(";
  for (const DataField& field : type.fields()) {
    if (out.back() != '(') out += ", ";
    out += QuoteName(field.name) + " " + EngineType(field.type);
  }
  return out + ")";
}

}  // namespace mica::dialect
