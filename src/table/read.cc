#include "table/read.h"

#include <map>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/text.h"
#include "merge/interval_partition.h"
#include "merge/merge_reader.h"
#include "merge/row_selection.h"
#include "table/compaction_mode.h"
#include "table/deletions.h"
#include "table/expired_read.h"
#include "table/file_reader.h"
#include "table/located_rows.h"
#include "table/row_changes.h"

namespace mica {

namespace {

// Every run of a merge holds a batch; what is gathered from batches of this size stays in the processor's cache.
constexpr int32_t kMergeRows = 16384;
// What the runs of a merge may buffer together, about; each has a part.
constexpr int64_t kLeastRunBytes = 128 << 10;

FileReadRequest RequestOf(const Split& split, const std::vector<DataField>& fields, const PredicatePtr& predicate,
                          int32_t batch_rows) {
  FileReadRequest request;
  request.partition = split.partition;
  request.bucket = split.bucket;
  request.fields = fields;
  request.predicate = predicate;
  request.batch_rows = batch_rows;
  return request;
}

std::unique_ptr<BatchReader> OpenFile(const Table& table, const Split& split, size_t item, FileReadRequest request) {
  if (const DeletionFile* deletions = split.DeletionsOf(item)) request.deletions = ReadDeletions(table, *deletions);
  request.rows = split.RowsOf(item);
  return ReadTableFile(table, split.files[item], request);
}

// Filters rows and drops the columns that were only read for the filter.
class FilteredReader final : public BatchReader {
 public:
  FilteredReader(std::unique_ptr<BatchReader> from, PredicatePtr predicate, std::vector<DataField> fields, size_t wanted)
      : from_(std::move(from)), predicate_(std::move(predicate)), fields_(std::move(fields)), wanted_(wanted) {}

  std::shared_ptr<arrow::RecordBatch> Next() override {
    while (auto batch = from_->Next()) {
      std::vector<int32_t> rows;
      if (predicate_) rows = MatchingRows(*predicate_, *batch);
      if (predicate_ && rows.empty()) continue;
      if (static_cast<size_t>(batch->num_columns()) > wanted_) {
        arrow::ArrayVector columns(batch->columns().begin(), batch->columns().begin() + static_cast<std::ptrdiff_t>(wanted_));
        arrow::FieldVector fields(batch->schema()->fields().begin(),
                                  batch->schema()->fields().begin() + static_cast<std::ptrdiff_t>(wanted_));
        batch = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch->num_rows(), std::move(columns));
      }
      if (predicate_ && static_cast<int64_t>(rows.size()) < batch->num_rows()) batch = SelectRows(batch, rows);
      return batch;
    }
    return nullptr;
  }

 private:
  std::unique_ptr<BatchReader> from_;
  PredicatePtr predicate_;
  std::vector<DataField> fields_;
  size_t wanted_;
};

// The wanted columns, then those that only the predicate needs.
std::vector<DataField> WithPredicateColumns(std::vector<DataField> fields, const PredicatePtr& predicate,
                                            const TableSchema& schema) {
  if (!predicate) return fields;
  for (const std::string& name : predicate->Columns()) {
    if (FindField(fields, name) < 0) fields.push_back(schema.Field(name));
  }
  return fields;
}

// Rows of append tables are all +I.
class InsertKinds final : public BatchReader {
 public:
  explicit InsertKinds(std::unique_ptr<BatchReader> from) : from_(std::move(from)) {}

  std::shared_ptr<arrow::RecordBatch> Next() override {
    auto batch = from_->Next();
    if (!batch) return nullptr;
    auto kinds = Take(arrow::MakeArrayFromScalar(arrow::Int8Scalar(0), batch->num_rows()));
    return Take(batch->AddColumn(batch->num_columns(), arrow::field(std::string(kValueKind), arrow::int8(), false), kinds));
  }

 private:
  std::unique_ptr<BatchReader> from_;
};

// The sections of a split, each with its sorted runs.
class MergingReader {
 public:
  MergingReader(const Table& table, const Split& split, const std::vector<DataField>& fields, const ReadRequest& request)
      : table_(table), split_(split), batch_rows_(std::min(request.batch_rows, kMergeRows)) {
    const TableSchema& schema = table.schema();
    const MergeOptions options = MergeOptionsOf(schema);
    fields_ = MergeInput(schema, options, fields);
    spec_ = MakeMergeSpec(schema, options, fields_, fields.size());
    spec_.batch_rows = batch_rows_;
    const CompactionMode mode = CompactionModeOf(schema);
    levels_repeat_rows_ = mode.needs_lookup && !mode.deduplicate && !mode.first_row && !mode.deletion_vectors;
    spec_.batch_bytes = request.merge_bytes;
    narrow_decimals_ =
        request.narrow_decimals && (spec_.rules == nullptr || !ComputesOnCompactDecimals(*spec_.rules));
    // A value predicate below a merge would let older rows through; keys are the same in all versions of a row.
    auto names = schema.TrimmedPrimaryKeys();
    key_predicate_ = KeepColumns(request.predicate, [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    });
  }

  // The kinds come out with the rows, and rows that were deleted last too.
  void KeepDeletes() { keep_deletes_ = true; }

  static std::unique_ptr<BatchReader> Open(std::shared_ptr<MergingReader> self) {
    std::vector<std::function<std::unique_ptr<BatchReader>()>> sections;
    for (Section& section : PartitionFiles(self->split_.files.shared(), self->spec_.key_types)) {
      sections.push_back([self, section = std::move(section)] { return self->OpenSection(section); });
    }
    return ConcatenateReaders(std::move(sections));
  }

 private:
  // The rows of a key that count, as runs of files from old to new where nothing else tells their age.
  struct Runs {
    std::vector<std::vector<size_t>> of_files;       // items of the split
    std::map<int32_t, std::vector<size_t>> repeated;  // levels whose rows stand for those of all levels above
  };

  // Engine 4: a compaction that looks older rows up puts them into the new ones, and the old ones stay on their level.
  // Of these levels only the row on the lowest counts.
  Runs RunsOf(const Section& section) const {
    Runs runs;
    for (const SortedRunItems& run : section) {
      std::vector<size_t> items;
      for (size_t item : run) {
        const int32_t level = split_.files[item].level;
        (levels_repeat_rows_ && level > 0 ? runs.repeated[level] : items).push_back(item);
      }
      if (!items.empty()) runs.of_files.push_back(std::move(items));
    }
    for (auto& [level, items] : runs.repeated) SortByKey(&items);
    if (runs.repeated.size() > 1) return runs;
    for (auto& [level, items] : runs.repeated) runs.of_files.insert(runs.of_files.begin(), std::move(items));
    runs.repeated.clear();
    return runs;
  }

  // Files of one level, whose keys do not overlap.
  void SortByKey(std::vector<size_t>* items) const {
    std::vector<DataFileMeta> files;
    for (size_t item : *items) files.push_back(split_.files[item]);
    std::vector<size_t> sorted;
    for (const Section& section : PartitionFiles(files, spec_.key_types)) {
      for (const SortedRunItems& run : section) {
        for (size_t file : run) sorted.push_back((*items)[file]);
      }
    }
    *items = std::move(sorted);
  }

  // A run that holds the row on the lowest level of each key.
  std::unique_ptr<BatchReader> OpenRepeated(const std::map<int32_t, std::vector<size_t>>& levels,
                                            const FileReadRequest& request) const {
    std::vector<std::unique_ptr<BatchReader>> runs;
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) runs.push_back(OpenRun(level->second, request));
    MergeSpec spec;
    spec.key_columns = spec_.key_columns;
    spec.key_types = spec_.key_types;
    spec.drop_deletes = false;
    spec.batch_rows = batch_rows_;
    spec.batch_bytes = spec_.batch_bytes;
    for (int i = 0; i < static_cast<int>(request.fields.size()); ++i) spec.output_columns.push_back(i);
    return MergeRuns(std::move(runs), std::move(spec));
  }

  std::unique_ptr<BatchReader> OpenRun(const std::vector<size_t>& items, const FileReadRequest& request) const {
    std::vector<std::function<std::unique_ptr<BatchReader>()>> files;
    for (size_t item : items) {
      files.push_back([this, item, request] { return OpenFile(table_, split_, item, request); });
    }
    return ConcatenateReaders(std::move(files));
  }

  std::unique_ptr<BatchReader> OpenSection(const Section& section) const {
    const Runs of_section = RunsOf(section);
    MergeSpec spec = spec_;
    std::vector<DataField> fields = fields_;
    std::vector<std::pair<int64_t, int64_t>> ranges;
    bool inserts_only = true;
    const auto add = [&](const std::vector<size_t>& items, std::pair<int64_t, int64_t>* range) {
      for (size_t item : items) {
        const DataFileMeta& file = split_.files[item];
        range->first = std::min(range->first, file.min_sequence_number);
        range->second = std::max(range->second, file.max_sequence_number);
        inserts_only = inserts_only && file.delete_row_count == 0;
      }
    };
    if (!of_section.repeated.empty()) {
      auto& range = ranges.emplace_back(INT64_MAX, INT64_MIN);
      for (const auto& [level, items] : of_section.repeated) add(items, &range);
    }
    for (const auto& items : of_section.of_files) add(items, &ranges.emplace_back(INT64_MAX, INT64_MIN));
    // Columns that statistics make superfluous are not read.
    if (auto ranks = RanksBySequence(ranges)) {
      spec.ranks = *std::move(ranks);
    } else if (!spec.sequence_column) {
      spec.sequence_column = static_cast<int>(fields.size());
      fields.push_back(SequenceNumberField());
    }
    if (keep_deletes_) {
      spec.drop_deletes = false;
      spec.kind_column = FindField(fields, kValueKind);
    } else if (!inserts_only) {
      spec.kind_column = static_cast<int>(fields.size());
      fields.push_back(ValueKindField());
    }
    FileReadRequest request = RequestOf(split_, fields, key_predicate_, batch_rows_);
    request.narrow_decimals = narrow_decimals_;
    request.buffer_bytes = std::max(spec.batch_bytes / static_cast<int64_t>(section.size()), kLeastRunBytes);
    std::vector<std::unique_ptr<BatchReader>> runs;
    if (!of_section.repeated.empty()) runs.push_back(OpenRepeated(of_section.repeated, request));
    for (const auto& items : of_section.of_files) runs.push_back(OpenRun(items, request));
    return MergeRuns(std::move(runs), std::move(spec));
  }

  Table table_;
  Split split_;
  int32_t batch_rows_;
  bool narrow_decimals_ = false;
  std::vector<DataField> fields_;
  MergeSpec spec_;
  bool levels_repeat_rows_ = false;
  bool keep_deletes_ = false;
  PredicatePtr key_predicate_;
};

}  // namespace

std::unique_ptr<BatchReader> ReadSplit(const Table& table, const Split& split, const ReadRequest& request) {
  if (AskForLocation(table.schema(), request.fields)) return ReadLocatedRows(table, split, request);
  std::vector<DataField> fields = WithPredicateColumns(request.fields, request.predicate, table.schema());
  std::unique_ptr<BatchReader> reader;
  if (split.raw_convertible) {
    std::vector<std::function<std::unique_ptr<BatchReader>()>> files;
    auto shared = std::make_shared<std::pair<Table, Split>>(table, split);
    FileReadRequest file = RequestOf(split, fields, request.predicate, request.batch_rows);
    file.narrow_decimals = request.narrow_decimals;
    for (size_t i = 0; i < split.files.size(); ++i) {
      files.push_back([shared, i, file] { return OpenFile(shared->first, shared->second, i, file); });
    }
    reader = ConcatenateReaders(std::move(files));
  } else {
    reader = MergingReader::Open(std::make_shared<MergingReader>(table, split, fields, request));
  }
  reader = TellingOfExpiry(table, split.snapshot_id, std::move(reader));
  if (!request.predicate && fields.size() == request.fields.size()) return reader;
  return std::make_unique<FilteredReader>(std::move(reader), request.predicate, fields, request.fields.size());
}

std::unique_ptr<BatchReader> ReadWithKinds(const Table& table, const Split& split, const std::vector<DataField>& fields) {
  std::vector<DataField> wanted = fields;
  bool keyed = table.schema().has_primary_key();
  if (keyed) wanted.push_back(ValueKindField());
  if (keyed && !split.raw_convertible) {
    auto merging = std::make_shared<MergingReader>(table, split, wanted, ReadRequest{});
    merging->KeepDeletes();
    return MergingReader::Open(std::move(merging));
  }
  std::vector<std::function<std::unique_ptr<BatchReader>()>> files;
  auto shared = std::make_shared<std::pair<Table, Split>>(table, split);
  FileReadRequest file = RequestOf(split, wanted, nullptr, kMergeRows);
  for (size_t i = 0; i < split.files.size(); ++i) {
    files.push_back([shared, i, file] { return OpenFile(shared->first, shared->second, i, file); });
  }
  auto reader = ConcatenateReaders(std::move(files));
  return keyed ? std::move(reader) : std::make_unique<InsertKinds>(std::move(reader));
}

int64_t RowsToRead(const Table& table, const Split& split, const DataFileMeta& file, const PredicatePtr& predicate) {
  std::vector<DataField> fields = WithPredicateColumns({}, predicate, table.schema());
  return ReadTableFile(table, file, RequestOf(split, fields, predicate, 1024))->rows_to_read();
}

}  // namespace mica
