// Functions whose result is the value of one of the rows, or NULL: first and last values, columns of sequence groups,
// max, min, bool_and, bool_or. Values are not looked at where validity decides, and copied once, by whoever asked.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <type_traits>

#include <arrow/array.h>
#include <arrow/type.h>

#include "merge/column_merge.h"
#include "merge/step_kernel.h"
#include "types/value.h"

namespace mica {
namespace {

constexpr RowRef kNull{kNullSource, 0};

// What the kernels have in common: the row chosen so far.
class PickKernel {
 public:
  PickKernel(const ColumnRule& rule, const Validities& validities, std::vector<RowRef>* picks)
      : rule_(rule), validities_(validities), picks_(picks) {}
  void Begin() { current_ = kNull; }
  void Set(const RowRef& row) { current_ = row; }
  void End() { picks_->push_back(current_); }
  void Retract(const RowRef&) { RefuseRetract(rule_); }
  void RetractOlder(const RowRef&) { RefuseRetract(rule_); }

 protected:
  bool valid() const { return validities_.Valid(current_); }

  const ColumnRule& rule_;
  const Validities& validities_;
  RowRef current_ = kNull;

 private:
  std::vector<RowRef>* picks_;
};

struct GroupOrder : PickKernel {
  using PickKernel::PickKernel;
  void Add(const RowRef& row) { current_ = row; }
  void AddOlder(const RowRef&) {}
  void Retract(const RowRef& row) { current_ = row; }
  void RetractOlder(const RowRef&) {}
};

struct GroupField : PickKernel {
  using PickKernel::PickKernel;
  void Add(const RowRef& row) { current_ = row; }
  void AddOlder(const RowRef&) {}
  void Retract(const RowRef&) { current_ = kNull; }
  void RetractOlder(const RowRef&) {}
};

struct LastValue : PickKernel {
  using PickKernel::PickKernel;
  void Add(const RowRef& row) { current_ = row; }
  void AddOlder(const RowRef&) {}
  void Retract(const RowRef&) { current_ = kNull; }
  void RetractOlder(const RowRef&) { current_ = kNull; }
};

struct LastNonNullValue : PickKernel {
  using PickKernel::PickKernel;
  void Add(const RowRef& row) {
    if (validities_.Has(row)) current_ = row;
  }
  void AddOlder(const RowRef& row) {
    if (!valid()) current_ = row;
  }
  void Retract(const RowRef& row) {
    if (validities_.Has(row)) current_ = kNull;
  }
  void RetractOlder(const RowRef& row) { Retract(row); }
};

// An older row's value is taken as the result so far, and the result so far as its input.
struct FirstValue : PickKernel {
  using PickKernel::PickKernel;
  bool found = false;
  void Begin() {
    PickKernel::Begin();
    found = false;
  }
  void Add(const RowRef& row) {
    if (!found) current_ = row;
    found = true;
  }
  void AddOlder(const RowRef& row) {
    if (found) current_ = row;
    found = true;
  }
};

struct FirstNonNullValue : PickKernel {
  using PickKernel::PickKernel;
  bool found = false;
  void Begin() {
    PickKernel::Begin();
    found = false;
  }
  void Add(const RowRef& row) {
    if (found || !validities_.Has(row)) return;
    current_ = row;
    found = true;
  }
  void AddOlder(const RowRef& row) {
    if (!found && valid()) {
      found = true;
    } else {
      current_ = row;
    }
  }
};

// Of the values of two rows: whether the first is below the second, with NaN greatest and -0.0 below 0.0.
template <typename T>
bool Below(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
    if (a == b) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}

template <typename Values, bool kGreatest>
struct Extreme : PickKernel {
  Extreme(const ColumnRule& rule, const Validities& validities, std::vector<RowRef>* picks, const Values& values)
      : PickKernel(rule, validities, picks), values_(values) {}
  void Add(const RowRef& row) {
    if (!validities_.Has(row)) return;
    if (!valid()) {
      current_ = row;
      return;
    }
    const auto a = values_.At(current_), b = values_.At(row);
    if (kGreatest ? Below(a, b) : Below(b, a)) current_ = row;
  }
  void AddOlder(const RowRef& row) { Add(row); }

 private:
  const Values& values_;
};

class TextValues {
 public:
  void Reset(ColumnSources sources) {
    sources_.clear();
    for (const arrow::Array* array : sources) sources_.push_back(static_cast<const arrow::BinaryArray*>(array));
  }
  std::string_view At(const RowRef& row) const { return sources_[row.source]->GetView(row.row); }

 private:
  std::vector<const arrow::BinaryArray*> sources_;
};

class BitValues {
 public:
  void Reset(ColumnSources sources) {
    sources_.clear();
    for (const arrow::Array* array : sources) sources_.push_back(static_cast<const arrow::BooleanArray*>(array));
  }
  bool At(const RowRef& row) const { return sources_[row.source]->Value(row.row); }

 private:
  std::vector<const arrow::BooleanArray*> sources_;
};

// Keeps a value that decides: false for bool_and, true for bool_or.
template <bool kDecides>
struct Decision : PickKernel {
  Decision(const ColumnRule& rule, const Validities& validities, std::vector<RowRef>* picks, const BitValues& values)
      : PickKernel(rule, validities, picks), values_(values) {}
  void Add(const RowRef& row) {
    if (!validities_.Has(row)) return;
    if (!valid() || values_.At(current_) != kDecides) current_ = row;
  }
  void AddOlder(const RowRef& row) { Add(row); }

 private:
  const BitValues& values_;
};

// The newest value that is not NULL where all rows are added: the search starts at the newest.
void PickLastNonNull(const GroupSteps& steps, const Validities& validities, std::vector<RowRef>* picks) {
  uint32_t start = 0;
  for (const uint32_t end : steps.ends) {
    uint32_t step = end - 1;
    while (step > start && !validities.Has(steps.rows[step])) --step;
    picks->push_back(steps.rows[step]);
    start = end;
  }
}

void PickNewest(const GroupSteps& steps, std::vector<RowRef>* picks) {
  for (const uint32_t end : steps.ends) picks->push_back(steps.rows[end - 1]);
}

class PickMerge final : public ColumnMerge {
 public:
  explicit PickMerge(const ColumnRule& rule) : rule_(rule) {}

  void Merge(ColumnSources sources, const GroupSteps& steps, GroupValues* out) override {
    validities_.Reset(sources);
    out->picks.reserve(steps.group_count());
    const bool all_added = LaneOf(rule_, steps).empty();
    switch (rule_.merge.function) {
      case FieldFunction::kGroupOrder:
        return Run<GroupOrder>(steps, out);
      case FieldFunction::kGroupField:
        return Run<GroupField>(steps, out);
      case FieldFunction::kLastValue:
        if (all_added) return PickNewest(steps, &out->picks);
        return Run<LastValue>(steps, out);
      case FieldFunction::kLastNonNullValue:
        if (all_added && !validities_.any_nulls()) return PickNewest(steps, &out->picks);
        if (all_added) return PickLastNonNull(steps, validities_, &out->picks);
        return Run<LastNonNullValue>(steps, out);
      case FieldFunction::kFirstValue:
        return Run<FirstValue>(steps, out);
      case FieldFunction::kFirstNonNullValue:
        return Run<FirstNonNullValue>(steps, out);
      case FieldFunction::kMax:
        return RunExtreme<true>(sources, steps, out);
      case FieldFunction::kMin:
        return RunExtreme<false>(sources, steps, out);
      case FieldFunction::kBoolAnd:
        return RunOn<Decision<false>, BitValues>(sources, steps, out);
      case FieldFunction::kBoolOr:
        return RunOn<Decision<true>, BitValues>(sources, steps, out);
      default:
        MICA_CHECK(false);
    }
  }

 private:
  template <typename Kernel>
  void Run(const GroupSteps& steps, GroupValues* out) const {
    Kernel kernel(rule_, validities_, &out->picks);
    FollowSteps(rule_, steps, kernel);
  }

  template <typename Kernel, typename Values>
  void RunOn(ColumnSources sources, const GroupSteps& steps, GroupValues* out) const {
    Values values;
    values.Reset(sources);
    Kernel kernel(rule_, validities_, &out->picks, values);
    FollowSteps(rule_, steps, kernel);
  }

  template <bool kGreatest>
  void RunExtreme(ColumnSources sources, const GroupSteps& steps, GroupValues* out) const {
    const auto run = [&]<typename Values>(Values*) {
      RunOn<Extreme<Values, kGreatest>, Values>(sources, steps, out);
    };
    const TypeRoot root = rule_.type.root();
    if (rule_.type.IsString() || rule_.type.IsBinary()) return run(static_cast<TextValues*>(nullptr));
    if (root == TypeRoot::kFloat) return run(static_cast<FixedValues<float>*>(nullptr));
    if (root == TypeRoot::kDouble) return run(static_cast<FixedValues<double>*>(nullptr));
    if (root == TypeRoot::kDecimal) return run(static_cast<FixedValues<Int128>*>(nullptr));
    if (root == TypeRoot::kTinyInt) return run(static_cast<FixedValues<int8_t>*>(nullptr));
    if (root == TypeRoot::kSmallInt) return run(static_cast<FixedValues<int16_t>*>(nullptr));
    if (root == TypeRoot::kBigInt || rule_.type.IsTimestamp()) return run(static_cast<FixedValues<int64_t>*>(nullptr));
    MICA_CHECK(root == TypeRoot::kInt || root == TypeRoot::kDate || root == TypeRoot::kTime);
    run(static_cast<FixedValues<int32_t>*>(nullptr));
  }

  const ColumnRule& rule_;
  Validities validities_;
};

}  // namespace

std::unique_ptr<ColumnMerge> MakePickMerge(const ColumnRule& rule) {
  return std::make_unique<PickMerge>(rule);
}

}  // namespace mica
