#include "types/row_check.h"

#include <arrow/api.h>
#include <arrow/util/bitmap_ops.h>

#include "base/arrow.h"
#include "types/arrow_types.h"
#include "types/text_length.h"

namespace mica {

namespace {

[[noreturn]] void TooLong(const std::string& path, const DataType& type, std::string_view text) {
  throw InvalidArgument("A value of column '{}' is longer than {}: '{}...'", path, type.ToString(), text.substr(0, 40));
}

std::shared_ptr<arrow::Array> PadChars(const arrow::StringArray& array, const DataType& type, const std::string& path) {
  arrow::StringBuilder builder;
  Check(builder.Reserve(array.length()));
  std::string padded;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) {
      Check(builder.AppendNull());
      continue;
    }
    padded = array.GetView(i);
    int64_t missing = type.length() - CountCodePoints(padded);
    while (missing < 0 && padded.ends_with(' ')) {
      padded.pop_back();
      ++missing;
    }
    if (missing < 0) TooLong(path, type, padded);
    padded.append(static_cast<size_t>(missing), ' ');
    Check(builder.Append(padded));
  }
  return Take(builder.Finish());
}

std::shared_ptr<arrow::Array> CheckArray(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                         const std::string& path, const arrow::Array* parent) {
  if (!type.nullable() && array->null_count() > 0) {
    // A NULL inside a NULL parent is no value at all.
    for (int64_t i = 0; i < array->length(); ++i) {
      if (array->IsNull(i) && (!parent || parent->IsValid(i))) {
        throw InvalidArgument("The column '{}' is NOT NULL, but row {} of the batch has no value for it", path, i);
      }
    }
  }
  switch (type.root()) {
    case TypeRoot::kChar: return PadChars(static_cast<const arrow::StringArray&>(*array), type, path);
    case TypeRoot::kVarchar:
      if (type.length() < DataType::kMaxLength) {
        const auto& text = static_cast<const arrow::StringArray&>(*array);
        for (int64_t i = 0; i < text.length(); ++i) {
          if (text.IsNull(i) || text.value_length(i) <= type.length()) continue;
          if (CountCodePoints(text.GetView(i)) > type.length()) TooLong(path, type, text.GetView(i));
        }
      }
      return array;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      if (type.length() < DataType::kMaxLength) {
        const auto& bytes = static_cast<const arrow::BinaryArray&>(*array);
        for (int64_t i = 0; i < bytes.length(); ++i) {
          if (bytes.IsValid(i) && bytes.value_length(i) > type.length()) TooLong(path, type, "(binary)");
        }
      }
      return array;
    case TypeRoot::kRow: {
      const auto& row = static_cast<const arrow::StructArray&>(*array);
      arrow::ArrayVector children;
      for (size_t i = 0; i < type.fields().size(); ++i) {
        const DataField& field = type.fields()[i];
        children.push_back(CheckArray(row.field(static_cast<int>(i)), field.type, path + "." + field.name, array.get()));
      }
      // field() has applied the offset already, so the validity must start at 0 as well.
      auto validity = row.null_count() == 0 ? nullptr
                      : row.offset() == 0   ? row.null_bitmap()
                                            : Take(arrow::internal::CopyBitmap(arrow::default_memory_pool(), row.null_bitmap_data(),
                                                                               row.offset(), row.length()));
      return std::make_shared<arrow::StructArray>(ToArrowType(type), row.length(), std::move(children), validity,
                                                  row.null_count());
    }
    case TypeRoot::kArray: {
      const auto& list = static_cast<const arrow::ListArray&>(*array);
      auto values = CheckArray(list.values(), type.element(), path + ".element", nullptr);
      return std::make_shared<arrow::ListArray>(ToArrowType(type), list.length(), list.value_offsets(), values,
                                                list.null_bitmap(), list.null_count(), list.offset());
    }
    case TypeRoot::kMap:
    case TypeRoot::kMultiset: {
      const auto& map = static_cast<const arrow::MapArray&>(*array);
      bool multiset = type.root() == TypeRoot::kMultiset;
      const DataType& key_type = multiset ? type.element() : type.key();
      auto keys = CheckArray(map.keys(), key_type.WithNullable(false), path + ".key", nullptr);
      auto items = multiset ? map.items() : CheckArray(map.items(), type.value(), path + ".value", nullptr);
      return std::make_shared<arrow::MapArray>(ToArrowType(type), map.length(), map.value_offsets(), keys, items,
                                               map.null_bitmap(), map.null_count(), map.offset());
    }
    default: return array;
  }
}

}  // namespace

std::shared_ptr<arrow::RecordBatch> CheckRows(const std::shared_ptr<arrow::RecordBatch>& batch,
                                              const std::vector<DataField>& fields) {
  if (static_cast<size_t>(batch->num_columns()) < fields.size()) {
    throw InvalidArgument("A batch has {} columns where the table has {}", batch->num_columns(), fields.size());
  }
  arrow::ArrayVector columns = batch->columns();
  arrow::FieldVector names;
  for (size_t i = 0; i < fields.size(); ++i) {
    auto expected = ToArrowType(fields[i].type);
    if (columns[i]->type_id() != expected->id() ||
        (!expected->num_fields() && !columns[i]->type()->Equals(*expected))) {
      throw InvalidArgument("The column '{}' is given as {} where {} is needed ({})", fields[i].name,
                            columns[i]->type()->ToString(), expected->ToString(), fields[i].type.ToString());
    }
    columns[i] = CheckArray(columns[i], fields[i].type, fields[i].name, nullptr);
    names.push_back(ToArrowField(fields[i]));
  }
  for (int i = static_cast<int>(fields.size()); i < batch->num_columns(); ++i) names.push_back(batch->schema()->field(i));
  return arrow::RecordBatch::Make(arrow::schema(std::move(names)), batch->num_rows(), std::move(columns));
}

}  // namespace mica
