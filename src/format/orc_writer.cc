#include <arrow/adapters/orc/adapter.h>
#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/key_value_metadata.h>

#include "base/arrow.h"
#include "base/text.h"
#include "format/column_stats.h"
#include "format/conform.h"
#include "format/orc_file.h"
#include "format/orc_tail.h"
#include "format/orc_time.h"
#include "types/arrow_types.h"
#include "types/timestamp.h"

namespace mica {

namespace {

using arrow::adapters::orc::ORCFileWriter;

arrow::Compression::type CompressionOf(const std::string& name) {
  std::string lower = ToLower(name);
  if (lower == "zstd") return arrow::Compression::ZSTD;
  if (lower == "snappy") return arrow::Compression::SNAPPY;
  if (lower == "zlib" || lower == "gzip") return arrow::Compression::GZIP;
  if (lower == "lz4") return arrow::Compression::LZ4;
  if (lower == "none" || lower == "uncompressed") return arrow::Compression::UNCOMPRESSED;
  throw Unsupported("The compression '{}' is not supported for ORC files. Use zstd, snappy, zlib, lz4 or none", name);
}

// What the adapter makes the ORC type from: field ids go along as attributes, TIME is an INT.
std::shared_ptr<arrow::Field> OrcField(const std::string& name, const DataType& type, int32_t id, int32_t owner,
                                       int32_t depth);

std::shared_ptr<arrow::DataType> OrcArrowType(const DataType& type, int32_t owner, int32_t depth,
                                              const std::string& column) {
  switch (type.root()) {
    case TypeRoot::kTime:
      return arrow::int32();
    case TypeRoot::kArray:
      return arrow::list(OrcField("element", type.element(), ElementFieldId(owner, depth), owner, depth + 1));
    case TypeRoot::kMultiset:
    case TypeRoot::kMap: {
      const bool multiset = type.root() == TypeRoot::kMultiset;
      auto key = OrcField("key", multiset ? type.element() : type.key(), MapKeyFieldId(owner, depth), owner, depth + 1);
      auto value =
          OrcField("value", multiset ? DataType::Int() : type.value(), MapValueFieldId(owner, depth), owner, depth + 1);
      return std::make_shared<arrow::MapType>(key->WithNullable(false), value);
    }
    case TypeRoot::kRow: {
      arrow::FieldVector children;
      for (const DataField& field : type.fields())
        children.push_back(OrcField(field.name, field.type, field.id, field.id, 1));
      return arrow::struct_(std::move(children));
    }
    case TypeRoot::kVariant:
      throw Unsupported("The column '{}' of type VARIANT cannot be written to ORC files. Use 'file.format' = 'parquet'",
                        column);
    default:
      return ToArrowType(type);
  }
}

std::shared_ptr<arrow::Field> OrcField(const std::string& name, const DataType& type, int32_t id, int32_t owner,
                                       int32_t depth) {
  auto attributes = arrow::key_value_metadata({"paimon.id"}, {std::to_string(id)});
  return arrow::field(name, OrcArrowType(type, owner, depth, name), true, std::move(attributes));
}

// The data of an array under the types of OrcArrowType: all buffers stay.
std::shared_ptr<arrow::ArrayData> Relabel(const arrow::ArrayData& data, const std::shared_ptr<arrow::DataType>& type) {
  auto relabelled = data.Copy();
  relabelled->type = type;
  for (size_t i = 0; i < data.child_data.size(); ++i) {
    relabelled->child_data[i] = Relabel(*data.child_data[i], type->field(static_cast<int>(i))->type());
  }
  return relabelled;
}

// The adapter divides towards zero, and ORC cannot hold a fraction of the last second before 1970 at all.
void CheckFractions(const arrow::TimestampArray& array, const std::string& column) {
  const auto unit = static_cast<const arrow::TimestampType&>(*array.type()).unit();
  const int64_t units = unit == arrow::TimeUnit::MILLI   ? 1'000
                        : unit == arrow::TimeUnit::MICRO ? 1'000'000
                                                         : 1'000'000'000;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    if (array.Value(i) < 0 && array.Value(i) % units != 0) {
      throw Unsupported(
          "The column '{}' has a timestamp before 1970 with a fraction of a second, which cannot be written to ORC "
          "files. Use 'file.format' = 'parquet'",
          column);
    }
  }
}

void CheckTimestamps(const arrow::Array& array, const DataType& type, const std::string& column) {
  switch (type.root()) {
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      CheckFractions(static_cast<const arrow::TimestampArray&>(array), column);
      break;
    case TypeRoot::kArray:
      CheckTimestamps(*static_cast<const arrow::ListArray&>(array).values(), type.element(), column);
      break;
    case TypeRoot::kMultiset:
      CheckTimestamps(*static_cast<const arrow::MapArray&>(array).keys(), type.element(), column);
      break;
    case TypeRoot::kMap:
      CheckTimestamps(*static_cast<const arrow::MapArray&>(array).keys(), type.key(), column);
      CheckTimestamps(*static_cast<const arrow::MapArray&>(array).items(), type.value(), column);
      break;
    case TypeRoot::kRow:
      for (size_t i = 0; i < type.fields().size(); ++i) {
        CheckTimestamps(*static_cast<const arrow::StructArray&>(array).field(static_cast<int>(i)),
                        type.fields()[i].type, column);
      }
      break;
    default:
      break;
  }
}

// Gives the nodes of the type tree, in pre-order, the kinds that the adapter has no type for.
void RetypeTexts(const DataType& type, size_t* index, OrcTail* tail) {
  const size_t at = (*index)++;
  switch (type.root()) {
    case TypeRoot::kChar:
      tail->Retype(at, OrcKind::kChar, type.length());
      break;
    case TypeRoot::kVarchar:
      if (type.length() != DataType::kMaxLength) tail->Retype(at, OrcKind::kVarchar, type.length());
      break;
    case TypeRoot::kArray:
      RetypeTexts(type.element(), index, tail);
      break;
    case TypeRoot::kMultiset:
      RetypeTexts(type.element(), index, tail);
      ++*index;
      break;
    case TypeRoot::kMap:
      RetypeTexts(type.key(), index, tail);
      RetypeTexts(type.value(), index, tail);
      break;
    case TypeRoot::kRow:
      for (const DataField& field : type.fields()) RetypeTexts(field.type, index, tail);
      break;
    default:
      break;
  }
}

// Passes writes on, and keeps them back once the file's end is written.
class HoldingSink final : public arrow::io::OutputStream {
 public:
  explicit HoldingSink(std::shared_ptr<arrow::io::OutputStream> sink) : sink_(std::move(sink)) {}

  void Hold() { holding_ = true; }
  const std::string& held() const { return held_; }
  int64_t passed_bytes() const { return passed_bytes_; }

  arrow::Status Write(const void* data, int64_t bytes) override {
    if (holding_) {
      held_.append(static_cast<const char*>(data), static_cast<size_t>(bytes));
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(sink_->Write(data, bytes));
    passed_bytes_ += bytes;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> Tell() const override { return passed_bytes_ + static_cast<int64_t>(held_.size()); }
  arrow::Status Flush() override { return arrow::Status::OK(); }
  // The adapter closes its stream when it is done; the file goes on.
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }

 private:
  std::shared_ptr<arrow::io::OutputStream> sink_;
  bool holding_ = false;
  std::string held_;
  int64_t passed_bytes_ = 0;
};

class OrcWriter final : public DataFileWriter {
 public:
  OrcWriter(FileSystem& fs, std::string path, DataFileWriteOptions options)
      : fs_(fs), path_(std::move(path)), options_(std::move(options)) {
    arrow::FieldVector fields;
    for (const DataField& field : options_.fields) {
      fields.push_back(OrcField(field.name, field.type, field.id, field.id, 1));
      stats_.emplace_back(field.type);
    }
    schema_ = arrow::schema(std::move(fields));
    write_options_.compression = CompressionOf(Option("orc.compress", options_.compression));
    write_options_.stripe_size = Bytes("orc.stripe.size", Bytes("file.block-size", write_options_.stripe_size));
    write_options_.compression_block_size = Bytes("orc.compress.size", 256 << 10);
    write_options_.dictionary_key_size_threshold = 0.8;
    legacy_instants_ = !EqualsIgnoreCase(Option("orc.timestamp-ltz.legacy.type", "true"), "false");
  }

  void Write(const arrow::RecordBatch& batch) override {
    Guard([&] {
      if (!writer_) Open();
      arrow::ArrayVector columns;
      for (size_t i = 0; i < options_.fields.size(); ++i) {
        const DataField& field = options_.fields[i];
        auto array = ConformArray(batch.column(static_cast<int>(i)), field.type, field.name);
        stats_[i].Add(*array);
        if (legacy_instants_) array = OrcInstants(array, field.type, OrcDirection::kWrite);
        CheckTimestamps(*array, field.type, field.name);
        columns.push_back(arrow::MakeArray(Relabel(*array->data(), schema_->field(static_cast<int>(i))->type())));
      }
      auto relabelled = arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
      const int64_t before = sink_->passed_bytes();
      Check(writer_->Write(*relabelled));
      rows_ += batch.num_rows();
      input_bytes_ += Take(arrow::util::ReferencedBufferSize(*relabelled));
      if (sink_->passed_bytes() > before) flushed_input_bytes_ = input_bytes_;  // a stripe has gone out
    });
  }

  int64_t EstimatedBytes() const override {
    if (!sink_) return 0;
    const int64_t waiting = input_bytes_ - flushed_input_bytes_;
    if (flushed_input_bytes_ == 0) return waiting / 3;
    const double ratio = static_cast<double>(sink_->passed_bytes()) / static_cast<double>(flushed_input_bytes_);
    return sink_->passed_bytes() + static_cast<int64_t>(static_cast<double>(waiting) * ratio);
  }
  int64_t BufferedBytes() const override { return input_bytes_ - flushed_input_bytes_; }

  WrittenFile Close() override {
    WrittenFile written;
    Guard([&] {
      if (!writer_) Open();
      sink_->Hold();
      Check(writer_->Close());
      WriteEnd();
      written.file_bytes = Take(file_->Tell());
      Check(file_->Close());
    });
    written.row_count = rows_;
    for (const ColumnStatsCollector& stats : stats_) written.stats.push_back(stats.Finish());
    return written;
  }

 private:
  std::string Option(const std::string& key, const std::string& fallback) const {
    auto found = options_.format_options.find(key);
    return found == options_.format_options.end() ? fallback : found->second;
  }
  int64_t Bytes(const std::string& key, int64_t fallback) const {
    auto found = options_.format_options.find(key);
    return found == options_.format_options.end() ? fallback : ParseMemorySize(found->second);
  }

  template <typename F>
  void Guard(F&& body) {
    try {
      body();
    } catch (Error& error) {
      error.Add("file '" + path_ + "'");
      throw;
    } catch (const std::exception& error) {
      throw IoError("Cannot write the file '{}': {}", path_, error.what());
    }
  }

  void Open() {
    file_ = fs_.OpenOutput(path_);
    sink_ = std::make_unique<HoldingSink>(file_);
    writer_ = Take(ORCFileWriter::Open(sink_.get(), write_options_));
    if (rows_ == 0) {
      // The library takes the schema from the first rows, none of them as well.
      Check(writer_->Write(*Take(arrow::RecordBatch::MakeEmpty(schema_))));
    }
  }

  void WriteEnd() {
    const std::string& held = sink_->held();
    OrcTail tail(held, sink_->passed_bytes() + static_cast<int64_t>(held.size()));
    size_t index = 1;
    for (const DataField& field : options_.fields) RetypeTexts(field.type, &index, &tail);
    MICA_CHECK(index == tail.types().size());
    const int64_t kept = tail.footer_offset() - sink_->passed_bytes();
    MICA_CHECK(kept >= 0);
    Check(file_->Write(held.data(), kept));
    Check(file_->Write(tail.Encode()));
  }

  FileSystem& fs_;
  std::string path_;
  DataFileWriteOptions options_;
  arrow::adapters::orc::WriteOptions write_options_;
  bool legacy_instants_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<ColumnStatsCollector> stats_;
  std::shared_ptr<arrow::io::OutputStream> file_;
  std::unique_ptr<HoldingSink> sink_;
  std::unique_ptr<ORCFileWriter> writer_;
  int64_t rows_ = 0;
  int64_t input_bytes_ = 0;
  int64_t flushed_input_bytes_ = 0;
};

}  // namespace

std::unique_ptr<DataFileWriter> CreateOrcFile(FileSystem& fs, const std::string& path,
                                              const DataFileWriteOptions& options) {
  return std::make_unique<OrcWriter>(fs, path, options);
}

}  // namespace mica
