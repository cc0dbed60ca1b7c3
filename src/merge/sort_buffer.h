// The write buffer of one bucket of a primary-key table (Engine 2.2): takes batches, numbers the rows by arrival, and
// hands them out sorted by key, one row a key as the merge engine makes it (Engine 2.1, 3), retracts included. Sorted
// runs go to local files when the owner says so. Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "merge/merge_rules.h"
#include "types/data_type.h"

namespace mica {

struct SortBufferSpec {
  std::shared_ptr<arrow::Schema> schema;  // the table's columns
  std::vector<int> key_columns;           // the trimmed primary key, in its order
  std::vector<DataType> key_types;
  std::vector<int> user_sequence_columns;  // `sequence.field`
  std::vector<DataType> user_sequence_types;
  bool user_sequence_ascending = true;
  // How rows of one key become one, for the table's columns, then _SEQUENCE_NUMBER and _VALUE_KIND; nullptr: the newest
  // stays. Rows that are spilled are merged before, as a compaction between two flushes would do.
  std::shared_ptr<const MergeRules> rules;
  int64_t next_sequence = 0;
  bool thin = false;           // `data-file.thin-mode`: no _KEY_ columns
  int64_t batch_rows = 65536;  // of what Flush hands out
  int64_t batch_bytes = 16 << 20;  // the same, about
};

class SortBuffer {
 public:
  using Consumer = std::function<void(const std::shared_ptr<arrow::RecordBatch>&)>;

  explicit SortBuffer(SortBufferSpec spec);
  ~SortBuffer();  // deletes spilled files

  // Columns as the schema says. `kinds` is an int8 array of the same length (0 +I, 1 -U, 2 +U, 3 -D), nullptr: all +I.
  // Small batches are copied together, big ones kept; a slice that would hold on to a much bigger batch is copied.
  void Add(const arrow::RecordBatch& batch, const arrow::Array* kinds = nullptr);

  int64_t row_count() const;     // rows added since the last Flush, also those in files
  int64_t memory_bytes() const;  // held now, with what sorting will take
  int64_t next_sequence() const;

  // Moves what is in memory into a sorted file in a local folder, which must exist.
  void SpillTo(const std::string& folder);

  // Batches in the physical layout (Format 8.1): _KEY_ columns unless thin, _SEQUENCE_NUMBER, _VALUE_KIND, columns.
  // The buffer is empty afterwards and can go on; sequence numbers continue.
  void Flush(const Consumer& consumer);
  const std::shared_ptr<arrow::Schema>& file_schema() const;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace mica
