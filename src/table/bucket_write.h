// Writes rows to buckets that somebody else has chosen: below the writers of tables whose buckets do not follow from the
// rows and the table's options alone (Engine 6).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "table/incoming_rows.h"
#include "table/write.h"

namespace mica {

class BucketWrite : public TableWrite {
 public:
  // One bucket a row. Rows have been checked.
  virtual void WriteTo(const IncomingBatch& batch, const std::vector<int32_t>& buckets) = 0;
};

// `total_buckets` of a partition (serialized); empty: as the table's options say.
std::unique_ptr<BucketWrite> MakeBucketWrite(TablePtr table, WriteSettings settings,
                                             std::function<int32_t(const std::string& partition)> total_buckets = {});

// Tables with `bucket` = -2.
std::unique_ptr<TableWrite> MakePostponeWrite(TablePtr table, WriteSettings settings);
// Tables whose keys may lie in any partition, but in one only. Its messages tell in which snapshot the keys were
// looked up.
std::unique_ptr<TableWrite> MakeCrossPartitionWrite(TablePtr table, WriteSettings settings);

}  // namespace mica
