#include "merge/element_bytes.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <arrow/array.h>
#include <arrow/type.h>

#include "base/error.h"

namespace mica {
namespace {

void AppendRaw(const void* bytes, size_t size, std::string* out) {
  out->append(static_cast<const char*>(bytes), size);
}

template <typename T>
void AppendFloat(T value, std::string* out) {
  if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
  AppendRaw(&value, sizeof(value), out);
}

}  // namespace

void AppendElementBytes(const arrow::Array& array, int64_t row, std::string* out) {
  if (array.IsNull(row)) {
    out->push_back(0);
    return;
  }
  out->push_back(1);
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      out->push_back(static_cast<const arrow::BooleanArray&>(array).Value(row) ? 1 : 0);
      return;
    case arrow::Type::FLOAT:
      return AppendFloat(static_cast<const arrow::FloatArray&>(array).Value(row), out);
    case arrow::Type::DOUBLE:
      return AppendFloat(static_cast<const arrow::DoubleArray&>(array).Value(row), out);
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
      const std::string_view text = static_cast<const arrow::BinaryArray&>(array).GetView(row);
      const auto size = static_cast<uint32_t>(text.size());
      AppendRaw(&size, sizeof(size), out);
      out->append(text);
      return;
    }
    case arrow::Type::STRUCT: {
      const auto& fields = static_cast<const arrow::StructArray&>(array);
      for (int i = 0; i < fields.num_fields(); ++i) AppendElementBytes(*fields.field(i), row, out);
      return;
    }
    case arrow::Type::LIST:
    case arrow::Type::MAP: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      const int32_t size = list.value_length(row);
      AppendRaw(&size, sizeof(size), out);
      for (int32_t i = 0; i < size; ++i) AppendElementBytes(*list.values(), list.value_offset(row) + i, out);
      return;
    }
    default:
      break;
  }
  MICA_CHECK(arrow::is_fixed_width(array.type_id()));
  const auto width = static_cast<size_t>(array.type()->byte_width());
  AppendRaw(array.data()->buffers[1]->data() + static_cast<size_t>(array.offset() + row) * width, width, out);
}

}  // namespace mica
