// What a long action tells on standard error: a line for each thing that is done, and how far it is, in one line on a
// terminal that is written over, elsewhere in a line now and then. Thread safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace mica::cli {

class WorkReport {
 public:
  WorkReport();
  ~WorkReport();

  void Note(const std::string& line);
  void Progress(const std::string& line);

 private:
  void ClearLine();

  std::mutex mutex_;
  bool on_terminal_;
  bool line_shown_ = false;
  int64_t last_millis_;
};

}  // namespace mica::cli
