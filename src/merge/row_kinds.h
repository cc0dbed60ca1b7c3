// The kinds of rows that are written to a primary-key table (Engine 2.1): taken from the column `rowkind.field`, and
// rows left out by `ignore-delete` and `ignore-update-before`, rows refused that no merge could take.
#pragma once

#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "meta/table_schema.h"

namespace mica {

class RowKinds {
 public:
  explicit RowKinds(const TableSchema& schema);

  // `batch` has the table's columns and, `with_kinds`, _VALUE_KIND behind them, which goes before `rowkind.field`.
  // Gives the rows to write in the same form and updates `with_kinds`. Throws InvalidArgument for what is no kind and for
  // retracts that the merge engine does not take.
  std::shared_ptr<arrow::RecordBatch> Apply(std::shared_ptr<arrow::RecordBatch> batch, bool* with_kinds) const;

 private:
  void RefuseRetracts(const arrow::Int8Array& kinds) const;

  int kind_column_ = -1;
  bool ignore_delete_ = false;
  bool ignore_update_before_ = false;
  std::string why_no_update_before_, why_no_delete_;
};

}  // namespace mica
