// Writes an endless or finite stream of records to a table and commits every so many rows or milliseconds: each commit
// remembers how many records it has seen, so that a run that is started again goes on behind them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "table/commit.h"
#include "table/table.h"

namespace mica {

class InputSource {
 public:
  virtual ~InputSource() = default;
  enum class Got { kBytes, kNothing, kEnd };
  // Appends what is there. Waits for `timeout_millis` at most (absent: for ever), then gives kNothing.
  virtual Got Read(std::string* bytes, std::optional<int64_t> timeout_millis) = 0;
};

struct IngestRequest {
  enum class Format { kJson, kCsv };
  Format format = Format::kJson;
  bool csv_header = true;                 // the first record names the fields
  std::optional<std::string> kind_field;  // what tells a row's kind
  int64_t commit_rows = 100'000;
  int64_t commit_millis = 10'000;  // since the first row that is not committed
  std::string user;                // random when empty: then a run cannot be repeated
  int64_t memory_bytes = 256 << 20;
};

struct IngestReport {
  int64_t records_skipped = 0;  // that an earlier run of the user has committed
  int64_t rows = 0;
  int64_t commits = 0;
};

// Until the source ends or `stop` says so; what is pending then is committed. An error names the line it comes from; rows
// that are not committed leave nothing behind. Throws Conflict where another writer was quicker: start again with the same
// user.
IngestReport Ingest(const TablePtr& table, InputSource& source, const IngestRequest& request,
                    const CommitSettings& settings, const std::function<bool()>& stop = {});

}  // namespace mica
