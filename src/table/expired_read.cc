#include "table/expired_read.h"

#include <arrow/api.h>

#include "base/error.h"

namespace mica {

namespace {

class ExpiryTeller final : public BatchReader {
 public:
  ExpiryTeller(const Table& table, int64_t snapshot_id, std::unique_ptr<BatchReader> reader)
      : table_(table), snapshot_id_(snapshot_id), reader_(std::move(reader)) {}

  std::shared_ptr<arrow::RecordBatch> Next() override {
    try {
      return reader_->Next();
    } catch (Error& error) {
      AddExpiry(table_, snapshot_id_, &error);
      throw;
    }
  }

 private:
  Table table_;
  int64_t snapshot_id_;
  std::unique_ptr<BatchReader> reader_;
};

}  // namespace

void AddExpiry(const Table& table, int64_t snapshot_id, Error* error) {
  if (error->kind() != ErrorKind::kNotFound) return;
  try {
    SnapshotStore& snapshots = table.snapshots();
    if (snapshots.Exists(snapshot_id)) return;
    for (const std::string& name : snapshots.TagNames()) {
      auto tag = snapshots.FindTag(name);
      if (tag && tag->snapshot.id == snapshot_id) return;
    }
  } catch (const Error&) {
    return;  // what cannot be looked at must not hide the error itself
  }
  error->Add(fmt::format("the snapshot '{}' of table '{}' has expired since this read began. Read again; to keep snapshots "
                         "longer, raise 'snapshot.time-retained' or 'snapshot.num-retained.min', or make a tag",
                         snapshot_id, table.name().ToString()));
}

std::unique_ptr<BatchReader> TellingOfExpiry(const Table& table, int64_t snapshot_id, std::unique_ptr<BatchReader> reader) {
  return std::make_unique<ExpiryTeller>(table, snapshot_id, std::move(reader));
}

}  // namespace mica
