// What goes on beside a running statement: Ctrl-C ends it, and on a terminal a bar on standard error shows how far it is.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "procedures/sql_session.h"

namespace mica::cli {

class Running {
 public:
  // Installs the handler of SIGINT and starts the watching thread.
  explicit Running(SqlSession& session, bool show_progress);
  ~Running();

  // While one of these lives, a statement runs: Ctrl-C ends it.
  class Statement {
   public:
    explicit Statement(Running& running);
    ~Statement();

   private:
    Running& running_;
  };

  // Whether Ctrl-C was pressed since the last call.
  bool TakeInterrupted();

 private:
  void Watch();
  void ClearBar();

  SqlSession& session_;
  bool show_progress_;
  std::atomic<bool> active_{false};
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> started_millis_{0};
  bool bar_shown_ = false;
  std::thread thread_;
};

}  // namespace mica::cli
