#include "merge/column_merge.h"

#include "base/error.h"

namespace mica {

std::unique_ptr<ColumnMerge> MakeColumnMerge(const ColumnRule& rule) {
  switch (rule.merge.function) {
    case FieldFunction::kGroupOrder:
    case FieldFunction::kGroupField:
    case FieldFunction::kLastValue:
    case FieldFunction::kLastNonNullValue:
    case FieldFunction::kFirstValue:
    case FieldFunction::kFirstNonNullValue:
    case FieldFunction::kMax:
    case FieldFunction::kMin:
    case FieldFunction::kBoolAnd:
    case FieldFunction::kBoolOr:
      return MakePickMerge(rule);
    case FieldFunction::kSum:
    case FieldFunction::kProduct:
      return MakeNumberMerge(rule);
    case FieldFunction::kListagg:
      return MakeTextMerge(rule);
    case FieldFunction::kCollect:
    case FieldFunction::kMergeMap:
    case FieldFunction::kMergeMapWithKeyTime:
    case FieldFunction::kNestedUpdate:
      return MakeNestedMerge(rule);
    case FieldFunction::kNestedPartialUpdate:
      return MakeNestedPartialMerge(rule);
    case FieldFunction::kRoaringBitmap32:
    case FieldFunction::kRoaringBitmap64:
      return MakeBitmapMerge(rule);
    case FieldFunction::kResultRow:
    case FieldFunction::kResultKind:
    case FieldFunction::kThetaSketch:
    case FieldFunction::kHllSketch:
      break;
  }
  throw Internal("No merge of column '{}' ('{}')", rule.name, FunctionName(rule.merge.function));
}

}  // namespace mica
