#include "procedures/argument_text.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "procedures/call.h"
#include "types/partition_path.h"

namespace mica {

int64_t ParseLocalTime(std::string_view text, std::string_view what) {
  try {
    int64_t wall = std::get<TimestampValue>(ValueFromString(Trim(text), DataType::Timestamp(3))).millis;
    return wall - (LocalWallMillis(wall) - wall);
  } catch (const Error&) {
    throw InvalidArgument("The argument '{}' could not be parsed: '{}'. Write it as 2024-01-31 or 2024-01-31 23:59:59", what,
                          text);
  }
}

std::vector<std::map<std::string, Value>> ParsePartitions(const Table& table, std::string_view text) {
  const TableSchema& schema = table.schema();
  if (schema.partition_keys.empty()) throw InvalidArgument("The table '{}' has no partitions", table.name().ToString());
  std::vector<std::map<std::string, Value>> partitions;
  for (const std::string& spec : SplitList(text, ';')) {
    if (spec.empty()) continue;
    auto& partition = partitions.emplace_back();
    for (const auto& [column, value] : ParseOptionList(spec, ',', "partition")) {
      if (std::find(schema.partition_keys.begin(), schema.partition_keys.end(), column) == schema.partition_keys.end()) {
        throw InvalidArgument("The column '{}' is not a partition column of '{}'{}", column, table.name().ToString(),
                              DidYouMean(column, schema.partition_keys));
      }
      partition[column] = ParsePartitionValue(value, schema.Field(column).type, table.options().partition_naming());
    }
  }
  if (partitions.empty()) throw InvalidArgument("No partition of '{}' is given: '{}'", table.name().ToString(), text);
  return partitions;
}

}  // namespace mica
