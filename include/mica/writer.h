// Writes batches into new files of a table. Nothing is to be seen of them before Table::Commit. Not thread safe; any
// number of writers can write to one table at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mica/arrow_c.h"
#include "mica/commit_message.h"

namespace mica::api {

struct WriterOptions {
  std::string user;                  // names whoever commits; random when empty
  int64_t memory_bytes = 256 << 20;  // rows buffered before files are written
  bool replaces_rows = false;        // for a commit that overwrites
};

class Writer {
 public:
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  // Files that were written and not prepared for a commit are deleted.
  ~Writer();

  // Takes over the batch, also when it throws. The columns are those of Table::ExportSchema, of the same types, in any
  // order; on a primary-key table an int8 column "_VALUE_KIND" may come along: 0 +I, 1 -U, 2 +U, 3 -D.
  void Write(ArrowArray* batch, ArrowSchema* schema);
  // Finishes the files. The writer may go on, for another commit.
  std::vector<CommitMessage> PrepareCommit();

  struct State;  // of the implementation
  explicit Writer(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace mica::api
