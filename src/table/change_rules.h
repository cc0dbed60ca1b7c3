// Which rows UPDATE, DELETE and MERGE INTO can change in a primary-key table, by its merge engine (Engine 3; M-0413,
// M-0414): what the engine would drop, add up or ignore is refused by name.
#pragma once

#include <string>
#include <vector>

#include "meta/table_schema.h"

namespace mica {

class ChangeRules {
 public:
  // How a new value of a column gets into the row of its key.
  enum class Column {
    kPlain,       // it replaces the old one
    kNotNull,     // the same, but NULL would be ignored
    kGroup,       // it is ignored where all `group_order` are NULL
    kAggregated,  // it would be combined with the old one, so only NULL leaves that alone
  };

  explicit ChangeRules(const TableSchema& schema);

  // Throws Unsupported naming the option that keeps rows.
  void CheckDelete(const std::string& table) const;
  // `columns`: positions that are set. Throws Unsupported naming the option and the column.
  void CheckUpdate(const std::string& table, const std::vector<size_t>& columns) const;

  Column column(size_t position) const { return columns_[position]; }
  // Of a kGroup column.
  const std::vector<std::string>& group_order(size_t position) const { return orders_[position]; }

 private:
  const TableSchema& schema_;
  std::string engine_;
  bool takes_updates_ = true;
  std::string keeps_rows_;  // the reason why rows cannot be deleted
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> orders_;
};

}  // namespace mica
