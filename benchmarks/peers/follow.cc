#include "follow.h"

#include <arrow/api.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/arrow.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "history/change_stream.h"
#include "table/commit.h"
#include "table/write.h"
#include "types/arrow_types.h"

namespace mica::bench {

namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;

constexpr std::chrono::milliseconds kPoll(10);

// The same clock in both processes.
int64_t Micros() { return duration_cast<microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void Write(Catalog& catalog, const TablePtr& table, int commits, int per_second) {
  auto write = TableWrite::Create(table, {.commit_user = "bench"});
  auto schema = ToArrowSchema(table->schema().fields);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < commits; ++i) {
    std::this_thread::sleep_until(start + microseconds(1'000'000LL * i / per_second));
    arrow::Int32Builder ids;
    arrow::Int64Builder times;
    Check(ids.Append(i));
    Check(times.Append(Micros()));
    write->Write(arrow::RecordBatch::Make(schema, 1, {Take(ids.Finish()), Take(times.Finish())}));
    TableCommit(table, {.commit_user = "bench", .identifier = i, .publisher = catalog.publisher()}).Commit(write->PrepareCommit());
  }
}

}  // namespace

std::string FollowCommits(Catalog& catalog, const TablePtr& table, int commits, int per_second) {
  const pid_t writer = ::fork();
  if (writer < 0) throw IoError("No process can be made for the writer");
  if (writer == 0) {
    int code = 0;
    try {
      Write(catalog, table, commits, per_second);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "The writer failed: %s\n", error.what());
      code = 1;
    }
    ::_exit(code);
  }
  const int64_t start = Micros();
  ChangeStream stream(table);
  int64_t longest = 0, last = 0;
  int seen = 0, gone = 0;
  while (seen < commits) {
    int status = 0;
    if (gone == 0 && ::waitpid(writer, &status, WNOHANG) == writer && (gone = 1) && status != 0) {
      throw IoError("The writer of '{}' failed", table->name().ToString());
    }
    auto rows = AwaitNext(&stream, kPoll, [] { return false; });
    while (auto batch = rows->Next()) {
      const int64_t now = Micros();
      const auto& ids = static_cast<const arrow::Int32Array&>(*batch->column(0));
      const auto& times = static_cast<const arrow::Int64Array&>(*batch->column(1));
      for (int64_t row = 0; row < batch->num_rows(); ++row) {
        if (ids.Value(row) != seen) throw Internal("Row {} came in place of {}", ids.Value(row), seen);
        const int64_t micros = now - times.Value(row);
        longest = std::max(longest, micros);
        if (++seen > commits - commits / 10) last += micros;
      }
    }
    stream.Acknowledge();
  }
  const double seconds = static_cast<double>(Micros() - start) / 1e6;
  int status = 0;
  if (gone == 0) ::waitpid(writer, &status, 0);
  return fmt::format("{} commits, {:.1f} a second, longest {:.1f} ms, last {:.1f} ms late", seen, seen / seconds,
                     static_cast<double>(longest) / 1e3, static_cast<double>(last) / (commits / 10) / 1e3);
}

}  // namespace mica::bench
