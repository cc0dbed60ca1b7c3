#include "format/orc_zone.h"

#include <arrow/api.h>

#include "base/arrow.h"
#include "format/conform.h"
#include "types/arrow_types.h"
#include "types/timestamp.h"

namespace mica {

namespace {

bool ProcessIsUtc() {
  // 1900, 1970, and a winter and a summer of our time.
  for (int64_t seconds : {-2'208'988'800LL, 0LL, 1'704'067'200LL, 1'719'792'000LL}) {
    TimestampValue instant{seconds * 1000, 0};
    if (LocalFromInstant(instant) != instant) return false;
  }
  return true;
}

bool HasInstants(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kTimestampLtz:
      return true;
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
      return HasInstants(type.element());
    case TypeRoot::kMap:
      return HasInstants(type.key()) || HasInstants(type.value());
    case TypeRoot::kRow:
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [](const DataField& field) { return HasInstants(field.type); });
    default:
      return false;
  }
}

std::shared_ptr<arrow::Array> Shift(const arrow::TimestampArray& array, OrcDirection direction) {
  const int64_t units = UnitsPerSecond(*array.type());
  arrow::TimestampBuilder builder(array.type(), arrow::default_memory_pool());
  Check(builder.Reserve(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    TimestampValue value = TimestampFromUnits(array.Value(i), units);
    value = direction == OrcDirection::kRead ? LocalFromInstant(value) : InstantFromLocal(value);
    auto shifted = TimestampToUnits(value, units);
    if (!shifted) throw Unsupported("A timestamp is too far from now to change its zone");
    builder.UnsafeAppend(*shifted);
  }
  return Take(builder.Finish());
}

std::shared_ptr<arrow::Array> Convert(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                      OrcDirection direction) {
  if (!HasInstants(type)) return array;
  auto data = array->data()->Copy();
  auto convert_child = [&](size_t child, const DataType& child_type) {
    data->child_data[child] = Convert(arrow::MakeArray(data->child_data[child]), child_type, direction)->data();
  };
  switch (type.root()) {
    case TypeRoot::kTimestampLtz:
      return Shift(static_cast<const arrow::TimestampArray&>(*array), direction);
    case TypeRoot::kArray:
      convert_child(0, type.element());
      break;
    case TypeRoot::kRow:
      for (size_t i = 0; i < type.fields().size(); ++i) convert_child(i, type.fields()[i].type);
      break;
    default: {  // keys and values are the two children of the entries
      const bool multiset = type.root() == TypeRoot::kMultiset;
      auto entries = data->child_data[0]->Copy();
      auto convert_entry = [&](size_t child, const DataType& child_type) {
        entries->child_data[child] =
            Convert(arrow::MakeArray(entries->child_data[child]), child_type, direction)->data();
      };
      convert_entry(0, multiset ? type.element() : type.key());
      if (!multiset) convert_entry(1, type.value());
      data->child_data[0] = std::move(entries);
    }
  }
  return arrow::MakeArray(data);
}

}  // namespace

std::shared_ptr<arrow::Array> OrcInstants(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                          OrcDirection direction) {
  if (!HasInstants(type) || ProcessIsUtc()) return array;
  return Convert(array, type, direction);
}

}  // namespace mica
