#include "ingest/ingest.h"

#include <algorithm>

#include <arrow/record_batch.h>

#include "base/error.h"
#include "base/text.h"
#include "base/uuid.h"
#include "compaction/compact.h"
#include "ingest/record_splitter.h"
#include "ingest/row_maker.h"
#include "meta/commit_history.h"
#include "table/write.h"

namespace mica {

namespace {

constexpr int64_t kBatchRows = 8192;
// The property of a snapshot that says how many records its user has committed in all.
constexpr const char* kRecordsProperty = "mica.ingest.records";

class Ingestion {
 public:
  Ingestion(TablePtr table, const IngestRequest& request, const CommitSettings& settings)
      : table_(std::move(table)), request_(request), settings_(settings),
        splitter_(request.format == IngestRequest::Format::kCsv), rows_(table_->schema().fields, request.kind_field) {
    if (request_.commit_rows <= 0 || request_.commit_millis <= 0) {
      throw InvalidArgument("Commits need a positive number of rows and a positive time between them");
    }
    if (!settings_.clock) settings_.clock = SystemClock();
    settings_.commit_user = request_.user.empty() ? RandomUuid() : request_.user;
    settings_.ignore_empty = true;
    next_identifier_ = 1;
    if (request_.user.empty()) return;
    const std::optional<Snapshot> last = LastSnapshotOf(table_->snapshots(), request_.user);
    if (!last) return;
    const std::map<std::string, std::string> properties = last->properties.value_or(std::map<std::string, std::string>());
    const auto records = properties.find(kRecordsProperty);
    if (records == properties.end()) {
      throw InvalidArgument("The user '{}' has written to table '{}' otherwise than by ingesting: choose another name",
                            request_.user, table_->name().ToString());
    }
    to_skip_ = ParseInteger(records->second).value_or(0);
    next_identifier_ = last->commit_identifier + 1;
  }

  IngestReport Run(InputSource& source, const std::function<bool()>& stop) {
    std::string bytes;
    try {
      for (bool at_end = false; !at_end;) {
        if (stop && stop()) break;
        bytes.clear();
        at_end = source.Read(&bytes, TimeLeft()) == InputSource::Got::kEnd;
        splitter_.Add(bytes);
        if (at_end) splitter_.AddEnd();
        TakeRecords();
        if (pending_ > 0 && settings_.clock() >= due_) Commit();
      }
      Commit();
    } catch (...) {
      // Written files that no commit knows go with the writer.
      writer_.reset();
      throw;
    }
    return report_;
  }

 private:
  std::optional<int64_t> TimeLeft() const {
    if (pending_ == 0) return std::nullopt;
    return std::max<int64_t>(0, due_ - settings_.clock());
  }

  void TakeRecords() {
    std::string_view record;
    while (splitter_.Next(&record)) {
      if (Trim(record).empty()) continue;
      try {
        Take(record);
      } catch (Error& error) {
        error.Add(fmt::format("line {}", splitter_.line()));
        throw;
      }
      if (rows_.row_count() >= kBatchRows) Write();
      if (pending_ >= request_.commit_rows) Commit();
    }
  }

  void Take(std::string_view record) {
    const bool csv = request_.format == IngestRequest::Format::kCsv;
    if (csv && request_.csv_header && !std::exchange(header_seen_, true)) return rows_.SetHeader(record);
    ++records_;
    if (records_ <= to_skip_) {
      ++report_.records_skipped;
      return;
    }
    if (csv) {
      rows_.AddCsv(record);
    } else {
      rows_.AddJson(record);
    }
    if (pending_++ == 0) due_ = settings_.clock() + request_.commit_millis;
  }

  void Write() {
    if (rows_.row_count() == 0) return;
    if (!writer_) {
      WriteSettings write;
      write.commit_user = settings_.commit_user;
      write.memory_bytes = request_.memory_bytes;
      write.executor = settings_.executor;
      writer_ = TableWrite::Create(table_, write);
    }
    writer_->Write(rows_.Take());
  }

  void Commit() {
    if (pending_ == 0) return;
    Write();
    std::vector<CommitMessage> messages = writer_->PrepareCommit();
    CommitSettings settings = settings_;
    settings.identifier = next_identifier_;
    settings.properties[kRecordsProperty] = std::to_string(std::max(records_, to_skip_));
    try {
      CommitWritten(table_, std::nullopt, settings, &messages);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kOutcomeUnknown) AbortMessages(*table_, messages);
      throw;
    }
    ++next_identifier_;
    ++report_.commits;
    report_.rows += pending_;
    pending_ = 0;
  }

  TablePtr table_;
  IngestRequest request_;
  CommitSettings settings_;
  RecordSplitter splitter_;
  RowMaker rows_;
  std::unique_ptr<TableWrite> writer_;
  bool header_seen_ = false;
  int64_t records_ = 0;
  int64_t to_skip_ = 0;
  int64_t pending_ = 0;  // rows that are not committed
  int64_t due_ = 0;
  int64_t next_identifier_ = 1;
  IngestReport report_;
};

}  // namespace

IngestReport Ingest(const TablePtr& table, InputSource& source, const IngestRequest& request,
                    const CommitSettings& settings, const std::function<bool()>& stop) {
  return Ingestion(table, request, settings).Run(source, stop);
}

}  // namespace mica
