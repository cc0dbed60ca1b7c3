// `t$ro` (M-0710): what a full compaction has left of a primary-key table, read without merging anything younger; of an append
// table all rows.
#include "history/compacted_files.h"
#include "merge/merge_reader.h"
#include "system/state_tables.h"
#include "table/read.h"
#include "table/scan.h"

namespace mica {

std::vector<DataField> ReadOptimizedFields(const Table& table) { return table.schema().fields; }

std::unique_ptr<BatchReader> ReadReadOptimized(TablePtr table) {
  CheckReadable(table->schema());
  auto snapshot = ResolveSnapshot(*table, TimeTravelOf(table->options())).snapshot;
  ThreadExecutor executor;
  std::vector<Split> splits;
  if (snapshot && table->schema().has_primary_key()) {
    splits = SplitsFromLevel(*table, *snapshot, TopLevel(table->options()), executor);
  } else if (snapshot) {
    ScanRequest request;
    request.snapshot = snapshot;
    request.executor = &executor;
    splits = PlanScan(*table, request).splits;
  }
  std::vector<std::function<std::unique_ptr<BatchReader>()>> parts;
  for (Split& split : splits) {
    parts.push_back([table, split = std::move(split)] {
      ReadRequest request;
      request.fields = table->schema().fields;
      return ReadSplit(*table, split, request);
    });
  }
  return ConcatenateReaders(std::move(parts));
}

}  // namespace mica
