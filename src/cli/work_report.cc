#include "cli/work_report.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace mica::cli {

namespace {

constexpr int64_t kTerminalMillis = 200;
constexpr int64_t kLogMillis = 5000;

int64_t NowMillis() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

WorkReport::WorkReport() : on_terminal_(isatty(STDERR_FILENO) == 1), last_millis_(NowMillis()) {}

WorkReport::~WorkReport() { ClearLine(); }

void WorkReport::Note(const std::string& line) {
  std::lock_guard lock(mutex_);
  ClearLine();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void WorkReport::Progress(const std::string& line) {
  std::lock_guard lock(mutex_);
  const int64_t now = NowMillis();
  if (now - last_millis_ < (on_terminal_ ? kTerminalMillis : kLogMillis)) return;
  last_millis_ = now;
  ClearLine();
  std::fprintf(stderr, on_terminal_ ? "%s" : "%s\n", line.c_str());
  std::fflush(stderr);
  line_shown_ = on_terminal_;
}

void WorkReport::ClearLine() {
  // To the beginning of the line, then everything after it away.
  if (line_shown_) std::fputs("\r\x1b[K", stderr);
  line_shown_ = false;
}

}  // namespace mica::cli
