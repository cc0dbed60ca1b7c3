#include "base/clock.h"

#include <chrono>
#include <ctime>
#include <thread>

namespace mica {

Clock SystemClock() {
  return [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  };
}

int64_t LocalWallMillis(int64_t epoch_millis) {
  std::time_t seconds = epoch_millis / 1000;
  std::tm local{};
  localtime_r(&seconds, &local);
  return epoch_millis + static_cast<int64_t>(local.tm_gmtoff) * 1000;
}

Sleeper SystemSleeper() {
  return [](int64_t millis) { std::this_thread::sleep_for(std::chrono::milliseconds(millis)); };
}

}  // namespace mica
