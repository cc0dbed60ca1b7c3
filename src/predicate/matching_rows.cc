// Predicates against batches: MatchingRows of predicate.h. Every node fills a mask of one byte a row, column by column;
// a type without its own loop goes value by value.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <arrow/api.h>
#include <arrow/util/bit_util.h>

#include "base/error.h"
#include "predicate/predicate.h"
#include "types/arrow_types.h"
#include "types/timestamp.h"

namespace mica {

namespace {

using Mask = std::vector<uint8_t>;

// mask[i] &= test(i)
template <typename Test>
void Narrow(Mask* mask, Test test) {
  uint8_t* out = mask->data();
  const auto rows = static_cast<int64_t>(mask->size());
  for (int64_t i = 0; i < rows; ++i) out[i] &= static_cast<uint8_t>(test(i));
}

void NarrowToValid(const arrow::Array& array, Mask* mask) {
  if (array.null_count() == 0) return;
  if (array.type_id() == arrow::Type::NA) return std::fill(mask->begin(), mask->end(), uint8_t{0});
  const uint8_t* bits = array.null_bitmap_data();
  if (!bits) return Narrow(mask, [&](int64_t i) { return array.IsValid(i); });
  const int64_t offset = array.offset();
  Narrow(mask, [=](int64_t i) { return arrow::bit_util::GetBit(bits, offset + i); });
}

// The comparison of every value with one literal, for a type whose operators have the right order.
template <typename ValueAtRow, typename T>
void CompareAll(PredicateOp op, ValueAtRow value, const T& literal, Mask* mask) {
  switch (op) {
    case PredicateOp::kEqual: return Narrow(mask, [&](int64_t i) { return value(i) == literal; });
    case PredicateOp::kNotEqual: return Narrow(mask, [&](int64_t i) { return value(i) != literal; });
    case PredicateOp::kLess: return Narrow(mask, [&](int64_t i) { return value(i) < literal; });
    case PredicateOp::kLessOrEqual: return Narrow(mask, [&](int64_t i) { return value(i) <= literal; });
    case PredicateOp::kGreater: return Narrow(mask, [&](int64_t i) { return value(i) > literal; });
    default: return Narrow(mask, [&](int64_t i) { return value(i) >= literal; });
  }
}

// NaN is equal to itself and greater than all others.
template <typename T>
void CompareFloats(PredicateOp op, const T* values, T literal, Mask* mask) {
  if (std::isnan(literal)) {
    switch (op) {
      case PredicateOp::kEqual:
      case PredicateOp::kGreaterOrEqual: return Narrow(mask, [=](int64_t i) { return std::isnan(values[i]); });
      case PredicateOp::kNotEqual:
      case PredicateOp::kLess: return Narrow(mask, [=](int64_t i) { return !std::isnan(values[i]); });
      case PredicateOp::kLessOrEqual: return;
      default: return Narrow(mask, [](int64_t) { return false; });
    }
  }
  switch (op) {
    case PredicateOp::kGreater: return Narrow(mask, [=](int64_t i) { return !(values[i] <= literal); });
    case PredicateOp::kGreaterOrEqual: return Narrow(mask, [=](int64_t i) { return !(values[i] < literal); });
    default:
      return CompareAll(
          op, [=](int64_t i) { return values[i]; }, literal, mask);
  }
}

template <typename ValueAtRow, typename T>
void FindAll(PredicateOp op, ValueAtRow value, const std::vector<T>& sorted, Mask* mask) {
  const bool in = op == PredicateOp::kIn;
  constexpr size_t kFew = 4;
  if (sorted.size() <= kFew) {
    return Narrow(mask, [&](int64_t i) {
      const auto& each = value(i);
      bool found = false;
      for (const T& literal : sorted) found |= each == literal;
      return found == in;
    });
  }
  Narrow(mask, [&](int64_t i) { return std::binary_search(sorted.begin(), sorted.end(), value(i)) == in; });
}

bool IsList(PredicateOp op) {
  return op == PredicateOp::kIn || op == PredicateOp::kNotIn;
}

// A leaf over values that compare with their own operators.
template <typename T, typename ValueAtRow, typename ToLiteral>
void TestOrdered(const Predicate& leaf, ValueAtRow value, ToLiteral to_literal, Mask* mask) {
  if (!IsList(leaf.op())) return CompareAll(leaf.op(), value, static_cast<T>(to_literal(leaf.literals()[0])), mask);
  std::vector<T> literals;
  for (const Value& literal : leaf.literals()) {
    if (!IsNull(literal)) literals.push_back(static_cast<T>(to_literal(literal)));
  }
  FindAll(leaf.op(), value, literals, mask);
}

template <typename ArrayType>
void TestIntegers(const Predicate& leaf, const arrow::Array& array, Mask* mask) {
  const auto* values = static_cast<const ArrayType&>(array).raw_values();
  // The literal may be wider than the column's type.
  TestOrdered<int64_t>(
      leaf, [values](int64_t i) -> int64_t { return values[i]; },
      [](const Value& literal) { return std::get<int64_t>(literal); }, mask);
}

template <typename ArrayType, typename T>
void TestFloats(const Predicate& leaf, const arrow::Array& array, Mask* mask) {
  const T* values = static_cast<const ArrayType&>(array).raw_values();
  if (!IsList(leaf.op())) return CompareFloats(leaf.op(), values, std::get<T>(leaf.literals()[0]), mask);
  // NaN, which is last, is not found by ==.
  std::vector<T> literals;
  bool with_nan = false;
  for (const Value& literal : leaf.literals()) {
    if (IsNull(literal)) continue;
    if (std::isnan(std::get<T>(literal)))
      with_nan = true;
    else
      literals.push_back(std::get<T>(literal));
  }
  const bool in = leaf.op() == PredicateOp::kIn;
  Narrow(mask, [&](int64_t i) {
    const bool found =
        std::isnan(values[i]) ? with_nan : std::binary_search(literals.begin(), literals.end(), values[i]);
    return found == in;
  });
}

template <typename Stored>
void TestDecimals(const Predicate& leaf, const arrow::Array& array, Mask* mask) {
  const auto* bytes = static_cast<const arrow::FixedSizeBinaryArray&>(array).raw_values();
  TestOrdered<Int128>(
      leaf,
      [bytes](int64_t i) -> Int128 {
        Stored value;
        std::memcpy(&value, bytes + i * static_cast<int64_t>(sizeof(Stored)), sizeof(Stored));
        return value;
      },
      [](const Value& literal) { return std::get<DecimalValue>(literal).unscaled; }, mask);
}

void TestBooleans(const Predicate& leaf, const arrow::Array& array, Mask* mask) {
  const auto& values = static_cast<const arrow::BooleanArray&>(array);
  TestOrdered<int>(
      leaf, [&](int64_t i) -> int { return values.Value(i); },
      [](const Value& literal) { return std::get<bool>(literal); }, mask);
}

// A literal between two counts of the array's unit, or beyond all of them, is told by the count below and what is over.
struct TimestampLiteral {
  Int128 floor;
  bool exact;
};

TimestampLiteral InUnits(const Value& literal, int64_t units_per_milli) {
  const auto& value = std::get<TimestampValue>(literal);
  const int64_t nanos_per_unit = 1'000'000 / units_per_milli;
  return {static_cast<Int128>(value.millis) * units_per_milli + value.nanos_of_milli / nanos_per_unit,
          value.nanos_of_milli % nanos_per_unit == 0};
}

void TestTimestamps(const Predicate& leaf, const arrow::Array& array, Mask* mask) {
  const int64_t* values = static_cast<const arrow::TimestampArray&>(array).raw_values();
  const auto unit = static_cast<const arrow::TimestampType&>(*array.type()).unit();
  const int64_t units_per_milli = unit == arrow::TimeUnit::NANO ? 1'000'000 : unit == arrow::TimeUnit::MICRO ? 1000 : 1;
  auto value = [values](int64_t i) { return values[i]; };
  auto fits = [](Int128 count) { return count >= INT64_MIN && count <= INT64_MAX; };

  if (IsList(leaf.op())) {
    std::vector<int64_t> literals;
    for (const Value& literal : leaf.literals()) {
      if (IsNull(literal)) continue;
      const TimestampLiteral in_units = InUnits(literal, units_per_milli);
      if (in_units.exact && fits(in_units.floor)) literals.push_back(static_cast<int64_t>(in_units.floor));
    }
    return FindAll(leaf.op(), value, literals, mask);
  }
  const TimestampLiteral literal = InUnits(leaf.literals()[0], units_per_milli);
  PredicateOp op = leaf.op();
  if (!fits(literal.floor) || (!literal.exact && (op == PredicateOp::kEqual || op == PredicateOp::kNotEqual))) {
    const bool above = literal.floor > 0;
    const bool all =
        op == PredicateOp::kNotEqual || (above ? op == PredicateOp::kLess || op == PredicateOp::kLessOrEqual
                                               : op == PredicateOp::kGreater || op == PredicateOp::kGreaterOrEqual);
    if (!all) std::fill(mask->begin(), mask->end(), uint8_t{0});
    return;
  }
  if (!literal.exact) {
    if (op == PredicateOp::kLess) op = PredicateOp::kLessOrEqual;
    if (op == PredicateOp::kGreaterOrEqual) op = PredicateOp::kGreater;
  }
  CompareAll(op, value, static_cast<int64_t>(literal.floor), mask);
}

void TestStrings(const Predicate& leaf, const arrow::Array& array, Mask* mask) {
  const auto& strings = static_cast<const arrow::BinaryArray&>(array);
  auto value = [&](int64_t i) { return strings.GetView(i); };
  const PredicateOp op = leaf.op();
  if (op >= PredicateOp::kStartsWith) {
    const std::string& part = std::get<std::string>(leaf.literals()[0]);
    if (op == PredicateOp::kStartsWith) return Narrow(mask, [&](int64_t i) { return value(i).starts_with(part); });
    if (op == PredicateOp::kEndsWith) return Narrow(mask, [&](int64_t i) { return value(i).ends_with(part); });
    return Narrow(mask, [&](int64_t i) { return value(i).find(part) != std::string_view::npos; });
  }
  TestOrdered<std::string_view>(
      leaf, value, [](const Value& literal) { return std::string_view(std::get<std::string>(literal)); }, mask);
}

void TestOneByOne(const Predicate& leaf, const arrow::Array& array, Mask* mask) {
  Narrow(mask,
         [&](int64_t i) { return Matches(leaf, [&](const std::string&) { return ValueAt(array, i, leaf.type()); }); });
}

void TestValues(const Predicate& leaf, const arrow::Array& array, Mask* mask) {
  switch (array.type_id()) {
    case arrow::Type::BOOL: return TestBooleans(leaf, array, mask);
    case arrow::Type::INT8: return TestIntegers<arrow::Int8Array>(leaf, array, mask);
    case arrow::Type::INT16: return TestIntegers<arrow::Int16Array>(leaf, array, mask);
    case arrow::Type::INT32: return TestIntegers<arrow::Int32Array>(leaf, array, mask);
    case arrow::Type::INT64: return TestIntegers<arrow::Int64Array>(leaf, array, mask);
    case arrow::Type::DATE32: return TestIntegers<arrow::Date32Array>(leaf, array, mask);
    case arrow::Type::TIME32: return TestIntegers<arrow::Time32Array>(leaf, array, mask);
    case arrow::Type::FLOAT: return TestFloats<arrow::FloatArray, float>(leaf, array, mask);
    case arrow::Type::DOUBLE: return TestFloats<arrow::DoubleArray, double>(leaf, array, mask);
    case arrow::Type::DECIMAL32: return TestDecimals<int32_t>(leaf, array, mask);
    case arrow::Type::DECIMAL64: return TestDecimals<int64_t>(leaf, array, mask);
    case arrow::Type::DECIMAL128: return TestDecimals<Int128>(leaf, array, mask);
    case arrow::Type::TIMESTAMP: return TestTimestamps(leaf, array, mask);
    case arrow::Type::STRING:
    case arrow::Type::BINARY: return TestStrings(leaf, array, mask);
    default: return TestOneByOne(leaf, array, mask);
  }
}

const arrow::Array& ColumnOf(const Predicate& leaf, const arrow::RecordBatch& batch) {
  const int position = batch.schema()->GetFieldIndex(leaf.column());
  if (position < 0) throw InvalidArgument("The filter's column '{}' is not in the rows", leaf.column());
  return *batch.column(position);
}

void Test(const Predicate& predicate, const arrow::RecordBatch& batch, Mask* mask) {
  switch (predicate.op()) {
    case PredicateOp::kTrue: return;
    case PredicateOp::kFalse: return std::fill(mask->begin(), mask->end(), uint8_t{0});
    case PredicateOp::kAnd: {
      for (const PredicatePtr& child : predicate.children()) Test(*child, batch, mask);
      return;
    }
    case PredicateOp::kOr: {
      Mask any(mask->size(), 0);
      for (const PredicatePtr& child : predicate.children()) {
        Mask one = *mask;
        Test(*child, batch, &one);
        for (size_t i = 0; i < any.size(); ++i) any[i] |= one[i];
      }
      *mask = std::move(any);
      return;
    }
    case PredicateOp::kNot: {
      // Only over the tests of text: NULL is neither a match nor its opposite.
      const Predicate& leaf = *predicate.children()[0];
      NarrowToValid(ColumnOf(leaf, batch), mask);
      Mask matches = *mask;
      Test(leaf, batch, &matches);
      const bool unknown = IsNull(leaf.literals()[0]);
      for (size_t i = 0; i < mask->size(); ++i) (*mask)[i] &= static_cast<uint8_t>(!matches[i] && !unknown);
      return;
    }
    default: break;
  }

  const arrow::Array& array = ColumnOf(predicate, batch);
  if (predicate.op() == PredicateOp::kIsNull) return Narrow(mask, [&](int64_t i) { return array.IsNull(i); });
  NarrowToValid(array, mask);
  if (predicate.op() == PredicateOp::kIsNotNull) return;
  const bool null_first = IsNull(predicate.literals()[0]);
  if (null_first && predicate.op() != PredicateOp::kIn) return std::fill(mask->begin(), mask->end(), uint8_t{0});
  TestValues(predicate, array, mask);
}

}  // namespace

std::vector<int32_t> MatchingRows(const Predicate& predicate, const arrow::RecordBatch& batch) {
  Mask mask(static_cast<size_t>(batch.num_rows()), 1);
  Test(predicate, batch, &mask);
  size_t count = 0;
  for (uint8_t match : mask) count += match;
  // One slot more, so that the loop can write before it knows.
  std::vector<int32_t> rows(count + 1);
  size_t next = 0;
  for (size_t i = 0; i < mask.size(); ++i) {
    rows[next] = static_cast<int32_t>(i);
    next += mask[i];
  }
  rows.resize(count);
  return rows;
}

}  // namespace mica
