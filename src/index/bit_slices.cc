#include "index/bit_slices.h"

#include "index/index_value.h"

namespace mica {

BitSlices::Compared BitSlices::Compare(uint64_t number) const {
  Compared out;
  if (slices.size() < 64 && (number >> slices.size()) != 0) {
    out.less = existing;
    return out;
  }
  out.equal = existing;
  for (size_t i = slices.size(); i-- > 0;) {
    RowSet set = out.equal;
    set &= slices[i];
    if (((number >> i) & 1) != 0) {
      RowSet clear = out.equal;
      clear -= slices[i];
      out.less |= clear;
      out.equal = std::move(set);
    } else {
      out.equal -= slices[i];
      out.greater |= set;
    }
  }
  return out;
}

IndexAnswer OrderedIndex::Ask(const Predicate& leaf) const {
  switch (leaf.op()) {
    case PredicateOp::kIsNotNull:
      return IndexAnswer::Of(NotNull());
    case PredicateOp::kIsNull: {
      RowSet rows = RowSet::All(row_count());
      rows -= NotNull();
      return IndexAnswer::Of(std::move(rows));
    }
    case PredicateOp::kEqual:
    case PredicateOp::kIn:
    case PredicateOp::kNotEqual:
    case PredicateOp::kNotIn: {
      const bool is_not = leaf.op() == PredicateOp::kNotEqual || leaf.op() == PredicateOp::kNotIn;
      RowSet rows;
      for (const Value& literal : leaf.literals()) {
        if (IsNull(literal)) {
          if (is_not) return IndexAnswer::None();
          continue;
        }
        auto compared = Compare(literal);
        if (!compared) return {};
        rows |= compared->equal;
      }
      if (!is_not) return IndexAnswer::Of(std::move(rows));
      RowSet others = NotNull();
      others -= rows;
      return IndexAnswer::Of(std::move(others));
    }
    case PredicateOp::kLess:
    case PredicateOp::kLessOrEqual:
    case PredicateOp::kGreater:
    case PredicateOp::kGreaterOrEqual: {
      if (IsNull(leaf.literals()[0])) return IndexAnswer::None();
      auto compared = Compare(leaf.literals()[0]);
      if (!compared) return {};
      const bool less = leaf.op() == PredicateOp::kLess || leaf.op() == PredicateOp::kLessOrEqual;
      RowSet rows = std::move(less ? compared->less : compared->greater);
      if (leaf.op() == PredicateOp::kLessOrEqual || leaf.op() == PredicateOp::kGreaterOrEqual) rows |= compared->equal;
      return IndexAnswer::Of(std::move(rows));
    }
    default:
      return {};
  }
}

}  // namespace mica
