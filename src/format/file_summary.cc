#include "format/file_summary.h"

#include <algorithm>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include "base/text.h"
#include "format/avro_data_file.h"
#include "format/column_stats.h"
#include "format/foreign_layout.h"
#include "format/orc_file.h"
#include "format/parquet_file.h"
#include "format/orc_statistics.h"
#include "format/orc_tail.h"
#include "format/parquet_schema.h"
#include "format/read_guard.h"

namespace mica {

namespace {

// Of the first rows, which only show that the file can be read.
constexpr int32_t kProbedRows = 64;
constexpr int64_t kProbedBytes = 1 << 20;

// Whether bounds that others wrote order values as Paimon does: padding of CHAR is not stored everywhere, and NaN, the
// greatest of all, is left out of the bounds of floating-point columns.
bool BoundsHold(const DataType& type) {
  return type.root() != TypeRoot::kChar && type.root() != TypeRoot::kFloat && type.root() != TypeRoot::kDouble;
}

// Statistics of a column put together from those of its parts, row groups or stripes.
class Parts {
 public:
  explicit Parts(const DataType& type) : bounded_(BoundsHold(type)) { total_.null_count = 0; }

  void Add(const std::optional<Value>& min, const std::optional<Value>& max, std::optional<int64_t> nulls, int64_t rows) {
    if (nulls && total_.null_count) {
      total_.null_count = *total_.null_count + *nulls;
    } else {
      total_.null_count.reset();
    }
    if (nulls == rows) return;  // no value to bound
    if (!min || !max) bounded_ = false;
    if (!bounded_) return;
    if (!total_.min || CompareValues(*min, *total_.min) < 0) total_.min = min;
    if (!total_.max || CompareValues(*max, *total_.max) > 0) total_.max = max;
  }

  ColumnStats Finish() const {
    ColumnStats stats = total_;
    if (!bounded_) stats.min = stats.max = std::nullopt;
    return stats;
  }

 private:
  ColumnStats total_;
  bool bounded_;
};

FileSummary SummarizeParquet(const std::shared_ptr<arrow::io::RandomAccessFile>& input, const std::vector<DataField>& fields) {
  auto reader = parquet::ParquetFileReader::Open(input);
  const auto metadata = reader->metadata();
  const parquet::SchemaDescriptor& schema = *metadata->schema();
  FileSummary summary;
  summary.row_count = metadata->num_rows();
  for (const DataField& field : fields) {
    const int place = schema.group_node()->FieldIndex(field.name);
    if (place < 0) throw Corrupt("The file has no column '{}'", field.name);
    const auto& node = schema.group_node()->field(place);
    const int leaf = node->is_primitive() ? schema.ColumnIndex(*node) : -1;
    if (leaf < 0 || schema.Column(leaf)->max_repetition_level() > 0 || !field.type.IsPrimitive()) {
      summary.stats.emplace_back();
      continue;
    }
    Parts parts(field.type);
    for (int group = 0; group < metadata->num_row_groups(); ++group) {
      const auto row_group = metadata->RowGroup(group);
      const ColumnStats stats = ChunkStats(*row_group->ColumnChunk(leaf), *schema.Column(leaf), field.type);
      parts.Add(stats.min, stats.max, stats.null_count, row_group->num_rows());
    }
    summary.stats.push_back(parts.Finish());
  }
  return summary;
}

FileSummary SummarizeOrc(arrow::io::RandomAccessFile& file, const std::vector<DataField>& fields) {
  const OrcTail tail = OrcTail::Read(file);
  const OrcStatistics statistics = OrcStatistics::Read(file, tail);
  const OrcType& root = tail.types()[0];
  FileSummary summary;
  summary.row_count = tail.row_count();
  for (const DataField& field : fields) {
    const auto found = std::find(root.names.begin(), root.names.end(), field.name);
    if (found == root.names.end()) throw Corrupt("The file has no column '{}'", field.name);
    const size_t node = root.children[static_cast<size_t>(found - root.names.begin())];
    Parts parts(field.type);
    for (size_t stripe = 0; stripe < tail.stripes().size(); ++stripe) {
      const ColumnRange range = statistics.RangeOf(stripe, node).value_or(ColumnRange{});
      parts.Add(range.min, range.max, range.null_count, tail.stripes()[stripe].row_count);
    }
    summary.stats.push_back(parts.Finish());
  }
  return summary;
}

std::unique_ptr<DataFileReader> Open(FileSystem& fs, const std::string& path, int64_t size, const std::string& format,
                                     const DataFileReadOptions& options) {
  if (format == "parquet") return OpenParquetFile(fs, path, size, options);
  return format == "orc" ? OpenOrcFile(fs, path, size, options) : OpenAvroFile(fs, path, size, options);
}

std::vector<std::string> ColumnsOf(FileSystem& fs, const std::string& path, int64_t size, const std::string& format) {
  if (format == "parquet") return ParquetFileColumns(fs, path, size);
  return format == "orc" ? OrcFileColumns(fs, path, size) : AvroFileColumns(fs, path, size);
}

FileSummary SummarizeRows(FileSystem& fs, const std::string& path, int64_t size, const std::vector<DataField>& fields) {
  DataFileReadOptions options;
  options.fields = fields;
  auto reader = OpenAvroFile(fs, path, size, options);
  std::vector<ColumnStatsCollector> collectors;
  for (const DataField& field : fields) collectors.emplace_back(field.type);
  FileSummary summary;
  while (auto batch = reader->Next()) {
    summary.row_count += batch->num_rows();
    for (size_t i = 0; i < fields.size(); ++i) collectors[i].Add(*batch->column(static_cast<int>(i)));
  }
  for (const ColumnStatsCollector& collector : collectors) summary.stats.push_back(collector.Finish());
  return summary;
}

// Types and the first pages.
void ReadFirstRows(FileSystem& fs, const std::string& path, int64_t size, const std::string& format,
                   const std::vector<DataField>& fields) {
  DataFileReadOptions options;
  options.fields = fields;
  options.batch_rows = kProbedRows;
  options.buffer_bytes = kProbedBytes;
  Open(fs, path, size, format, options)->Next();
}

FileSummary SummarizePresent(FileSystem& fs, const std::string& path, int64_t size, const std::string& format,
                             const std::vector<DataField>& fields) {
  RefuseForeignLayout(fs, path, size, format, fields);
  if (format == "avro") return SummarizeRows(fs, path, size, fields);
  ReadFirstRows(fs, path, size, format, fields);
  ReadGuard guard(path);
  return guard([&] {
    auto input = guard.Open(fs, size);
    return format == "orc" ? SummarizeOrc(*input, fields) : SummarizeParquet(input, fields);
  });
}

// Those of the fields that the file has.
std::vector<DataField> PresentFields(const std::vector<std::string>& columns, const std::string& path,
                                     const std::vector<DataField>& fields) {
  std::vector<DataField> present;
  for (const DataField& field : fields) {
    if (std::find(columns.begin(), columns.end(), field.name) != columns.end()) {
      present.push_back(field);
      continue;
    }
    for (const std::string& column : columns) {
      if (!EqualsIgnoreCase(column, field.name)) continue;
      throw Unsupported("The file '{}' calls the column '{}' '{}': only Hive ignores the case of names. Rewrite the file, or clone "
                        "the table", path, field.name, column);
    }
  }
  if (present.empty() && !fields.empty()) {
    throw Unsupported("The file '{}' has none of the columns of the table, but '{}'", path, Join(columns, "', '"));
  }
  return present;
}

}  // namespace

FileSummary SummarizeFile(FileSystem& fs, const std::string& path, int64_t size, const std::vector<DataField>& fields,
                          const SummaryOptions& options) {
  const std::string format = options.format.empty() ? FormatOfName(path) : options.format;
  CheckFormatSupported(format);
  if (!options.columns_may_be_missing) return SummarizePresent(fs, path, size, format, fields);
  const std::vector<DataField> present = PresentFields(ColumnsOf(fs, path, size, format), path, fields);
  FileSummary found = SummarizePresent(fs, path, size, format, present);
  FileSummary summary{found.row_count, {}};
  auto next = found.stats.begin();
  for (const DataField& field : fields) {
    if (FindField(present, field.name) >= 0) {
      summary.stats.push_back(std::move(*next++));
    } else {
      summary.stats.emplace_back().null_count = found.row_count;
    }
  }
  return summary;
}

}  // namespace mica
