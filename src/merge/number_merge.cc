// `sum` and `product` (Engine 3.5). What an integer type cannot hold is an error and never wraps (P-39); so is a sum of
// decimals of up to 18 digits beyond their precision, while wider decimals become NULL.
#include <cmath>
#include <limits>
#include <type_traits>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>

#include "base/arrow.h"
#include "merge/column_merge.h"
#include "merge/step_kernel.h"
#include "types/arrow_types.h"
#include "types/decimal.h"

namespace mica {
namespace {

template <typename T>
std::string NumberText(T value, const DataType& type) {
  if constexpr (std::is_same_v<T, Int128>) {
    return DecimalToString(value, type.scale());
  } else {
    return fmt::format("{}", value);
  }
}

template <typename T>
[[noreturn]] void Overflow(const ColumnRule& rule, T a, std::string_view sign, T b) {
  throw InvalidArgument("The {} of column '{}' does not fit {}: {} {} {}. Give the column a wider type",
                        FunctionName(rule.merge.function), rule.name, rule.type.WithNullable(true).ToString(),
                        NumberText(a, rule.type), sign, NumberText(b, rule.type));
}

// The result so far, and the results of all groups.
template <typename T>
class NumberKernel {
 public:
  NumberKernel(const ColumnRule& rule, ColumnSources sources, size_t groups) : rule_(rule) {
    validities_.Reset(sources);
    values_.Reset(sources);
    value_buffer_ = Take(arrow::AllocateBuffer(static_cast<int64_t>(groups * sizeof(T))));
    out_ = reinterpret_cast<T*>(value_buffer_->mutable_data());
    bits_ = Take(arrow::AllocateBuffer(arrow::bit_util::BytesForBits(static_cast<int64_t>(groups))));
  }
  void Begin() { null_ = true; }
  void End() {
    nulls_ += null_;
    arrow::bit_util::SetBitTo(bits_->mutable_data(), count_, !null_);
    out_[count_++] = null_ ? T{0} : value_;
  }
  void Set(const RowRef& row) {
    null_ = !validities_.Has(row);
    if (!null_) value_ = values_.At(row);
  }
  std::shared_ptr<arrow::Array> Finish() {
    std::shared_ptr<arrow::Buffer> validity = nulls_ == 0 ? nullptr : std::move(bits_);
    return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(rule_.type), count_,
                                                   {std::move(validity), std::move(value_buffer_)}, nulls_));
  }

 protected:
  const ColumnRule& rule_;
  Validities validities_;
  FixedValues<T> values_;
  bool null_ = true;
  T value_{};

 private:
  std::shared_ptr<arrow::Buffer> value_buffer_;
  std::shared_ptr<arrow::Buffer> bits_;
  T* out_ = nullptr;
  int64_t count_ = 0;
  int64_t nulls_ = 0;
};

template <typename T>
class SumKernel : public NumberKernel<T> {
 public:
  SumKernel(const ColumnRule& rule, ColumnSources sources, size_t groups)
      : NumberKernel<T>(rule, sources, groups),
        limit_(rule.type.root() == TypeRoot::kDecimal ? PowerOfTen(rule.type.precision()) : 0) {}

  void Add(const RowRef& row) {
    if (!this->validities_.Has(row)) return;
    const T value = this->values_.At(row);
    if (this->null_) {
      this->value_ = value;
      this->null_ = false;
    } else if constexpr (std::is_floating_point_v<T>) {
      this->value_ += value;
    } else {
      T sum;
      const bool fits = !__builtin_add_overflow(this->value_, value, &sum);
      Keep(fits, sum, "+", value);
    }
  }
  void AddOlder(const RowRef& row) { Add(row); }
  void Retract(const RowRef& row) {
    if (!this->validities_.Has(row)) return;
    const T value = this->values_.At(row);
    if (this->null_) {
      this->value_ = T{0};
      this->null_ = false;
      if constexpr (std::is_floating_point_v<T>) {
        this->value_ = -value;
        return;
      }
    }
    if constexpr (std::is_floating_point_v<T>) {
      this->value_ -= value;
    } else {
      T difference;
      const bool fits = !__builtin_sub_overflow(this->value_, value, &difference);
      Keep(fits, difference, "-", value);
    }
  }
  void RetractOlder(const RowRef& row) { Retract(row); }

 private:
  void Keep(bool fits, T result, std::string_view sign, T value) {
    if constexpr (std::is_same_v<T, Int128>) {
      fits = fits && result < limit_ && result > -limit_;
      if (!fits && !this->rule_.type.IsCompactDecimal()) {
        this->null_ = true;
        return;
      }
    }
    if (!fits) Overflow(this->rule_, this->value_, sign, value);
    this->value_ = result;
  }

  Int128 limit_;  // of the unscaled value of decimals
};

arrow::Decimal256 Wide(Int128 value) {
  return arrow::Decimal256(arrow::Decimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value)));
}

Int128 Narrow(const arrow::Decimal256& value) {
  const auto words = value.little_endian_array();
  return static_cast<Int128>((static_cast<unsigned __int128>(words[1]) << 64) | words[0]);
}

// Whether `a` / `b` has finitely many decimals.
bool IsFiniteQuotient(Int128 a, Int128 b) {
  const auto magnitude = [](Int128 x) {
    return x < 0 ? -static_cast<unsigned __int128>(x) : static_cast<unsigned __int128>(x);
  };
  unsigned __int128 rest = magnitude(b), other = magnitude(a);
  for (unsigned __int128 x = rest, y = other; y != 0;) {
    const unsigned __int128 next = x % y;
    x = y;
    y = next;
    if (y == 0) rest /= x;
  }
  if (a == 0) return true;
  while (rest % 2 == 0) rest /= 2;
  while (rest % 5 == 0) rest /= 5;
  return rest == 1;
}

template <typename T>
class ProductKernel : public NumberKernel<T> {
 public:
  using NumberKernel<T>::NumberKernel;

  void Add(const RowRef& row) {
    if (!this->validities_.Has(row)) return;
    const T value = this->values_.At(row);
    if (this->null_) {
      this->value_ = value;
      this->null_ = false;
    } else if constexpr (std::is_same_v<T, Int128>) {
      const arrow::Decimal256 product = Wide(this->value_) * Wide(value);
      Put(arrow::Decimal256(product.ReduceScaleBy(this->rule_.type.scale(), /*round=*/true)));
    } else if constexpr (std::is_floating_point_v<T>) {
      this->value_ *= value;
    } else {
      T product;
      if (__builtin_mul_overflow(this->value_, value, &product)) Overflow(this->rule_, this->value_, "*", value);
      this->value_ = product;
    }
  }
  void AddOlder(const RowRef& row) { Add(row); }
  void Retract(const RowRef& row) {
    if (this->null_ || !this->validities_.Has(row)) return;
    const T value = this->values_.At(row);
    if constexpr (std::is_floating_point_v<T>) {
      this->value_ /= value;
    } else {
      if (value == 0) {
        throw InvalidArgument("Cannot retract from the product of column '{}': / by zero", this->rule_.name);
      }
      Divide(value);
    }
  }
  void RetractOlder(const RowRef& row) { Retract(row); }

 private:
  void Put(const arrow::Decimal256& value) {
    this->null_ = !value.FitsInPrecision(this->rule_.type.precision());
    if (!this->null_) this->value_ = Narrow(value);
  }

  void Divide(T value) {
    if constexpr (std::is_same_v<T, Int128>) {
      if (!IsFiniteQuotient(this->value_, value)) {
        throw InvalidArgument("Cannot retract from the product of column '{}': {} / {} has no end", this->rule_.name,
                              NumberText(this->value_, this->rule_.type), NumberText(value, this->rule_.type));
      }
      const arrow::Decimal256 dividend = Wide(this->value_) * Wide(PowerOfTen(this->rule_.type.scale()));
      const arrow::Decimal256 divisor = Wide(value);
      auto [quotient, rest] = Take(dividend.Divide(divisor));
      // Half away from zero.
      if (arrow::Decimal256(arrow::Decimal256::Abs(rest)) * Wide(2) >= arrow::Decimal256::Abs(divisor)) {
        quotient += Wide((this->value_ < 0) == (value < 0) ? 1 : -1);
      }
      Put(quotient);
    } else {
      if (value == T{-1} && this->value_ == std::numeric_limits<T>::min()) {
        Overflow(this->rule_, this->value_, "/", value);
      }
      this->value_ = static_cast<T>(this->value_ / value);
    }
  }
};

template <template <typename> typename Kernel>
class NumberMerge final : public ColumnMerge {
 public:
  explicit NumberMerge(const ColumnRule& rule) : rule_(rule) {}

  void Merge(ColumnSources sources, const GroupSteps& steps, GroupValues* out) override {
    switch (rule_.type.root()) {
      case TypeRoot::kTinyInt:
        return Run<int8_t>(sources, steps, out);
      case TypeRoot::kSmallInt:
        return Run<int16_t>(sources, steps, out);
      case TypeRoot::kInt:
        return Run<int32_t>(sources, steps, out);
      case TypeRoot::kBigInt:
        return Run<int64_t>(sources, steps, out);
      case TypeRoot::kFloat:
        return Run<float>(sources, steps, out);
      case TypeRoot::kDouble:
        return Run<double>(sources, steps, out);
      default:
        MICA_CHECK(rule_.type.root() == TypeRoot::kDecimal);
        return Run<Int128>(sources, steps, out);
    }
  }

 private:
  template <typename T>
  void Run(ColumnSources sources, const GroupSteps& steps, GroupValues* out) const {
    Kernel<T> kernel(rule_, sources, steps.group_count());
    FollowSteps(rule_, steps, kernel);
    out->computed = kernel.Finish();
  }

  const ColumnRule& rule_;
};

}  // namespace

std::unique_ptr<ColumnMerge> MakeNumberMerge(const ColumnRule& rule) {
  if (rule.merge.function == FieldFunction::kSum) return std::make_unique<NumberMerge<SumKernel>>(rule);
  return std::make_unique<NumberMerge<ProductKernel>>(rule);
}

}  // namespace mica
