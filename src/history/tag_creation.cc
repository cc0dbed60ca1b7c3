#include "history/tag_creation.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/log.h"
#include "history/tag_zone.h"
#include "history/tags.h"
#include "meta/tag_period.h"

namespace mica {

namespace {

int64_t DelayOf(const TableOptions& options) {
  auto delay = options.Duration("tag.creation-delay", std::chrono::nanoseconds(0));
  return std::chrono::duration_cast<std::chrono::milliseconds>(delay).count();
}

// Gives a snapshot a tag that nobody asked for: what stands in its way is no error.
void CreateQuietly(const Table& table, const std::string& name, const Snapshot& snapshot, TagExists exists, const Clock& clock,
                   Executor& executor) {
  TagRequest request;
  request.name = name;
  request.snapshot_id = snapshot.id;
  try {
    CreateTag(table, request, exists, clock, executor);
  } catch (const Error& error) {
    bool in_the_way = error.kind() == ErrorKind::kAlreadyExists || error.kind() == ErrorKind::kNotFound ||
                      error.kind() == ErrorKind::kInvalidArgument || error.kind() == ErrorKind::kConflict;
    if (!in_the_way) throw;
    Log(LogLevel::kWarning, fmt::format("The automatic tag '{}' was not made: {}", name, error.what()));
  }
}

// Deletes the oldest of some tags, by snapshot, until so many are left.
void KeepNewest(const Table& table, std::vector<std::pair<int64_t, std::string>> tags, Executor& executor) {
  if (!table.options().Find("tag.num-retained-max")) return;
  size_t most = static_cast<size_t>(std::max<int64_t>(0, table.options().Integer("tag.num-retained-max", 0)));
  std::sort(tags.begin(), tags.end());
  for (size_t i = 0; i + most < tags.size(); ++i) {
    try {
      DeleteTags(table, {tags[i].second}, TagMissing::kIgnore, executor);
    } catch (const Error& error) {
      // A branch begins with it.
      if (error.kind() != ErrorKind::kInvalidArgument) throw;
      Log(LogLevel::kWarning, error.what());
    }
  }
}

class ByTime {
 public:
  ByTime(const Table& table, const Clock& clock, Executor& executor)
      : table_(table),
        clock_(clock),
        executor_(executor),
        by_watermark_(TagCreationOf(table.options()) == TagCreation::kWatermark),
        zone_(by_watermark_ ? TagZone::OfWatermark(table.options()) : TagZone::OfProcess(table.options())),
        period_(table.options()),
        delay_(DelayOf(table.options())) {}

  void Run() {
    std::vector<int64_t> ids = table_.snapshots().Ids();
    if (ids.empty()) return;
    int64_t next = ids.front();
    std::optional<std::pair<int64_t, std::string>> newest;
    for (const std::string& name : table_.snapshots().TagNames()) {
      auto time = period_.TimeOf(name);
      if (time && (!newest || newest->first < *time)) newest = {*time, name};
    }
    if (newest) {
      next = table_.snapshots().GetTag(newest->second).snapshot.id + 1;
      next_tag_ = newest->first + period_.millis();
    }
    for (auto id = std::lower_bound(ids.begin(), ids.end(), next); id != ids.end(); ++id) Look(table_.snapshots().Get(*id));
  }

 private:
  void Look(const Snapshot& snapshot) {
    std::optional<int64_t> time;
    if (!by_watermark_) {
      time = zone_.WallMillis(snapshot.time_millis);
    } else if (snapshot.watermark && *snapshot.watermark != std::numeric_limits<int64_t>::min()) {
      time = zone_.WallMillis(*snapshot.watermark);
    }
    if (!time || (next_tag_ && *time - delay_ < *next_tag_ + period_.millis())) return;
    bool completes = next_tag_ && table_.options().Bool("tag.automatic-completion", false);
    int64_t tag = completes ? *next_tag_ : period_.Before(*time);
    CreateQuietly(table_, period_.NameOf(tag), snapshot, TagExists::kKeep, clock_, executor_);
    next_tag_ = tag + period_.millis();
    std::vector<std::pair<int64_t, std::string>> automatic;
    for (const std::string& name : table_.snapshots().TagNames()) {
      auto known = period_.TimeOf(name) ? table_.snapshots().FindTag(name) : std::nullopt;
      if (known) automatic.emplace_back(known->snapshot.id, name);
    }
    KeepNewest(table_, std::move(automatic), executor_);
  }

  const Table& table_;
  const Clock& clock_;
  Executor& executor_;
  bool by_watermark_;
  TagZone zone_;
  TagPeriod period_;
  int64_t delay_;
  std::optional<int64_t> next_tag_;  // the beginning of the period that the next tag is of
};

}  // namespace

void CheckTagCreation(const TableOptions& options) {
  TagCreation creation = TagCreationOf(options);
  if (creation == TagCreation::kNone) return;
  if (creation == TagCreation::kBatch) {
    TagZone::OfProcess(options);
    return;
  }
  TagPeriod period(options);
  if (DelayOf(options) >= period.millis()) {
    throw InvalidArgument("The option 'tag.creation-delay' must be shorter than the period of the tags");
  }
  if (creation == TagCreation::kWatermark) {
    TagZone::OfWatermark(options);
  } else {
    TagZone::OfProcess(options);
  }
}

void CreateTagsByTime(const Table& table, const Clock& clock, Executor& executor) {
  TagCreation creation = TagCreationOf(table.options());
  if (creation != TagCreation::kProcessTime && creation != TagCreation::kWatermark) return;
  CheckTagCreation(table.options());
  ByTime(table, clock, executor).Run();
}

void CreateBatchTag(const Table& table, const Clock& clock, Executor& executor) {
  if (TagCreationOf(table.options()) != TagCreation::kBatch) return;
  auto latest = table.snapshots().Latest();
  if (!latest) return;
  constexpr int64_t kDay = 24 * 3600 * 1000;
  int64_t wall = TagZone::OfProcess(table.options()).WallMillis(latest->time_millis);
  std::chrono::year_month_day day{std::chrono::sys_days(std::chrono::days(wall / kDay))};
  std::string name = fmt::format("batch-write-{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                                 static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  name = table.options().Text("tag.batch.customized-name", name);
  CreateQuietly(table, name, *latest, TagExists::kReplace, clock, executor);
  std::vector<std::pair<int64_t, std::string>> all;
  for (const std::string& other : table.snapshots().TagNames()) {
    if (auto tag = table.snapshots().FindTag(other)) all.emplace_back(tag->snapshot.id, other);
  }
  KeepNewest(table, std::move(all), executor);
}

}  // namespace mica
