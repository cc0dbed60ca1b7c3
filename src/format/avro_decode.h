// Decodes the values of Avro data files (Format 8.4) into Arrow builders. The writer's schema and the type that is
// wanted are compiled once into a tree of decoders; then each record is one walk over it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "format/avro_record.h"
#include "types/data_type.h"

namespace mica {

class AvroValueDecoder {
 public:
  virtual ~AvroValueDecoder() = default;
  virtual void Decode(AvroCursor& cursor) = 0;
};

// Appends to `builder`, which has the Arrow form of `type` and outlives the decoder. Throws Corrupt naming the column
// when the node cannot hold the type.
std::unique_ptr<AvroValueDecoder> CompileDecoder(const AvroNode& node, const DataType& type,
                                                 arrow::ArrayBuilder* builder, const std::string& column);

// Passes over one value.
std::unique_ptr<AvroValueDecoder> SkippingDecoder(const AvroNode& node);

}  // namespace mica
