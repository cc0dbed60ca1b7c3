// The first thing that happens to rows which are to be written: checked against the schema, with their kinds, without
// those that the options leave out (Engine 2.1; P-12, P-23).
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "merge/row_kinds.h"
#include "table/table.h"

namespace mica {

struct IncomingBatch {
  std::shared_ptr<arrow::RecordBatch> rows;  // the table's columns and, `with_kinds`, _VALUE_KIND behind them
  bool with_kinds = false;
};

class IncomingRows {
 public:
  explicit IncomingRows(const Table& table);
  // As TableWrite::Write takes them. Throws InvalidArgument naming the column or kind.
  IncomingBatch Take(const std::shared_ptr<arrow::RecordBatch>& input) const;

 private:
  void RefuseRetracts(const arrow::Array& kinds) const;

  std::string table_;
  std::vector<DataField> fields_;
  bool keyed_;
  RowKinds row_kinds_;
};

}  // namespace mica
