#include "table/bucket_filter.h"

#include <algorithm>

namespace mica {

namespace {

constexpr size_t kMaxCombinations = 1000;

}  // namespace

BucketFilter::BucketFilter(const Table& table, const PredicatePtr& predicate) {
  if (!predicate || BucketModeOf(table.schema()) != BucketMode::kHashFixed) return;
  std::vector<std::vector<Value>> choices;
  for (const DataField& field : table.schema().FieldsOf(table.schema().BucketKeys())) {
    // Equal by value but not by bytes: padding of CHAR, the two zeros of FLOAT and DOUBLE.
    TypeRoot root = field.type.root();
    if (root == TypeRoot::kChar || root == TypeRoot::kFloat || root == TypeRoot::kDouble) return;
    auto values = PossibleValues(predicate, field.name);
    if (!values) return;
    types_.push_back(field.type);
    choices.push_back(*std::move(values));
  }
  rows_.emplace_back();
  for (const auto& values : choices) {
    if (rows_.size() * std::max<size_t>(values.size(), 1) > kMaxCombinations) {
      rows_.clear();
      return;
    }
    std::vector<std::vector<Value>> next;
    for (const auto& row : rows_) {
      for (const Value& value : values) {
        next.push_back(row);
        next.back().push_back(value);
      }
    }
    rows_ = std::move(next);
  }
  function_ = BucketFunctionOf(table.options().Text("bucket-function.type", "default"));
  active_ = true;
}

std::vector<int32_t> BucketFilter::Buckets(int32_t total) const {
  std::vector<int32_t> buckets;
  for (const auto& row : rows_) buckets.push_back(BucketOf(function_, row, types_, total));
  std::sort(buckets.begin(), buckets.end());
  buckets.erase(std::unique(buckets.begin(), buckets.end()), buckets.end());
  return buckets;
}

bool BucketFilter::Keeps(int32_t bucket, int32_t total) const {
  if (!active_ || total <= 0) return true;
  std::lock_guard lock(mutex_);
  auto it = cache_.find(total);
  if (it == cache_.end()) it = cache_.emplace(total, Buckets(total)).first;
  return std::binary_search(it->second.begin(), it->second.end(), bucket);
}

}  // namespace mica
