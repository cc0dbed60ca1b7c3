// Timestamps in ORC files (Format 8.3): seconds from the begin of 2015 in the writer's zone, and nanoseconds.
// TIMESTAMP_LTZ in its legacy form (`orc.timestamp-ltz.legacy.type`) is the UTC wall clock of the instant as if it were
// one of the process's zone, so that only under UTC it is the instant.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica {

// Decodes one column of a stripe.
class OrcTime {
 public:
  // `zone` is the writer's, empty for UTC; `type` is an Arrow timestamp; `column` is for messages.
  OrcTime(const std::string& zone, std::shared_ptr<arrow::DataType> type, std::string column);

  const std::shared_ptr<arrow::DataType>& type() const { return type_; }
  // Turns the seconds in `values` and the encoded `nanos` into wall clocks in the type's unit, in place. Throws Corrupt
  // and, for what the unit cannot hold, Unsupported.
  void Decode(int64_t* values, const int64_t* nanos, int64_t count) const;

 private:
  void ShiftToWallClock(int64_t* seconds, int64_t count) const;

  std::string zone_;
  std::shared_ptr<arrow::DataType> type_;
  std::string column_;
  int64_t units_;
  int64_t epoch_;  // the begin of 2015
};

enum class OrcDirection { kRead, kWrite };

// The array with every TIMESTAMP_LTZ in it turned from (kRead) or into (kWrite) the legacy form; itself under UTC.
std::shared_ptr<arrow::Array> OrcInstants(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                          OrcDirection direction);

}  // namespace mica
