// Follows a table (Engine 9; M-0524, M-0527): the state that it starts with, then what each snapshot changed, by the options
// scan.*, consumer-id, consumer.ignore-progress, scan.bounded.watermark, streaming-read-overwrite and
// streaming.read.snapshot.delay. Holds one snapshot's plan at a time. Not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "format/batch_reader.h"
#include "predicate/predicate.h"
#include "table/table.h"

namespace mica {

class ChangeStream {
 public:
  // Throws InvalidArgument and Unsupported for options that a stream cannot follow.
  explicit ChangeStream(TablePtr table, Clock clock = SystemClock());
  ~ChangeStream();

  // The columns that are read from now on, all of the table's otherwise; holds for a step that has given no rows yet too.
  void Select(std::vector<DataField> fields);
  // From the next step on files are left out that hold no row which matches, by their partition and, of the state that comes
  // first, by their statistics. Rows that do not match may still come.
  void Skip(PredicatePtr unless);

  // The rows of the next step with the columns and, last, _VALUE_KIND; nothing while there is nothing new. Asking in
  // vain costs at most two calls of the file system. Throws NotFound when what comes next has expired.
  std::unique_ptr<BatchReader> Next();

  // Whether the bound was passed: there is nothing more to come.
  bool ended() const;
  // The snapshot that is looked at next; nothing before the first step.
  std::optional<int64_t> next_snapshot() const;
  // Notes for the consumer that the steps so far are done; without one nothing happens.
  void Acknowledge();

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

// How often a follower of the table looks for what is new: `continuous.discovery-interval`.
std::chrono::milliseconds DiscoveryInterval(const TableOptions& options);

// Waits for the next step, which it looks for once in each interval; the steps before it are acknowledged as done. Nothing at
// the end of the stream, or soon after `stopped` says so.
std::unique_ptr<BatchReader> AwaitNext(ChangeStream* stream, std::chrono::milliseconds interval,
                                       const std::function<bool()>& stopped, const Sleeper& sleeper = SystemSleeper());

}  // namespace mica
