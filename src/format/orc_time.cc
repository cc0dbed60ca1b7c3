#include "format/orc_time.h"

#include <cstring>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>

#include "base/arrow.h"
#include "format/conform.h"
#include "types/arrow_types.h"
#include "types/timestamp.h"

namespace mica {

namespace {

constexpr int64_t kBegin2015 = 1'420'070'400;
constexpr int64_t kNanosPerSecond = 1'000'000'000;

bool IsUtc(std::string_view zone) {
  return zone.empty() || zone == "UTC" || zone == "GMT" || zone == "Etc/UTC" || zone == "Etc/GMT";
}

std::shared_ptr<arrow::Array> Seconds(const int64_t* values, int64_t count, const std::string& zone) {
  auto buffer = Take(arrow::AllocateBuffer(count * static_cast<int64_t>(sizeof(int64_t))));
  std::memcpy(buffer->mutable_data(), values, static_cast<size_t>(buffer->size()));
  return std::make_shared<arrow::TimestampArray>(arrow::timestamp(arrow::TimeUnit::SECOND, zone), count,
                                                 std::move(buffer));
}

// The first digits of the nanoseconds, and in the low bits how many zeros less one follow; none for zero.
int64_t DecodeNanos(uint64_t encoded) {
  uint64_t nanos = encoded >> 3;
  if (nanos > static_cast<uint64_t>(kNanosPerSecond)) return -1;
  const int zeros = static_cast<int>(encoded & 7);
  for (int i = zeros == 0 ? 0 : zeros + 1; i > 0; --i) nanos *= 10;
  return nanos < static_cast<uint64_t>(kNanosPerSecond) ? static_cast<int64_t>(nanos) : -1;
}

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

OrcTime::OrcTime(const std::string& zone, std::shared_ptr<arrow::DataType> type, std::string column)
    : zone_(IsUtc(zone) ? std::string() : zone),
      type_(std::move(type)),
      column_(std::move(column)),
      units_(UnitsPerSecond(*type_)),
      epoch_(kBegin2015) {
  if (zone_.empty()) return;
  static const arrow::Status initialized = arrow::compute::Initialize();
  Check(initialized);
  arrow::compute::AssumeTimezoneOptions options(zone_, arrow::compute::AssumeTimezoneOptions::AMBIGUOUS_EARLIEST,
                                                arrow::compute::AssumeTimezoneOptions::NONEXISTENT_EARLIEST);
  auto instant = arrow::compute::CallFunction("assume_timezone", {Seconds(&epoch_, 1, "")}, &options);
  if (!instant.ok()) {
    throw Corrupt("The column '{}' has timestamps of the unknown zone '{}': {}", column_, zone_,
                  instant.status().message());
  }
  epoch_ = static_cast<const arrow::TimestampArray&>(*instant->make_array()).Value(0);
}

void OrcTime::Decode(int64_t* values, const int64_t* nanos, int64_t count) const {
  for (int64_t i = 0; i < count; ++i) {
    int64_t& seconds = values[i];
    if (__builtin_add_overflow(seconds, epoch_, &seconds) || seconds == INT64_MIN) {
      throw Corrupt("The column '{}' has a timestamp out of all bounds", column_);
    }
    // Writers cut towards zero, and tell it from a whole millisecond only by the nanoseconds.
    if (seconds < 0 && DecodeNanos(static_cast<uint64_t>(nanos[i])) > 999'999) --seconds;
  }
  if (!zone_.empty()) ShiftToWallClock(values, count);
  const int64_t nanos_per_unit = kNanosPerSecond / units_;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t fraction = DecodeNanos(static_cast<uint64_t>(nanos[i]));
    if (fraction < 0) throw Corrupt("The column '{}' has more nanoseconds than a second has", column_);
    if (__builtin_mul_overflow(values[i], units_, &values[i]) ||
        __builtin_add_overflow(values[i], fraction / nanos_per_unit, &values[i])) {
      throw Unsupported("The column '{}' has a timestamp that its type cannot hold in memory", column_);
    }
  }
}

void OrcTime::ShiftToWallClock(int64_t* seconds, int64_t count) const {
  constexpr int64_t kFarthest = 400'000'000'000;  // beyond the years that calendars know
  if (std::any_of(seconds, seconds + count, [](int64_t at) { return at > kFarthest || at < -kFarthest; })) {
    throw Corrupt("The column '{}' has a timestamp out of all bounds", column_);
  }
  auto local = Take(arrow::compute::CallFunction("local_timestamp", {Seconds(seconds, count, zone_)})).make_array();
  std::memcpy(seconds, static_cast<const arrow::TimestampArray&>(*local).raw_values(),
              static_cast<size_t>(count) * sizeof(int64_t));
}

std::shared_ptr<arrow::Array> OrcInstants(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                          OrcDirection direction) {
  if (!HasInstants(type) || ProcessIsUtc()) return array;
  return Convert(array, type, direction);
}

}  // namespace mica
