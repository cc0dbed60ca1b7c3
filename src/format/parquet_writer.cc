#include <unordered_set>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "base/arrow.h"
#include "base/text.h"
#include "format/conform.h"
#include "format/parquet_file.h"
#include "format/parquet_schema.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

// Half of what Java takes: whoever looks for one row reads a page of each column.
constexpr int64_t kPageRows = 10'000;
constexpr int64_t kRowGroupRows = 1 << 20;
constexpr int64_t kRowGroupBytes = 128 << 20;
constexpr int64_t kSampleRows = 16384;
// A dictionary is only worth its building when values repeat at least this often in the sample.
constexpr double kRepeatsForDictionary = 2.0;
// The library drops a dictionary that outgrows this, after its hash table has been paid for.
constexpr double kDictionaryBytes = 1 << 20;

parquet::Compression::type CompressionOf(const std::string& name) {
  std::string lower = ToLower(name);
  if (lower == "zstd") return parquet::Compression::ZSTD;
  if (lower == "snappy") return parquet::Compression::SNAPPY;
  if (lower == "gzip") return parquet::Compression::GZIP;
  if (lower == "lz4" || lower == "lz4_raw") return parquet::Compression::LZ4;
  if (lower == "none" || lower == "uncompressed") return parquet::Compression::UNCOMPRESSED;
  throw Unsupported(
      "The compression '{}' is not supported for Parquet files. Use zstd, snappy, gzip, lz4 or uncompressed", name);
}

// Distinct values of a flat column in its first rows.
class Distinct {
 public:
  explicit Distinct(const arrow::Array& array) : rows_(std::min(array.length(), kSampleRows)) {
    if (array.type_id() == arrow::Type::STRING || array.type_id() == arrow::Type::BINARY) {
      const auto& text = static_cast<const arrow::BinaryArray&>(array);
      Count([&](int64_t i) { return text.GetView(i); });
      known_ = rows_ > 0;
    } else {
      const auto width = static_cast<size_t>(static_cast<const arrow::FixedWidthType&>(*array.type()).bit_width()) / 8;
      if (width == 0 || !array.data()->buffers[1]) return;
      const char* values =
          reinterpret_cast<const char*>(array.data()->buffers[1]->data()) + static_cast<size_t>(array.offset()) * width;
      Count([&](int64_t i) { return std::string_view(values + static_cast<size_t>(i) * width, width); });
      known_ = rows_ > 0;
    }
  }

  // Values must repeat, and all of them must fit into a dictionary.
  bool IsWorthDictionary() const {
    if (!known_) return true;
    if (all_ * kRepeatsForDictionary > static_cast<double>(rows_)) return false;
    return EstimatedTotal() * bytes_ / all_ <= kDictionaryBytes;
  }

 private:
  template <typename ValueAt>
  void Count(ValueAt value_at) {
    std::unordered_set<std::string_view> distinct;
    for (int64_t i = 0; i < rows_; ++i) {
      if (i == rows_ / 2) half_ = static_cast<double>(distinct.size());
      const std::string_view value = value_at(i);
      if (distinct.insert(value).second) bytes_ += static_cast<double>(value.size());
    }
    all_ = static_cast<double>(distinct.size());
  }

  // Of the row group. Random draws from D values show D (1 - q) of them in the first half of the sample and q times as
  // many new ones in the second; of sorted keys the second half shows as many new ones as the first.
  double EstimatedTotal() const {
    const double fresh = all_ - half_;
    if (fresh >= half_) return all_ * static_cast<double>(kRowGroupRows) / static_cast<double>(rows_);
    return std::max(all_, half_ * half_ / (half_ - fresh));
  }

  int64_t rows_ = 0;
  bool known_ = false;
  double half_ = 0, all_ = 0, bytes_ = 0;
};

class ParquetWriter final : public DataFileWriter {
 public:
  ParquetWriter(FileSystem& fs, std::string path, DataFileWriteOptions options)
      : fs_(fs),
        path_(std::move(path)),
        options_(std::move(options)),
        schema_(ToParquetSchema(options_.fields)),
        arrow_schema_(ToArrowSchema(options_.fields)),
        codec_(CompressionOf(options_.compression)) {
    row_group_bytes_ = std::min(Bytes("parquet.block.size", Bytes("file.block-size", kRowGroupBytes)),
                                options_.row_group_bytes);
    page_bytes_ = Bytes("parquet.page.size", 1 << 20);
    page_rows_ = std::max<int64_t>(1, Bytes("parquet.page.row.count.limit", kPageRows));
    auto dictionary = options_.format_options.find("parquet.enable.dictionary");
    if (dictionary != options_.format_options.end()) dictionary_ = EqualsIgnoreCase(dictionary->second, "true");
  }

  void Write(const arrow::RecordBatch& batch) override {
    Guard([&] {
      arrow::ArrayVector columns;
      for (int i = 0; i < batch.num_columns(); ++i) {
        const auto& array = batch.column(i);
        const auto& type = arrow_schema_->field(i)->type();
        columns.push_back(array->type()->Equals(*type)
                              ? array
                              : ConformArray(array, options_.fields[static_cast<size_t>(i)].type,
                                             options_.fields[static_cast<size_t>(i)].name));
      }
      auto conformed = arrow::RecordBatch::Make(arrow_schema_, batch.num_rows(), std::move(columns));
      if (!writer_) Open(conformed.get());
      bool full = group_rows_ >= kRowGroupRows || GroupBytes() >= row_group_bytes_;
      if (rows_ == 0 || full) NewRowGroup();
      Check(writer_->WriteRecordBatch(*conformed));
      input_bytes_ += Take(arrow::util::ReferencedBufferSize(*conformed));
      group_rows_ += batch.num_rows();
      rows_ += batch.num_rows();
    });
  }

  int64_t EstimatedBytes() const override { return closed_bytes_ + GroupBytes(); }
  int64_t BufferedBytes() const override { return pool_ ? pool_->bytes_allocated() : 0; }

  WrittenFile Close() override {
    WrittenFile written;
    Guard([&] {
      if (!writer_) Open(nullptr);
      Check(writer_->Close());
      written.file_bytes = Take(sink_->Tell());
      Check(sink_->Close());
      written.row_count = rows_;
      CollectStats(*writer_->metadata(), &written);
    });
    return written;
  }

 private:
  int64_t Bytes(const char* key, int64_t fallback) const {
    auto it = options_.format_options.find(key);
    return it == options_.format_options.end() ? fallback : ParseMemorySize(it->second);
  }

  template <typename F>
  void Guard(F&& body) {
    try {
      body();
    } catch (Error& error) {
      error.Add("file '" + path_ + "'");
      throw;
    } catch (const parquet::ParquetException& error) {
      throw IoError("Cannot write the file '{}': {}", path_, error.what());
    }
  }

  // Of the open row group, encoded: its pages wait in memory until it ends. The first group of a file is guessed from
  // the memory that encoding holds, later ones from the bytes a row took before.
  int64_t GroupBytes() const {
    if (group_rows_ == 0) return 0;
    if (closed_rows_ > 0)
      return static_cast<int64_t>(static_cast<double>(closed_bytes_) / static_cast<double>(closed_rows_) *
                                  static_cast<double>(group_rows_));
    const int64_t guess = codec_ == parquet::Compression::UNCOMPRESSED ? input_bytes_ : input_bytes_ / 3;
    return std::min(pool_->bytes_allocated(), guess);
  }

  void Open(const arrow::RecordBatch* sample) {
    pool_ = std::make_unique<arrow::ProxyMemoryPool>(arrow::default_memory_pool());
    parquet::WriterProperties::Builder builder;
    builder.memory_pool(pool_.get());
    builder.enable_store_decimal_as_integer();
    builder.compression(codec_)
        ->data_page_version(parquet::ParquetDataPageVersion::V1)
        ->version(parquet::ParquetVersion::PARQUET_2_6);
    if (codec_ == parquet::Compression::ZSTD) builder.compression_level(options_.zstd_level);
    builder.data_pagesize(page_bytes_)->max_rows_per_page(page_rows_);
    builder.write_batch_size(WriteBatchRows(sample))->enable_write_page_index();
    builder.max_row_group_length(INT64_MAX);
    builder.created_by("mica");
    if (!dictionary_) builder.disable_dictionary();
    PlanFixedLengths(&builder);
    for (int i = 0; dictionary_ && sample && i < sample->num_columns(); ++i) {
      const auto& field = options_.fields[static_cast<size_t>(i)];
      if (!field.type.IsPrimitive() || Distinct(*sample->column(i)).IsWorthDictionary()) continue;
      builder.disable_dictionary(field.name);
      if (IsSortedInteger(field.name)) builder.encoding(field.name, parquet::Encoding::DELTA_BINARY_PACKED);
    }
    sink_ = fs_.OpenOutput(path_);
    auto low = parquet::ParquetFileWriter::Open(sink_, schema_, builder.build());
    parquet::ArrowWriterProperties::Builder arrow_builder;
    Check(
        parquet::arrow::FileWriter::Make(pool_.get(), std::move(low), arrow_schema_, arrow_builder.build(), &writer_));
  }

  // Merges read keys whole: as deltas these are a tenth of their bytes before compression. Other columns stay PLAIN: Java
  // loses rows of integers in delta encodings where an index or a filter selects rows. It reads keys from the value
  // columns alone (since 1.0).
  bool IsSortedInteger(const std::string& column) const {
    if (!column.starts_with(kKeyPrefix)) return false;
    const int i = schema_->FieldIndex(column);
    if (i < 0 || !schema_->field(i)->is_primitive()) return false;
    const auto type = static_cast<const parquet::schema::PrimitiveNode&>(*schema_->field(i)).physical_type();
    return type == parquet::Type::INT32 || type == parquet::Type::INT64;
  }

  // The size of a page is looked at after so many rows.
  int64_t WriteBatchRows(const arrow::RecordBatch* sample) const {
    constexpr int64_t kMost = 8192;
    if (sample == nullptr || sample->num_rows() == 0) return kMost;
    int64_t widest = 1;
    for (const auto& column : sample->columns()) {
      widest = std::max(widest, Take(arrow::util::ReferencedBufferSize(*column)) / sample->num_rows());
    }
    return std::clamp<int64_t>(page_bytes_ / widest, 16, kMost);
  }

  // Java looks for a decimal in a dictionary by its shortest bytes, and does not find it among those of fixed length (P-13).
  void PlanFixedLengths(parquet::WriterProperties::Builder* builder) const {
    parquet::SchemaDescriptor leaves;
    leaves.Init(schema_);
    for (int i = 0; i < leaves.num_columns(); ++i) {
      const parquet::ColumnDescriptor& leaf = *leaves.Column(i);
      if (leaf.physical_type() == parquet::Type::FIXED_LEN_BYTE_ARRAY) builder->disable_dictionary(leaf.path()->ToDotString());
    }
  }

  void NewRowGroup() {
    Check(writer_->NewBufferedRowGroup());
    closed_bytes_ = Take(sink_->Tell());
    closed_rows_ = rows_;
    group_rows_ = 0;
  }

  void CollectStats(const parquet::FileMetaData& metadata, WrittenFile* written) {
    int leaf = 0;
    for (const DataField& field : options_.fields) {
      ColumnStats stats;
      int leaves = LeafCount(field.type);
      if (field.type.IsPrimitive()) stats = MergeGroups(metadata, leaf, field.type);
      leaf += leaves;
      written->stats.push_back(std::move(stats));
    }
  }

  static int LeafCount(const DataType& type) {
    switch (type.root()) {
      case TypeRoot::kArray:
        return LeafCount(type.element());
      case TypeRoot::kMultiset:
        return LeafCount(type.element()) + 1;
      case TypeRoot::kMap:
        return LeafCount(type.key()) + LeafCount(type.value());
      case TypeRoot::kRow: {
        int count = 0;
        for (const DataField& field : type.fields()) count += LeafCount(field.type);
        return count;
      }
      default:
        return 1;
    }
  }

  static ColumnStats MergeGroups(const parquet::FileMetaData& metadata, int leaf, const DataType& type) {
    ColumnStats merged;
    merged.null_count = 0;
    bool bounded = true;
    for (int g = 0; g < metadata.num_row_groups(); ++g) {
      auto chunk = metadata.RowGroup(g)->ColumnChunk(leaf);
      ColumnStats stats = ChunkStats(*chunk, *metadata.schema()->Column(leaf), type);
      if (!stats.null_count) {
        merged.null_count.reset();
      } else if (merged.null_count) {
        *merged.null_count += *stats.null_count;
      }
      if (stats.null_count && *stats.null_count == chunk->num_values()) continue;
      if (!stats.min || !bounded) {
        bounded = false;
        merged.min = merged.max = std::nullopt;
        continue;
      }
      if (!merged.min || CompareValues(*stats.min, *merged.min) < 0) merged.min = stats.min;
      if (!merged.max || CompareValues(*stats.max, *merged.max) > 0) merged.max = stats.max;
    }
    return merged;
  }

  FileSystem& fs_;
  std::string path_;
  DataFileWriteOptions options_;
  std::shared_ptr<parquet::schema::GroupNode> schema_;
  std::shared_ptr<arrow::Schema> arrow_schema_;
  parquet::Compression::type codec_;
  int64_t row_group_bytes_;
  int64_t page_bytes_;
  int64_t page_rows_;
  bool dictionary_ = true;
  std::unique_ptr<arrow::ProxyMemoryPool> pool_;  // counts what encoding holds
  std::shared_ptr<arrow::io::OutputStream> sink_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  int64_t group_rows_ = 0;
  int64_t rows_ = 0;
  int64_t closed_bytes_ = 0;
  int64_t closed_rows_ = 0;
  int64_t input_bytes_ = 0;
};

}  // namespace

std::unique_ptr<DataFileWriter> CreateParquetFile(FileSystem& fs, const std::string& path,
                                                  const DataFileWriteOptions& options) {
  return std::make_unique<ParquetWriter>(fs, path, options);
}

}  // namespace mica
