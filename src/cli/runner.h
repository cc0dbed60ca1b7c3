// Runs statements of a session and writes their rows: what the shell and scripts share.
#pragma once

#include <cstdio>
#include <iosfwd>
#include <memory>
#include <string>

#include "cli/running.h"
#include "cli/sql_options.h"

namespace mica::cli {

// `quit` or `exit`, which end a script and the shell as they do in Spark's and Flink's.
bool IsFarewell(std::string_view statement);

class Runner {
 public:
  Runner(const SqlOptions& options, bool interactive);
  ~Runner();

  // The exit code that the statement deserves. Errors go to standard error.
  int RunStatement(const std::string& statement);
  // All statements of a text. Stops at the first that fails, unless told to go on.
  int RunScript(const std::string& text);
  // The statements of an input, each as soon as its semicolon has come: what feeds a pipe can wait for the answer.
  int RunInput(std::istream& input);
  int RunFile(const std::string& path);

  SqlSession& session() { return *session_; }
  Running& running() { return *running_; }
  RenderSettings& render() { return render_; }
  void set_timer(bool timer) { timer_ = timer; }
  // Results go to this file from now on; "" is standard output again.
  void SetOutput(const std::string& path);
  void Write(std::string_view text);
  void PrintError(std::string_view text);
  bool output_failed() const { return output_error_ != 0; }

 private:
  void NoteOutput();
  Error OutputError() const;

  const SqlOptions& options_;
  bool interactive_;
  RenderSettings render_;
  bool timer_ = false;
  std::FILE* output_ = stdout;
  bool has_results_ = false;
  int output_error_ = 0;  // errno of the first write that failed
  std::unique_ptr<SqlSession> session_;
  std::unique_ptr<Running> running_;
};

}  // namespace mica::cli
