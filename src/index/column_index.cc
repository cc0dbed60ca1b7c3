#include "index/column_index.h"

#include <algorithm>

#include "index/bloom_filter.h"
#include "index/index_value.h"

namespace mica {
namespace {

class BloomIndex final : public ColumnIndex {
 public:
  BloomIndex(std::string_view body, DataType type) : filter_(BloomFilter::Parse(body)), type_(std::move(type)) {}

  IndexAnswer Ask(const Predicate& leaf) const override {
    if (leaf.op() != PredicateOp::kEqual && leaf.op() != PredicateOp::kIn) return {};
    for (const Value& literal : leaf.literals()) {
      if (IsNull(literal)) continue;
      for (const Value& form : StoredForms(literal, type_)) {
        if (filter_.MayContain(IndexHash(form, type_))) return {};
      }
    }
    return IndexAnswer::None();
  }

 private:
  BloomFilter filter_;
  DataType type_;
};

class EmptyIndex final : public ColumnIndex {
 public:
  IndexAnswer Ask(const Predicate& leaf) const override {
    return leaf.op() == PredicateOp::kIsNull ? IndexAnswer{} : IndexAnswer::None();
  }
};

}  // namespace

IndexAnswer operator&(IndexAnswer a, const IndexAnswer& b) {
  using Kind = IndexAnswer::Kind;
  if (a.kind == Kind::kNone || b.kind == Kind::kUnknown) return a;
  if (b.kind == Kind::kNone || a.kind == Kind::kUnknown) return b;
  a.rows &= b.rows;
  return IndexAnswer::Of(std::move(a.rows));
}

IndexAnswer operator|(IndexAnswer a, const IndexAnswer& b) {
  using Kind = IndexAnswer::Kind;
  if (a.kind == Kind::kUnknown || b.kind == Kind::kNone) return a;
  if (b.kind == Kind::kUnknown || a.kind == Kind::kNone) return b;
  a.rows |= b.rows;
  return a;
}

std::unique_ptr<ColumnIndex> OpenBloomIndex(std::string_view body, const DataType& type) {
  return std::make_unique<BloomIndex>(body, type);
}

std::unique_ptr<ColumnIndex> OpenEmptyIndex() {
  return std::make_unique<EmptyIndex>();
}

std::unique_ptr<ColumnIndex> OpenColumnIndex(std::string_view kind, std::string_view body, const DataType& type) {
  if (kind == kBloomIndex) return HasIndexHash(type) ? OpenBloomIndex(body, type) : nullptr;
  if (kind == kBitmapIndex) return HasIndexValue(type) ? OpenBitmapIndex(body, type) : nullptr;
  if (kind == kBsiIndex) return OpenBsiIndex(body, type);
  if (kind == kRangeBitmapIndex) return HasIndexValue(type) ? OpenRangeBitmapIndex(body, type) : nullptr;
  return nullptr;
}

}  // namespace mica
