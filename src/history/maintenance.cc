#include "history/maintenance.h"

#include <functional>

#include "base/error.h"
#include "base/log.h"
#include "history/changelog_expiry.h"
#include "history/expire_snapshots.h"
#include "history/lines.h"
#include "history/partition_expiry.h"
#include "history/tag_creation.h"
#include "history/tags.h"
#include "meta/consumer.h"

namespace mica {

namespace {

void ExpireConsumers(const Table& table, int64_t now_millis) {
  auto idle = table.options().Find("consumer.expiration-time");
  if (!idle) return;
  auto limit = table.options().Duration("consumer.expiration-time", std::chrono::nanoseconds(0));
  int64_t before = now_millis - std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  ConsumerStore(table.file_system_ptr(), MetadataRoot(table)).DeleteOlderThan(before);
}

}  // namespace

void MaintainAfterCommit(const TablePtr& table, const CommitSettings& settings, Executor& executor) noexcept {
  Clock clock = settings.clock ? settings.clock : SystemClock();
  const TableOptions& options = table->options();
  auto step = [&](std::string_view what, const std::function<void()>& run) {
    try {
      run();
    } catch (const std::exception& error) {
      Log(LogLevel::kWarning, fmt::format("The commit to table '{}' is done, but {} failed and is left to a later one: {}",
                                          table->name().ToString(), what, error.what()));
    }
  };
  step("making its tag", [&] { CreateBatchTag(*table, clock, executor); });
  if (options.Bool("write-only", false)) return;
  step("making tags", [&] { CreateTagsByTime(*table, clock, executor); });
  if (options.Bool("tag.time-expire-enabled", true)) {
    step("expiring tags", [&] { ExpireTags(*table, std::nullopt, clock(), executor); });
  }
  if (options.Bool("end-input.check-partition-expire", false) && options.Find("partition.expiration-time")) {
    step("expiring partitions", [&] { ExpirePartitions(table, {}, settings, clock(), executor); });
  }
  // Before the snapshots that they hold.
  step("expiring consumers", [&] { ExpireConsumers(*table, clock()); });
  step("expiring snapshots", [&] {
    const bool due = ExpiryIsDue(*table, clock());
    if (due) ExpireSnapshots(*table, {}, clock(), executor);
    if (due || KeepsChangelogs(options)) ExpireChangelogs(*table, {}, clock(), executor);
  });
}

}  // namespace mica
