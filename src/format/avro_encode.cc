#include "format/avro_encode.h"

#include <arrow/api.h>

#include "base/bytes.h"
#include "format/avro_record.h"
#include "types/decimal.h"

namespace mica {

namespace {

bool HasTextKey(const DataType& type) {
  return type.root() == TypeRoot::kMap && type.key().IsString();
}

Error NotInAvro(const DataType& type, const std::string& column) {
  return Unsupported("The column '{}' of type {} cannot be written to Avro files. Use 'file.format' = 'parquet'",
                     column, type.ToString());
}

Json Logical(const char* physical, const char* logical) {
  return Json{{"type", physical}, {"logicalType", logical}};
}

Json SchemaOf(const DataType& type, const std::string& name, const std::string& column);

Json FieldOf(const std::string& field_name, const DataType& type, const std::string& name, const std::string& column) {
  Json field{{"name", field_name}, {"type", SchemaOf(type, name, column)}};
  if (type.nullable()) field["default"] = nullptr;
  return field;
}

Json RecordOf(const std::vector<DataField>& fields, const std::string& name, const std::string& column) {
  Json record{{"type", "record"}, {"name", name}};
  Json children = Json::array();
  for (const DataField& field : fields) {
    children.push_back(FieldOf(field.name, field.type, name + "_" + field.name, column + "." + field.name));
  }
  record["fields"] = std::move(children);
  return record;
}

Json MapOf(const DataType& type, const std::string& name, const std::string& column) {
  if (type.root() == TypeRoot::kMultiset) {
    if (!type.element().IsString()) throw NotInAvro(type, column);
    return Json{{"type", "map"}, {"values", SchemaOf(DataType::Int().WithNullable(false), name, column)}};
  }
  if (HasTextKey(type)) return Json{{"type", "map"}, {"values", SchemaOf(type.value(), name, column + ".value")}};
  Json key{{"name", "key"}, {"type", SchemaOf(type.key(), name + "_key", column + ".key")}};  // without a default
  Json value = FieldOf("value", type.value(), name + "_value", column + ".value");
  Json entry{{"type", "record"}, {"name", name}, {"fields", Json::array({std::move(key), std::move(value)})}};
  return Json{{"type", "array"}, {"items", std::move(entry)}, {"logicalType", "map"}};
}

Json PlainSchemaOf(const DataType& type, const std::string& name, const std::string& column) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return "boolean";
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
      return "int";
    case TypeRoot::kBigInt:
      return "long";
    case TypeRoot::kFloat:
      return "float";
    case TypeRoot::kDouble:
      return "double";
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return "string";
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return "bytes";
    case TypeRoot::kDate:
      return Logical("int", "date");
    case TypeRoot::kTime:
      if (type.precision() > 3) throw NotInAvro(type, column);
      return Logical("int", "time-millis");
    case TypeRoot::kDecimal: {
      Json decimal = Logical("bytes", "decimal");
      decimal["precision"] = type.precision();
      decimal["scale"] = type.scale();
      return decimal;
    }
    // Format 8.4: the reverse of what Avro means by these names.
    case TypeRoot::kTimestamp:
      if (type.precision() > 6) throw NotInAvro(type, column);
      return Logical("long", type.precision() <= 3 ? "timestamp-millis" : "timestamp-micros");
    case TypeRoot::kTimestampLtz:
      if (type.precision() > 6) throw NotInAvro(type, column);
      return Logical("long", type.precision() <= 3 ? "local-timestamp-millis" : "local-timestamp-micros");
    case TypeRoot::kArray:
      return Json{{"type", "array"}, {"items", SchemaOf(type.element(), name, column + ".element")}};
    case TypeRoot::kMap:
    case TypeRoot::kMultiset:
      return MapOf(type, name, column);
    case TypeRoot::kRow:
      return RecordOf(type.fields(), name, column);
    case TypeRoot::kVariant:
      break;
  }
  throw NotInAvro(type, column);
}

Json SchemaOf(const DataType& type, const std::string& name, const std::string& column) {
  Json plain = PlainSchemaOf(type, name, column);
  if (!type.nullable()) return plain;
  return Json::array({"null", std::move(plain)});  // null is always the first branch (Format 4)
}

using EncoderPtr = std::unique_ptr<AvroValueEncoder>;

template <typename ArrayType>
class Typed : public AvroValueEncoder {
 public:
  void Bind(const arrow::Array& array) override { array_ = &static_cast<const ArrayType&>(array); }

 protected:
  const ArrayType* array_ = nullptr;
};

template <typename ArrayType>
class Integer final : public Typed<ArrayType> {
 public:
  void Encode(int64_t row, std::string& out) const override { AppendAvroLong(out, this->array_->Value(row)); }
};

template <typename ArrayType>
class Floating final : public Typed<ArrayType> {
 public:
  void Encode(int64_t row, std::string& out) const override { AppendLittle(out, this->array_->Value(row)); }
};

class Boolean final : public Typed<arrow::BooleanArray> {
 public:
  void Encode(int64_t row, std::string& out) const override { out.push_back(array_->Value(row) ? '\1' : '\0'); }
};

class Bytes final : public Typed<arrow::BinaryArray> {
 public:
  void Encode(int64_t row, std::string& out) const override { AppendAvroBytes(out, array_->GetView(row)); }
};

class Decimal final : public Typed<arrow::Decimal128Array> {
 public:
  void Encode(int64_t row, std::string& out) const override {
    Int128 value;
    std::memcpy(&value, array_->GetValue(row), sizeof(value));
    AppendAvroBytes(out, DecimalToBigEndian(value));
  }
};

class Nullable final : public AvroValueEncoder {
 public:
  explicit Nullable(EncoderPtr value) : value_(std::move(value)) {}
  void Bind(const arrow::Array& array) override {
    array_ = &array;
    value_->Bind(array);
  }
  void Encode(int64_t row, std::string& out) const override {
    if (array_->IsNull(row)) return out.push_back('\0');
    out.push_back('\2');  // branch 1
    value_->Encode(row, out);
  }

 private:
  EncoderPtr value_;
  const arrow::Array* array_ = nullptr;
};

class Required final : public AvroValueEncoder {
 public:
  Required(EncoderPtr value, std::string column) : value_(std::move(value)), column_(std::move(column)) {}
  void Bind(const arrow::Array& array) override {
    array_ = &array;
    value_->Bind(array);
  }
  void Encode(int64_t row, std::string& out) const override {
    if (array_->IsNull(row)) throw InvalidArgument("The column '{}' is NOT NULL but has a null", column_);
    value_->Encode(row, out);
  }

 private:
  EncoderPtr value_;
  std::string column_;
  const arrow::Array* array_ = nullptr;
};

// One block of items, then the empty block.
template <typename ArrayType, typename Item>
void EncodeItems(const ArrayType& array, int64_t row, std::string& out, Item&& item) {
  const int64_t first = array.value_offset(row), end = array.value_offset(row + 1);
  if (end > first) AppendAvroLong(out, end - first);
  for (int64_t i = first; i < end; ++i) item(i);
  out.push_back('\0');
}

class List final : public Typed<arrow::ListArray> {
 public:
  explicit List(EncoderPtr element) : element_(std::move(element)) {}
  void Bind(const arrow::Array& array) override {
    Typed::Bind(array);
    element_->Bind(*array_->values());
  }
  void Encode(int64_t row, std::string& out) const override {
    EncodeItems(*array_, row, out, [&](int64_t i) { element_->Encode(i, out); });
  }

 private:
  EncoderPtr element_;
};

class Map final : public Typed<arrow::MapArray> {
 public:
  Map(EncoderPtr key, EncoderPtr value) : key_(std::move(key)), value_(std::move(value)) {}
  void Bind(const arrow::Array& array) override {
    Typed::Bind(array);
    key_->Bind(*array_->keys());
    value_->Bind(*array_->items());
  }
  void Encode(int64_t row, std::string& out) const override {
    EncodeItems(*array_, row, out, [&](int64_t i) {
      key_->Encode(i, out);
      value_->Encode(i, out);
    });
  }

 private:
  EncoderPtr key_;
  EncoderPtr value_;
};

class Record final : public Typed<arrow::StructArray> {
 public:
  explicit Record(std::vector<EncoderPtr> fields) : fields_(std::move(fields)) {}
  void Bind(const arrow::Array& array) override {
    Typed::Bind(array);
    children_.clear();
    for (size_t i = 0; i < fields_.size(); ++i) {
      children_.push_back(array_->field(static_cast<int>(i)));  // seen through the offset of the struct
      fields_[i]->Bind(*children_.back());
    }
  }
  void Encode(int64_t row, std::string& out) const override {
    for (const EncoderPtr& field : fields_) field->Encode(row, out);
  }

 private:
  std::vector<EncoderPtr> fields_;
  arrow::ArrayVector children_;
};

EncoderPtr CompilePlain(const DataType& type, const std::string& column) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return std::make_unique<Boolean>();
    case TypeRoot::kTinyInt:
      return std::make_unique<Integer<arrow::Int8Array>>();
    case TypeRoot::kSmallInt:
      return std::make_unique<Integer<arrow::Int16Array>>();
    case TypeRoot::kInt:
      return std::make_unique<Integer<arrow::Int32Array>>();
    case TypeRoot::kBigInt:
      return std::make_unique<Integer<arrow::Int64Array>>();
    case TypeRoot::kDate:
      return std::make_unique<Integer<arrow::Date32Array>>();
    case TypeRoot::kTime:
      return std::make_unique<Integer<arrow::Time32Array>>();
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return std::make_unique<Integer<arrow::TimestampArray>>();
    case TypeRoot::kFloat:
      return std::make_unique<Floating<arrow::FloatArray>>();
    case TypeRoot::kDouble:
      return std::make_unique<Floating<arrow::DoubleArray>>();
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      return std::make_unique<Bytes>();
    case TypeRoot::kDecimal:
      return std::make_unique<Decimal>();
    case TypeRoot::kArray:
      return std::make_unique<List>(CompileEncoder(type.element(), column + ".element"));
    case TypeRoot::kMultiset:
      return std::make_unique<Map>(std::make_unique<Bytes>(), std::make_unique<Integer<arrow::Int32Array>>());
    case TypeRoot::kMap:
      return std::make_unique<Map>(
          HasTextKey(type) ? std::make_unique<Bytes>() : CompileEncoder(type.key(), column + ".key"),
          CompileEncoder(type.value(), column + ".value"));
    case TypeRoot::kRow: {
      std::vector<EncoderPtr> fields;
      for (const DataField& field : type.fields()) {
        fields.push_back(CompileEncoder(field.type, column + "." + field.name));
      }
      return std::make_unique<Record>(std::move(fields));
    }
    case TypeRoot::kVariant:
      break;
  }
  throw NotInAvro(type, column);
}

}  // namespace

std::string AvroSchemaOf(const std::vector<DataField>& fields) {
  Json root{{"type", "record"}, {"name", "record"}, {"namespace", "org.apache.paimon.avro.generated"}};
  Json children = Json::array();
  for (const DataField& field : fields) {
    children.push_back(FieldOf(field.name, field.type, "record_" + field.name, field.name));
  }
  root["fields"] = std::move(children);
  return root.dump();
}

std::unique_ptr<AvroValueEncoder> CompileEncoder(const DataType& type, const std::string& column) {
  EncoderPtr plain = CompilePlain(type, column);
  if (type.nullable()) return std::make_unique<Nullable>(std::move(plain));
  return std::make_unique<Required>(std::move(plain), column);
}

}  // namespace mica
