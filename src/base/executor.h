// Where parallel work runs. The library owns no hidden threads: callers pass an executor, and exceptions of tasks come
// back to the one who waits for them.
#pragma once

#include <cstddef>
#include <functional>

namespace mica {

class Executor {
 public:
  virtual ~Executor() = default;
  // How many tasks can make progress at once, the caller included.
  virtual size_t parallelism() const = 0;
  // Calls task(i) for every i in [0, count), in any order, and returns when all are done. The first exception is
  // rethrown after the running tasks ended; tasks not yet begun are dropped.
  virtual void ForEach(size_t count, const std::function<void(size_t)>& task) = 0;
};

// Runs everything on the calling thread.
Executor& InlineExecutor();

// A bounded set of threads, started per ForEach call beyond the caller's own; 0 means one per core.
class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(size_t threads = 0);
  size_t parallelism() const override { return threads_; }
  void ForEach(size_t count, const std::function<void(size_t)>& task) override;

 private:
  size_t threads_;
};

}  // namespace mica
