// Functions on ARRAY and MAP columns (Engine 3.5): collect, merge_map, merge_map_with_keytime, nested_update.
// Results are lists of elements that lie in the sources; they are copied once, at the end.
#include <algorithm>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/type.h>

#include "merge/column_merge.h"
#include "merge/element_bytes.h"
#include "merge/element_set.h"
#include "merge/list_column.h"
#include "merge/step_kernel.h"
#include "types/arrow_types.h"

namespace mica {
namespace {

// The list so far. A function gives Join(list, more) and Remove(list, retracted) for lists that are not NULL,
// JoinNull(list) for a NULL beside a list, JoinFirst(list, more) for the first list, and Changed() says that the list
// changed without it.
template <typename Function>
class ListKernel {
 public:
  ListKernel(const ColumnRule& rule, ColumnSources sources) : rule_(rule), lists_(sources), function_(rule, lists_) {}

  void Begin() {
    null_ = true;
    list_.clear();
    function_.Changed();
  }
  void End() {
    if (!null_) all_.insert(all_.end(), list_.begin(), list_.end());
    ends_.Add(all_.size(), null_);
  }
  void Set(const RowRef& row) {
    Begin();
    if (!lists_.Has(row)) return;
    null_ = false;
    lists_.Append(row, &list_);
  }
  void Add(const RowRef& row) {
    if (!lists_.Has(row)) {
      if (!null_) function_.JoinNull(&list_);
      return;
    }
    more_.clear();
    lists_.Append(row, &more_);
    if (null_) {
      function_.JoinFirst(&list_, more_);
    } else {
      function_.Join(&list_, more_);
    }
    null_ = false;
  }
  // The older row's list with the list so far behind it.
  void AddOlder(const RowRef& row) {
    if (null_ || !lists_.Has(row) || function_.JoinsOlderBehind()) return Add(row);
    more_.swap(list_);
    list_.clear();
    lists_.Append(row, &list_);
    function_.Changed();
    function_.Join(&list_, more_);
  }
  void Retract(const RowRef& row) {
    if (!Function::kRetracts) RefuseRetract(rule_);
    if (null_ || !lists_.Has(row) || (lists_.SizeOf(row) == 0 && !Function::kNormalizes)) return;
    more_.clear();
    lists_.Append(row, &more_);
    function_.Remove(&list_, more_);
    function_.Changed();
  }
  void RetractOlder(const RowRef& row) { Retract(row); }

  std::shared_ptr<arrow::Array> Finish() {
    const auto type = ToArrowType(rule_.type);
    return ends_.Finish(type, GatherElements(lists_.children(), all_, type->field(0)->type()));
  }

 private:
  const ColumnRule& rule_;
  Lists lists_;
  Function function_;
  bool null_ = true;
  Elements list_, more_;
  Elements all_;  // lists of all groups
  ListEnds ends_;
};

// Bytes by which elements are told apart: of the whole element or of some of its fields.
class ElementKeys {
 public:
  // `fields`: of a ROW; empty for the whole element.
  ElementKeys(const Lists& lists, std::vector<int> fields) : lists_(lists), fields_(std::move(fields)) {}

  std::string_view Of(const RowRef& element) {
    bytes_.clear();
    const arrow::Array& child = lists_.ChildOf(element);
    if (fields_.empty()) {
      AppendElementBytes(child, element.row, &bytes_);
    } else {
      const auto& row = static_cast<const arrow::StructArray&>(child);
      for (const int field : fields_) AppendElementBytes(*row.field(field), element.row, &bytes_);
    }
    return bytes_;
  }

 private:
  const Lists& lists_;
  std::vector<int> fields_;
  std::string bytes_;
};

class Collect {
 public:
  static constexpr bool kRetracts = true;
  static constexpr bool kNormalizes = false;

  Collect(const ColumnRule& rule, const Lists& lists)
      : distinct_(rule.merge.distinct),
        // The elements of a first list are taken for distinct where they are nested.
        cleans_first_(rule.type.element().IsPrimitive()),
        // Only where retracts are ignored is the older list put in front.
        older_behind_(!rule.merge.ignore_retract),
        keys_(lists, {}) {}

  void Changed() { indexed_ = false; }
  bool JoinsOlderBehind() const { return older_behind_; }
  void JoinNull(Elements* list) {
    if (distinct_) Index(list);
  }
  void JoinFirst(Elements* list, const Elements& more) { Join(list, more); }
  void Join(Elements* list, const Elements& more) {
    if (!distinct_) {
      list->insert(list->end(), more.begin(), more.end());
      return;
    }
    Index(list);
    for (const RowRef& element : more) {
      if (known_.Insert(keys_.Of(element)).second) list->push_back(element);
    }
  }
  // Each retracted element takes one equal element away.
  void Remove(Elements* list, const Elements& retracted) {
    known_.Clear();
    counts_.clear();
    for (const RowRef& element : retracted) {
      const uint32_t number = known_.Insert(keys_.Of(element)).first;
      if (number == counts_.size()) counts_.push_back(0);
      ++counts_[number];
    }
    std::erase_if(*list, [&](const RowRef& element) {
      const int64_t number = known_.Find(keys_.Of(element));
      if (number < 0 || counts_[static_cast<size_t>(number)] == 0) return false;
      --counts_[static_cast<size_t>(number)];
      return true;
    });
  }

 private:
  void Index(Elements* list) {
    if (indexed_) return;
    indexed_ = true;
    known_.Clear();
    if (!cleans_first_) {
      for (const RowRef& element : *list) known_.Insert(keys_.Of(element));
      return;
    }
    std::erase_if(*list, [&](const RowRef& element) { return !known_.Insert(keys_.Of(element)).second; });
  }

  bool distinct_;
  bool cleans_first_;
  bool older_behind_;
  ElementKeys keys_;
  ElementSet known_;
  bool indexed_ = false;  // known_ holds the list
  std::vector<uint32_t> counts_;
};

// Elements by key; the number of a key is the place of its element.
class KeyedList {
 public:
  explicit KeyedList(ElementKeys keys) : keys_(std::move(keys)) {}

  void Changed() { indexed_ = false; }
  // Of equal keys the last element stays, at the place of the first.
  void Index(Elements* list) {
    if (indexed_) return;
    indexed_ = true;
    known_.Clear();
    size_t count = 0;
    for (const RowRef& element : *list) {
      const uint32_t number = known_.Insert(keys_.Of(element)).first;
      (*list)[number] = element;
      count = std::max<size_t>(count, number + 1);
    }
    list->resize(count);
  }
  void Put(Elements* list, const RowRef& element) {
    const auto [number, is_new] = known_.Insert(keys_.Of(element));
    if (is_new) {
      list->push_back(element);
    } else {
      (*list)[number] = element;
    }
  }
  // The place of the element with the same key, or -1.
  int64_t Find(const RowRef& element) { return known_.Find(keys_.Of(element)); }
  void RemoveKeysOf(Elements* list, const Elements& retracted) {
    Index(list);
    known_.Clear();
    for (const RowRef& element : retracted) known_.Insert(keys_.Of(element));
    std::erase_if(*list, [&](const RowRef& element) { return known_.Find(keys_.Of(element)) >= 0; });
    indexed_ = false;
  }

 private:
  ElementKeys keys_;
  ElementSet known_;
  bool indexed_ = false;
};

class MergeMap {
 public:
  static constexpr bool kRetracts = true;
  static constexpr bool kNormalizes = false;

  // Field 0 of an entry is its key.
  MergeMap(const ColumnRule&, const Lists& lists) : entries_(ElementKeys(lists, {0})) {}
  void Changed() { entries_.Changed(); }
  static bool JoinsOlderBehind() { return false; }
  static void JoinNull(Elements*) {}
  static void JoinFirst(Elements* list, const Elements& more) { *list = more; }
  void Join(Elements* list, const Elements& more) {
    entries_.Index(list);
    for (const RowRef& entry : more) entries_.Put(list, entry);
  }
  void Remove(Elements* list, const Elements& retracted) { entries_.RemoveKeysOf(list, retracted); }

 private:
  KeyedList entries_;
};

// The value of each key is a ROW with a time as text: the greatest stays, and NULL in place of the ROW removes the key.
class MergeMapWithKeyTime {
 public:
  static constexpr bool kRetracts = false;
  static constexpr bool kNormalizes = false;

  MergeMapWithKeyTime(const ColumnRule& rule, const Lists& lists)
      : lists_(lists), time_field_(rule.merge.time_field), entries_(ElementKeys(lists, {0})) {}
  void Changed() { entries_.Changed(); }
  static bool JoinsOlderBehind() { return false; }
  static void JoinNull(Elements*) {}
  static void JoinFirst(Elements* list, const Elements& more) { *list = more; }
  void Join(Elements* list, const Elements& more) {
    for (const RowRef& entry : more) {
      entries_.Index(list);
      if (ValueIsNull(entry)) {
        one_.assign(1, entry);
        entries_.RemoveKeysOf(list, one_);
      } else if (HasTime(entry)) {
        const int64_t known = entries_.Find(entry);
        const bool newer = known < 0 || ValueIsNull((*list)[static_cast<size_t>(known)]) ||
                           !HasTime((*list)[static_cast<size_t>(known)]) ||
                           TimeOf(entry) > TimeOf((*list)[static_cast<size_t>(known)]);
        if (newer) entries_.Put(list, entry);
      }
    }
  }
  static void Remove(Elements*, const Elements&) {}

 private:
  const arrow::StructArray& ValuesOf(const RowRef& entry) const {
    const auto& entries = static_cast<const arrow::StructArray&>(lists_.ChildOf(entry));
    return static_cast<const arrow::StructArray&>(*entries.field(1));
  }
  bool ValueIsNull(const RowRef& entry) const { return ValuesOf(entry).IsNull(entry.row); }
  bool HasTime(const RowRef& entry) const { return ValuesOf(entry).field(time_field_)->IsValid(entry.row); }
  std::string_view TimeOf(const RowRef& entry) const {
    return static_cast<const arrow::StringArray&>(*ValuesOf(entry).field(time_field_)).GetView(entry.row);
  }

  const Lists& lists_;
  int time_field_;
  KeyedList entries_;
  Elements one_;
};

class NestedUpdate {
 public:
  static constexpr bool kRetracts = true;
  static constexpr bool kNormalizes = true;

  NestedUpdate(const ColumnRule& rule, const Lists& lists)
      : lists_(lists),
        keyed_(!rule.merge.nested_key.empty()),
        limit_(rule.merge.count_limit),
        rows_(ElementKeys(lists, rule.merge.nested_key)) {}
  void Changed() { rows_.Changed(); }
  static bool JoinsOlderBehind() { return false; }
  static void JoinNull(Elements*) {}
  static void JoinFirst(Elements* list, const Elements& more) { *list = more; }
  void Join(Elements* list, const Elements& more) {
    const int64_t room = limit_ - static_cast<int64_t>(list->size());
    if (room <= 0) return;
    EraseNulls(list);
    if (keyed_) rows_.Index(list);
    int64_t taken = 0;
    for (const RowRef& row : more) {
      if (taken == room) break;
      if (lists_.IsNull(row)) continue;
      ++taken;
      if (keyed_) {
        rows_.Put(list, row);
      } else {
        list->push_back(row);
      }
    }
  }
  void Remove(Elements* list, const Elements& retracted) {
    EraseNulls(list);
    retracted_.clear();
    for (const RowRef& row : retracted) {
      if (!lists_.IsNull(row)) retracted_.push_back(row);
    }
    if (keyed_) return rows_.RemoveKeysOf(list, retracted_);
    whole_.Clear();
    ElementKeys keys(lists_, {});
    for (const RowRef& row : retracted_) whole_.Insert(keys.Of(row));
    std::erase_if(*list, [&](const RowRef& row) { return whole_.Find(keys.Of(row)) >= 0; });
  }

 private:
  void EraseNulls(Elements* list) {
    if (std::erase_if(*list, [&](const RowRef& row) { return lists_.IsNull(row); }) > 0) rows_.Changed();
  }

  const Lists& lists_;
  bool keyed_;
  int64_t limit_;
  KeyedList rows_;
  ElementSet whole_;
  Elements retracted_;
};

}  // namespace

std::unique_ptr<ColumnMerge> MakeNestedMerge(const ColumnRule& rule) {
  switch (rule.merge.function) {
    case FieldFunction::kCollect:
      return std::make_unique<ComputedMerge<ListKernel<Collect>>>(rule);
    case FieldFunction::kMergeMap:
      return std::make_unique<ComputedMerge<ListKernel<MergeMap>>>(rule);
    case FieldFunction::kMergeMapWithKeyTime:
      return std::make_unique<ComputedMerge<ListKernel<MergeMapWithKeyTime>>>(rule);
    default:
      MICA_CHECK(rule.merge.function == FieldFunction::kNestedUpdate);
      return std::make_unique<ComputedMerge<ListKernel<NestedUpdate>>>(rule);
  }
}

}  // namespace mica
