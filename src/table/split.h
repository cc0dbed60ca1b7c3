// A split: the files of one bucket that one reader reads. With a commit message, one of the two values that leave a
// process (Engine 8.3).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meta/manifest.h"

namespace mica {

// The files of a split. They are shared with the plan that found them, so that a copy copies pointers.
class FileList {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = DataFileMeta;
    using difference_type = std::ptrdiff_t;
    using pointer = const DataFileMeta*;
    using reference = const DataFileMeta&;
    Iterator() = default;
    explicit Iterator(const DataFilePtr* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    reference operator[](difference_type n) const { return *at_[n]; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return Iterator(at_++); }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator--(int) { return Iterator(at_--); }
    Iterator& operator+=(difference_type n) { return at_ += n, *this; }
    Iterator& operator-=(difference_type n) { return at_ -= n, *this; }
    friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
    friend Iterator operator+(difference_type n, Iterator it) { return it += n; }
    friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    auto operator<=>(const Iterator&) const = default;

   private:
    const DataFilePtr* at_ = nullptr;
  };

  FileList() = default;
  FileList(std::vector<DataFilePtr> files) : files_(std::move(files)) {}
  FileList(const std::vector<DataFileMeta>& files) {
    for (const DataFileMeta& file : files) push_back(file);
  }
  FileList(std::initializer_list<DataFileMeta> files) {
    for (const DataFileMeta& file : files) push_back(file);
  }

  size_t size() const { return files_.size(); }
  bool empty() const { return files_.empty(); }
  const DataFileMeta& operator[](size_t i) const { return *files_[i]; }
  const DataFileMeta& front() const { return *files_.front(); }
  const DataFileMeta& back() const { return *files_.back(); }
  Iterator begin() const { return Iterator(files_.data()); }
  Iterator end() const { return Iterator(files_.data() + files_.size()); }

  void push_back(DataFilePtr file) { files_.push_back(std::move(file)); }
  void push_back(const DataFileMeta& file) { files_.push_back(std::make_shared<const DataFileMeta>(file)); }

  const std::vector<DataFilePtr>& shared() const { return files_; }
  operator std::vector<DataFileMeta>() const { return {begin(), end()}; }

 private:
  std::vector<DataFilePtr> files_;
};

// Where the deletion vector of a data file lies (Engine 5).
struct DeletionFile {
  std::string path;
  int64_t offset = 0;
  int64_t length = 0;
  std::optional<int64_t> cardinality;
  bool operator==(const DeletionFile&) const = default;
};

struct Split {
  int64_t snapshot_id = 0;
  std::string partition;  // serialized BinaryRow
  int32_t bucket = 0;
  int32_t total_buckets = -1;
  FileList files;
  // True: every row of every file is a row of the table, no merge, all predicates may be pushed down.
  bool raw_convertible = true;
  // One a file, or empty when no file has one.
  std::vector<std::optional<DeletionFile>> deletions;
  // What file indexes leave of each file: ascending positions of rows that may match; nullptr: all. Empty when no file has
  // such. A help for readers that is not carried out of the process.
  std::vector<std::shared_ptr<const std::vector<int64_t>>> rows;

  // nullptr: all rows of that file are there.
  const DeletionFile* DeletionsOf(size_t file) const {
    return file < deletions.size() && deletions[file] ? &*deletions[file] : nullptr;
  }
  std::shared_ptr<const std::vector<int64_t>> RowsOf(size_t file) const {
    return file < rows.size() ? rows[file] : nullptr;
  }
  // Rows in the files, the deleted ones too.
  int64_t row_count() const;
  // Nothing when a vector does not tell its cardinality.
  std::optional<int64_t> deleted_row_count() const;
  int64_t bytes() const;
};

}  // namespace mica
