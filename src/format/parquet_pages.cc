#include "format/parquet_pages.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/io/memory.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "base/arrow.h"
#include "format/parquet_schema.h"

namespace mica {

namespace {

int64_t BeginOf(const parquet::ColumnChunkMetaData& chunk) {
  int64_t begin = chunk.data_page_offset();
  // Some writers set the offset of a dictionary that is not there to 0.
  if (chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0) {
    begin = std::min(begin, chunk.dictionary_page_offset());
  }
  return begin;
}

// Offset indexes decide which bytes are read, so they are believed only where they are whole: pages follow each other
// without gaps in the chunk, and their rows are those of the group.
bool IsWhole(const parquet::OffsetIndex& index, const parquet::ColumnChunkMetaData& chunk, int64_t rows) {
  const auto& pages = index.page_locations();
  if (pages.empty() || pages.front().first_row_index != 0) return false;
  const int64_t begin = BeginOf(chunk);
  const int64_t end = begin + chunk.total_compressed_size();
  if (pages.front().offset < begin) return false;
  for (size_t i = 0; i < pages.size(); ++i) {
    const auto& page = pages[i];
    const int64_t page_end = page.offset + page.compressed_page_size;
    const int64_t next_row = i + 1 < pages.size() ? pages[i + 1].first_row_index : rows;
    const int64_t next_offset = i + 1 < pages.size() ? pages[i + 1].offset : page_end;
    if (page.compressed_page_size <= 0 || page_end > end || next_offset != page_end) return false;
    if (next_row <= page.first_row_index) return false;
  }
  return true;
}

// The indexes of a group; nothing where the file has none that make sense.
class GroupIndex {
 public:
  GroupIndex(parquet::ParquetFileReader& file, int group) : metadata_(file.metadata()), group_(metadata_->RowGroup(group)) {
    auto reader = file.GetPageIndexReader();
    if (reader) index_ = reader->RowGroup(group);
    keep_ = std::move(reader);
  }

  std::shared_ptr<parquet::OffsetIndex> Offsets(int leaf) const {
    if (!index_) return nullptr;
    auto offsets = index_->GetOffsetIndex(leaf);
    return offsets && IsWhole(*offsets, *group_->ColumnChunk(leaf), group_->num_rows()) ? offsets : nullptr;
  }
  std::shared_ptr<parquet::ColumnIndex> Values(int leaf, size_t pages) const {
    auto values = index_ ? index_->GetColumnIndex(leaf) : nullptr;
    bool fits = values && values->null_pages().size() == pages && values->encoded_min_values().size() == pages &&
                values->encoded_max_values().size() == pages &&
                (!values->has_null_counts() || values->null_counts().size() == pages);
    return fits ? values : nullptr;
  }

 private:
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::unique_ptr<parquet::RowGroupMetaData> group_;
  std::shared_ptr<parquet::PageIndexReader> keep_;  // what it gives out must not outlive it
  std::shared_ptr<parquet::RowGroupPageIndexReader> index_;
};

// What the index tells of one column, page after page.
struct ColumnPages {
  const parquet::ColumnDescriptor* column;
  DataType type;
  std::shared_ptr<parquet::OffsetIndex> offsets;
  std::shared_ptr<parquet::ColumnIndex> values;

  // Of rows that all lie in page `at`.
  ColumnRange RangeAt(size_t at, int64_t rows) const {
    ColumnRange range;
    if (values->null_pages()[at]) {
      range.null_count = rows;
      return range;
    }
    // Nulls that are counted may lie in other rows of the page.
    if (values->has_null_counts() && values->null_counts()[at] == 0) range.null_count = 0;
    range.min = DecodeBound(values->encoded_min_values()[at], *column, type);
    range.max = DecodeBound(values->encoded_max_values()[at], *column, type);
    return range;
  }
};

void CollectTypes(const Predicate& predicate, std::map<std::string, DataType>* types) {
  if (!predicate.column().empty()) types->emplace(predicate.column(), predicate.type());
  for (const PredicatePtr& child : predicate.children()) CollectTypes(*child, types);
}

// The leaves of those columns of a predicate that statistics may speak about, with the types of its literals.
struct PredicateLeaf {
  int leaf;
  DataType type;
};
std::map<std::string, PredicateLeaf> LeavesOf(const parquet::SchemaDescriptor& schema, const Predicate& predicate) {
  std::map<std::string, DataType> types;
  CollectTypes(predicate, &types);
  std::map<std::string, PredicateLeaf> leaves;
  for (const auto& [name, type] : types) {
    int field = schema.group_node()->FieldIndex(name);
    if (field < 0 || !schema.group_node()->field(field)->is_primitive()) continue;
    int leaf = schema.ColumnIndex(*schema.group_node()->field(field));
    // Padding of CHAR is not part of the order of what is stored.
    if (leaf < 0 || schema.Column(leaf)->max_repetition_level() > 0 || type.root() == TypeRoot::kChar) continue;
    // Bounds leave NaN out, which is the greatest of all.
    if (type.root() == TypeRoot::kFloat || type.root() == TypeRoot::kDouble) continue;
    leaves.emplace(name, PredicateLeaf{leaf, type});
  }
  return leaves;
}

}  // namespace

bool GroupMayMatch(const parquet::FileMetaData& metadata, int group, const Predicate& predicate) {
  auto leaves = LeavesOf(*metadata.schema(), predicate);
  auto group_metadata = metadata.RowGroup(group);
  auto range_of = [&](const std::string& name) -> std::optional<ColumnRange> {
    auto found = leaves.find(name);
    if (found == leaves.end()) return std::nullopt;
    const auto& [leaf, type] = found->second;
    ColumnStats stats = ChunkStats(*group_metadata->ColumnChunk(leaf), *metadata.schema()->Column(leaf), type);
    return ColumnRange{stats.min, stats.max, stats.null_count};
  };
  return MayMatch(predicate, range_of, group_metadata->num_rows());
}

std::vector<RowRange> RowsThatMayMatch(parquet::ParquetFileReader& file, int group, const Predicate& predicate) {
  const int64_t rows = file.metadata()->RowGroup(group)->num_rows();
  const std::vector<RowRange> all = {{0, rows}};
  GroupIndex index(file, group);
  const parquet::SchemaDescriptor& schema = *file.metadata()->schema();
  std::map<std::string, ColumnPages> columns;
  for (const auto& [name, leaf] : LeavesOf(schema, predicate)) {
    auto offsets = index.Offsets(leaf.leaf);
    auto values = offsets ? index.Values(leaf.leaf, offsets->page_locations().size()) : nullptr;
    if (values) columns.emplace(name, ColumnPages{schema.Column(leaf.leaf), leaf.type, offsets, values});
  }
  if (columns.empty()) return all;

  // Between two neighbouring borders each column is in one page.
  std::vector<int64_t> borders = {rows};
  for (const auto& [name, column] : columns) {
    for (const auto& page : column.offsets->page_locations()) borders.push_back(page.first_row_index);
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());

  std::vector<RowRange> kept;
  int64_t kept_rows = 0;
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    const RowRange range{borders[i], borders[i + 1]};
    auto range_of = [&](const std::string& name) -> std::optional<ColumnRange> {
      auto column = columns.find(name);
      if (column == columns.end()) return std::nullopt;
      const auto& pages = column->second.offsets->page_locations();
      auto after = std::upper_bound(pages.begin(), pages.end(), range.first,
                                    [](int64_t row, const auto& page) { return row < page.first_row_index; });
      return column->second.RangeAt(static_cast<size_t>(after - pages.begin()) - 1, range.count());
    };
    if (!MayMatch(predicate, range_of, range.count())) continue;
    kept_rows += range.count();
    if (!kept.empty() && kept.back().end == range.first) {
      kept.back().end = range.end;
    } else {
      kept.push_back(range);
    }
  }
  // Reading by page costs more a row than reading on.
  return kept_rows > rows / 2 ? all : kept;
}

// What a paged file is made of, shared by its parts.
struct PagedGroup::Pages {
  parquet::ParquetFileReader& file;
  std::shared_ptr<arrow::io::RandomAccessFile> input;
  int group;
  std::shared_ptr<parquet::FileMetaData> whole;
  std::shared_ptr<parquet::FileMetaData> metadata;  // with this group alone
  struct Leaf {
    bool limited = false;  // otherwise the whole chunk
    int64_t dictionary = 0, dictionary_bytes = 0;
    int64_t pages = 0, pages_bytes = 0;
    RowRange rows;
  };
  std::vector<Leaf> leaves;

  std::unique_ptr<parquet::PageReader> Open(int i) const {
    const Leaf& leaf = leaves[static_cast<size_t>(i)];
    if (!leaf.limited) return file.RowGroup(group)->GetColumnPageReader(i);
    auto chunk = whole->RowGroup(group)->ColumnChunk(i);
    const auto* column = whole->schema()->Column(i);
    std::shared_ptr<arrow::Buffer> bytes = Read(leaf.pages, leaf.pages_bytes);
    if (leaf.dictionary_bytes > 0) {
      bytes = Take(arrow::ConcatenateBuffers({Read(leaf.dictionary, leaf.dictionary_bytes), bytes}));
    }
    int64_t values = column->max_repetition_level() == 0 ? leaf.rows.count() : chunk->num_values();
    return parquet::PageReader::Open(std::make_shared<arrow::io::BufferReader>(std::move(bytes)), values,
                                     chunk->compression(), parquet::default_reader_properties(), *column);
  }

  std::shared_ptr<arrow::Buffer> Read(int64_t offset, int64_t size) const {
    auto bytes = Take(input->ReadAt(offset, size));
    if (bytes->size() != size) throw Corrupt("The pages at '{}' end beyond the file", offset);
    return bytes;
  }
};

namespace {

class PagedRowGroup final : public parquet::RowGroupReader::Contents {
 public:
  PagedRowGroup(std::function<std::unique_ptr<parquet::PageReader>(int)> open,
                std::unique_ptr<parquet::RowGroupMetaData> metadata)
      : open_(std::move(open)), metadata_(std::move(metadata)), properties_(parquet::default_reader_properties()) {}

  std::unique_ptr<parquet::PageReader> GetColumnPageReader(int i) override { return open_(i); }
  const parquet::RowGroupMetaData* metadata() const override { return metadata_.get(); }
  const parquet::ReaderProperties* properties() const override { return &properties_; }

 private:
  std::function<std::unique_ptr<parquet::PageReader>(int)> open_;
  std::unique_ptr<parquet::RowGroupMetaData> metadata_;
  parquet::ReaderProperties properties_;
};

class PagedFile final : public parquet::ParquetFileReader::Contents {
 public:
  PagedFile(std::function<std::unique_ptr<parquet::PageReader>(int)> open,
            std::shared_ptr<parquet::FileMetaData> metadata)
      : open_(std::move(open)), metadata_(std::move(metadata)) {}

  void Close() override {}
  std::shared_ptr<parquet::RowGroupReader> GetRowGroup(int i) override {
    return std::make_shared<parquet::RowGroupReader>(std::make_unique<PagedRowGroup>(open_, metadata_->RowGroup(i)));
  }
  std::shared_ptr<parquet::FileMetaData> metadata() const override { return metadata_; }
  std::shared_ptr<parquet::PageIndexReader> GetPageIndexReader() override { return nullptr; }
  parquet::BloomFilterReader& GetBloomFilterReader() override {
    throw parquet::ParquetException("A paged file has no bloom filters");
  }

 private:
  std::function<std::unique_ptr<parquet::PageReader>(int)> open_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
};

}  // namespace

PagedGroup::PagedGroup(parquet::ParquetFileReader& file, std::shared_ptr<arrow::io::RandomAccessFile> input, int group,
                       RowRange range) {
  auto whole = file.metadata();
  pages_ = std::make_shared<Pages>(Pages{file, std::move(input), group, whole, whole->Subset({group}), {}});
  const parquet::SchemaDescriptor& schema = *whole->schema();
  auto group_metadata = whole->RowGroup(group);
  GroupIndex index(file, group);
  std::map<const parquet::schema::Node*, int> leaves_of_column;
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) ++leaves_of_column[schema.GetColumnRoot(leaf)];
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
    Pages::Leaf& to = pages_->leaves.emplace_back();
    to.rows = {0, group_metadata->num_rows()};
    // The leaves of one column are read in step, so they would have to begin at the same row.
    if (leaves_of_column[schema.GetColumnRoot(leaf)] > 1) continue;
    auto offsets = index.Offsets(leaf);
    if (!offsets) continue;
    const auto& pages = offsets->page_locations();
    auto chunk = group_metadata->ColumnChunk(leaf);
    auto row_before = [](int64_t row, const auto& page) { return row < page.first_row_index; };
    auto row_after = [](const auto& page, int64_t row) { return page.first_row_index < row; };
    auto first = std::upper_bound(pages.begin(), pages.end(), range.first, row_before) - 1;
    auto end = std::lower_bound(first, pages.end(), range.end, row_after);
    to.limited = true;
    to.dictionary = BeginOf(*chunk);
    to.dictionary_bytes = pages.front().offset - to.dictionary;
    to.pages = first->offset;
    to.pages_bytes = (end - 1)->offset + (end - 1)->compressed_page_size - first->offset;
    to.rows.first = first->first_row_index;
    if (end != pages.end()) to.rows.end = end->first_row_index;
  }
}

PagedGroup::~PagedGroup() = default;

std::unique_ptr<parquet::ParquetFileReader> PagedGroup::Open() const {
  auto reader = std::make_unique<parquet::ParquetFileReader>();
  auto open = [pages = pages_](int leaf) { return pages->Open(leaf); };
  reader->Open(std::make_unique<PagedFile>(open, pages_->metadata));
  return reader;
}

RowRange PagedGroup::RowsOf(int leaf) const {
  return pages_->leaves[static_cast<size_t>(leaf)].rows;
}

}  // namespace mica
