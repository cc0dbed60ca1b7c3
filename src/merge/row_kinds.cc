#include "merge/row_kinds.h"

#include <array>
#include <string_view>
#include <vector>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/text.h"
#include "meta/merge_options.h"
#include "meta/table_options.h"
#include "merge/row_selection.h"

namespace mica {
namespace {

constexpr std::array<std::string_view, 4> kKinds = {"+I", "-U", "+U", "-D"};
constexpr int8_t kUpdateBefore = 1;
constexpr int8_t kDelete = 3;

int8_t KindOf(std::string_view text) {
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (EqualsIgnoreCase(kKinds[i], text)) return static_cast<int8_t>(i);
  }
  throw InvalidArgument("Unsupported short string '{}' for row kind. Known are: +I, -U, +U, -D", text);
}

std::shared_ptr<arrow::Array> KindsOf(const arrow::StringArray& texts) {
  if (texts.null_count() > 0) throw InvalidArgument("Row kind cannot be null.");
  arrow::Int8Builder builder;
  Check(builder.Reserve(texts.length()));
  for (int64_t i = 0; i < texts.length(); ++i) builder.UnsafeAppend(KindOf(Trim(texts.GetView(i))));
  return Take(builder.Finish());
}

}  // namespace

RowKinds::RowKinds(const TableSchema& schema) {
  if (!schema.has_primary_key()) return;
  const TableOptions options(schema.options);
  const MergeOptions merge = MergeOptionsOf(schema);
  ignore_delete_ = merge.ignore_delete;
  ignore_update_before_ = merge.ignore_update_before;
  if (!ignore_update_before_) why_no_update_before_ = merge.WhyNoRetract(schema, /*deletes=*/false);
  why_no_delete_ = merge.WhyNoRetract(schema, /*deletes=*/true);
  const auto field = options.Find("rowkind.field");
  if (!field) return;
  kind_column_ = FindField(schema.fields, *field);
  if (kind_column_ < 0) throw InvalidArgument("Rowkind field: '{}' can not be found in table schema.", *field);
  if (!schema.Field(*field).type.IsString()) {
    throw InvalidArgument("The column '{}' of 'rowkind.field' must be STRING but is {}", *field,
                          schema.Field(*field).type.ToString());
  }
}

void RowKinds::RefuseRetracts(const arrow::Int8Array& kinds) const {
  for (int64_t i = 0; i < kinds.length(); ++i) {
    const int8_t kind = kinds.Value(i);
    if (kind == kUpdateBefore && !why_no_update_before_.empty()) throw InvalidArgument("{}", why_no_update_before_);
    if (kind == kDelete && !why_no_delete_.empty()) throw InvalidArgument("{}", why_no_delete_);
  }
}

std::shared_ptr<arrow::RecordBatch> RowKinds::Apply(std::shared_ptr<arrow::RecordBatch> batch, bool* with_kinds) const {
  if (!*with_kinds && kind_column_ >= 0) {
    const auto kinds = KindsOf(static_cast<const arrow::StringArray&>(*batch->column(kind_column_)));
    batch = Take(batch->AddColumn(batch->num_columns(), std::string(kValueKind), kinds));
    *with_kinds = true;
  }
  if (!*with_kinds) return batch;
  const auto& kinds = static_cast<const arrow::Int8Array&>(*batch->column(batch->num_columns() - 1));
  if (!why_no_update_before_.empty() || !why_no_delete_.empty()) RefuseRetracts(kinds);
  if (!ignore_delete_ && !ignore_update_before_) return batch;
  std::vector<int32_t> kept;
  kept.reserve(static_cast<size_t>(kinds.length()));
  for (int64_t i = 0; i < kinds.length(); ++i) {
    const int8_t kind = kinds.Value(i);
    const bool dropped = kind == kUpdateBefore || (kind == kDelete && ignore_delete_);
    if (!dropped) kept.push_back(static_cast<int32_t>(i));
  }
  if (static_cast<int64_t>(kept.size()) == kinds.length()) return batch;
  return SelectRows(batch, kept);
}

}  // namespace mica
