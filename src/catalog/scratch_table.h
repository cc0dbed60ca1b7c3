// For tests: a catalog on any file system, tables by a short definition, rows in and out as values and as text.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "catalog/filesystem_catalog.h"
#include "io/memory_file_system.h"
#include "table/commit.h"
#include "table/read.h"
#include "table/scan.h"
#include "table/write.h"
#include "types/arrow_types.h"

namespace mica {

using Row = std::vector<Value>;
using Rows = std::vector<Row>;

inline std::shared_ptr<arrow::RecordBatch> ToBatch(const std::vector<DataField>& fields, const Rows& rows,
                                                   const std::vector<int8_t>& kinds = {}) {
  arrow::ArrayVector columns;
  auto schema = ToArrowSchema(fields);
  for (size_t i = 0; i < fields.size(); ++i) {
    auto builder = Take(arrow::MakeBuilder(ToArrowType(fields[i].type)));
    for (const Row& row : rows) AppendValue(row[i], fields[i].type, builder.get());
    columns.push_back(Take(builder->Finish()));
  }
  if (!kinds.empty()) {
    arrow::Int8Builder builder;
    Check(builder.AppendValues(kinds));
    columns.push_back(Take(builder.Finish()));
    schema = Take(schema->AddField(schema->num_fields(), arrow::field(std::string(kValueKind), arrow::int8(), false)));
  }
  return arrow::RecordBatch::Make(schema, static_cast<int64_t>(rows.size()), std::move(columns));
}

inline std::string RowText(const Row& row, const std::vector<DataField>& fields) {
  std::string text;
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) text += '|';
    text += IsNull(row[i]) ? "NULL" : ValueToString(row[i], fields[i].type);
  }
  return text;
}

// Sorted, so that two states can be compared.
inline std::vector<std::string> RowTexts(const Rows& rows, const std::vector<DataField>& fields) {
  std::vector<std::string> texts;
  for (const Row& row : rows) texts.push_back(RowText(row, fields));
  std::sort(texts.begin(), texts.end());
  return texts;
}

inline std::vector<CommitMessage> WriteRows(const TablePtr& table, const Rows& rows,
                                            const std::vector<int8_t>& kinds = {}, WriteSettings settings = {}) {
  auto write = TableWrite::Create(table, settings);
  if (!rows.empty()) write->Write(ToBatch(table->schema().fields, rows, kinds));
  return write->PrepareCommit();
}

// What a statement does: on an error that leaves no doubt its files go, as do those of a refused commit.
inline void CommitRows(const TablePtr& table, const std::vector<CommitMessage>& messages, CommitSettings settings = {}) {
  try {
    TableCommit(table, settings).Commit(messages);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutcomeUnknown) AbortMessages(*table, messages);
    throw;
  }
}

inline void Insert(const TablePtr& table, const Rows& rows, const std::vector<int8_t>& kinds = {}) {
  CommitRows(table, WriteRows(table, rows, kinds));
}

inline void Replace(const TablePtr& table, const OverwriteScope& scope, const Rows& rows) {
  WriteSettings settings;
  settings.ignore_existing = true;
  auto messages = WriteRows(table, rows, {}, settings);
  try {
    TableCommit(table, {}).Overwrite(scope, messages);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutcomeUnknown) AbortMessages(*table, messages);
    throw;
  }
}

struct Scanned {
  std::vector<std::string> rows;  // sorted texts
  ScanPlan plan;
};

inline Scanned Scan(const Table& base, PredicatePtr predicate = nullptr, const std::vector<std::string>& columns = {},
                    const TimeTravel& travel = {}) {
  ResolvedSnapshot resolved = ResolveSnapshot(base, travel);
  TablePtr table = base.WithSchema(resolved.schema);
  Scanned scanned;
  ScanRequest scan;
  scan.snapshot = resolved.snapshot;
  scan.predicate = predicate;
  scanned.plan = PlanScan(*table, scan);
  ReadRequest read;
  read.predicate = predicate;
  read.fields = columns.empty() ? table->schema().fields : table->schema().FieldsOf(columns);
  for (const Split& split : scanned.plan.splits) {
    auto reader = ReadSplit(*table, split, read);
    while (auto batch = reader->Next()) {
      EXPECT_GT(batch->num_rows(), 0);
      EXPECT_EQ(static_cast<size_t>(batch->num_columns()), read.fields.size());
      for (int64_t row = 0; row < batch->num_rows(); ++row) {
        Row values;
        for (size_t i = 0; i < read.fields.size(); ++i) {
          values.push_back(ValueAt(*batch->column(static_cast<int>(i)), row, read.fields[i].type));
        }
        scanned.rows.push_back(RowText(values, read.fields));
      }
    }
  }
  std::sort(scanned.rows.begin(), scanned.rows.end());
  if (scanned.plan.exact_row_count) {
    EXPECT_EQ(*scanned.plan.exact_row_count, static_cast<int64_t>(scanned.rows.size()));
  }
  return scanned;
}

struct ScratchCatalog {
  explicit ScratchCatalog(FileSystemPtr fs = std::make_shared<MemoryFileSystem>(), std::string warehouse = "/warehouse")
      : fs(std::move(fs)), catalog(this->fs, std::move(warehouse), Options{}) {}

  TablePtr Create(const std::vector<DataField>& fields, std::vector<std::string> partition_keys,
                  std::vector<std::string> primary_keys, Options options, const std::string& name = "t") {
    catalog.CreateTable({"default", name}, {fields, std::move(partition_keys), std::move(primary_keys), std::move(options), {}},
                        false);
    return Get(name);
  }
  TablePtr Get(const std::string& name = "t") { return catalog.GetTable({"default", name}); }

  FileSystemPtr fs;
  FileSystemCatalog catalog;
};

inline DataField Column(std::string name, DataType type) {
  DataField field;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

inline Value Number(int64_t value) { return value; }
inline Value Text(std::string value) { return value; }

}  // namespace mica
