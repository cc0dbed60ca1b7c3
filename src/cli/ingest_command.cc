// `mica ingest`: records of standard input or a file into a table.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/action_options.h"
#include "cli/command.h"
#include "cli/ingest_command.h"
#include "cli/sql_options.h"
#include "ingest/ingest.h"
#include "procedures/call.h"
#include "procedures/shared_arguments.h"

namespace mica::cli {

namespace {

constexpr size_t kReadBytes = 1 << 18;
std::atomic<bool> interrupted{false};

class DescriptorSource final : public InputSource {
 public:
  explicit DescriptorSource(const std::optional<std::string>& file) {
    if (!file) return;
    descriptor_ = open(file->c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw NotFound("Cannot open '{}': {}", *file, std::strerror(errno));
    owned_ = true;
  }
  ~DescriptorSource() override {
    if (owned_) close(descriptor_);
  }

  Got Read(std::string* bytes, std::optional<int64_t> timeout_millis) override {
    pollfd waiting{descriptor_, POLLIN, 0};
    const int timeout = timeout_millis ? static_cast<int>(std::min<int64_t>(*timeout_millis, 60'000)) : -1;
    const int ready = poll(&waiting, 1, timeout);
    if (ready == 0) return Got::kNothing;
    if (ready < 0 && errno == EINTR) return Got::kNothing;
    bytes->resize(kReadBytes);
    const ssize_t got = ready < 0 ? -1 : read(descriptor_, bytes->data(), bytes->size());
    bytes->resize(got > 0 ? static_cast<size_t>(got) : 0);
    if (got < 0 && errno == EINTR) return Got::kNothing;
    if (got < 0) throw IoError("Cannot read the records: {}", std::strerror(errno));
    return got == 0 ? Got::kEnd : Got::kBytes;
  }

 private:
  int descriptor_ = STDIN_FILENO;
  bool owned_ = false;
};

IngestRequest RequestOf(const ProcedureCall& call) {
  IngestRequest request;
  const std::string format = ToLower(call.OptionalText("input_format").value_or("json"));
  if (format != "json" && format != "csv") throw InvalidArgument("--input_format must be json or csv, not '{}'", format);
  request.format = format == "csv" ? IngestRequest::Format::kCsv : IngestRequest::Format::kJson;
  request.csv_header = call.BooleanOr("header", true);
  request.kind_field = call.OptionalText("kind_field");
  request.commit_rows = call.OptionalInteger("commit_rows").value_or(request.commit_rows);
  if (auto interval = call.OptionalText("commit_interval")) {
    request.commit_millis = std::chrono::duration_cast<std::chrono::milliseconds>(ParseDuration(*interval)).count();
  }
  request.user = call.OptionalText("user").value_or("");
  return request;
}

std::string Counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

int Run(const ActionOptions& options) {
  ProcedureSetting setting;
  setting.catalog = OpenCatalog(options.catalog);
  setting.catalog_name = options.catalog_name;
  setting.database = options.database;
  ProcedureCall call(IngestAction(), setting, options.arguments);
  const TablePtr table = call.Table();
  DescriptorSource source(call.OptionalText("file"));
  CommitSettings settings = call.NewCommitSettings();
  settings.executor = &call.executor();
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  const IngestReport report = Ingest(table, source, RequestOf(call), settings, [] { return interrupted.load(); });
  std::string told = fmt::format("{} in {}", Counted(report.rows, "row"), Counted(report.commits, "commit"));
  if (report.records_skipped > 0) told += fmt::format(", {} skipped", report.records_skipped);
  std::printf("%s\n", told.c_str());
  return interrupted ? kInterrupted : kDone;
}

}  // namespace

const Procedure& IngestAction() {
  static const Procedure action = {
      .name = "ingest",
      .description = "Writes the records of a stream to a table, with a commit every so many rows or seconds.",
      .arguments = {TableArgument(),
                    {.name = "file", .description = "where the records are", .fallback = "standard input"},
                    {.name = "input_format", .description = "'json', an object a line, or 'csv'", .fallback = "json"},
                    {.name = "header",
                     .type = ArgumentType::kBoolean,
                     .description = "whether the first record of CSV names the columns",
                     .fallback = "true"},
                    {.name = "kind_field", .description = "what in a record tells the row's kind: +I, -U, +U or -D"},
                    {.name = "commit_rows",
                     .type = ArgumentType::kLong,
                     .description = "after so many rows there is a commit",
                     .fallback = "100000"},
                    {.name = "commit_interval",
                     .description = "the longest time that a row waits for its commit",
                     .fallback = "10 s"},
                    {.name = "user",
                     .description = "a name for the stream: a run with it leaves out the records that earlier ones committed"}},
      .spark_result = {},
      .flink_result = {},
      .run = nullptr,
  };
  return action;
}

int RunIngest(const std::vector<std::string>& words) {
  ActionOptions options;
  try {
    options = ParseActionOptions(IngestAction(), words);
    if (options.help) return RunHelp({"ingest"});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Error: %s\n", error.what());
    return kUsage;
  }
  return RunTellingErrors(options.catalog, [&] { return Run(options); });
}

}  // namespace mica::cli
