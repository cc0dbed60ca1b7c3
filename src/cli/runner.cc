#include "cli/runner.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "cli/command.h"

namespace mica::cli {

namespace {

int64_t TerminalWidth() {
  winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 0;
}

bool WantsColor() {
  return isatty(STDERR_FILENO) != 0 && getenv("NO_COLOR") == nullptr;
}

}  // namespace

Runner::Runner(const SqlOptions& options, bool interactive) : options_(options), interactive_(interactive) {
  render_.format = options.format;
  if (interactive) render_.max_rows = 40;
  session_ = OpenSqlSession(options.session);
  running_ = std::make_unique<Running>(*session_, isatty(STDERR_FILENO) != 0);
}

Runner::~Runner() {
  running_.reset();
  if (output_ != stdout) std::fclose(output_);
}

void Runner::SetOutput(const std::string& path) {
  std::FILE* next = stdout;
  if (!path.empty()) {
    next = std::fopen(path.c_str(), "w");
    if (next == nullptr) throw IoError("The file '{}' cannot be written", path);
  }
  if (output_ != stdout) std::fclose(output_);
  output_ = next;
  output_error_ = 0;
  has_results_ = false;
}

void Runner::Write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), output_) != text.size()) NoteOutput();
}

void Runner::NoteOutput() {
  if (output_error_ == 0) output_error_ = errno == 0 ? EIO : errno;
}

// Who stopped reading wants no more; every other reason loses what was asked for.
Error Runner::OutputError() const {
  if (output_error_ == EPIPE) return Cancelled("The output was closed");
  return IoError("The output cannot be written: {}", std::strerror(output_error_));
}

void Runner::PrintError(std::string_view text) {
  std::string masked = MaskSecrets(std::string(text), options_.session);
  const char* red = WantsColor() ? "\x1b[31m" : "";
  const char* plain = WantsColor() ? "\x1b[0m" : "";
  std::fflush(output_);
  std::fprintf(stderr, "%sError:%s %s\n", red, plain, masked.c_str());
}

int Runner::RunStatement(const std::string& statement) {
  auto started = std::chrono::steady_clock::now();
  int code = kDone;
  try {
    Running::Statement active(*running_);
    auto result = session_->Run(statement);
    if (result->has_rows()) {
      RenderSettings settings = render_;
      if (interactive_ && output_ == stdout) settings.max_width = TerminalWidth();
      if (output_ != stdout) settings.max_rows = 0;
      // Tables that touch are one table to whoever renders Markdown.
      if (has_results_ && render_.format == RenderFormat::kMarkdown) Write("\n");
      has_results_ = true;
      result->Render(settings, [this](std::string_view text) {
        Write(text);
        // At once: a stream of changes waits after each step.
        if (!output_failed() && std::fflush(output_) != 0) NoteOutput();
        if (output_failed()) throw OutputError();
      });
      if (std::fflush(output_) != 0) {
        NoteOutput();
        throw OutputError();
      }
    }
  } catch (const Error& error) {
    code = ExitCodeOf(error.kind());
    PrintError(error.what());
  } catch (const std::exception& error) {
    code = kFailed;
    PrintError(error.what());
  }
  std::fflush(output_);
  if (timer_) {
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    std::fprintf(stderr, "Time: %.3f s\n", seconds);
  }
  return code;
}

bool IsFarewell(std::string_view statement) {
  std::string_view word = Trim(statement);
  while (word.ends_with(';')) word = Trim(word.substr(0, word.size() - 1));
  return EqualsIgnoreCase(word, "quit") || EqualsIgnoreCase(word, "exit");
}

int Runner::RunScript(const std::string& text) {
  int code = kDone;
  for (const std::string& statement : session_->Split(text, nullptr)) {
    if (IsFarewell(statement)) return code;
    int result = RunStatement(statement);
    if (result == kDone) continue;
    if (!options_.go_on || result == kInterrupted) return result;
    code = kFailed;
  }
  return code;
}

int Runner::RunInput(std::istream& input) {
  int code = kDone;
  std::string pending, line;
  while (true) {
    bool more = static_cast<bool>(std::getline(input, line));
    if (more) pending += line + "\n";
    if (more && line.find(';') == std::string::npos) continue;
    bool complete = true;
    std::vector<std::string> statements = session_->Split(pending, &complete);
    pending.clear();
    if (more && !complete) {
      pending = statements.back();
      // The line break belongs to an open quotation already.
      if (!pending.ends_with('\n')) pending += '\n';
      statements.pop_back();
    }
    for (const std::string& statement : statements) {
      if (IsFarewell(statement)) return code;
      int result = RunStatement(statement);
      if (result == kDone) continue;
      if (!options_.go_on || result == kInterrupted) return result;
      code = kFailed;
    }
    if (!more) return code;
  }
}

int Runner::RunFile(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    PrintError(fmt::format("The file '{}' cannot be read: it is a folder", path));
    return kFailed;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    PrintError(fmt::format("The file '{}' cannot be read", path));
    return kFailed;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return RunScript(text.str());
}

}  // namespace mica::cli
