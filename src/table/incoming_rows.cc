#include "table/incoming_rows.h"

#include <arrow/api.h>

#include "base/error.h"
#include "types/row_check.h"

namespace mica {

IncomingRows::IncomingRows(const Table& table)
    : table_(table.name().ToString()),
      fields_(table.schema().fields),
      keyed_(table.schema().has_primary_key()),
      row_kinds_(table.schema()) {}

IncomingBatch IncomingRows::Take(const std::shared_ptr<arrow::RecordBatch>& input) const {
  IncomingBatch batch{CheckRows(input, fields_), false};
  const size_t columns = fields_.size();
  batch.with_kinds = static_cast<size_t>(batch.rows->num_columns()) == columns + 1 &&
                     batch.rows->schema()->field(static_cast<int>(columns))->name() == kValueKind;
  if (static_cast<size_t>(batch.rows->num_columns()) != columns + (batch.with_kinds ? 1 : 0)) {
    throw InvalidArgument("A batch for table '{}' has {} columns where {} are needed", table_, batch.rows->num_columns(),
                          columns);
  }
  if (batch.with_kinds && !keyed_) RefuseRetracts(*batch.rows->column(static_cast<int>(columns)));
  if (keyed_) batch.rows = row_kinds_.Apply(batch.rows, &batch.with_kinds);
  return batch;
}

void IncomingRows::RefuseRetracts(const arrow::Array& kinds) const {
  const auto& values = static_cast<const arrow::Int8Array&>(kinds);
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.Value(i) & 1) {
      throw InvalidArgument("Table '{}' has no primary key: it cannot take -U or -D rows", table_);
    }
  }
}

}  // namespace mica
