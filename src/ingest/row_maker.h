// Makes batches of a table's rows from records of JSON or CSV.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "ingest/json_text.h"
#include "types/data_type.h"

namespace mica {

class RowMaker {
 public:
  // `kind_field`: what in a record tells the row's kind (+I, -U, +U, -D); it need not be a column.
  RowMaker(std::vector<DataField> fields, std::optional<std::string> kind_field);
  ~RowMaker();

  // An object. Members that are missing get the column's default, or NULL. Throws InvalidArgument naming the column: a
  // value that does not fit, an unknown member. The row is then left out.
  void AddJson(std::string_view record);

  // CSV: what the fields of records are; without a call they are the columns in order.
  void SetHeader(std::string_view record);
  // Fields may stand in double quotes; one that is empty and has none is NULL. Nested types are given as JSON.
  void AddCsv(std::string_view record);

  int64_t row_count() const { return row_count_; }
  // The rows so far: the columns and, with a kind field, _VALUE_KIND. Empty afterwards.
  std::shared_ptr<arrow::RecordBatch> Take();

 private:
  struct CsvField {
    std::string text;
    bool quoted = false;
  };
  void SplitCsv(std::string_view record);
  void AppendDefault(size_t column);
  void Finish(const std::vector<bool>& given, std::optional<std::string_view> kind);
  void CutBack();

  std::vector<DataField> fields_;
  std::optional<std::string> kind_field_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  std::vector<std::shared_ptr<arrow::Array>> defaults_;  // nullptr: NULL
  std::vector<int8_t> kinds_;
  std::vector<int> csv_columns_;  // of each field; -1: it only tells the kind
  std::vector<CsvField> csv_;
  size_t csv_count_ = 0;
  JsonTextParser parser_, nested_parser_;
  int64_t row_count_ = 0;
};

}  // namespace mica
