#include "base/executor.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mica {

namespace {
class Inline final : public Executor {
 public:
  size_t parallelism() const override { return 1; }
  void ForEach(size_t count, const std::function<void(size_t)>& task) override {
    for (size_t i = 0; i < count; ++i) task(i);
  }
};
}  // namespace

Executor& InlineExecutor() {
  static Inline executor;
  return executor;
}

ThreadExecutor::ThreadExecutor(size_t threads)
    : threads_(threads > 0 ? threads : std::max<size_t>(1, std::thread::hardware_concurrency())) {}

void ThreadExecutor::ForEach(size_t count, const std::function<void(size_t)>& task) {
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr error;
  auto work = [&] {
    for (size_t i; !failed && (i = next.fetch_add(1)) < count;) {
      try {
        task(i);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        failed = true;
      }
    }
  };
  std::vector<std::jthread> helpers;
  for (size_t t = 1; t < std::min(threads_, count); ++t) helpers.emplace_back(work);
  work();
  helpers.clear();
  if (error) std::rethrow_exception(error);
}

}  // namespace mica
