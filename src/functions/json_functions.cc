// Values as JSON text as Spark writes it, and the schema of a JSON text.
#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include <duckdb/execution/expression_executor.hpp>

#include "base/text.h"
#include "functions/function_entries.h"
#include "functions/plain_column.h"

namespace mica::sql {

namespace {

using duckdb::DataChunk;
using duckdb::ExpressionState;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::string_t;
using duckdb::StringVector;
using duckdb::UnifiedVectorFormat;
using duckdb::Value;
using duckdb::Vector;

// ---- to_json ----

void AppendQuoted(std::string_view text, std::string* out) {
  static constexpr std::string_view kEscaped = "\b\t\n\f\r\"\\", kLetters = "btnfr\"\\";
  *out += '"';
  for (char c : text) {
    const size_t at = kEscaped.find(c);
    if (at != std::string_view::npos) {
      *out += '\\';
      *out += kLetters[at];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(*out), "\\u{:04X}", static_cast<unsigned>(c));
    } else {
      *out += c;
    }
  }
  *out += '"';
}

// A column of any type and the way to write its values. Fields of structs that are NULL are left out.
class JsonColumn {
 public:
  JsonColumn(Vector& column, idx_t count) : type_(column.GetType()) {
    switch (type_.id()) {
      case LogicalTypeId::STRUCT:
        if (column.GetVectorType() != duckdb::VectorType::FLAT_VECTOR) column.Flatten(count);
        for (auto& field : duckdb::StructVector::GetEntries(column)) parts_.emplace_back(*field, count);
        break;
      case LogicalTypeId::LIST:
        parts_.emplace_back(duckdb::ListVector::GetEntry(column), duckdb::ListVector::GetListSize(column));
        break;
      case LogicalTypeId::MAP: {
        const idx_t entries = duckdb::ListVector::GetListSize(column);
        parts_.emplace_back(duckdb::MapVector::GetKeys(column), entries);
        parts_.emplace_back(duckdb::MapVector::GetValues(column), entries);
        break;
      }
      default:
        plain_ = std::make_unique<PlainColumn>(column, count);
        return;
    }
    column.ToUnifiedFormat(count, format_);
  }

  bool IsNull(idx_t row) const {
    return plain_ ? plain_->IsNull(row) : !format_.validity.RowIsValid(format_.sel->get_index(row));
  }

  void Append(idx_t row, std::string* out) const {
    if (IsNull(row)) {
      *out += "null";
    } else if (plain_) {
      AppendPlain(row, out);
    } else if (type_.id() == LogicalTypeId::STRUCT) {
      AppendFields(format_.sel->get_index(row), out);
    } else {
      AppendEntries(UnifiedVectorFormat::GetData<duckdb::list_entry_t>(format_)[format_.sel->get_index(row)], out);
    }
  }

 private:
  void AppendPlain(idx_t row, std::string* out) const {
    if (plain_->IsBare(row)) return plain_->Append(row, out);
    std::string text;
    plain_->Append(row, &text);
    AppendQuoted(text, out);
  }

  // Of an array or a map.
  void AppendEntries(duckdb::list_entry_t entry, std::string* out) const {
    const bool map = type_.id() == LogicalTypeId::MAP;
    *out += map ? '{' : '[';
    for (idx_t i = 0; i < entry.length; ++i) {
      if (i > 0) *out += ',';
      if (map) {
        parts_[0].AppendKey(entry.offset + i, out);
        *out += ':';
      }
      parts_.back().Append(entry.offset + i, out);
    }
    *out += map ? '}' : ']';
  }

  void AppendFields(idx_t at, std::string* out) const {
    char before = '{';
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].IsNull(at)) continue;
      *out += before;
      before = ',';
      AppendQuoted(duckdb::StructType::GetChildName(type_, i), out);
      *out += ':';
      parts_[i].Append(at, out);
    }
    *out += before == '{' ? "{}" : "}";
  }

  // A name has to be a text.
  void AppendKey(idx_t row, std::string* out) const {
    std::string key;
    Append(row, &key);
    if (key.starts_with('"'))
      *out += key;
    else
      AppendQuoted(key, out);
  }

  LogicalType type_;
  UnifiedVectorFormat format_;  // of what is not plain
  std::unique_ptr<PlainColumn> plain_;
  std::vector<JsonColumn> parts_;
};

void ToJson(DataChunk& arguments, ExpressionState&, Vector& result) {
  const idx_t rows = arguments.size();
  const bool constant = arguments.AllConstant();
  const JsonColumn column(arguments.data[0], rows);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  std::string text;
  for (idx_t row = 0; row < rows; ++row) {
    if (column.IsNull(row)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    text.clear();
    column.Append(row, &text);
    duckdb::FlatVector::GetData<string_t>(result)[row] = StringVector::AddString(result, text);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// ---- schema_of_json ----

// The type that the values at one place of a JSON text have in common.
struct JsonShape {
  enum class Kind { kNothing, kBoolean, kWhole, kDecimal, kDouble, kText, kArray, kObject };
  Kind kind = Kind::kNothing;
  int digits = 0;                           // of kDecimal, whole numbers beyond 64 bits
  std::map<std::string, JsonShape> fields;  // of kObject
  std::vector<JsonShape> element;           // of kArray: one
};

void MergeInto(JsonShape* shape, JsonShape other) {
  using Kind = JsonShape::Kind;
  constexpr int kLongDigits = 20;  // as which a BIGINT counts beside a decimal
  if (other.kind == Kind::kNothing) return;
  if (shape->kind == Kind::kNothing) {
    *shape = std::move(other);
  } else if (shape->kind == Kind::kObject && other.kind == Kind::kObject) {
    for (auto& [name, field] : other.fields) MergeInto(&shape->fields[name], std::move(field));
  } else if (shape->kind == Kind::kArray && other.kind == Kind::kArray) {
    MergeInto(&shape->element[0], std::move(other.element[0]));
  } else if (shape->kind == other.kind) {
    shape->digits = std::max(shape->digits, other.digits);
  } else {
    auto is_number = [](Kind kind) { return kind == Kind::kWhole || kind == Kind::kDecimal || kind == Kind::kDouble; };
    if (!is_number(shape->kind) || !is_number(other.kind)) {
      *shape = {Kind::kText, 0, {}, {}};
    } else {
      const bool decimal = shape->kind != Kind::kDouble && other.kind != Kind::kDouble;
      *shape = {decimal ? Kind::kDecimal : Kind::kDouble, std::max({shape->digits, other.digits, kLongDigits}), {}, {}};
    }
  }
}

std::string FieldName(const std::string& name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(),
                                                  [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  const bool digits = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return plain && !digits ? name : dialect::BackQuoted(name);
}

// As Spark names it; empty for an object without fields, which has no type inside of others.
std::string ShapeText(const JsonShape& shape) {
  using Kind = JsonShape::Kind;
  switch (shape.kind) {
    case Kind::kNothing:
    case Kind::kText:
      return "STRING";
    case Kind::kBoolean:
      return "BOOLEAN";
    case Kind::kWhole:
      return "BIGINT";
    case Kind::kDecimal:
      return fmt::format("DECIMAL({},0)", shape.digits);
    case Kind::kDouble:
      return "DOUBLE";
    case Kind::kArray: {
      const std::string element = ShapeText(shape.element[0]);
      return element.empty() ? element : "ARRAY<" + element + ">";
    }
    case Kind::kObject: {
      std::string fields;
      for (const auto& [name, field] : shape.fields) {
        const std::string text = ShapeText(field);
        if (!text.empty()) fields += (fields.empty() ? "" : ", ") + FieldName(name) + ": " + text;
      }
      return fields.empty() ? fields : "STRUCT<" + fields + ">";
    }
  }
  return {};
}

// Reads a text without keeping its values.
class ShapeReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Kind = JsonShape::Kind;

  const JsonShape& shape() const { return root_; }
  const std::string& fault() const { return fault_; }

  bool null() override { return Take({}); }
  bool boolean(bool) override { return Take({Kind::kBoolean, 0, {}, {}}); }
  bool number_integer(number_integer_t) override { return Take({Kind::kWhole, 0, {}, {}}); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr uint64_t kMost = INT64_MAX;
    return Take(value <= kMost ? JsonShape{Kind::kWhole, 0, {}, {}} : OfDigits(std::to_string(value)));
  }
  bool number_float(number_float_t, const string_t& text) override { return Take(OfDigits(text)); }
  bool string(string_t& text) override { return Take({text.empty() ? Kind::kNothing : Kind::kText, 0, {}, {}}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Begin({Kind::kObject, 0, {}, {}}); }
  bool key(string_t& name) override {
    open_.back().name = name;
    return true;
  }
  bool end_object() override { return End(); }
  bool start_array(std::size_t) override { return Begin({Kind::kArray, 0, {}, {JsonShape()}}); }
  bool end_array() override { return End(); }
  bool parse_error(std::size_t, const std::string& near, const nlohmann::json::exception&) override {
    fault_ = near;
    return false;
  }

 private:
  struct Open {
    JsonShape shape;
    std::string name;  // of the field that comes next
  };

  static JsonShape OfDigits(const std::string& text) {
    constexpr size_t kMostDigits = 38;
    const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
    const bool whole = digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!whole || digits.size() > kMostDigits) return {Kind::kDouble, 0, {}, {}};
    return {Kind::kDecimal, static_cast<int>(digits.size()), {}, {}};
  }

  bool Begin(JsonShape shape) {
    constexpr size_t kMostDepth = 1000;
    open_.push_back({std::move(shape), {}});
    return open_.size() <= kMostDepth;
  }
  bool End() {
    JsonShape shape = std::move(open_.back().shape);
    open_.pop_back();
    return Take(std::move(shape));
  }
  bool Take(JsonShape shape) {
    if (open_.empty()) {
      root_ = std::move(shape);
      return true;
    }
    JsonShape& parent = open_.back().shape;
    MergeInto(parent.kind == Kind::kArray ? &parent.element[0] : &parent.fields[open_.back().name], std::move(shape));
    return true;
  }

  std::vector<Open> open_;
  JsonShape root_;
  std::string fault_;
};

duckdb::unique_ptr<duckdb::Expression> SchemaOfJson(duckdb::FunctionBindExpressionInput& input) {
  const std::string text = ConstantText(input, "schema_of_json");
  ShapeReader reader;
  if (!nlohmann::json::sax_parse(text, &reader)) {
    throw duckdb::BinderException("'%s' is no JSON text: the fault is near '%s'", text, reader.fault());
  }
  const JsonShape& shape = reader.shape();
  std::string type = ShapeText(shape);
  if (type.empty()) type = shape.kind == JsonShape::Kind::kArray ? "ARRAY<STRUCT<>>" : "STRUCT<>";
  return duckdb::make_uniq<duckdb::BoundConstantExpression>(Value(type));
}

}  // namespace

duckdb::ScalarFunctionSet JsonFunctions(const std::string& name, dialect::Dialect) {
  if (name == "schema_of_json") return BoundFunction(SchemaOfJson, 1);
  duckdb::ScalarFunctionSet set;
  if (name == "to_json") set.AddFunction(duckdb::ScalarFunction({LogicalType::ANY}, LogicalType::VARCHAR, ToJson));
  return set;
}

}  // namespace mica::sql
