// Partition directories (Format 1.1): `k1=v1/k2=v2/` with escaping, the default name for null and blank, and both
// spellings of values (partition.legacy-name).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "types/binary_row.h"

namespace mica {

struct PartitionNaming {
  std::string default_name = "__DEFAULT_PARTITION__";
  bool legacy_name = true;
};

// "" when there are no partition columns, otherwise it ends with "/". Throws Unsupported for BINARY columns.
std::string PartitionPath(const BinaryRow& partition, std::span<const DataField> fields, const PartitionNaming& naming);
// Text of one value, before escaping; the default name for null and blank.
std::string PartitionValueText(const Value& value, const DataType& type, const PartitionNaming& naming);
std::string EscapePathName(std::string_view text);
std::string UnescapePathName(std::string_view text);
// Reads a spec of texts (as SQL, procedures and SHOW PARTITIONS spell them) into values; the default name is NULL.
// DATE accepts both spellings. Throws InvalidArgument naming column and text.
Value ParsePartitionValue(std::string_view text, const DataType& type, const PartitionNaming& naming);

}  // namespace mica
