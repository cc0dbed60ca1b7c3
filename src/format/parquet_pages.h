// Which row groups and which of their pages a predicate leaves (Format 8.2, statistics, column and offset indexes), and
// a file that consists of only such pages. Files without page indexes, or with ones that make no sense, are read by
// whole row groups.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "io/file_system.h"
#include "predicate/predicate.h"

namespace parquet {
class ParquetFileReader;
class FileMetaData;
}  // namespace parquet

namespace mica {

// Rows of a row group.
struct RowRange {
  int64_t first = 0, end = 0;
  int64_t count() const { return end - first; }
  bool operator==(const RowRange&) const = default;
};

// False only if no row of the group matches, by the statistics of its chunks.
bool GroupMayMatch(const parquet::FileMetaData& metadata, int group, const Predicate& predicate);

// The ranges of rows, ascending and apart, outside of which no row of the group matches by the column index. One range
// over all rows when nothing is known, or when leaving pages out would not be worth it.
std::vector<RowRange> RowsThatMayMatch(parquet::ParquetFileReader& file, int group, const Predicate& predicate);

// One row group reduced to the pages that hold a range of rows.
class PagedGroup {
 public:
  // `input` is what `file` reads; both must outlive this.
  PagedGroup(parquet::ParquetFileReader& file, std::shared_ptr<arrow::io::RandomAccessFile> input, int group,
             RowRange range);
  ~PagedGroup();

  // A file whose only row group has, for each leaf, the pages with rows of the range. Leaves begin at different rows.
  std::unique_ptr<parquet::ParquetFileReader> Open() const;
  // The row at which the pages of a leaf begin, and the one at which they end.
  RowRange RowsOf(int leaf) const;

 private:
  struct Pages;
  std::shared_ptr<Pages> pages_;
};

}  // namespace mica
