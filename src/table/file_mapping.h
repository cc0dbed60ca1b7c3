// How the columns of one data file become the columns a reader asked for (Engine 8.4): by field id of the file's schema,
// with casts, NULL for columns the file lacks, and partition values from the manifest.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "meta/manifest.h"
#include "predicate/predicate.h"
#include "table/table.h"

namespace mica {

struct MappedColumn {
  enum class Kind { kFile, kConstant };
  Kind kind = Kind::kConstant;
  int file_column = -1;         // position in FileMapping::file_fields
  DataType file_type;           // kFile: what the file's schema says
  bool needs_cast = false;      // kFile: type differs beyond nullability
  Value constant;               // kConstant: NULL or the partition value
  DataField read;               // what comes out
};

struct FileMapping {
  std::vector<DataField> file_fields;  // to read from the file, in this order, names of the file's schema
  std::vector<MappedColumn> columns;   // one a requested field

  bool is_identity() const;
  // A batch with the columns of `columns` from one with the columns of `file_fields`.
  std::shared_ptr<arrow::RecordBatch> Apply(const std::shared_ptr<arrow::RecordBatch>& batch) const;
};

// `read_fields`: table columns (of the reading schema) and system columns that the file has: _KEY_x, _SEQUENCE_NUMBER,
// _VALUE_KIND, _ROW_ID. Key
// columns of thin files are taken from the value columns.
FileMapping MapFile(const TableSchema& file_schema, const DataFileMeta& file, const std::vector<DataField>& read_fields,
                    const std::string& partition, const TableSchema& read_schema);

// The predicate in terms of the file's columns; conjuncts on cast, missing and partition
// columns are dropped. nullptr: nothing left.
PredicatePtr MapPredicate(const PredicatePtr& predicate, const TableSchema& file_schema, const TableSchema& read_schema);

// Statistics of a file as ranges of the reading schema's columns (Engine 8.2 "Stats evolution").
RangeOf FileRanges(const TableSchema& file_schema, const DataFileMeta& file, const TableSchema& read_schema);
// Ranges of key columns from key_stats and min/max key, by table column name.
RangeOf KeyRanges(const TableSchema& schema, const DataFileMeta& file);

}  // namespace mica
