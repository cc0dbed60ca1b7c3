#include "history/partition_expiry.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "table/partitions.h"
#include "types/partition_path.h"
#include "types/time_pattern.h"

namespace mica {

namespace {

// The time that the values of a partition say, as a wall clock.
class ValuesTime {
 public:
  ValuesTime(const Table& table, std::optional<std::string> pattern, const std::optional<std::string>& formatter)
      : keys_(table.schema().partition_keys), pattern_(std::move(pattern)) {
    if (formatter) formatter_.emplace(*formatter);
    // A short name must not be taken for the beginning of a longer one.
    for (size_t i = 0; i < keys_.size(); ++i) longest_first_.push_back(i);
    std::stable_sort(longest_first_.begin(), longest_first_.end(),
                     [&](size_t a, size_t b) { return keys_[a].size() > keys_[b].size(); });
  }

  std::optional<int64_t> Of(const std::vector<std::string>& values) const {
    std::string text = pattern_ ? Filled(values) : values[0];
    if (formatter_) {
      auto micros = formatter_->Parse(text);
      return micros ? std::optional(*micros / 1000) : std::nullopt;
    }
    try {
      return std::get<TimestampValue>(ValueFromString(text, DataType::Timestamp(3))).millis;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

 private:
  std::string Filled(const std::vector<std::string>& values) const {
    std::string text;
    for (size_t i = 0; i < pattern_->size();) {
      const std::string* value = nullptr;
      for (size_t k : longest_first_) {
        if ((*pattern_)[i] != '$' || pattern_->compare(i + 1, keys_[k].size(), keys_[k]) != 0) continue;
        value = &values[k];
        i += 1 + keys_[k].size();
        break;
      }
      if (value != nullptr) {
        text += *value;
      } else {
        text += (*pattern_)[i++];
      }
    }
    return text;
  }

  std::vector<std::string> keys_;
  std::optional<std::string> pattern_;
  std::optional<TimePattern> formatter_;
  std::vector<size_t> longest_first_;
};

}  // namespace

std::vector<std::string> ExpirePartitions(const TablePtr& table, const PartitionExpiryRequest& request,
                                          const CommitSettings& settings, int64_t now_millis, Executor& executor) {
  const TableOptions& options = table->options();
  const std::vector<std::string>& keys = table->schema().partition_keys;
  auto given = [&](const std::optional<std::string>& argument, const char* key) {
    return argument ? argument : options.Find(key);
  };
  if (keys.empty()) {
    throw InvalidArgument("Can not set 'partition.expiration-time' for non-partitioned table: '{}'", table->name().ToString());
  }
  auto expiration = given(request.expiration_time, "partition.expiration-time");
  if (!expiration) {
    throw InvalidArgument("Cannot expire partitions of table '{}': there is no expiration time. Give 'expiration_time', or set "
                          "the option 'partition.expiration-time'", table->name().ToString());
  }
  int64_t expires_before = LocalWallMillis(now_millis) -
                           std::chrono::duration_cast<std::chrono::milliseconds>(ParseDuration(*expiration)).count();
  std::string strategy = ToLower(given(request.strategy, "partition.expiration-strategy").value_or("values-time"));
  if (strategy != "values-time" && strategy != "update-time") {
    throw Unsupported("The expire strategy '{}' is not supported. Use values-time or update-time", strategy);
  }
  ValuesTime time_of(*table, given(request.pattern, "partition.timestamp-pattern"),
                     given(request.formatter, "partition.timestamp-formatter"));
  int64_t most = request.max_expires.value_or(options.Integer("partition.expiration-max-num", 100));
  auto snapshot = table->snapshots().Latest();
  if (!snapshot) return {};

  std::vector<DataType> types = table->partition_types();
  PartitionNaming naming = options.partition_naming();
  naming.legacy_name = false;
  struct Expired {
    std::vector<std::string> texts;
    std::map<std::string, Value> spec;
  };
  std::vector<Expired> expired;
  for (const PartitionSummary& partition : ListPartitions(*table, *snapshot, {}, executor)) {
    std::vector<Value> values = BinaryRow::Deserialize(partition.partition).Values(types);
    Expired item;
    for (size_t i = 0; i < keys.size(); ++i) {
      item.texts.push_back(IsNull(values[i]) ? naming.default_name : PartitionValueText(values[i], types[i], naming));
      item.spec[keys[i]] = values[i];
    }
    std::optional<int64_t> time =
        strategy == "update-time" ? std::optional(partition.last_file_millis) : time_of.Of(item.texts);
    if (!time) {
      Log(LogLevel::kWarning, fmt::format("The partition '{}' of table '{}' does not expire: its values are no time",
                                          Join(item.texts, "/"), table->name().ToString()));
    } else if (*time < expires_before) {
      expired.push_back(std::move(item));
    }
  }
  std::sort(expired.begin(), expired.end(), [](const Expired& a, const Expired& b) { return a.texts < b.texts; });
  if (static_cast<int64_t>(expired.size()) > most) expired.resize(static_cast<size_t>(std::max<int64_t>(most, 0)));
  if (expired.empty()) return {};

  int64_t batch = options.Integer("partition.expiration-batch-size", 0);
  size_t step = batch > 0 ? static_cast<size_t>(batch) : expired.size();
  std::vector<std::string> names;
  for (size_t begin = 0; begin < expired.size(); begin += step) {
    std::vector<std::map<std::string, Value>> specs;
    for (size_t i = begin; i < std::min(begin + step, expired.size()); ++i) {
      specs.push_back(expired[i].spec);
      std::string name;
      for (size_t k = 0; k < keys.size(); ++k) name += (k > 0 ? ", " : "") + keys[k] + "=" + expired[i].texts[k];
      names.push_back(std::move(name));
    }
    TableCommit(table, settings).DropPartitions(specs);
  }
  return names;
}

}  // namespace mica
