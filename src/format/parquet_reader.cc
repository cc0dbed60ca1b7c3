#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>
#include <parquet/size_statistics.h>

#include "base/arrow.h"
#include "base/bytes.h"
#include "format/conform.h"
#include "format/parquet_file.h"
#include "format/parquet_pages.h"
#include "format/parquet_rows.h"
#include "format/parquet_schema.h"
#include "format/read_guard.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

// Stretches of a column that are read at once when memory is bounded.
constexpr int64_t kLeastStretch = 64 << 10;
constexpr int64_t kMostStretch = 1 << 20;
// Rows of which the columns of a predicate are read at once.
constexpr int64_t kMostNarrowedRows = 1 << 18;
// So few rows of pages are read on their own, without those before them in the pages.
constexpr int64_t kFewRows = 1024;

std::unique_ptr<parquet::arrow::FileReader> ToArrowReader(std::unique_ptr<parquet::ParquetFileReader> file,
                                                          const DataFileReadOptions& options, bool narrow_decimals,
                                                          bool pre_buffer) {
  parquet::ArrowReaderProperties properties;
  properties.set_batch_size(options.batch_rows);
  properties.set_use_threads(false);
  properties.set_pre_buffer(pre_buffer);
  properties.set_smallest_decimal_enabled(narrow_decimals);
  return Take(parquet::arrow::FileReader::Make(arrow::default_memory_pool(), std::move(file), properties));
}

std::unique_ptr<parquet::arrow::FileReader> OpenReader(std::shared_ptr<arrow::io::RandomAccessFile> input,
                                                       const DataFileReadOptions& options, bool narrow_decimals) {
  parquet::ReaderProperties properties(arrow::default_memory_pool());
  if (options.buffer_bytes) {
    const auto columns = static_cast<int64_t>(std::max<size_t>(options.fields.size(), 1));
    properties.enable_buffered_stream();
    properties.set_buffer_size(std::clamp(*options.buffer_bytes / columns, kLeastStretch, kMostStretch));
  }
  return ToArrowReader(parquet::ParquetFileReader::Open(std::move(input), properties), options, narrow_decimals,
                       /*pre_buffer=*/!options.buffer_bytes);
}

// First leaf and number of leaves of each top-level column.
std::vector<std::pair<int, int>> LeafRanges(const parquet::SchemaDescriptor& schema) {
  std::vector<std::pair<int, int>> ranges(static_cast<size_t>(schema.group_node()->field_count()), {-1, 0});
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
    int field = schema.group_node()->FieldIndex(*schema.GetColumnRoot(leaf));
    auto& range = ranges[static_cast<size_t>(field)];
    if (range.first < 0) range.first = leaf;
    ++range.second;
  }
  return ranges;
}

// An INT96 (Format 8.2) as so many ticks of a second since the epoch: nanoseconds of the day, signed, and a Julian day.
int64_t TicksOfInt96(const parquet::Int96& raw, int64_t ticks_per_second, const std::string& column) {
  int64_t nanos_of_day = LoadLittle<int64_t>(&raw);
  int64_t day = static_cast<int64_t>(static_cast<int32_t>(raw.value[2])) - 2440588;
  const int64_t nanos_per_tick = 1'000'000'000 / ticks_per_second;
  int64_t in_day = nanos_of_day / nanos_per_tick;
  if (in_day * nanos_per_tick > nanos_of_day) --in_day;
  int64_t ticks;
  if (__builtin_mul_overflow(day, 86'400 * ticks_per_second, &ticks) || __builtin_add_overflow(ticks, in_day, &ticks)) {
    throw Unsupported(
        "The column '{}' has a timestamp outside of the years 1677 to 2262, which nanoseconds cannot hold", column);
  }
  return ticks;
}

int64_t TicksPerSecond(const arrow::DataType& type) {
  switch (static_cast<const arrow::TimestampType&>(type).unit()) {
    case arrow::TimeUnit::SECOND: return 1;
    case arrow::TimeUnit::MILLI: return 1'000;
    case arrow::TimeUnit::MICRO: return 1'000'000;
    case arrow::TimeUnit::NANO: return 1'000'000'000;
  }
  return 1;
}

// Calls on_values with the levels and values of a leaf, batch after batch.
template <typename OnValues>
void ForEachInt96(parquet::ColumnReader& column, OnValues&& on_values) {
  auto& reader = static_cast<parquet::Int96Reader&>(column);
  constexpr int64_t kBatch = 8192;
  std::vector<int16_t> definitions(kBatch), repetitions(kBatch);
  std::vector<parquet::Int96> values(kBatch);
  while (reader.HasNext()) {
    int64_t value_count = 0;
    const int64_t level_count =
        reader.ReadBatch(kBatch, definitions.data(), repetitions.data(), values.data(), &value_count);
    if (level_count == 0 && value_count == 0) throw Corrupt("An INT96 column ends too early");
    on_values(std::span(definitions).first(static_cast<size_t>(level_count)),
              std::span(values).first(static_cast<size_t>(value_count)));
  }
}

// A flat column of so many rows.
std::shared_ptr<arrow::Array> ReadInt96(parquet::RowGroupReader& group, int leaf, int64_t rows,
                                        const DataField& field) {
  auto column = group.Column(leaf);
  const bool optional = column->descr()->max_definition_level() > 0;
  arrow::TimestampBuilder builder(ToArrowType(field.type), arrow::default_memory_pool());
  Check(builder.Reserve(rows));
  const int64_t ticks = TicksPerSecond(*builder.type());
  ForEachInt96(*column, [&](std::span<const int16_t> levels, std::span<const parquet::Int96> values) {
    auto next = values.begin();
    for (int16_t level : optional ? levels : std::span<const int16_t>()) {
      Check(level == 0 ? builder.AppendNull() : builder.Append(TicksOfInt96(*next++, ticks, field.name)));
    }
    for (; next != values.end(); ++next) Check(builder.Append(TicksOfInt96(*next, ticks, field.name)));
  });
  if (builder.length() != rows) throw Corrupt("The column '{}' has other rows than its row group", field.name);
  return Take(builder.Finish());
}

class ParquetReader final : public DataFileReader {
 public:
  ParquetReader(FileSystem& fs, std::string path, std::optional<int64_t> size, DataFileReadOptions options)
      : guard_(std::move(path)), options_(std::move(options)) {
    guard_([&] {
      // Those inside of nested columns would be narrow as well.
      narrow_decimals_ =
          options_.narrow_decimals && std::all_of(options_.fields.begin(), options_.fields.end(),
                                                  [](const DataField& field) { return field.type.IsPrimitive(); });
      input_ = guard_.Open(fs, size);
      reader_ = OpenReader(input_, options_, narrow_decimals_);
      metadata_ = reader_->parquet_reader()->metadata();
      MapColumns();
      ChooseGroups();
      if (options_.buffer_bytes) BoundBatches();
    });
  }

  int64_t row_count() const override { return metadata_->num_rows(); }
  int64_t rows_to_read() const override {
    int64_t rows = 0;
    for (const Group& group : groups_) {
      auto [first, end] = options_.row_range.value_or(std::pair(group.first_row, group.first_row + group.rows));
      rows += std::min(end, group.first_row + group.rows) - std::max(first, group.first_row);
    }
    return rows;
  }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    return guard_([&]() -> std::shared_ptr<arrow::RecordBatch> {
      while (true) {
        if (!in_group_ && next_group_ >= groups_.size()) return nullptr;
        if (!in_group_ && !OpenGroup()) {
          ++next_group_;
          continue;
        }
        if (auto batch = NextInGroup()) return batch;
        in_group_ = false;
        ++next_group_;
      }
    });
  }

 private:
  // Rows of a row group that are read: all of them, or those of some pages.
  struct Group {
    int index;
    int64_t first_row;  // in the file
    int64_t rows;
    std::optional<RowRange> paged = {};  // in the row group
  };

  void MapColumns() {
    const parquet::SchemaDescriptor& schema = *metadata_->schema();
    const auto& ranges = first_leaves_ = LeafRanges(schema);
    for (const DataField& field : options_.fields) {
      int column = schema.group_node()->FieldIndex(field.name);
      if (column < 0) throw Corrupt("The file has no column '{}'", field.name);
      auto [leaf, count] = ranges[static_cast<size_t>(column)];
      bool int96 =
          field.type.IsTimestamp() && count == 1 && schema.Column(leaf)->physical_type() == parquet::Type::INT96;
      if (int96) {
        if (schema.Column(leaf)->max_repetition_level() > 0) throw Corrupt("The column '{}' is repeated", field.name);
        places_.push_back({true, leaf});
        continue;
      }
      places_.push_back({false, static_cast<int>(arrow_columns_.size())});
      arrow_columns_.push_back(column);
      for (int i = 0; i < count; ++i) {
        leaves_.push_back(leaf + i);
        if (schema.Column(leaf + i)->physical_type() == parquet::Type::INT96)
          nested_int96_.push_back({leaf + i, field.name});
      }
    }
    // The library gives columns in the file's order, whatever order it is asked in.
    std::vector<int>& sorted = sorted_columns_;
    sorted = arrow_columns_;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (Place& place : places_) {
      if (place.int96) continue;
      int column = arrow_columns_[static_cast<size_t>(place.at)];
      place.at = static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), column) - sorted.begin());
    }
    MapValueColumns(schema);
    std::sort(leaves_.begin(), leaves_.end());
    leaves_.erase(std::unique(leaves_.begin(), leaves_.end()), leaves_.end());
  }

  // The columns of the predicate, where reading them before the others may spare something.
  void MapValueColumns(const parquet::SchemaDescriptor& schema) {
    if (!options_.predicate) return;
    const auto names = options_.predicate->Columns();
    if (names.size() * 2 > sorted_columns_.size()) return;
    for (const std::string& name : names) {
      const int at = FindField(options_.fields, name);
      if (at < 0 || !options_.fields[static_cast<size_t>(at)].type.IsPrimitive() ||
          places_[static_cast<size_t>(at)].int96) {
        value_columns_.clear();
        return;
      }
      value_columns_.emplace_back(schema.group_node()->FieldIndex(name), options_.fields[static_cast<size_t>(at)]);
    }
  }

  // Whether all columns are flat and of types that can be read row by row; found out once, by those who need it.
  bool FewRowsPossible() {
    if (few_rows_possible_) return *few_rows_possible_;
    const parquet::SchemaDescriptor& schema = *metadata_->schema();
    std::shared_ptr<arrow::Schema> types;
    Check(reader_->GetSchema(&types));
    bool possible = true;
    for (int column : sorted_columns_) {
      auto [leaf, count] = first_leaves_[static_cast<size_t>(column)];
      const auto& type = types->field(column)->type();
      possible = possible && count == 1 && schema.Column(leaf)->max_repetition_level() == 0 &&
                 schema.Column(leaf)->max_definition_level() <= 1 &&
                 CanReadFewRows(schema.Column(leaf)->physical_type(), *type);
      flat_leaves_.emplace_back(leaf, type);
    }
    few_rows_possible_ = possible;
    return possible;
  }

  void ChooseGroups() {
    int64_t first = 0;
    for (int g = 0; g < metadata_->num_row_groups(); ++g) {
      auto group = metadata_->RowGroup(g);
      int64_t rows = group->num_rows();
      auto in_range = [&](int64_t begin, int64_t end) {
        return !options_.row_range || (begin < options_.row_range->second && end > options_.row_range->first);
      };
      if (rows > 0 && in_range(first, first + rows)) {
        for (const RowRange& range : RangesOf(g, rows)) {
          if (!in_range(first + range.first, first + range.end)) continue;
          groups_.push_back({g, first + range.first, range.count()});
          if (range.count() < rows) groups_.back().paged = range;
        }
      }
      first += rows;
    }
  }

  // Makes batches smaller where rows are wide.
  void BoundBatches() {
    int64_t bytes = 0, rows = 0;
    for (const Group& group : groups_) {
      rows += group.rows;
      auto metadata = metadata_->RowGroup(group.index);
      for (const int leaf : leaves_) {
        bytes += DecodedBytes(*metadata->ColumnChunk(leaf), *metadata_->schema()->Column(leaf)) * group.rows /
                 std::max<int64_t>(1, metadata->num_rows());
      }
    }
    if (rows == 0) return;
    const int64_t row_bytes = std::max<int64_t>(1, bytes / rows);
    const int64_t most = std::max<int64_t>(*options_.buffer_bytes / row_bytes, 1);
    options_.batch_rows = static_cast<int32_t>(std::min<int64_t>(options_.batch_rows, most));
    reader_->set_batch_size(options_.batch_rows);
  }

  // About what the values of a column chunk take in memory.
  static int64_t DecodedBytes(const parquet::ColumnChunkMetaData& chunk, const parquet::ColumnDescriptor& leaf) {
    const auto sizes = chunk.size_statistics();
    if (sizes != nullptr && sizes->unencoded_byte_array_data_bytes) {
      return *sizes->unencoded_byte_array_data_bytes + chunk.num_values() * 4;
    }
    switch (leaf.physical_type()) {
      case parquet::Type::BYTE_ARRAY:
        return chunk.total_uncompressed_size();
      case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      case parquet::Type::INT96:
        return chunk.num_values() * 16;
      default:
        return chunk.num_values() * 8;
    }
  }

  std::vector<RowRange> RangesOf(int group, int64_t rows) const {
    if (!options_.predicate) return {{0, rows}};
    if (!GroupMayMatch(*metadata_, group, *options_.predicate)) return {};
    return RowsThatMayMatch(*reader_->parquet_reader(), group, *options_.predicate);
  }

  // False when none of the group's rows matches.
  bool OpenGroup() {
    Group& group = groups_[next_group_];
    position_ = 0;
    batches_.reset();
    paged_columns_.clear();
    paged_reader_.reset();
    ready_.clear();
    std::unique_ptr<PagedGroup> pages;
    if (group.paged) {
      if (!NarrowByValues(&group)) return false;
      pages = std::make_unique<PagedGroup>(*reader_->parquet_reader(), input_, group.index, *group.paged);
      paged_reader_ = ToArrowReader(pages->Open(), options_, narrow_decimals_, /*pre_buffer=*/false);
    }
    auto low =
        group.paged ? paged_reader_->parquet_reader()->RowGroup(0) : reader_->parquet_reader()->RowGroup(group.index);
    // The library does not notice what nanoseconds cannot hold.
    for (const auto& [leaf, column] : nested_int96_) {
      ForEachInt96(*low->Column(leaf), [&](std::span<const int16_t>, std::span<const parquet::Int96> values) {
        for (const parquet::Int96& value : values) TicksOfInt96(value, 1'000'000'000, column);
      });
    }
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].int96) continue;
      const int leaf = places_[i].at;
      const RowRange rows = pages ? pages->RowsOf(leaf) : RowRange{0, group.rows};
      auto array = ReadInt96(*low, leaf, rows.count(), options_.fields[i]);
      ready_[static_cast<int>(i)] = pages ? array->Slice(group.paged->first - rows.first, group.rows) : array;
    }
    if (pages && group.rows <= kFewRows && FewRowsPossible()) {
      ReadFewRowsOf(*low, *pages, *group.paged);
    } else if (pages) {
      for (int column : sorted_columns_) {
        paged_columns_.push_back(OpenPagedColumn(*paged_reader_, column, *pages, *group.paged));
      }
    } else if (!leaves_.empty()) {
      batches_ = Take(reader_->GetRecordBatchReader({group.index}, leaves_));
    }
    in_group_ = true;
    return true;
  }

  // Reads the columns of the predicate before all others, and leaves of the range what lies between the first and the
  // last row that matches. False when none does.
  bool NarrowByValues(Group* group) {
    if (value_columns_.empty() || group->rows > kMostNarrowedRows) return true;
    PagedGroup pages(*reader_->parquet_reader(), input_, group->index, *group->paged);
    auto reader = ToArrowReader(pages.Open(), options_, /*narrow_decimals=*/false, /*pre_buffer=*/false);
    arrow::ArrayVector arrays;
    arrow::FieldVector fields;
    for (const auto& [column, field] : value_columns_) {
      auto array = NextOfColumn(*OpenPagedColumn(*reader, column, pages, *group->paged), group->rows);
      arrays.push_back(ConformArray(array, field.type, field.name));
      fields.push_back(arrow::field(field.name, arrays.back()->type()));
    }
    auto batch = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), group->rows, std::move(arrays));
    const auto matching = MatchingRows(*options_.predicate, *batch);
    const int64_t first = matching.empty() ? 0 : matching.front(), end = matching.empty() ? 0 : matching.back() + 1;
    group->first_row += first;
    group->paged = RowRange{group->paged->first + first, group->paged->first + end};
    group->rows = end - first;
    return !matching.empty();
  }

  // Columns of pages begin at different rows: each is brought to the first row of the range.
  std::unique_ptr<parquet::arrow::ColumnReader> OpenPagedColumn(parquet::arrow::FileReader& file, int column,
                                                                const PagedGroup& pages, const RowRange& range) const {
    std::unique_ptr<parquet::arrow::ColumnReader> reader;
    Check(file.GetColumn(column, &reader));
    int64_t skip = range.first - pages.RowsOf(first_leaves_[static_cast<size_t>(column)].first).first;
    while (skip > 0) {
      std::shared_ptr<arrow::ChunkedArray> skipped;
      Check(reader->NextBatch(std::min<int64_t>(skip, options_.batch_rows), &skipped));
      if (!skipped || skipped->length() == 0) throw Corrupt("The pages of a column end before row '{}'", range.first);
      skip -= skipped->length();
    }
    return reader;
  }

  // All columns at once.
  void ReadFewRowsOf(parquet::RowGroupReader& low, const PagedGroup& pages, const RowRange& range) {
    for (size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].int96) continue;
      const auto [leaf, type] = flat_leaves_[static_cast<size_t>(places_[i].at)];
      ready_[static_cast<int>(i)] = ReadFewRows(low, leaf, type, range.first - pages.RowsOf(leaf).first, range.count());
    }
  }

  static std::shared_ptr<arrow::Array> NextOfColumn(parquet::arrow::ColumnReader& reader, int64_t rows) {
    std::shared_ptr<arrow::ChunkedArray> chunks;
    Check(reader.NextBatch(rows, &chunks));
    if (!chunks || chunks->length() != rows) throw Corrupt("The pages of a column end too early");
    return chunks->num_chunks() == 1 ? chunks->chunk(0) : Take(arrow::Concatenate(chunks->chunks()));
  }

  std::shared_ptr<arrow::RecordBatch> NextOfPages(int64_t rows) {
    arrow::ArrayVector arrays;
    arrow::FieldVector fields;
    for (auto& reader : paged_columns_) {
      arrays.push_back(NextOfColumn(*reader, rows));
      fields.push_back(arrow::field("", arrays.back()->type()));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(arrays));
  }

  std::shared_ptr<arrow::RecordBatch> NextInGroup() {
    const Group& group = groups_[next_group_];
    while (position_ < group.rows) {
      std::shared_ptr<arrow::RecordBatch> from;
      int64_t rows = std::min<int64_t>(options_.batch_rows, group.rows - position_);
      if (batches_) {
        Check(batches_->ReadNext(&from));
        if (!from) throw Corrupt("A row group ends before its {} rows", group.rows);
        rows = from->num_rows();
        if (rows == 0) continue;
      } else if (!paged_columns_.empty()) {
        from = NextOfPages(rows);
      }
      int64_t begin = position_;
      position_ += rows;
      int64_t skip = 0, keep = rows;
      if (options_.row_range) {
        int64_t first = group.first_row + begin;
        skip = std::max<int64_t>(0, options_.row_range->first - first);
        keep = std::min(rows, options_.row_range->second - first) - skip;
        if (keep <= 0) continue;
      }
      arrow::ArrayVector columns;
      arrow::FieldVector fields;
      for (size_t i = 0; i < places_.size(); ++i) {
        const DataField& field = options_.fields[i];
        std::shared_ptr<arrow::Array> array = from && !places_[i].int96
                                                  ? from->column(places_[i].at)
                                                  : ready_.at(static_cast<int>(i))->Slice(begin, rows);
        if (skip > 0 || keep < rows) array = array->Slice(skip, keep);
        columns.push_back(IsNarrow(*array, field.type) ? array : ConformArray(array, field.type, field.name));
        fields.push_back(arrow::field(field.name, columns.back()->type(), field.type.nullable()));
      }
      if (options_.with_row_positions) {
        arrow::Int64Builder builder;
        Check(builder.Reserve(keep));
        for (int64_t i = 0; i < keep; ++i) builder.UnsafeAppend(group.first_row + begin + skip + i);
        columns.push_back(Take(builder.Finish()));
        fields.push_back(arrow::field("_POSITION", arrow::int64(), false));
      }
      return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), keep, std::move(columns));
    }
    return nullptr;
  }

  bool IsNarrow(const arrow::Array& array, const DataType& type) const {
    if (!narrow_decimals_ || array.offset() != 0) return false;
    const auto narrow = NarrowDecimalType(type);
    return narrow != nullptr && array.type()->Equals(*narrow);
  }

  // Where a wanted column comes from: an INT96 leaf of its own, or a column of the library's batches.
  struct Place {
    bool int96;
    int at;
  };

  ReadGuard guard_;
  DataFileReadOptions options_;
  bool narrow_decimals_ = false;
  std::shared_ptr<arrow::io::RandomAccessFile> input_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::vector<Place> places_;
  std::vector<std::pair<int, std::string>> nested_int96_;  // leaves and their columns
  std::vector<int> arrow_columns_;
  std::vector<int> sorted_columns_;
  std::vector<int> leaves_;
  std::vector<std::pair<int, int>> first_leaves_;                              // of each top-level column, and how many
  std::vector<std::pair<int, std::shared_ptr<arrow::DataType>>> flat_leaves_;  // by the places of sorted_columns_
  std::optional<bool> few_rows_possible_;
  std::vector<std::pair<int, DataField>>
      value_columns_;  // of the predicate, with their places among the top-level columns
  std::vector<Group> groups_;
  size_t next_group_ = 0;
  bool in_group_ = false;
  int64_t position_ = 0;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::unique_ptr<parquet::arrow::FileReader> paged_reader_;
  std::vector<std::unique_ptr<parquet::arrow::ColumnReader>> paged_columns_;
  std::map<int, std::shared_ptr<arrow::Array>> ready_;  // whole columns of the group, by field
};

}  // namespace

std::unique_ptr<DataFileReader> OpenParquetFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                                const DataFileReadOptions& options) {
  return std::make_unique<ParquetReader>(fs, path, size, options);
}

std::vector<std::string> ParquetFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size) {
  ReadGuard guard(path);
  return guard([&] {
    auto reader = OpenReader(guard.Open(fs, size), {}, false);
    const auto& root = *reader->parquet_reader()->metadata()->schema()->group_node();
    std::vector<std::string> names;
    for (int i = 0; i < root.field_count(); ++i) names.push_back(root.field(i)->name());
    return names;
  });
}

}  // namespace mica
