#include "procedures/compact_table.h"

#include <algorithm>

#include "base/text.h"
#include "compaction/compact.h"
#include "compaction/sort_compaction.h"
#include "procedures/partition_selection.h"

namespace mica {

namespace {

constexpr int64_t kSortMemoryBytes = 256 << 20;

std::vector<std::pair<int32_t, int32_t>> ParseBuckets(const Table& table, const std::string& text) {
  if (table.options().bucket() <= 0) {
    throw InvalidArgument("The argument 'buckets' needs a table with a fixed number of buckets; '{}' has 'bucket' = '{}'",
                          table.name().ToString(), table.options().bucket());
  }
  std::vector<std::pair<int32_t, int32_t>> ranges;
  for (const std::string& part : SplitList(text, ',')) {
    size_t dash = part.find('-');
    auto first = ParseInteger(Trim(std::string_view(part).substr(0, dash)));
    auto last = dash == std::string::npos ? first : ParseInteger(Trim(std::string_view(part).substr(dash + 1)));
    if (!first || !last || *first < 0 || *last < *first || *last > INT32_MAX) {
      throw InvalidArgument("The argument 'buckets' must be numbers and ranges as '0,2-4', not '{}'", text);
    }
    ranges.emplace_back(static_cast<int32_t>(*first), static_cast<int32_t>(*last));
  }
  return ranges;
}

std::optional<std::string> Given(const ProcedureCall& call, const char* name) {
  if (call.procedure().FindArgument(name) == nullptr) return std::nullopt;
  return call.OptionalText(name);
}

bool IsFull(const ProcedureCall& call) {
  std::string strategy = ToLower(Given(call, "compact_strategy").value_or("full"));
  if (strategy != "full" && strategy != "minor") {
    throw InvalidArgument("The compact strategy only supports 'full' or 'minor', but '{}' is configured.", strategy);
  }
  return strategy == "full";
}

}  // namespace

void CompactByCall(ProcedureCall& call, TablePtr table) {
  Options options = call.OptionList("options");
  if (!options.empty()) table = table->WithOptions(options);
  CompactRequest request;
  request.full = IsFull(call);
  auto partitions = Given(call, "partitions");
  auto where = Given(call, "where");
  if (partitions && where) throw InvalidArgument("Only one of 'partitions' and 'where' can be given");
  if (partitions) request.keep_partition = PartitionsNamed(*table, *partitions);
  if (where) request.keep_partition = PartitionsWhere(call, *table, *where);
  auto idle = Given(call, "partition_idle_time");
  if (idle) {
    request.idle_millis = std::chrono::duration_cast<std::chrono::milliseconds>(ParseDuration(*idle)).count();
  }
  auto buckets = Given(call, "buckets");
  if (buckets) request.buckets = ParseBuckets(*table, *buckets);

  CommitSettings settings = call.NewCommitSettings();
  settings.executor = &call.executor();
  std::string order = ToLower(Given(call, "order_strategy").value_or("none"));
  auto order_by = Given(call, "order_by");
  if (order == "zorder" || order == "hilbert") {
    throw Unsupported("Sorting by '{}' is not supported yet. Use order_strategy => 'order'", order);
  }
  if (order != "none" && order != "order") throw InvalidArgument("cannot match type: {} for ordering", order);
  if ((order == "order") != order_by.has_value()) {
    throw InvalidArgument("'order_strategy' and 'order_by' must be given both or not at all");
  }
  if (order == "none") {
    CompactTable(table, request, settings);
    return;
  }
  if (idle || buckets) throw InvalidArgument("'{}' cannot be given together with 'order_by'", idle ? "partition_idle_time" : "buckets");
  SortTable(table, request, SplitList(*order_by, ','), settings, kSortMemoryBytes);
}

}  // namespace mica
