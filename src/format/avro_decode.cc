#include "format/avro_decode.h"

#include <limits>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/bytes.h"
#include "types/decimal.h"
#include "types/text_length.h"

namespace mica {

namespace {

using DecoderPtr = std::unique_ptr<AvroValueDecoder>;

class Skip final : public AvroValueDecoder {
 public:
  explicit Skip(const AvroNode& node) : node_(node) {}
  void Decode(AvroCursor& cursor) override { SkipAvro(node_, cursor); }

 private:
  const AvroNode& node_;
};

// A union of null and one type.
class Nullable final : public AvroValueDecoder {
 public:
  Nullable(int64_t null_branch, arrow::ArrayBuilder* builder, DecoderPtr value)
      : null_branch_(null_branch), builder_(builder), value_(std::move(value)) {}

  void Decode(AvroCursor& cursor) override {
    int64_t branch = cursor.Long();
    if (branch == null_branch_) {
      Check(builder_->AppendNull());
    } else if (branch == 1 - null_branch_) {
      value_->Decode(cursor);
    } else {
      AvroCursor::Fail("a union has no such branch");
    }
  }

 private:
  int64_t null_branch_;
  arrow::ArrayBuilder* builder_;
  DecoderPtr value_;
};

class AlwaysNull final : public AvroValueDecoder {
 public:
  explicit AlwaysNull(arrow::ArrayBuilder* builder) : builder_(builder) {}
  void Decode(AvroCursor&) override { Check(builder_->AppendNull()); }

 private:
  arrow::ArrayBuilder* builder_;
};

template <typename Builder>
class Integer final : public AvroValueDecoder {
 public:
  explicit Integer(arrow::ArrayBuilder* builder) : builder_(static_cast<Builder*>(builder)) {}
  void Decode(AvroCursor& cursor) override {
    using T = typename Builder::value_type;
    int64_t value = cursor.Long();
    if (value != static_cast<T>(value)) AvroCursor::Fail("an integer is too large for its column");
    Check(builder_->Append(static_cast<T>(value)));
  }

 private:
  Builder* builder_;
};

class Boolean final : public AvroValueDecoder {
 public:
  explicit Boolean(arrow::ArrayBuilder* builder) : builder_(static_cast<arrow::BooleanBuilder*>(builder)) {}
  void Decode(AvroCursor& cursor) override { Check(builder_->Append(*cursor.Fixed(1).data() != 0)); }

 private:
  arrow::BooleanBuilder* builder_;
};

template <typename Stored, typename Builder>
class Floating final : public AvroValueDecoder {
 public:
  explicit Floating(arrow::ArrayBuilder* builder) : builder_(static_cast<Builder*>(builder)) {}
  void Decode(AvroCursor& cursor) override {
    Check(builder_->Append(LoadLittle<Stored>(cursor.Fixed(sizeof(Stored)).data())));
  }

 private:
  Builder* builder_;
};

class Bytes final : public AvroValueDecoder {
 public:
  // `pad_to` characters for CHAR, 0 otherwise.
  Bytes(arrow::ArrayBuilder* builder, int64_t pad_to)
      : builder_(static_cast<arrow::BinaryBuilder*>(builder)), pad_to_(pad_to) {}
  void Decode(AvroCursor& cursor) override {
    std::string_view bytes = cursor.Bytes();
    int64_t missing = pad_to_ > 0 ? pad_to_ - CountCodePoints(bytes) : 0;
    if (missing <= 0) return Check(builder_->Append(bytes));
    std::string padded(bytes);
    padded.append(static_cast<size_t>(missing), ' ');
    Check(builder_->Append(padded));
  }

 private:
  arrow::BinaryBuilder* builder_;
  int64_t pad_to_;
};

class Decimal final : public AvroValueDecoder {
 public:
  Decimal(arrow::ArrayBuilder* builder, int64_t fixed_size, int32_t precision)
      : builder_(static_cast<arrow::Decimal128Builder*>(builder)),
        fixed_size_(fixed_size),
        limit_(PowerOfTen(precision)) {}
  void Decode(AvroCursor& cursor) override {
    std::string_view bytes = fixed_size_ > 0 ? cursor.Fixed(fixed_size_) : cursor.Bytes();
    if (bytes.empty() || bytes.size() > 16) AvroCursor::Fail("a decimal is of no or too many bytes");
    Int128 value = DecimalFromBigEndian(bytes);
    if (value >= limit_ || value <= -limit_) AvroCursor::Fail("a decimal has too many digits for its column");
    arrow::Decimal128 decimal;
    std::memcpy(static_cast<void*>(&decimal), &value, sizeof(value));
    Check(builder_->Append(decimal));
  }

 private:
  arrow::Decimal128Builder* builder_;
  int64_t fixed_size_;
  Int128 limit_;
};

// Calls `item` for every item of the blocks of an array or map.
template <typename Item>
void ForEachEntry(AvroCursor& cursor, Item&& item) {
  while (true) {
    int64_t count = cursor.Long();
    if (count == 0) return;
    if (count < 0) {  // with its size in bytes
      cursor.Long();
      count = count == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max() : -count;
    }
    // Each item takes a byte at least, so a false count cannot make much of little.
    if (static_cast<uint64_t>(count) > cursor.remaining()) AvroCursor::Fail("an array is longer than the block");
    for (; count > 0; --count) item();
  }
}

class List final : public AvroValueDecoder {
 public:
  List(arrow::ArrayBuilder* builder, DecoderPtr element)
      : builder_(static_cast<arrow::ListBuilder*>(builder)), element_(std::move(element)) {}
  void Decode(AvroCursor& cursor) override {
    Check(builder_->Append());
    ForEachEntry(cursor, [&] { element_->Decode(cursor); });
  }

 private:
  arrow::ListBuilder* builder_;
  DecoderPtr element_;
};

// An Avro map, or an array of records of key and value (both give the key, then the value).
class Map final : public AvroValueDecoder {
 public:
  Map(arrow::ArrayBuilder* builder, DecoderPtr key, DecoderPtr value)
      : builder_(static_cast<arrow::MapBuilder*>(builder)), key_(std::move(key)), value_(std::move(value)) {}
  void Decode(AvroCursor& cursor) override {
    Check(builder_->Append());
    ForEachEntry(cursor, [&] {
      int64_t before = builder_->key_builder()->null_count();
      key_->Decode(cursor);
      if (builder_->key_builder()->null_count() != before) AvroCursor::Fail("a key of a map is null");
      value_->Decode(cursor);
    });
  }

 private:
  arrow::MapBuilder* builder_;
  DecoderPtr key_;
  DecoderPtr value_;
};

class Record final : public AvroValueDecoder {
 public:
  Record(arrow::ArrayBuilder* builder, std::vector<DecoderPtr> fields)
      : builder_(static_cast<arrow::StructBuilder*>(builder)), fields_(std::move(fields)) {}
  void Decode(AvroCursor& cursor) override {
    Check(builder_->Append());
    for (const DecoderPtr& field : fields_) field->Decode(cursor);
  }

 private:
  arrow::StructBuilder* builder_;
  std::vector<DecoderPtr> fields_;
};

std::string_view KindName(AvroKind kind) {
  constexpr std::string_view kNames[] = {"null",   "boolean", "int",  "long",  "float", "double", "bytes",
                                         "string", "fixed",   "enum", "array", "map",   "union",  "record"};
  return kNames[static_cast<size_t>(kind)];
}

Error Misfit(const AvroNode& node, const DataType& type, const std::string& column) {
  return Corrupt("The column '{}' of the file is of Avro type {} and cannot be read as {}", column, KindName(node.kind),
                 type.ToString());
}

DecoderPtr CompileInteger(const DataType& type, arrow::ArrayBuilder* builder) {
  switch (type.root()) {
    case TypeRoot::kTinyInt:
      return std::make_unique<Integer<arrow::Int8Builder>>(builder);
    case TypeRoot::kSmallInt:
      return std::make_unique<Integer<arrow::Int16Builder>>(builder);
    case TypeRoot::kInt:
      return std::make_unique<Integer<arrow::Int32Builder>>(builder);
    case TypeRoot::kBigInt:
      return std::make_unique<Integer<arrow::Int64Builder>>(builder);
    case TypeRoot::kDate:
      return std::make_unique<Integer<arrow::Date32Builder>>(builder);
    case TypeRoot::kTime:
      return std::make_unique<Integer<arrow::Time32Builder>>(builder);
    default:
      return std::make_unique<Integer<arrow::TimestampBuilder>>(builder);
  }
}

DecoderPtr CompileRecordValue(const AvroNode& node, const DataType& type, arrow::ArrayBuilder* builder,
                              const std::string& column) {
  if (node.kind != AvroKind::kRecord) throw Misfit(node, type, column);
  auto* row = static_cast<arrow::StructBuilder*>(builder);
  const auto& wanted = type.fields();
  std::vector<DecoderPtr> decoders;
  std::vector<bool> found(wanted.size(), false);
  for (size_t i = 0; i < node.names.size(); ++i) {
    int at = FindField(wanted, node.names[i]);
    if (at < 0) {
      decoders.push_back(SkippingDecoder(*node.children[i]));
      continue;
    }
    const DataField& field = wanted[static_cast<size_t>(at)];
    if (found[static_cast<size_t>(at)]) throw Corrupt("The column '{}' has the field '{}' twice", column, field.name);
    found[static_cast<size_t>(at)] = true;
    decoders.push_back(
        CompileDecoder(*node.children[i], field.type, row->field_builder(at), column + "." + field.name));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!found[i]) throw Corrupt("The column '{}' of the file has no field '{}'", column, wanted[i].name);
  }
  return std::make_unique<Record>(builder, std::move(decoders));
}

DecoderPtr CompileMap(const AvroNode& node, const DataType& type, arrow::ArrayBuilder* builder,
                      const std::string& column) {
  static const AvroNode kString{.kind = AvroKind::kString};
  const bool multiset = type.root() == TypeRoot::kMultiset;
  const DataType& key_type = multiset ? type.element() : type.key();
  const DataType value_type = multiset ? DataType::Int().WithNullable(false) : type.value();
  auto* map = static_cast<arrow::MapBuilder*>(builder);
  const AvroNode* key = &kString;
  const AvroNode* value = nullptr;
  if (node.kind == AvroKind::kMap) {
    value = node.children[0];
  } else if (node.kind == AvroKind::kArray && node.children[0]->kind == AvroKind::kRecord &&
             node.children[0]->names == std::vector<std::string>{"key", "value"}) {
    key = node.children[0]->children[0];
    value = node.children[0]->children[1];
  } else {
    throw Misfit(node, type, column);
  }
  return std::make_unique<Map>(builder, CompileDecoder(*key, key_type, map->key_builder(), column + ".key"),
                               CompileDecoder(*value, value_type, map->item_builder(), column + ".value"));
}

DecoderPtr CompilePlain(const AvroNode& node, const DataType& type, arrow::ArrayBuilder* builder,
                        const std::string& column) {
  const AvroKind kind = node.kind;
  switch (type.root()) {
    case TypeRoot::kBoolean:
      if (kind == AvroKind::kBoolean) return std::make_unique<Boolean>(builder);
      break;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      if (type.precision() > 6)
        throw Unsupported("The column '{}' of type {} cannot be in Avro files", column, type.ToString());
      [[fallthrough]];
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
    case TypeRoot::kBigInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      if (kind == AvroKind::kInt || kind == AvroKind::kLong) return CompileInteger(type, builder);
      break;
    case TypeRoot::kFloat:
      if (kind == AvroKind::kFloat) return std::make_unique<Floating<float, arrow::FloatBuilder>>(builder);
      break;
    case TypeRoot::kDouble:
      if (kind == AvroKind::kDouble) return std::make_unique<Floating<double, arrow::DoubleBuilder>>(builder);
      if (kind == AvroKind::kFloat) return std::make_unique<Floating<float, arrow::DoubleBuilder>>(builder);
      break;
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob:
      if (kind == AvroKind::kString || kind == AvroKind::kBytes) {
        return std::make_unique<Bytes>(builder, type.root() == TypeRoot::kChar ? type.length() : 0);
      }
      break;
    case TypeRoot::kDecimal:
      if (kind == AvroKind::kBytes || (kind == AvroKind::kFixed && node.size > 0)) {
        return std::make_unique<Decimal>(builder, kind == AvroKind::kFixed ? node.size : 0, type.precision());
      }
      break;
    case TypeRoot::kArray:
      if (kind == AvroKind::kArray) {
        auto* list = static_cast<arrow::ListBuilder*>(builder);
        return std::make_unique<List>(
            builder, CompileDecoder(*node.children[0], type.element(), list->value_builder(), column + ".element"));
      }
      break;
    case TypeRoot::kMap:
    case TypeRoot::kMultiset:
      return CompileMap(node, type, builder, column);
    case TypeRoot::kRow:
      return CompileRecordValue(node, type, builder, column);
    case TypeRoot::kVariant:
      throw Unsupported("The column '{}' of type VARIANT cannot be in Avro files", column);
  }
  throw Misfit(node, type, column);
}

}  // namespace

std::unique_ptr<AvroValueDecoder> CompileDecoder(const AvroNode& node, const DataType& type,
                                                 arrow::ArrayBuilder* builder, const std::string& column) {
  if (node.kind == AvroKind::kNull) return std::make_unique<AlwaysNull>(builder);
  if (node.kind != AvroKind::kUnion) return CompilePlain(node, type, builder, column);
  const bool first_null = node.children[0]->kind == AvroKind::kNull;
  if (node.children.size() != 2 || (!first_null && node.children[1]->kind != AvroKind::kNull)) {
    throw Misfit(node, type, column);
  }
  const AvroNode& value = *node.children[first_null ? 1 : 0];
  return std::make_unique<Nullable>(first_null ? 0 : 1, builder, CompilePlain(value, type, builder, column));
}

std::unique_ptr<AvroValueDecoder> SkippingDecoder(const AvroNode& node) {
  return std::make_unique<Skip>(node);
}

}  // namespace mica
