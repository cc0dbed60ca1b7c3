#include <arrow/api.h>

#include "base/arrow.h"
#include "system/row_batch.h"
#include "system/row_text.h"
#include "system/state_tables.h"
#include "table/scan.h"
#include "types/arrow_types.h"

namespace mica {

// M-0717.
std::vector<DataField> TableIndexesFields(const Table&) {
  DataType text = DataType::String(), number = DataType::BigInt();
  DataType range = DataType::Row({NotNull("f0", text), NotNull("f1", DataType::Int()), NotNull("f2", DataType::Int()),
                                  Nullable("_CARDINALITY", number)});
  return {Nullable("partition", text), NotNull("bucket", DataType::Int()), NotNull("index_type", text),
          NotNull("file_name", text), NotNull("file_size", number), NotNull("row_count", number),
          Nullable("dv_ranges", DataType::Array(range))};
}

std::unique_ptr<BatchReader> ReadTableIndexes(TablePtr table) {
  std::vector<DataField> fields = TableIndexesFields(*table);
  auto snapshot = ResolveSnapshot(*table, TimeTravelOf(table->options())).snapshot;
  std::vector<IndexManifestEntry> entries;
  if (snapshot && snapshot->index_manifest) entries = table->manifests().ReadIndex(*snapshot->index_manifest);
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders;
  for (const DataField& field : fields) builders.push_back(Take(arrow::MakeBuilder(ToArrowType(field.type))));
  std::vector<DataField> partition = table->schema().PartitionFields();
  for (const IndexManifestEntry& entry : entries) {
    std::vector<Value> values = {RowText(entry.partition, partition, '{', '}'), static_cast<int64_t>(entry.bucket),
                                 entry.index_type, entry.file_name, entry.file_size, entry.row_count};
    for (size_t i = 0; i < values.size(); ++i) AppendValue(values[i], fields[i].type, builders[i].get());
    auto& list = static_cast<arrow::ListBuilder&>(*builders.back());
    if (!entry.deletion_vector_ranges) {
      Check(list.AppendNull());
      continue;
    }
    Check(list.Append());
    auto& rows = static_cast<arrow::StructBuilder&>(*list.value_builder());
    for (const DeletionVectorRange& range : *entry.deletion_vector_ranges) {
      Check(rows.Append());
      Check(static_cast<arrow::StringBuilder&>(*rows.field_builder(0)).Append(range.data_file_name));
      Check(static_cast<arrow::Int32Builder&>(*rows.field_builder(1)).Append(range.offset));
      Check(static_cast<arrow::Int32Builder&>(*rows.field_builder(2)).Append(range.length));
      auto& cardinality = static_cast<arrow::Int64Builder&>(*rows.field_builder(3));
      Check(range.cardinality ? cardinality.Append(*range.cardinality) : cardinality.AppendNull());
    }
  }
  arrow::ArrayVector arrays;
  for (auto& builder : builders) arrays.push_back(Take(builder->Finish()));
  auto batch = arrow::RecordBatch::Make(ToArrowSchema(fields), static_cast<int64_t>(entries.size()), std::move(arrays));
  if (entries.empty()) batch = nullptr;
  return MakeReader([batch]() mutable { return std::exchange(batch, nullptr); });
}

}  // namespace mica
