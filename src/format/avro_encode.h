// Encodes Arrow arrays as the records of Avro data files (Format 8.4), and gives the schema that goes with them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica {

class AvroValueEncoder {
 public:
  virtual ~AvroValueEncoder() = default;
  // The array whose rows are encoded next; it must outlive them.
  virtual void Bind(const arrow::Array& array) = 0;
  virtual void Encode(int64_t row, std::string& out) const = 0;
};

// The text of the root record's schema. Throws Unsupported naming a column that Avro files cannot hold.
std::string AvroSchemaOf(const std::vector<DataField>& fields);

// For arrays of the Arrow form of the type. A null in a NOT NULL type is InvalidArgument naming the column.
std::unique_ptr<AvroValueEncoder> CompileEncoder(const DataType& type, const std::string& column);

}  // namespace mica
