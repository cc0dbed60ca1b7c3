// Decodes the columns of a stripe of an ORC file into Arrow arrays. Every count, length and index comes from the file
// and is checked before it is used: damage is Corrupt, or other values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "format/orc_stripe.h"
#include "types/data_type.h"

namespace mica {

class OrcColumn {
 public:
  virtual ~OrcColumn() = default;
  // The next rows. `parent` has one byte a row, 0 where the struct around is null, in which case the file has nothing
  // for the column; nullptr when there is no such row.
  virtual std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) = 0;
};

// The column at `index` of the type tree for a reader that wants `type`: of a struct only the fields of the type are
// read, and timestamps get the type's unit; other kinds come as the file has them (INT as int32, CHAR as utf8).
// `name` is for messages. The streams must hold what WantOrcColumns of the same type told.
std::unique_ptr<OrcColumn> OpenOrcColumn(const OrcTail& tail, const OrcStripeStreams& streams, size_t index,
                                         const DataType& type, const std::string& name);

// Sets the places of the nodes that this column needs. Throws Corrupt when the file's types are other ones.
void WantOrcColumns(const OrcTail& tail, size_t index, const DataType& type, const std::string& name,
                    std::vector<bool>* wanted);

}  // namespace mica
