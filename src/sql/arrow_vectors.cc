#include "sql/arrow_vectors.h"

#include "base/arrow.h"
#include "engine/duck_types.h"
#include "format/conform.h"
#include "sql/errors.h"
#include "types/arrow_types.h"

namespace mica::sql {

namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

std::shared_ptr<arrow::Buffer> ValidityOf(const arrow::Array& array) {
  return array.null_count() == 0 ? nullptr : array.data()->buffers[0];
}

// New values for the slots that are set; the others are 0.
template <typename From, typename To, typename Function>
ArrayPtr MapFixed(const ArrayPtr& array, const std::shared_ptr<arrow::DataType>& type, Function function) {
  int64_t length = array->length();
  const From* in = array->data()->GetValues<From>(1);
  std::shared_ptr<arrow::Buffer> buffer = Take(arrow::AllocateBuffer(length * static_cast<int64_t>(sizeof(To))));
  To* out = reinterpret_cast<To*>(buffer->mutable_data());
  bool nulls = array->null_count() != 0;
  for (int64_t i = 0; i < length; ++i) out[i] = nulls && array->IsNull(i) ? To{} : function(in[i]);
  MICA_CHECK(array->offset() == 0);
  return arrow::MakeArray(arrow::ArrayData::Make(type, length, {ValidityOf(*array), std::move(buffer)}, array->null_count()));
}

int64_t CharacterCount(std::string_view text) {
  int64_t count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return count;
}

// P-12: CHAR(n) has n characters, whoever wrote it.
ArrayPtr PadChars(const ArrayPtr& array, int32_t length) {
  const auto& texts = static_cast<const arrow::StringArray&>(*array);
  bool padded = true;
  for (int64_t i = 0; i < texts.length() && padded; ++i) {
    padded = texts.IsNull(i) || CharacterCount(texts.GetView(i)) >= length;
  }
  if (padded) return array;
  arrow::StringBuilder builder;
  for (int64_t i = 0; i < texts.length(); ++i) {
    if (texts.IsNull(i)) {
      Check(builder.AppendNull());
      continue;
    }
    std::string text(texts.GetView(i));
    int64_t count = CharacterCount(text);
    if (count < length) text.append(static_cast<size_t>(length - count), ' ');
    Check(builder.Append(text));
  }
  return Take(builder.Finish());
}

ArrayPtr WithChildren(const ArrayPtr& array, const std::shared_ptr<arrow::DataType>& type, std::vector<ArrayPtr> children) {
  auto data = array->data()->Copy();
  data->type = type;
  data->child_data.clear();
  for (ArrayPtr& child : children) data->child_data.push_back(child->data());
  return arrow::MakeArray(data);
}

// ---- towards DuckDB: TIMESTAMP(0..3) is widened to microseconds, CHAR padded.

bool NeedsWidening(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kChar: return true;
    case TypeRoot::kTimestamp: return type.precision() <= 3;
    case TypeRoot::kArray:
    case TypeRoot::kMultiset: return NeedsWidening(type.element());
    case TypeRoot::kMap: return NeedsWidening(type.key()) || NeedsWidening(type.value());
    case TypeRoot::kRow:
      for (const DataField& field : type.fields()) {
        if (NeedsWidening(field.type)) return true;
      }
      return false;
    default: return false;
  }
}

DataType WidenedType(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kTimestamp: return type.precision() <= 3 ? DataType::Timestamp(6).WithNullable(type.nullable()) : type;
    case TypeRoot::kArray: return DataType::Array(WidenedType(type.element())).WithNullable(type.nullable());
    case TypeRoot::kMultiset: return DataType::Multiset(WidenedType(type.element())).WithNullable(type.nullable());
    case TypeRoot::kMap:
      return DataType::Map(WidenedType(type.key()), WidenedType(type.value())).WithNullable(type.nullable());
    case TypeRoot::kRow: {
      std::vector<DataField> fields = type.fields();
      for (DataField& field : fields) field.type = WidenedType(field.type);
      return DataType::Row(std::move(fields)).WithNullable(type.nullable());
    }
    default: return type;
  }
}

ArrayPtr Widen(const ArrayPtr& array, const DataType& type) {
  if (!NeedsWidening(type)) return array;
  switch (type.root()) {
    case TypeRoot::kChar: return PadChars(array, type.length());
    case TypeRoot::kTimestamp:
      return MapFixed<int64_t, int64_t>(array, arrow::timestamp(arrow::TimeUnit::MICRO), [](int64_t millis) {
        int64_t micros;
        if (__builtin_mul_overflow(millis, int64_t{1000}, &micros)) {
          throw Unsupported("A timestamp is outside of the years that SQL can show");
        }
        return micros;
      });
    default: break;
  }
  std::shared_ptr<arrow::DataType> target = ToArrowType(WidenedType(type));
  switch (type.root()) {
    case TypeRoot::kArray:
      return WithChildren(array, target, {Widen(static_cast<const arrow::ListArray&>(*array).values(), type.element())});
    case TypeRoot::kMap: {
      const auto& map = static_cast<const arrow::MapArray&>(*array);
      ArrayPtr entries = WithChildren(arrow::MakeArray(map.data()->child_data[0]), target->field(0)->type(),
                                      {Widen(map.keys(), type.key()), Widen(map.items(), type.value())});
      return WithChildren(array, target, {entries});
    }
    case TypeRoot::kMultiset: {
      const auto& map = static_cast<const arrow::MapArray&>(*array);
      ArrayPtr entries = WithChildren(arrow::MakeArray(map.data()->child_data[0]), target->field(0)->type(),
                                      {Widen(map.keys(), type.element()), map.items()});
      return WithChildren(array, target, {entries});
    }
    default: {
      std::vector<ArrayPtr> children;
      const auto& row = static_cast<const arrow::StructArray&>(*array);
      for (int i = 0; i < row.num_fields(); ++i) {
        children.push_back(Widen(arrow::MakeArray(row.data()->child_data[i]), type.fields()[i].type));
      }
      return WithChildren(array, target, std::move(children));
    }
  }
}

// ---- from DuckDB: units and field names of the table's type.

int64_t PowerOfTen(int exponent) {
  int64_t result = 1;
  while (exponent-- > 0) result *= 10;
  return result;
}

// Digits of the fraction beyond the type's precision are cut towards the past.
ArrayPtr NarrowTimestamps(const ArrayPtr& array, const DataType& type, const std::string& column) {
  auto unit = static_cast<const arrow::TimestampType&>(*array->type()).unit();
  int digits = unit == arrow::TimeUnit::NANO ? 9 : unit == arrow::TimeUnit::MICRO ? 6 : unit == arrow::TimeUnit::MILLI ? 3 : 0;
  auto target = ToArrowType(type);
  auto target_unit = static_cast<const arrow::TimestampType&>(*target).unit();
  int target_digits = target_unit == arrow::TimeUnit::NANO ? 9 : target_unit == arrow::TimeUnit::MICRO ? 6 : 3;
  int precision = type.precision();
  int64_t cut = digits > precision ? PowerOfTen(digits - precision) : 1;
  int64_t down = digits > target_digits ? PowerOfTen(digits - target_digits) : 1;
  int64_t up = target_digits > digits ? PowerOfTen(target_digits - digits) : 1;
  return MapFixed<int64_t, int64_t>(array, target, [&](int64_t value) {
    if (value == INT64_MAX || value == -INT64_MAX) {
      throw InvalidArgument("The column '{}' cannot hold an infinite timestamp", column);
    }
    int64_t result = FloorDiv(FloorDiv(value, cut) * cut, down);
    if (__builtin_mul_overflow(result, up, &result)) {
      throw InvalidArgument("A timestamp is outside of the range of the column '{}' of type '{}'", column, type.ToString());
    }
    return result;
  });
}

ArrayPtr Conform(const ArrayPtr& array, const DataType& type, const std::string& column) {
  std::shared_ptr<arrow::DataType> target = ToArrowType(type);
  switch (type.root()) {
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return NarrowTimestamps(array, type, column);
    case TypeRoot::kTime: {
      int64_t cut = PowerOfTen(3 - std::min(type.precision(), 3));
      return MapFixed<int64_t, int32_t>(array, target, [cut](int64_t micros) {
        return static_cast<int32_t>(micros / 1000 / cut * cut);
      });
    }
    case TypeRoot::kDate: return MapFixed<int32_t, int32_t>(array, target, [&](int32_t days) {
      if (days == INT32_MAX || days == -INT32_MAX) throw InvalidArgument("The column '{}' cannot hold an infinite date", column);
      return days;
    });
    case TypeRoot::kChar: return PadChars(array, type.length());
    case TypeRoot::kArray:
      return WithChildren(array, target,
                          {Conform(arrow::MakeArray(array->data()->child_data[0]), type.element(), column)});
    case TypeRoot::kMap:
    case TypeRoot::kMultiset: {
      const auto& entries_data = array->data()->child_data[0];
      ArrayPtr keys = arrow::MakeArray(entries_data->child_data[0]), items = arrow::MakeArray(entries_data->child_data[1]);
      bool is_map = type.root() == TypeRoot::kMap;
      ArrayPtr entries = WithChildren(arrow::MakeArray(entries_data), target->field(0)->type(),
                                      {Conform(keys, is_map ? type.key() : type.element(), column),
                                       is_map ? Conform(items, type.value(), column) : items});
      return WithChildren(array, target, {entries});
    }
    case TypeRoot::kRow: {
      std::vector<ArrayPtr> children;
      for (size_t i = 0; i < type.fields().size(); ++i) {
        children.push_back(Conform(arrow::MakeArray(array->data()->child_data[i]), type.fields()[i].type,
                                   column + "." + type.fields()[i].name));
      }
      return WithChildren(array, target, std::move(children));
    }
    default: break;
  }
  if (array->type()->Equals(*target)) return array;
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(target);
  return Take(arrow::compute::Cast(*array, target, options));
}

}  // namespace

struct BatchToVectors::State {
  State(duckdb::ClientContext& context, std::vector<DataField> read_fields)
      : fields(std::move(read_fields)), scan(duckdb::make_uniq<duckdb::ArrowArrayWrapper>(), context) {}

  std::vector<DataField> fields;
  duckdb::ArrowTableSchema schema;
  duckdb::ArrowScanLocalState scan;
  std::shared_ptr<arrow::Schema> arrow_schema;
};

BatchToVectors::BatchToVectors(duckdb::ClientContext& context, std::vector<DataField> fields)
    : state_(std::make_unique<State>(context, std::move(fields))) {
  std::vector<DataField> widened = state_->fields;
  for (size_t i = 0; i < widened.size(); ++i) {
    // The exporter and the importer agree on positions; names may repeat.
    widened[i].type = WidenedType(widened[i].type);
  }
  arrow::FieldVector columns = ToArrowSchema(widened)->fields();
  for (size_t i = 0; i < columns.size(); ++i) {
    if (auto narrow = NarrowDecimalType(widened[i].type)) columns[i] = columns[i]->WithType(std::move(narrow));
  }
  state_->arrow_schema = arrow::schema(std::move(columns));
  duckdb::ArrowSchemaWrapper exported;
  Check(arrow::ExportSchema(*state_->arrow_schema, reinterpret_cast<::ArrowSchema*>(&exported.arrow_schema)));
  duckdb::ArrowTableFunction::PopulateArrowTableSchema(context, state_->schema, exported.arrow_schema);
}

BatchToVectors::~BatchToVectors() = default;

void BatchToVectors::Load(const std::shared_ptr<arrow::RecordBatch>& batch) {
  arrow::ArrayVector columns;
  for (int i = 0; i < batch->num_columns(); ++i) {
    const DataType& type = state_->fields[i].type;
    columns.push_back(NarrowDecimals(Widen(batch->column(i), type), type));
  }
  auto widened = arrow::RecordBatch::Make(state_->arrow_schema, batch->num_rows(), std::move(columns));
  auto wrapper = duckdb::make_shared_ptr<duckdb::ArrowArrayWrapper>();
  Check(arrow::ExportRecordBatch(*widened, reinterpret_cast<::ArrowArray*>(&wrapper->arrow_array)));
  state_->scan.Reset();
  state_->scan.chunk = std::move(wrapper);
}

int64_t BatchToVectors::remaining() const {
  if (state_->scan.chunk->arrow_array.release == nullptr) return 0;
  return state_->scan.chunk->arrow_array.length - static_cast<int64_t>(state_->scan.chunk_offset);
}

void BatchToVectors::Next(duckdb::DataChunk& chunk) {
  auto size = static_cast<duckdb::idx_t>(std::min<int64_t>(remaining(), STANDARD_VECTOR_SIZE));
  chunk.SetCardinality(size);
  if (!state_->fields.empty()) {
    duckdb::ArrowTableFunction::ArrowToDuckDB(state_->scan, state_->schema.GetColumns(), chunk);
  }
  state_->scan.chunk_offset += size;
}

struct VectorsToBatch::State {
  std::vector<DataField> fields;
  duckdb::vector<duckdb::LogicalType> types;
  duckdb::vector<duckdb::string> names;
  duckdb::ClientProperties properties;
  std::shared_ptr<arrow::Schema> duck_schema;
  std::shared_ptr<arrow::Schema> schema;
  duckdb::unique_ptr<duckdb::ArrowAppender> appender;
  int64_t most_bytes = 0;
  int64_t bytes = 0;  // appended
};

namespace {

int64_t BytesOf(duckdb::Vector& vector, duckdb::idx_t rows) {
  const auto physical = vector.GetType().InternalType();
  if (duckdb::TypeIsConstantSize(physical)) return static_cast<int64_t>(duckdb::GetTypeIdSize(physical) * rows);
  if (physical != duckdb::PhysicalType::VARCHAR) return static_cast<int64_t>(vector.GetAllocationSize(rows));
  duckdb::UnifiedVectorFormat format;
  vector.ToUnifiedFormat(rows, format);
  const auto* texts = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
  int64_t bytes = 0;
  for (duckdb::idx_t i = 0; i < rows; ++i) {
    const duckdb::idx_t row = format.sel->get_index(i);
    bytes += 4 + (format.validity.RowIsValid(row) ? static_cast<int64_t>(texts[row].GetSize()) : 0);
  }
  return bytes;
}

}  // namespace

VectorsToBatch::VectorsToBatch(duckdb::ClientContext& context, std::vector<DataField> fields, int64_t most_bytes)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.most_bytes = most_bytes;
  state.fields = std::move(fields);
  for (const DataField& field : state.fields) {
    state.types.push_back(ToDuckType(field.type));
    state.names.push_back(field.name);
  }
  state.properties = context.GetClientProperties();
  state.properties.time_zone = "UTC";
  state.properties.arrow_offset_size = duckdb::ArrowOffsetSize::REGULAR;
  state.properties.arrow_use_list_view = false;
  state.properties.produce_arrow_string_view = false;
  state.properties.arrow_lossless_conversion = false;
  ::ArrowSchema exported;
  duckdb::ArrowConverter::ToArrowSchema(reinterpret_cast<ArrowSchema*>(&exported), state.types, state.names, state.properties);
  state.duck_schema = mica::Take(arrow::ImportSchema(&exported));
  state.schema = ToArrowSchema(state.fields);
}

VectorsToBatch::~VectorsToBatch() = default;

void VectorsToBatch::Append(duckdb::DataChunk& chunk) {
  if (!state_->appender) {
    state_->appender = duckdb::make_uniq<duckdb::ArrowAppender>(
        state_->types, static_cast<duckdb::idx_t>(kBatchRows), state_->properties,
        duckdb::unordered_map<duckdb::idx_t, const duckdb::shared_ptr<duckdb::ArrowTypeExtensionData>>());
  }
  state_->appender->Append(chunk, 0, chunk.size(), chunk.size());
  for (duckdb::Vector& vector : chunk.data) state_->bytes += BytesOf(vector, chunk.size());
}

bool VectorsToBatch::full() const { return row_count() >= kBatchRows || state_->bytes >= state_->most_bytes; }

int64_t VectorsToBatch::row_count() const {
  return state_->appender ? static_cast<int64_t>(state_->appender->RowCount()) : 0;
}

std::shared_ptr<arrow::RecordBatch> VectorsToBatch::Take() {
  if (row_count() == 0) return nullptr;
  ::ArrowArray exported = state_->appender->Finalize();
  state_->appender.reset();
  state_->bytes = 0;
  auto batch = mica::Take(arrow::ImportRecordBatch(&exported, state_->duck_schema));
  arrow::ArrayVector columns;
  for (int i = 0; i < batch->num_columns(); ++i) {
    const DataField& field = state_->fields[static_cast<size_t>(i)];
    columns.push_back(Conform(batch->column(i), field.type, field.name));
  }
  return arrow::RecordBatch::Make(state_->schema, batch->num_rows(), std::move(columns));
}

}  // namespace mica::sql
