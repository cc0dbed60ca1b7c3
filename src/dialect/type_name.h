// Names of types as DESCRIBE shows them: Spark's `array<int>` and Flink's `ARRAY<INT>`. type_parser.h reads both.
#pragma once

#include <string>

#include "types/data_type.h"

namespace mica::dialect {

std::string SparkTypeName(const DataType& type);
// Without the NOT NULL of the type itself.
std::string FlinkTypeName(const DataType& type);

}  // namespace mica::dialect
