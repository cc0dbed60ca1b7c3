#include "compaction/compaction_merge.h"

#include <algorithm>
#include <set>

#include <arrow/api.h>

#include "base/arrow.h"
#include "merge/before_after.h"
#include "merge/interval_partition.h"
#include "merge/merge_reader.h"
#include "meta/merge_options.h"
#include "table/deletions.h"
#include "table/file_reader.h"
#include "table/rolling_file.h"
#include "types/binary_row.h"

namespace mica {

namespace {

constexpr int32_t kBatchRows = 16384;

// Adds a column with one number in every row.
class NumberedReader final : public BatchReader {
 public:
  NumberedReader(std::unique_ptr<BatchReader> from, int32_t number) : from_(std::move(from)), number_(number) {}
  std::shared_ptr<arrow::RecordBatch> Next() override {
    auto batch = from_->Next();
    if (batch == nullptr) return nullptr;
    auto numbers = Take(arrow::MakeArrayFromScalar(arrow::Int32Scalar(number_), batch->num_rows()));
    return Take(batch->AddColumn(batch->num_columns(), arrow::field("_FILE", arrow::int32(), false), std::move(numbers)));
  }

 private:
  std::unique_ptr<BatchReader> from_;
  int32_t number_;
};

std::vector<DataFileMeta> FilesOf(const Section& runs, const std::vector<DataFileMeta>& files) {
  std::vector<DataFileMeta> of_runs;
  for (const SortedRunItems& run : runs) {
    for (size_t item : run) of_runs.push_back(files[item]);
  }
  return of_runs;
}

int CompareKeys(const std::vector<Value>& a, const std::vector<Value>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    auto order = CompareValues(a[i], b[i]);
    if (order != 0) return order < 0 ? -1 : 1;
  }
  return 0;
}

}  // namespace

// The merge of files whose keys overlap: runs of news over what was there.
class CompactionMerge::Section {
 public:
  Section(const CompactionMerge& merge, const std::vector<DataFileMeta>& files) : merge_(merge) {
    const TableSchema& schema = merge.table_->schema();
    fields_ = schema.FileFields(/*thin=*/false);
    for (const DataField& key : schema.KeyFields()) {
      spec_.key_columns.push_back(static_cast<int>(spec_.key_columns.size()));
      spec_.key_types.push_back(key.type);
    }
    const int keys = static_cast<int>(spec_.key_columns.size());
    spec_.kind_column = keys + 1;
    spec_.column_count = static_cast<int>(fields_.size());
    spec_.changelog = merge.mode_.changelog != CompactionMode::Changelog::kNone;
    spec_.drop_deletes = merge.drop_deletes_;
    spec_.first_row = merge.mode_.first_row;
    if (merge.mode_.equal_columns) {
      auto& columns = spec_.equal_columns.emplace();
      for (int column : *merge.mode_.equal_columns) columns.push_back(keys + 2 + column);
    }
    Divide(files);
  }

  BeforeAfter Open(bool write_files) {
    BeforeAfterSpec spec = spec_;
    spec.keep_after = write_files;
    const bool full = merge_.mode_.changelog == CompactionMode::Changelog::kFull;
    // Values of older rows are only read where they matter: otherwise their keys and places do.
    const bool values = full || merge_.mode_.needs_old_values();
    // A known key is no news for first-row, wherever it lies.
    const bool with_compacted = values || merge_.mode_.first_row;
    BeforeAfterInput input;
    std::vector<std::unique_ptr<BatchReader>> runs;
    std::vector<DataField> before_fields = fields_;
    if (!values) before_fields.resize(spec.key_columns.size());
    const bool places = !full;
    if (places) {
      spec.position_column = static_cast<int>(before_fields.size());
      spec.file_column = *spec.position_column + 1;
    }
    std::unique_ptr<BatchReader> before = OpenBefore(before_fields, places, with_compacted);
    for (const DataFileMeta& file : numbered_) spec.file_is_compacted.push_back(IsCompacted(file));
    if (before != nullptr && values) {
      auto tee = std::make_unique<BatchTee>(std::move(before));
      input.before = tee->Copies();
      runs.push_back(std::move(tee));
    } else if (before != nullptr) {
      auto reader = std::make_shared<std::unique_ptr<BatchReader>>(std::move(before));
      input.before = [reader] { return (*reader)->Next(); };
    }
    if (!values) {
      for (auto& [level, files] : compacted_) runs.push_back(OpenRun(files, fields_, false));
    }
    for (const DataFileMeta& file : fresh_) {
      std::unique_ptr<BatchReader> run = OpenRun({file}, fields_, false);
      if (values) {
        // Nobody would take the batches of a tee otherwise.
        auto tee = std::make_unique<BatchTee>(std::move(run));
        input.fresh.push_back(tee->Copies());
        run = std::move(tee);
      }
      runs.push_back(std::move(run));
    }
    // Without fresh runs nothing here is news; BeforeAfter would take everything for it.
    if (values && input.fresh.empty()) input.fresh.push_back([] { return nullptr; });
    MergeSpec after = AfterSpec();
    // Engine 4: what a lookup finds is merged with the news even if it finds nothing.
    after.merge_lone_rows = !full && !merge_.mode_.first_row;
    input.after = MergeRuns(std::move(runs), std::move(after));
    return BeforeAfter(std::move(spec), std::move(input));
  }

  // The merge without a look at what was before; `runs` are those of the section, positions in `files`.
  std::unique_ptr<BatchReader> OpenPlain(const mica::Section& runs, const std::vector<DataFileMeta>& files) {
    const bool level_zero = std::any_of(runs.begin(), runs.end(), [&](const SortedRunItems& run) {
      return std::any_of(run.begin(), run.end(), [&](size_t item) { return files[item].level == 0; });
    });
    if (merge_.mode_.needs_lookup && !merge_.mode_.deduplicate && !level_zero) {
      // Each level holds what the higher ones held (Engine 4): the lowest is the result.
      return OpenBefore(fields_, /*places=*/false, /*with_compacted=*/true, spec_.drop_deletes);
    }
    std::vector<std::unique_ptr<BatchReader>> readers;
    bool inserts_only = true;
    for (const SortedRunItems& run : runs) {
      std::vector<DataFileMeta> of_run;
      for (size_t item : run) {
        of_run.push_back(files[item]);
        inserts_only = inserts_only && files[item].delete_row_count == 0;
      }
      readers.push_back(OpenRun(std::move(of_run), fields_, /*places=*/false));
    }
    if (readers.size() == 1 && (inserts_only || !spec_.drop_deletes)) return std::move(readers[0]);
    MergeSpec spec = AfterSpec();
    spec.drop_deletes = spec_.drop_deletes;
    return MergeRuns(std::move(readers), std::move(spec));
  }

  // Which data file a number in BeforeAfter's deletions means.
  const std::string& file_name(int32_t number) const { return numbered_[static_cast<size_t>(number)].file_name; }

 private:
  // News are the rows of level 0, for full-compaction all but those of the highest level. Oldest first.
  void Divide(const std::vector<DataFileMeta>& files) {
    const bool full = merge_.mode_.changelog == CompactionMode::Changelog::kFull;
    for (const DataFileMeta& file : files) {
      const bool fresh = full ? file.level != merge_.levels_.max_level() : file.level == 0;
      if (fresh) {
        fresh_.push_back(file);
      } else {
        compacted_[file.level].push_back(file);
      }
    }
    std::sort(fresh_.begin(), fresh_.end(), [](const DataFileMeta& a, const DataFileMeta& b) {
      if (a.level != b.level) return a.level > b.level;
      return a.max_sequence_number < b.max_sequence_number;
    });
    for (const DataFileMeta& file : files) names_.insert(file.file_name);
    if (full) return;
    // What lies above the output level and may hold a key of the news.
    std::vector<Value> low, high;
    for (const DataFileMeta& file : fresh_) {
      std::vector<Value> min = KeyOf(file.min_key), max = KeyOf(file.max_key);
      if (low.empty() || CompareKeys(min, low) < 0) low = std::move(min);
      if (high.empty() || CompareKeys(max, high) > 0) high = std::move(max);
    }
    if (fresh_.empty()) return;
    for (DataFileMeta& file : merge_.levels_.FilesFrom(merge_.output_level_ + 1)) {
      if (CompareKeys(KeyOf(file.max_key), low) < 0 || CompareKeys(KeyOf(file.min_key), high) > 0) continue;
      above_[file.level].push_back(std::move(file));
    }
    const DataField& first = merge_.table_->schema().Field(merge_.table_->schema().TrimmedPrimaryKeys()[0]);
    range_ = Predicate::And({Predicate::Compare(PredicateOp::kGreaterOrEqual, first.name, first.type, low[0]),
                             Predicate::Compare(PredicateOp::kLessOrEqual, first.name, first.type, high[0])});
  }

  std::vector<Value> KeyOf(const std::string& serialized) const {
    return BinaryRow::Deserialize(serialized).Values(spec_.key_types);
  }
  bool IsCompacted(const DataFileMeta& file) const { return names_.contains(file.file_name); }

  // The row that each key had before: that of the lowest level (Engine 4). nullptr: there are no such files.
  std::unique_ptr<BatchReader> OpenBefore(const std::vector<DataField>& fields, bool places, bool with_compacted,
                                          bool drop_deletes = false) {
    std::map<int32_t, std::vector<DataFileMeta>> levels = above_;
    if (with_compacted) {
      for (const auto& [level, files] : compacted_) levels[level].insert(levels[level].end(), files.begin(), files.end());
    }
    if (levels.empty()) return nullptr;
    std::vector<std::unique_ptr<BatchReader>> runs;
    // Later runs are newer: the lowest level comes last.
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) runs.push_back(OpenRun(level->second, fields, places));
    MergeSpec spec;
    spec.key_columns = spec_.key_columns;
    spec.key_types = spec_.key_types;
    if (drop_deletes) spec.kind_column = spec_.kind_column;
    spec.drop_deletes = drop_deletes;
    spec.batch_rows = kBatchRows;
    for (int i = 0; i < static_cast<int>(fields.size()) + (places ? 2 : 0); ++i) spec.output_columns.push_back(i);
    return MergeRuns(std::move(runs), std::move(spec));
  }

  std::unique_ptr<BatchReader> OpenRun(std::vector<DataFileMeta> files, const std::vector<DataField>& fields, bool places) {
    std::sort(files.begin(), files.end(), [&](const DataFileMeta& a, const DataFileMeta& b) {
      return CompareKeys(KeyOf(a.min_key), KeyOf(b.min_key)) < 0;
    });
    std::vector<std::function<std::unique_ptr<BatchReader>()>> open;
    for (DataFileMeta& file : files) {
      FileReadRequest request;
      request.partition = merge_.bucket_.partition;
      request.bucket = merge_.bucket_.bucket;
      request.fields = fields;
      request.batch_rows = kBatchRows;
      request.with_positions = places;
      if (!IsCompacted(file)) request.predicate = range_;
      auto number = static_cast<int32_t>(numbered_.size());
      if (places) numbered_.push_back(file);
      const TablePtr& table = merge_.table_;
      const auto& deletions = merge_.bucket_.deletions;
      open.push_back([&table, &deletions, file = std::move(file), request = std::move(request), number, places]() mutable {
        auto found = deletions.find(file.file_name);
        if (found != deletions.end()) request.deletions = ReadDeletions(*table, found->second);
        std::unique_ptr<BatchReader> reader = ReadTableFile(*table, file, request);
        if (places) reader = std::make_unique<NumberedReader>(std::move(reader), number);
        return reader;
      });
    }
    return ConcatenateReaders(std::move(open));
  }

  // Rows with all columns of a file, retracts too.
  MergeSpec AfterSpec() const {
    const TableSchema& schema = merge_.table_->schema();
    MergeSpec spec = MakeMergeSpec(schema, MergeOptionsOf(schema), fields_, 0);
    if (spec.rules != nullptr && merge_.mode_.first_row) {
      MergeRules rules = *spec.rules;
      rules.refuse_lone_retracts = !rules.ignore_delete;
      spec.rules = std::make_shared<const MergeRules>(std::move(rules));
    }
    for (int i = 0; i < spec_.column_count; ++i) spec.output_columns.push_back(i);
    spec.drop_deletes = false;
    spec.batch_rows = kBatchRows;
    return spec;
  }

  const CompactionMerge& merge_;
  std::vector<DataField> fields_;
  BeforeAfterSpec spec_;
  std::vector<DataFileMeta> fresh_;
  std::map<int32_t, std::vector<DataFileMeta>> compacted_, above_;  // by level
  std::set<std::string> names_;
  PredicatePtr range_;
  std::vector<DataFileMeta> numbered_;
};

CompactionMerge::CompactionMerge(const TablePtr& table, const BucketFiles& bucket, const Levels& levels,
                                 const CompactionMode& mode, int32_t output_level, bool drop_deletes, const Clock& clock)
    : table_(table), bucket_(bucket), levels_(levels), mode_(mode), output_level_(output_level),
      drop_deletes_(drop_deletes), clock_(clock) {}

bool CompactionMerge::NeedsOldRows(const std::vector<DataFileMeta>& files) const {
  if (mode_.changelog == CompactionMode::Changelog::kFull) return output_level_ == levels_.max_level();
  if (!mode_.needs_lookup) return false;
  // The newest row wins in every merge that comes, whatever is older.
  if (mode_.deduplicate && mode_.changelog == CompactionMode::Changelog::kNone && !mode_.deletion_vectors) return false;
  return std::any_of(files.begin(), files.end(), [](const DataFileMeta& file) { return file.level == 0; });
}

std::vector<DataType> CompactionMerge::KeyTypes() const {
  std::vector<DataType> types;
  for (const DataField& key : table_->schema().KeyFields()) types.push_back(key.type);
  return types;
}

std::shared_ptr<arrow::RecordBatch> CompactionMerge::InFileLayout(std::shared_ptr<arrow::RecordBatch> batch,
                                                                  bool thin) const {
  // Thin files have no key columns of their own.
  for (size_t i = 0; thin && i < table_->schema().TrimmedPrimaryKeys().size(); ++i) batch = Take(batch->RemoveColumn(0));
  return batch;
}

CompactionOutput CompactionMerge::RunPlain(const std::vector<DataFileMeta>& files) const {
  RollingFile writer(table_, bucket_.partition, bucket_.bucket, output_level_, FileSource::kCompact, clock_);
  const bool thin = table_->options().Bool("data-file.thin-mode", false);
  for (const mica::Section& runs : PartitionFiles(files, KeyTypes())) {
    Section section(*this, FilesOf(runs, files));
    std::unique_ptr<BatchReader> rows = section.OpenPlain(runs, files);
    while (auto batch = rows->Next()) writer.Write(InFileLayout(std::move(batch), thin));
  }
  CompactionOutput output;
  output.files = writer.Finish();
  return output;
}

CompactionOutput CompactionMerge::Run(const std::vector<DataFileMeta>& files, bool write_files) const {
  if (!NeedsOldRows(files)) return write_files ? RunPlain(files) : CompactionOutput{};
  RollingFile writer(table_, bucket_.partition, bucket_.bucket, output_level_, FileSource::kCompact, clock_);
  RollingFile changelog(table_, bucket_.partition, bucket_.bucket, output_level_, FileSource::kAppend, clock_,
                        /*changelog=*/true);
  const bool thin = table_->options().Bool("data-file.thin-mode", false);
  CompactionOutput output;
  for (const mica::Section& runs : PartitionFiles(files, KeyTypes())) {
    Section section(*this, FilesOf(runs, files));
    BeforeAfter rows = section.Open(write_files);
    BeforeAfter::Step step;
    while (rows.Next(&step)) {
      if (step.rows != nullptr) writer.Write(InFileLayout(std::move(step.rows), thin));
      if (step.changelog != nullptr) changelog.Write(InFileLayout(std::move(step.changelog), thin));
      for (const auto& [file, position] : step.deletions) output.deletions[section.file_name(file)].push_back(position);
    }
  }
  // Both are closed before either hands its files out: a failure leaves none behind.
  writer.CloseFile();
  changelog.CloseFile();
  output.files = writer.Finish();
  output.changelog = changelog.Finish();
  return output;
}

}  // namespace mica
