#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "base/arrow.h"
#include "base/bytes.h"
#include "format/conform.h"
#include "format/parquet_file.h"
#include "format/parquet_schema.h"
#include "format/read_guard.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

std::unique_ptr<parquet::arrow::FileReader> OpenReader(std::shared_ptr<arrow::io::RandomAccessFile> input,
                                                       int32_t batch_rows) {
  parquet::arrow::FileReaderBuilder builder;
  Check(builder.Open(std::move(input)));
  parquet::ArrowReaderProperties properties;
  properties.set_batch_size(batch_rows);
  properties.set_use_threads(false);
  properties.set_pre_buffer(true);
  std::unique_ptr<parquet::arrow::FileReader> reader;
  Check(builder.memory_pool(arrow::default_memory_pool())->properties(properties)->Build(&reader));
  return reader;
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

// Nanoseconds since the epoch of an INT96 (Format 8.2): nanoseconds of the day, signed, and a Julian day.
int64_t NanosOfInt96(const parquet::Int96& raw, const std::string& column) {
  const int64_t nanos_of_day = LoadLittle<int64_t>(&raw);
  const int64_t day = static_cast<int64_t>(static_cast<int32_t>(raw.value[2])) - 2440588;
  int64_t nanos;
  if (__builtin_mul_overflow(day, int64_t{86'400'000'000'000}, &nanos) ||
      __builtin_add_overflow(nanos, nanos_of_day, &nanos)) {
    throw Unsupported(
        "The column '{}' has a timestamp outside of the years 1677 to 2262, which nanoseconds cannot hold", column);
  }
  return nanos;
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

// A flat column.
std::shared_ptr<arrow::Array> ReadInt96(parquet::RowGroupReader& group, int leaf, int64_t rows,
                                        const DataField& field) {
  auto column = group.Column(leaf);
  const bool optional = column->descr()->max_definition_level() > 0;
  arrow::TimestampBuilder builder(ToArrowType(field.type), arrow::default_memory_pool());
  Check(builder.Reserve(rows));
  ForEachInt96(*column, [&](std::span<const int16_t> levels, std::span<const parquet::Int96> values) {
    auto next = values.begin();
    for (int16_t level : optional ? levels : std::span<const int16_t>()) {
      Check(level == 0 ? builder.AppendNull() : builder.Append(NanosOfInt96(*next++, field.name)));
    }
    for (; next != values.end(); ++next) Check(builder.Append(NanosOfInt96(*next, field.name)));
  });
  if (builder.length() != rows) throw Corrupt("The column '{}' has other rows than its row group", field.name);
  return Take(builder.Finish());
}

class ParquetReader final : public DataFileReader {
 public:
  ParquetReader(FileSystem& fs, std::string path, std::optional<int64_t> size, DataFileReadOptions options)
      : guard_(std::move(path)), options_(std::move(options)) {
    guard_([&] {
      reader_ = OpenReader(guard_.Open(fs, size), options_.batch_rows);
      metadata_ = reader_->parquet_reader()->metadata();
      MapColumns();
      ChooseGroups();
    });
  }

  int64_t row_count() const override { return metadata_->num_rows(); }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    return guard_([&]() -> std::shared_ptr<arrow::RecordBatch> {
      while (true) {
        if (!in_group_ && !OpenGroup()) return nullptr;
        if (auto batch = NextInGroup()) return batch;
        in_group_ = false;
        ++next_group_;
      }
    });
  }

 private:
  struct Group {
    int index;
    int64_t first_row;
    int64_t rows;
  };

  void MapColumns() {
    const parquet::SchemaDescriptor& schema = *metadata_->schema();
    auto ranges = LeafRanges(schema);
    for (const DataField& field : options_.fields) {
      int column = schema.group_node()->FieldIndex(field.name);
      if (column < 0) throw Corrupt("The file has no column '{}'", field.name);
      auto [leaf, count] = ranges[static_cast<size_t>(column)];
      bool int96 =
          field.type.IsTimestamp() && count == 1 && schema.Column(leaf)->physical_type() == parquet::Type::INT96;
      if (int96) {
        if (schema.Column(leaf)->max_repetition_level() > 0) throw Corrupt("The column '{}' is repeated", field.name);
        if (field.type.precision() <= 6)
          throw Unsupported("The column '{}' is stored as INT96 but declared {}", field.name, field.type.ToString());
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
    std::vector<int> sorted = arrow_columns_;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (Place& place : places_) {
      if (place.int96) continue;
      int column = arrow_columns_[static_cast<size_t>(place.at)];
      place.at = static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), column) - sorted.begin());
    }
    std::sort(leaves_.begin(), leaves_.end());
    leaves_.erase(std::unique(leaves_.begin(), leaves_.end()), leaves_.end());
  }

  void ChooseGroups() {
    int64_t first = 0;
    for (int g = 0; g < metadata_->num_row_groups(); ++g) {
      auto group = metadata_->RowGroup(g);
      int64_t rows = group->num_rows();
      bool in_range =
          !options_.row_range || (first < options_.row_range->second && first + rows > options_.row_range->first);
      if (rows > 0 && in_range && MayHold(*group)) groups_.push_back({g, first, rows});
      first += rows;
    }
  }

  bool MayHold(const parquet::RowGroupMetaData& group) const {
    if (!options_.predicate) return true;
    const parquet::SchemaDescriptor& schema = *metadata_->schema();
    std::map<std::string, DataType> types;
    CollectTypes(*options_.predicate, &types);
    auto range_of = [&](const std::string& name) -> std::optional<ColumnRange> {
      int field = schema.group_node()->FieldIndex(name);
      if (field < 0 || !schema.group_node()->field(field)->is_primitive()) return std::nullopt;
      int leaf = schema.ColumnIndex(*schema.group_node()->field(field));
      auto type = types.find(name);
      if (leaf < 0 || type == types.end()) return std::nullopt;
      // Padding of CHAR is not part of the order of what is stored.
      if (type->second.root() == TypeRoot::kChar) return std::nullopt;
      ColumnStats stats = ChunkStats(*group.ColumnChunk(leaf), *schema.Column(leaf), type->second);
      return ColumnRange{stats.min, stats.max, stats.null_count};
    };
    return MayMatch(*options_.predicate, range_of, group.num_rows());
  }

  static void CollectTypes(const Predicate& predicate, std::map<std::string, DataType>* types) {
    if (!predicate.column().empty()) types->emplace(predicate.column(), predicate.type());
    for (const PredicatePtr& child : predicate.children()) CollectTypes(*child, types);
  }

  bool OpenGroup() {
    if (next_group_ >= groups_.size()) return false;
    const Group& group = groups_[next_group_];
    position_ = 0;
    batches_.reset();
    int96_.clear();
    // The library does not notice what nanoseconds cannot hold.
    for (const auto& [leaf, column] : nested_int96_) {
      auto low = reader_->parquet_reader()->RowGroup(group.index);
      ForEachInt96(*low->Column(leaf), [&](std::span<const int16_t>, std::span<const parquet::Int96> values) {
        for (const parquet::Int96& value : values) NanosOfInt96(value, column);
      });
    }
    if (!leaves_.empty()) batches_ = Take(reader_->GetRecordBatchReader({group.index}, leaves_));
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].int96) continue;
      auto low = reader_->parquet_reader()->RowGroup(group.index);
      int96_[static_cast<int>(i)] = ReadInt96(*low, places_[i].at, group.rows, options_.fields[i]);
    }
    in_group_ = true;
    return true;
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
        std::shared_ptr<arrow::Array> array =
            places_[i].int96 ? int96_.at(static_cast<int>(i))->Slice(begin, rows) : from->column(places_[i].at);
        if (skip > 0 || keep < rows) array = array->Slice(skip, keep);
        columns.push_back(ConformArray(array, field.type, field.name));
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

  // Where a wanted column comes from: an INT96 leaf of its own, or a column of the library's batches.
  struct Place {
    bool int96;
    int at;
  };

  ReadGuard guard_;
  DataFileReadOptions options_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::vector<Place> places_;
  std::vector<std::pair<int, std::string>> nested_int96_;  // leaves and their columns
  std::vector<int> arrow_columns_;
  std::vector<int> leaves_;
  std::vector<Group> groups_;
  size_t next_group_ = 0;
  bool in_group_ = false;
  int64_t position_ = 0;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::map<int, std::shared_ptr<arrow::Array>> int96_;
};

}  // namespace

std::unique_ptr<DataFileReader> OpenParquetFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                                const DataFileReadOptions& options) {
  return std::make_unique<ParquetReader>(fs, path, size, options);
}

std::vector<std::string> ParquetFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size) {
  ReadGuard guard(path);
  return guard([&] {
    auto reader = OpenReader(guard.Open(fs, size), 1024);
    const auto& root = *reader->parquet_reader()->metadata()->schema()->group_node();
    std::vector<std::string> names;
    for (int i = 0; i < root.field_count(); ++i) names.push_back(root.field(i)->name());
    return names;
  });
}

}  // namespace mica
