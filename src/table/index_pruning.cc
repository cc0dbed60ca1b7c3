#include "table/index_pruning.h"

#include <algorithm>
#include <set>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "table/file_index_columns.h"
#include "table/file_mapping.h"

namespace mica {

namespace {

const std::string* IndexFileName(const DataFileMeta& file) {
  for (const std::string& name : file.extra_files) {
    if (name.ends_with(kFileIndexSuffix)) return &name;
  }
  return nullptr;
}

bool HasIndex(const DataFileMeta& file) {
  return file.embedded_file_index || IndexFileName(file) != nullptr;
}

// Columns of a predicate that a file's or the table's options name an index for: a file without any is not opened.
class IndexedFiles {
 public:
  IndexedFiles(const Table& table, const PredicatePtr& predicate) : table_(table) {
    if (predicate) wanted_ = predicate->Columns();
    now_ = Wanted(table.schema());
  }
  bool MayHelp(const DataFileMeta& file) const {
    if (wanted_.empty() || !HasIndex(file)) return false;
    // What is at hand is asked whatever the options say.
    if (now_ || file.embedded_file_index) return true;
    return file.schema_id != table_.schema().id && Wanted(*table_.schemas().Get(file.schema_id));
  }

 private:
  bool Wanted(const TableSchema& schema) const {
    const std::set<std::string> indexed = IndexedColumns(schema);
    return std::any_of(wanted_.begin(), wanted_.end(), [&](const std::string& name) { return indexed.contains(name); });
  }

  const Table& table_;
  std::vector<std::string> wanted_;
  bool now_ = false;
};

}  // namespace

std::optional<FileIndex> FileIndexOf(const Table& table, const std::string& partition, int32_t bucket,
                                     const DataFileMeta& file) {
  if (file.embedded_file_index) return FileIndex(*file.embedded_file_index);
  const std::string* name = IndexFileName(file);
  if (name == nullptr) return std::nullopt;
  const std::string path = table.paths().ExtraFilePath(partition, bucket, file, *name);
  auto input = table.file_system().OpenInput(path, std::nullopt);
  const int64_t bytes = Take(input->GetSize());
  try {
    return FileIndex(bytes, [input](int64_t offset, int64_t length) {
      return Take(input->ReadAt(offset, length))->ToString();
    });
  } catch (Error& error) {
    error.Add(path);
    throw;
  }
}

void PruneByFileIndex(const Table& table, const PredicatePtr& predicate, const PredicatePtr& key_predicate,
                      Executor& executor, std::vector<Split>* splits, ScanCounts* counts) {
  if (!predicate || !table.options().Bool("file-index.read.enabled", true)) return;
  const IndexedFiles of_rows(table, predicate), of_keys(table, key_predicate);
  struct Asked {
    size_t split, file;
    IndexAnswer answer;
  };
  std::vector<Asked> asked;
  for (size_t s = 0; s < splits->size(); ++s) {
    const Split& split = (*splits)[s];
    for (size_t f = 0; f < split.files.size(); ++f) {
      if ((split.raw_convertible ? of_rows : of_keys).MayHelp(split.files[f])) asked.push_back({s, f, {}});
    }
  }
  if (asked.empty()) return;
  executor.ForEach(asked.size(), [&](size_t i) {
    const Split& split = (*splits)[asked[i].split];
    const DataFileMeta& file = split.files[asked[i].file];
    const auto schema = file.schema_id == table.schema().id ? table.schema_ptr() : table.schemas().Get(file.schema_id);
    const PredicatePtr own = MapPredicate(split.raw_convertible ? predicate : key_predicate, *schema, table.schema());
    if (own == nullptr) return;
    auto index = FileIndexOf(table, split.partition, split.bucket, file);
    if (!index) return;
    try {
      asked[i].answer = index->Ask(*own, schema->fields);
    } catch (Error& error) {
      error.Add(fmt::format("the file index of '{}'", file.file_name));
      throw;
    }
  });

  counts->index_files += static_cast<int64_t>(asked.size());
  std::vector<std::set<size_t>> gone(splits->size());
  for (Asked& one : asked) {
    Split& split = (*splits)[one.split];
    const DataFileMeta& file = split.files[one.file];
    if (one.answer.kind == IndexAnswer::Kind::kNone) {
      gone[one.split].insert(one.file);
      ++counts->index_files_skipped;
      --counts->files_kept;
      counts->bytes_kept -= file.file_size;
    } else if (one.answer.kind == IndexAnswer::Kind::kRows && split.raw_convertible) {
      one.answer.rows &= RowSet::All(static_cast<uint32_t>(file.row_count));
      counts->index_rows_skipped += file.row_count - one.answer.rows.count();
      split.rows.resize(split.files.size());
      split.rows[one.file] = std::make_shared<const std::vector<int64_t>>(one.answer.rows.positions());
    }
  }
  for (size_t s = 0; s < splits->size(); ++s) {
    if (gone[s].empty()) continue;
    Split& split = (*splits)[s];
    std::vector<DataFilePtr> files;
    std::vector<std::shared_ptr<const std::vector<int64_t>>> rows;
    for (size_t f = 0; f < split.files.size(); ++f) {
      if (gone[s].contains(f)) continue;
      files.push_back(split.files.shared()[f]);
      if (!split.rows.empty()) rows.push_back(split.rows[f]);
    }
    split.files = std::move(files);
    split.rows = std::move(rows);
  }
  std::erase_if(*splits, [](const Split& split) { return split.files.empty(); });
}

}  // namespace mica
