#include "merge/universal_compaction.h"

#include <algorithm>

#include "base/error.h"

namespace mica {
namespace {

class Picker {
 public:
  Picker(const Levels& levels, const CompactionRules& rules)
      : runs_(levels.runs()), max_level_(levels.max_level()), rules_(rules) {
    for (const SortedRun& run : runs_) bytes_.push_back(run.bytes());
  }

  std::optional<CompactionUnit> Early(std::optional<int64_t> millis_since_full) const {
    if (runs_.size() < 2) return std::nullopt;
    if (rules_.optimization_interval_millis &&
        (!millis_since_full || *millis_since_full > *rules_.optimization_interval_millis)) {
      return Unit(runs_.size(), max_level_);
    }
    if (rules_.total_size_threshold && SumTo(runs_.size()) < *rules_.total_size_threshold) {
      return Unit(runs_.size(), max_level_);
    }
    if (rules_.incremental_size_threshold) {
      int64_t below = SumTo(runs_.size());
      if (runs_.back().level == max_level_) below -= bytes_.back();
      if (below > *rules_.incremental_size_threshold) return Unit(runs_.size(), max_level_);
    }
    return std::nullopt;
  }

  std::optional<CompactionUnit> BySizeAmplification() const {
    if (Count() < rules_.trigger || runs_.empty()) return std::nullopt;
    const double newer = static_cast<double>(SumTo(runs_.size() - 1)) * 100;
    if (newer > static_cast<double>(rules_.max_size_amplification) * static_cast<double>(bytes_.back())) {
      return Unit(runs_.size(), max_level_);
    }
    return std::nullopt;
  }

  std::optional<CompactionUnit> BySizeRatio() const {
    if (Count() < rules_.trigger || runs_.empty()) return std::nullopt;
    return BySizeRatio(1, /*picked=*/false);
  }

  std::optional<CompactionUnit> ByCount() const {
    if (Count() <= rules_.trigger) return std::nullopt;
    const auto count = static_cast<size_t>(std::min(Count(), Count() - rules_.trigger + 1));
    return BySizeRatio(count, /*picked=*/false);
  }

  std::optional<CompactionUnit> LevelZero() const {
    size_t count = 0;
    while (count < runs_.size() && runs_[count].level == 0) ++count;
    if (count == 0) return std::nullopt;
    return BySizeRatio(count, /*picked=*/true);
  }

 private:
  int64_t Count() const { return static_cast<int64_t>(runs_.size()); }

  int64_t SumTo(size_t count) const {
    int64_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum += bytes_[i];
    return sum;
  }

  // Takes the next older run as long as it is not much bigger than what is taken already.
  std::optional<CompactionUnit> BySizeRatio(size_t count, bool picked) const {
    int64_t size = SumTo(count);
    for (size_t i = count; i < runs_.size(); ++i) {
      const double reach = static_cast<double>(size) * (100.0 + static_cast<double>(rules_.size_ratio)) / 100.0;
      if (reach < static_cast<double>(bytes_[i])) break;
      size += bytes_[i];
      ++count;
    }
    if (!picked && count < 2) return std::nullopt;
    return Output(count);
  }

  // The level below the next older run, never level 0: runs are added until there is one.
  CompactionUnit Output(size_t count) const {
    int32_t level = count == runs_.size() ? max_level_ : std::max(0, runs_[count].level - 1);
    if (level == 0) {
      while (count < runs_.size()) {
        const int32_t next = runs_[count++].level;
        if (next == 0) continue;
        level = next;
        break;
      }
    }
    if (count == runs_.size()) level = max_level_;
    return Unit(count, level);
  }

  CompactionUnit Unit(size_t count, int32_t level) const {
    CompactionUnit unit;
    unit.output_level = level;
    for (size_t i = 0; i < count; ++i) {
      unit.files.insert(unit.files.end(), runs_[i].files.begin(), runs_[i].files.end());
    }
    return unit;
  }

  const std::vector<SortedRun>& runs_;
  int32_t max_level_;
  const CompactionRules& rules_;
  std::vector<int64_t> bytes_;
};

// Whether the hour lies in [start, end), which may pass midnight.
bool IsOffPeak(int64_t start, int64_t end, int64_t hour) {
  if (start == -1 || end == -1 || start == end) return false;
  if (start < end) return start <= hour && hour < end;
  return hour >= start || hour < end;
}

}  // namespace

bool CompactionRules::MayPick(int64_t run_count) const {
  if (force_up_level_0) return run_count > 0;
  if (optimization_interval_millis || total_size_threshold || incremental_size_threshold) return run_count > 1;
  return run_count >= trigger;
}

CompactionRules CompactionRulesOf(const TableOptions& options, int32_t local_hour) {
  CompactionRules rules;
  rules.trigger = options.Integer("num-sorted-run.compaction-trigger", 5);
  const int64_t levels = options.Integer("num-levels", rules.trigger + 1);
  if (levels < 2 || levels > 1000) {
    throw InvalidArgument(
        "Number of levels must be at least 2 and at most 1000, not '{}'. Set 'num-levels' or "
        "'num-sorted-run.compaction-trigger'",
        levels);
  }
  rules.num_levels = static_cast<int32_t>(levels);
  rules.max_size_amplification = options.Integer("compaction.max-size-amplification-percent", 200);
  rules.size_ratio = options.Integer("compaction.size-ratio", 1);
  if (IsOffPeak(options.Integer("compaction.offpeak.start.hour", -1), options.Integer("compaction.offpeak.end.hour", -1),
                local_hour)) {
    rules.size_ratio += options.Integer("compaction.offpeak-ratio", 0);
  }
  if (options.Find("compaction.optimization-interval")) {
    rules.optimization_interval_millis =
        std::chrono::duration_cast<std::chrono::milliseconds>(options.Duration("compaction.optimization-interval", {}))
            .count();
  }
  if (options.Find("compaction.total-size-threshold")) {
    rules.total_size_threshold = options.Bytes("compaction.total-size-threshold", 0);
  }
  if (options.Find("compaction.incremental-size-threshold")) {
    rules.incremental_size_threshold = options.Bytes("compaction.incremental-size-threshold", 0);
  }
  rules.force_up_level_0 = options.Bool("compaction.force-up-level-0", false);
  return rules;
}

std::optional<CompactionUnit> PickCompaction(const Levels& levels, const CompactionRules& rules,
                                             std::optional<int64_t> millis_since_full) {
  Picker picker(levels, rules);
  std::optional<CompactionUnit> unit = picker.Early(millis_since_full);
  if (!unit) unit = picker.BySizeAmplification();
  if (!unit) unit = picker.BySizeRatio();
  if (!unit) unit = picker.ByCount();
  if (!unit && rules.force_up_level_0) unit = picker.LevelZero();
  if (!unit || unit->files.empty()) return std::nullopt;
  if (unit->files.size() == 1 && unit->files[0].level == unit->output_level) return std::nullopt;
  return unit;
}

std::optional<CompactionUnit> PickFullCompaction(const Levels& levels,
                                                 const std::function<bool(const DataFileMeta&)>& must_rewrite) {
  const auto& runs = levels.runs();
  if (runs.empty()) return std::nullopt;
  CompactionUnit unit;
  unit.output_level = levels.max_level();
  if (runs.size() == 1 && runs[0].level == levels.max_level()) {
    unit.rewrite_each = true;
    for (const DataFileMeta& file : runs[0].files) {
      if (must_rewrite && must_rewrite(file)) unit.files.push_back(file);
    }
    if (unit.files.empty()) return std::nullopt;
    return unit;
  }
  for (const SortedRun& run : runs) unit.files.insert(unit.files.end(), run.files.begin(), run.files.end());
  return unit;
}

}  // namespace mica
