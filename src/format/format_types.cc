#include "format/format_types.h"

#include "base/text.h"
#include "format/avro_encode.h"
#include "format/data_file.h"

namespace mica {

void CheckFormatHolds(std::string_view format, const std::vector<DataField>& fields) {
  CheckFormatSupported(format);
  if (EqualsIgnoreCase(format, "avro")) AvroSchemaOf(fields);
}

}  // namespace mica
