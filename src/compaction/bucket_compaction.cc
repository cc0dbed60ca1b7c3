#include "compaction/bucket_compaction.h"

#include <map>
#include <set>

#include "merge/interval_partition.h"
#include "table/deletions.h"
#include "table/file_stats.h"
#include "table/write.h"

namespace mica {

namespace {

class BucketCompaction {
 public:
  BucketCompaction(const TablePtr& table, const BucketFiles& bucket, const Levels& levels, const CompactionUnit& unit,
                   const CompactionMode& mode, const Clock& clock)
      : table_(table), bucket_(bucket), unit_(unit), mode_(mode), max_level_(levels.max_level()),
        merge_(table, bucket, levels, mode, unit.output_level, DropsDeletes(levels, unit, mode), clock) {
    small_bytes_ = table->options().small_file_bytes(true);
    rewrite_all_ = table->options().Bool("compaction.force-rewrite-all-files", false);
    for (const DataField& key : table->schema().KeyFields()) key_types_.push_back(key.type);
  }

  FileChanges Run() {
    try {
      if (unit_.rewrite_each) {
        for (const DataFileMeta& file : unit_.files) Rewrite({file});
      } else {
        RunSections();
      }
      if (mode_.deletion_vectors || !bucket_.deletions.empty()) WriteDeletions();
    } catch (...) {
      CommitMessage message;
      message.partition = bucket_.partition;
      message.bucket = bucket_.bucket;
      message.compact = std::move(changes_);
      AbortMessages(*table_, {message});
      throw;
    }
    return std::move(changes_);
  }

 private:
  // Older rows of a deleted key can only be on higher levels: without such, or with vectors that mark them, the delete
  // has done its work.
  static bool DropsDeletes(const Levels& levels, const CompactionUnit& unit, const CompactionMode& mode) {
    return unit.output_level != 0 && (unit.output_level >= levels.highest_non_empty() || mode.deletion_vectors);
  }

  void RunSections() {
    for (const Section& section : PartitionFiles(unit_.files, key_types_)) {
      if (section.size() > 1) {
        for (const SortedRunItems& run : section) {
          for (size_t item : run) pending_.push_back(unit_.files[item]);
        }
        continue;
      }
      for (size_t item : section[0]) {
        const DataFileMeta& file = unit_.files[item];
        if (file.file_size < small_bytes_) {
          pending_.push_back(file);
        } else {
          FlushPending();
          Upgrade(file);
        }
      }
    }
    FlushPending();
  }

  // Neighbours are rewritten together; a file without any is moved up.
  void FlushPending() {
    std::vector<DataFileMeta> files = std::exchange(pending_, {});
    if (files.size() > 1) {
      Rewrite(files);
    } else if (files.size() == 1) {
      Upgrade(files[0]);
    }
  }

  // Moves the file to the output level under its name, unless its rows change on the way.
  void Upgrade(const DataFileMeta& file) {
    const bool may_hold_deletes = file.delete_row_count.value_or(1) > 0;
    if (rewrite_all_ || (unit_.output_level == max_level_ && may_hold_deletes) || MustRewrite(file, may_hold_deletes)) {
      Rewrite({file});
      return;
    }
    if (file.level == unit_.output_level) return;
    if (merge_.NeedsOldRows({file})) Take(merge_.Run({file}, /*write_files=*/false));
    changes_.deleted_files.push_back(file);
    changes_.new_files.push_back(file);
    changes_.new_files.back().level = unit_.output_level;
  }

  // Engine 4, upgrade strategy of level 0 where older rows are looked up.
  bool MustRewrite(const DataFileMeta& file, bool may_hold_deletes) const {
    if (!mode_.needs_lookup || file.level != 0) return false;
    auto format_at = [&](int32_t level) {
      return OptionAtLevel(table_->options(), "file.format.per.level", level).value_or(table_->options().file_format());
    };
    if (format_at(0) != format_at(unit_.output_level)) return true;
    if (mode_.deletion_vectors && may_hold_deletes) return true;
    if (unit_.output_level == max_level_) return false;
    return !mode_.deduplicate || mode_.has_sequence_field;
  }

  void Rewrite(const std::vector<DataFileMeta>& files) {
    CompactionOutput output = merge_.Run(files, /*write_files=*/true);
    changes_.deleted_files.insert(changes_.deleted_files.end(), files.begin(), files.end());
    for (const DataFileMeta& file : files) rewritten_.insert(file.file_name);
    Take(std::move(output));
  }

  void Take(CompactionOutput output) {
    auto append = [](std::vector<DataFileMeta> from, std::vector<DataFileMeta>* to) {
      to->insert(to->end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    append(std::move(output.files), &changes_.new_files);
    append(std::move(output.changelog), &changes_.changelog_files);
    for (auto& [file, positions] : output.deletions) {
      auto& all = deletions_[file];
      all.insert(all.end(), positions.begin(), positions.end());
    }
  }

  // One index file holds all vectors of the bucket (Engine 1.8); those of rewritten files go.
  void WriteDeletions() {
    bool changed = !deletions_.empty();
    std::map<std::string, std::shared_ptr<const DeletionVector>> vectors;
    for (const auto& [file, place] : bucket_.deletions) {
      if (rewritten_.contains(file)) {
        changed = true;
      } else {
        vectors[file] = ReadDeletions(*table_, place);
      }
    }
    if (!changed) return;
    for (auto& [file, positions] : deletions_) {
      auto& vector = vectors[file];
      vector = std::make_shared<DeletionVector>((vector ? *vector : DeletionVector({})).With(std::move(positions)));
    }
    changes_.deleted_index_files = bucket_.deletion_index_files;
    if (!vectors.empty()) {
      changes_.new_index_files.push_back(WriteDeletionIndex(*table_, bucket_.partition, bucket_.bucket, vectors));
    }
  }

  const TablePtr& table_;
  const BucketFiles& bucket_;
  const CompactionUnit& unit_;
  const CompactionMode& mode_;
  int32_t max_level_;
  CompactionMerge merge_;
  bool rewrite_all_;
  int64_t small_bytes_;
  std::vector<DataType> key_types_;
  std::vector<DataFileMeta> pending_;
  std::set<std::string> rewritten_;
  std::map<std::string, std::vector<int64_t>> deletions_;
  FileChanges changes_;
};

}  // namespace

FileChanges CompactBucket(const TablePtr& table, const BucketFiles& bucket, const Levels& levels,
                          const CompactionUnit& unit, const CompactionMode& mode, const Clock& clock) {
  return BucketCompaction(table, bucket, levels, unit, mode, clock).Run();
}

}  // namespace mica
