// Sets the rows that a compaction gives beside those that were there before (Engine 4, 5): which to write, what changed,
// and which older rows are dead. All inputs are in key order; it streams and holds few batches. Not thread safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "format/batch_reader.h"
#include "types/data_type.h"

namespace mica {

// Gives the next batch of a key-sorted stream. nullptr: none whose keys the merge has reached.
using BatchSource = std::function<std::shared_ptr<arrow::RecordBatch>()>;

// Passes batches on and keeps each until somebody else has taken it too.
class BatchTee final : public BatchReader {
 public:
  explicit BatchTee(std::unique_ptr<BatchReader> from) : from_(std::move(from)) {}
  std::shared_ptr<arrow::RecordBatch> Next() override;
  // Takes the oldest batch that was passed on. Outlives the tee, which a merge drops at the end of its run.
  BatchSource Copies() const;

 private:
  using Passed = std::deque<std::shared_ptr<arrow::RecordBatch>>;
  std::unique_ptr<BatchReader> from_;
  std::shared_ptr<Passed> passed_ = std::make_shared<Passed>();
};

// Numbers of columns of all batches: `after` batches have the file's columns, `before` batches the same in front.
struct BeforeAfterSpec {
  std::vector<int> key_columns;
  std::vector<DataType> key_types;
  int kind_column = 0;
  int column_count = 0;                      // of a file
  std::optional<int> file_column;            // of `before`: int32, which file the row lies in
  std::optional<int> position_column;        // of `before`: int64, its position there
  bool changelog = false;
  bool keep_after = true;                    // false: nothing is written, only changes and deletions matter
  bool drop_deletes = false;
  bool first_row = false;                    // a known key keeps its row; only new ones are changes
  std::vector<bool> file_is_compacted;       // by number in `file_column`: rows of others are not written again
  // changelog-producer.row-deduplicate: columns whose equality makes two rows equal; nothing: all pairs are changes.
  std::optional<std::vector<int>> equal_columns;
};

struct BeforeAfterInput {
  std::unique_ptr<BatchReader> after;  // merged rows with their kinds, one a key
  BatchSource before;                  // one row a key; empty function: none
  std::vector<BatchSource> fresh;      // runs that bring news; a key in none of them did not change. Empty: all are news
};

class BeforeAfter {
 public:
  BeforeAfter(BeforeAfterSpec spec, BeforeAfterInput input);
  ~BeforeAfter();

  struct Step {
    std::shared_ptr<arrow::RecordBatch> rows;       // to write; nullptr for none
    std::shared_ptr<arrow::RecordBatch> changelog;  // with -U, +U, +I, -D as kinds; nullptr for none
    // Rows before in files that are not compacted, whose keys have a newer row now: file number and position.
    std::vector<std::pair<int32_t, int64_t>> deletions;
  };
  // False at the end.
  bool Next(Step* step);

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace mica
