#include "base/log.h"

#include <mutex>

namespace mica {

namespace {
std::mutex mutex;
LogSink current;
}  // namespace

void SetLogSink(LogSink sink) {
  std::lock_guard lock(mutex);
  current = std::move(sink);
}

void Log(LogLevel level, const std::string& message) {
  std::lock_guard lock(mutex);
  if (current) current(level, message);
}

}  // namespace mica
