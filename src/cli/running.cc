#include "cli/running.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>

namespace mica::cli {

namespace {

int pipe_ends[2] = {-1, -1};
std::atomic<bool> interrupted{false};
std::atomic<int> interrupt_count{0};

void OnInterrupt(int) {
  interrupted = true;
  // Someone who insists gets out at once.
  if (++interrupt_count > 3) _exit(130);
  char byte = 'i';
  [[maybe_unused]] ssize_t written = write(pipe_ends[1], &byte, 1);
}

int64_t NowMillis() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

constexpr int64_t kQuietMillis = 2000;
constexpr int kBarWidth = 40;

}  // namespace

Running::Running(SqlSession& session, bool show_progress) : session_(session), show_progress_(show_progress) {
  if (pipe_ends[0] < 0 && pipe2(pipe_ends, O_CLOEXEC) != 0) return;
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  thread_ = std::thread([this] { Watch(); });
}

Running::~Running() {
  stop_ = true;
  char byte = 's';
  [[maybe_unused]] ssize_t written = write(pipe_ends[1], &byte, 1);
  if (thread_.joinable()) thread_.join();
  std::signal(SIGINT, SIG_DFL);
}

void Running::Watch() {
  while (!stop_) {
    pollfd item{pipe_ends[0], POLLIN, 0};
    int ready = poll(&item, 1, show_progress_ ? 200 : -1);
    if (ready > 0) {
      char byte;
      if (read(pipe_ends[0], &byte, 1) == 1 && byte == 'i' && active_) session_.Interrupt();
      continue;
    }
    if (!active_ || NowMillis() - started_millis_ < kQuietMillis) continue;
    auto done = session_.Progress();
    if (!done || !active_) continue;
    int filled = static_cast<int>(*done * kBarWidth);
    std::string bar = "\r[" + std::string(static_cast<size_t>(filled), '#') +
                      std::string(static_cast<size_t>(kBarWidth - filled), ' ') + "] " +
                      std::to_string(static_cast<int>(*done * 100)) + " %";
    std::fputs(bar.c_str(), stderr);
    std::fflush(stderr);
    bar_shown_ = true;
  }
}

void Running::ClearBar() {
  if (!bar_shown_) return;
  std::fputs(("\r" + std::string(kBarWidth + 10, ' ') + "\r").c_str(), stderr);
  std::fflush(stderr);
  bar_shown_ = false;
}

Running::Statement::Statement(Running& running) : running_(running) {
  interrupt_count = 0;
  running_.started_millis_ = NowMillis();
  running_.active_ = true;
}

Running::Statement::~Statement() {
  running_.active_ = false;
  running_.ClearBar();
}

bool Running::TakeInterrupted() { return interrupted.exchange(false); }

}  // namespace mica::cli
