// A table of a catalog: plan, read, look up, write, commit. An immutable handle with the schema that the table had when it was
// opened; copies share it, and every method may be called from any thread.
//
//   mica::api::Table table = catalog.GetTable("shop", "orders");
//   for (const mica::api::Split& split : table.Plan({.filter = filter})) {
//     ArrowArrayStream stream;
//     table.Read(split, {.columns = {"id", "total"}, .filter = filter}, &stream);
//     ...
//   }
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mica/arrow_c.h"
#include "mica/commit_message.h"
#include "mica/filter.h"
#include "mica/lookup.h"
#include "mica/split.h"
#include "mica/writer.h"

namespace mica::api {

// At most one of the first three, none for the newest snapshot.
struct PlanOptions {
  std::optional<int64_t> snapshot_id;
  std::optional<std::string> tag;
  std::optional<int64_t> timestamp_millis;  // the newest snapshot that was there at this time
  std::optional<Filter> filter;             // leaves out files that hold no match; rows are filtered by Read
  std::optional<int64_t> limit;             // rows needed; without a filter, files beyond them are left out
};

struct ReadOptions {
  std::optional<std::vector<std::string>> columns;  // in this order; all when not given
  std::optional<Filter> filter;                     // exact: only matching rows come out
  int32_t batch_rows = 65536;
};

struct CommitOptions {
  std::string user;                   // as given to the writers; random when empty
  std::optional<int64_t> identifier;  // what the user counts commits by, see LastCommit
  std::map<std::string, std::string> properties;
  // Replaces the partitions with these values, as text by column; an empty map replaces the whole table.
  std::optional<std::map<std::string, std::string>> overwrite;
};

class Table {
 public:
  const std::string& database() const;
  const std::string& name() const;
  std::vector<std::string> partition_keys() const;
  std::vector<std::string> primary_keys() const;
  const std::map<std::string, std::string>& options() const;
  // The columns as Arrow has them, the type of the batches that go in and out.
  void ExportSchema(ArrowSchema* out) const;

  std::vector<Split> Plan(const PlanOptions& options = {}) const;
  // Gives a stream of the rows of a split, to be released by the caller; it may outlive the table.
  void Read(const Split& split, const ReadOptions& options, ArrowArrayStream* out) const;

  // Of a table with a primary key, at its newest snapshot.
  Lookup NewLookup(const LookupOptions& options = {}) const;

  Writer NewWriter(const WriterOptions& options = {}) const;
  // Makes everything visible in one snapshot (two where files were compacted) and gives their ids. Throws kConflict:
  // nothing happened, the rows have to be written again over the new state; kOutcomeUnknown: the commit may have
  // happened. After other errors nothing happened. A commit whose user and identifier are those of one that is there, or an
  // older identifier, does nothing and gives no ids: its rows are in the table already.
  std::vector<int64_t> Commit(const std::vector<CommitMessage>& messages, const CommitOptions& options = {}) const;
  // Deletes the files of messages that will not be committed. Never after kOutcomeUnknown.
  void Abort(const std::vector<CommitMessage>& messages) const;
  // The greatest identifier that this user committed: what to leave out when commits are repeated after a failure.
  std::optional<int64_t> LastCommit(const std::string& user) const;

  struct State;  // of the implementation
  explicit Table(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace mica::api
