// Time is passed in, so that tests decide it.
#pragma once

#include <cstdint>
#include <functional>

namespace mica {

// Milliseconds since the epoch, UTC.
using Clock = std::function<int64_t()>;

Clock SystemClock();

// The local wall clock of an instant, written as if it were UTC (Format 4.3: _CREATION_TIME).
int64_t LocalWallMillis(int64_t epoch_millis);

// Waits; tests pass one that only counts.
using Sleeper = std::function<void(int64_t millis)>;
Sleeper SystemSleeper();

}  // namespace mica
