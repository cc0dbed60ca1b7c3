// Rows of data files by their place, as a statement that changes them finds them: a bit a row, whatever their number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mica {

// Not thread safe.
class RowMarks {
 public:
  struct FileRows {
    std::vector<bool> found;    // by the position in the file
    std::vector<bool> deleted;  // a part of them
    int64_t deleted_count = 0;
  };

  // False when the row was noted before.
  bool Note(std::string_view path, int64_t row, bool deleted) {
    if (last_ == nullptr || last_->first != path) {
      auto it = files_.find(path);
      if (it == files_.end()) it = files_.emplace(std::string(path), FileRows{}).first;
      last_ = &*it;
    }
    FileRows& rows = last_->second;
    const auto at = static_cast<size_t>(row);
    if (at >= rows.found.size()) Grow(&rows, at + 1);
    if (rows.found[at]) return false;
    rows.found[at] = true;
    if (deleted) {
      rows.deleted[at] = true;
      ++rows.deleted_count;
    }
    return true;
  }

  // False when both have noted the same row.
  bool Add(const RowMarks& other) {
    for (const auto& [path, rows] : other.files_) {
      for (size_t i = 0; i < rows.found.size(); ++i) {
        if (rows.found[i] && !Note(path, static_cast<int64_t>(i), rows.deleted[i])) return false;
      }
    }
    return true;
  }

  const std::map<std::string, FileRows, std::less<>>& files() const { return files_; }

 private:
  static void Grow(FileRows* rows, size_t size) {
    rows->found.resize(size);
    rows->deleted.resize(size);
  }

  std::map<std::string, FileRows, std::less<>> files_;
  std::pair<const std::string, FileRows>* last_ = nullptr;  // rows of one file come one after another
};

}  // namespace mica
