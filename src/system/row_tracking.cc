// `t$row_tracking` (M-0720): the rows of a table with row tracking, with their ids and sequence numbers.
#include "base/error.h"
#include "merge/merge_reader.h"
#include "system/state_tables.h"
#include "table/read.h"
#include "table/scan.h"

namespace mica {

namespace {

std::vector<DataField> FieldsToRead(const Table& table) {
  std::vector<DataField> fields = table.schema().fields;
  fields.push_back(RowIdField());
  fields.push_back(SequenceNumberField());
  return fields;
}

}  // namespace

std::vector<DataField> RowTrackingFields(const Table& table) {
  if (!table.options().Bool("row-tracking.enabled", false)) {
    throw InvalidArgument("Table {} does not support row tracking, please enable 'row-tracking.enabled' option to use it.",
                          table.name().ToString());
  }
  std::vector<DataField> fields = FieldsToRead(table);
  DataField& id = fields[fields.size() - 2];
  id.type = id.type.WithNullable(false);
  return fields;
}

std::unique_ptr<BatchReader> ReadRowTracking(TablePtr table) {
  ThreadExecutor executor;
  ScanRequest scan;
  scan.snapshot = ResolveSnapshot(*table, TimeTravelOf(table->options())).snapshot;
  scan.executor = &executor;
  if (!scan.snapshot) return ConcatenateReaders({});
  std::vector<std::function<std::unique_ptr<BatchReader>()>> parts;
  for (const Split& split : PlanScan(*table, scan).splits) {
    for (size_t i = 0; i < split.files.size(); ++i) {
      Split file;
      file.snapshot_id = split.snapshot_id;
      file.partition = split.partition;
      file.bucket = split.bucket;
      file.total_buckets = split.total_buckets;
      file.raw_convertible = true;
      file.files.push_back(split.files.shared()[i]);
      if (const DeletionFile* deletions = split.DeletionsOf(i)) file.deletions = {*deletions};
      parts.push_back([table, file = std::move(file)] {
        ReadRequest request;
        request.fields = FieldsToRead(*table);
        return ReadSplit(*table, file, request);
      });
    }
  }
  return ConcatenateReaders(std::move(parts));
}

}  // namespace mica
