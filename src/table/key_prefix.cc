#include "table/key_prefix.h"

#include <algorithm>

#include "table/file_mapping.h"
#include "types/binary_row.h"

namespace mica {

namespace {

constexpr size_t kMaxCombinations = 1000;

std::weak_ordering Compare(const std::vector<Value>& a, const std::vector<Value>& b, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    auto order = CompareValues(a[i], b[i]);
    if (order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

}  // namespace

KeyPrefixFilter::KeyPrefixFilter(const TableSchema& schema, PredicatePtr key_predicate)
    : schema_(schema), predicate_(std::move(key_predicate)) {
  if (!predicate_ || !schema.has_primary_key()) return;
  keys_ = schema.KeyFields();
  for (const DataField& key : keys_) types_.push_back(key.type);
  wanted_.emplace_back();
  for (const DataField& key : keys_) {
    // Equal by value but not by bytes: padding of CHAR, the two zeros of FLOAT and DOUBLE.
    TypeRoot root = key.type.root();
    if (root == TypeRoot::kChar || root == TypeRoot::kFloat || root == TypeRoot::kDouble) break;
    auto values = PossibleValues(predicate_, key.name);
    if (!values || wanted_.size() * values->size() > kMaxCombinations) break;
    std::vector<Key> next;
    for (const Key& known : wanted_) {
      for (const Value& value : *values) {
        next.push_back(known);
        next.back().push_back(value);
      }
    }
    wanted_ = std::move(next);
    ++length_;
  }
  std::sort(wanted_.begin(), wanted_.end(),
            [this](const Key& a, const Key& b) { return Compare(a, b, length_) < 0; });
}

bool KeyPrefixFilter::MayHold(const DataFileMeta& file) const {
  if (length_ == 0) return true;
  BinaryRow first = BinaryRow::Deserialize(file.min_key), last = BinaryRow::Deserialize(file.max_key);
  if (first.arity() != static_cast<int>(types_.size()) || last.arity() != static_cast<int>(types_.size())) return true;
  const Key min = first.Values(types_), max = last.Values(types_);
  auto key = std::lower_bound(wanted_.begin(), wanted_.end(), min,
                              [this](const Key& a, const Key& b) { return Compare(a, b, length_) < 0; });
  for (; key != wanted_.end() && Compare(*key, max, length_) <= 0; ++key) {
    if (length_ == keys_.size() || NextMayMatch(file, *key, min, max)) return true;
  }
  return false;
}

bool KeyPrefixFilter::NextMayMatch(const DataFileMeta& file, const Key& key, const Key& min, const Key& max) const {
  RangeOf all_rows = KeyRanges(schema_, file);
  const std::string& next = keys_[length_].name;
  RangeOf of_key = [&](const std::string& column) -> std::optional<ColumnRange> {
    std::optional<ColumnRange> range = all_rows(column);
    if (!range || column != next) return range;
    if (Compare(key, min, length_) == 0) range->min = min[length_];
    if (Compare(key, max, length_) == 0) range->max = max[length_];
    return range;
  };
  return MayMatch(*predicate_, of_key, file.row_count);
}

}  // namespace mica
