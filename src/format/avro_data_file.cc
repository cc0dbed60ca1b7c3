#include "format/avro_data_file.h"

#include <arrow/api.h>
#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "format/avro_decode.h"
#include "format/avro_encode.h"
#include "format/avro_file.h"
#include "format/column_stats.h"
#include "format/conform.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

// Names the file in whatever goes wrong.
template <typename F>
auto InFile(const std::string& path, F&& body) {
  try {
    return body();
  } catch (Error& error) {
    error.Add("file '" + path + "'");
    throw;
  }
}

std::shared_ptr<arrow::Buffer> ReadWhole(FileSystem& fs, const std::string& path, std::optional<int64_t> size) {
  auto input = fs.OpenInput(path, size);
  int64_t bytes = Take(input->GetSize());
  auto content = Take(input->ReadAt(0, bytes));
  if (content->size() != bytes) throw Corrupt("The file ends after '{}' of '{}' bytes", content->size(), bytes);
  return content;
}

std::string_view View(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

// The record of a row, which some writers make nullable: ["null", record].
struct RowNode {
  const AvroNode* record = nullptr;
  std::optional<int64_t> branch;  // the record's place in the union
};

RowNode RowOf(const AvroNode& root) {
  if (root.kind == AvroKind::kRecord) return {&root, std::nullopt};
  RowNode row;
  if (root.kind == AvroKind::kUnion && root.children.size() == 2) {
    for (size_t i = 0; i < 2; ++i) {
      const bool nullable = root.children[1 - i]->kind == AvroKind::kNull;
      if (nullable && root.children[i]->kind == AvroKind::kRecord) row = {root.children[i], static_cast<int64_t>(i)};
    }
  }
  if (row.record == nullptr) throw Corrupt("The Avro schema is not a record");
  return row;
}

// The file is held whole: an Avro file has no random access, and those of Paimon are small (level 0, postponed).
class AvroReader final : public DataFileReader {
 public:
  AvroReader(FileSystem& fs, std::string path, std::optional<int64_t> size, DataFileReadOptions options)
      : path_(std::move(path)), options_(std::move(options)) {
    InFile(path_, [&] {
      content_ = ReadWhole(fs, path_, size);
      CountRows();
      reader_ = std::make_unique<AvroFileReader>(View(*content_));
      schema_ = AvroSchema::Parse(reader_->schema_json());
      const RowNode row = RowOf(schema_.root());
      branch_ = row.branch;
      CompileColumns(*row.record);
    });
  }

  int64_t row_count() const override { return row_count_; }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    return InFile(path_, [&]() -> std::shared_ptr<arrow::RecordBatch> {
      int64_t rows = 0;
      positions_.clear();
      while (rows < options_.batch_rows && NextRow()) {
        if (branch_ && cursor_.Long() != *branch_) AvroCursor::Fail("a row is null");
        const size_t before = cursor_.remaining();
        for (const auto& field : fields_) field->Decode(cursor_);
        if (cursor_.remaining() == before && !fields_.empty()) AvroCursor::Fail("a record is empty");
        if (options_.with_row_positions) positions_.push_back(position_ - 1);
        ++rows;
      }
      return rows == 0 ? nullptr : Finish(rows);
    });
  }

 private:
  void CountRows() {
    AvroFileReader blocks(View(*content_));
    AvroFileReader::Block block;
    while (blocks.NextBlock(&block)) {
      if (__builtin_add_overflow(row_count_, block.record_count, &row_count_)) {
        throw Corrupt("The blocks claim to hold more records than can be");
      }
    }
  }

  void CompileColumns(const AvroNode& root) {
    for (const DataField& field : options_.fields) {
      builders_.push_back(Take(arrow::MakeBuilder(ToArrowType(field.type))));
    }
    std::vector<bool> found(options_.fields.size(), false);
    for (size_t i = 0; i < root.names.size(); ++i) {
      int at = FindField(options_.fields, root.names[i]);
      if (at < 0) {
        fields_.push_back(SkippingDecoder(*root.children[i]));
        continue;
      }
      const DataField& field = options_.fields[static_cast<size_t>(at)];
      if (found[static_cast<size_t>(at)]) throw Corrupt("The file has the column '{}' twice", field.name);
      found[static_cast<size_t>(at)] = true;
      fields_.push_back(
          CompileDecoder(*root.children[i], field.type, builders_[static_cast<size_t>(at)].get(), field.name));
    }
    for (size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) throw Corrupt("The file has no column '{}'", options_.fields[i].name);
    }
  }

  // Puts the cursor at the next wanted row; blocks without any are not decompressed.
  bool NextRow() {
    const int64_t first = options_.row_range ? options_.row_range->first : 0;
    const int64_t end = options_.row_range ? options_.row_range->second : row_count_;
    while (true) {
      while (left_in_block_ == 0) {
        if (!cursor_.AtEnd()) throw Corrupt("An Avro block has more bytes than its records take");
        AvroFileReader::Block block;
        if (position_ >= end || !reader_->NextBlock(&block)) return false;
        if (position_ + block.record_count <= first) {
          position_ += block.record_count;
          continue;
        }
        left_in_block_ = block.record_count;
        cursor_ = AvroCursor(reader_->Plain(block));
      }
      if (position_ >= end) return false;
      --left_in_block_;
      if (position_++ >= first) return true;
      SkipAvro(schema_.root(), cursor_);
    }
  }

  std::shared_ptr<arrow::RecordBatch> Finish(int64_t rows) {
    arrow::ArrayVector columns;
    arrow::FieldVector fields;
    for (size_t i = 0; i < builders_.size(); ++i) {
      const DataField& field = options_.fields[i];
      auto array = Take(builders_[i]->Finish());
      // Builders know the units, not the names and nullability inside.
      columns.push_back(ConformArray(array, field.type, field.name));
      fields.push_back(arrow::field(field.name, columns.back()->type(), field.type.nullable()));
      if (!field.type.nullable() && columns.back()->null_count() > 0) {
        throw Corrupt("The column '{}' is NOT NULL but the file has a null", field.name);
      }
    }
    if (options_.with_row_positions) {
      arrow::Int64Builder builder;
      Check(builder.AppendValues(positions_));
      columns.push_back(Take(builder.Finish()));
      fields.push_back(arrow::field("_POSITION", arrow::int64(), false));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(columns));
  }

  std::string path_;
  DataFileReadOptions options_;
  std::shared_ptr<arrow::Buffer> content_;
  std::unique_ptr<AvroFileReader> reader_;
  AvroSchema schema_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  std::vector<std::unique_ptr<AvroValueDecoder>> fields_;  // of the file, in its order
  AvroCursor cursor_{std::string_view()};
  std::optional<int64_t> branch_;  // before each row, of the record in its union
  std::vector<int64_t> positions_;
  int64_t row_count_ = 0;
  int64_t position_ = 0;  // of the row at the cursor
  int64_t left_in_block_ = 0;
};

class AvroWriter final : public DataFileWriter {
 public:
  AvroWriter(FileSystem& fs, std::string path, DataFileWriteOptions options)
      : fs_(fs), path_(std::move(path)), options_(std::move(options)) {
    auto codec = options_.format_options.find("avro.codec");
    writer_ = std::make_unique<AvroFileWriter>(
        AvroSchemaOf(options_.fields), codec == options_.format_options.end() ? options_.compression : codec->second,
        options_.zstd_level);
    for (const DataField& field : options_.fields) {
      encoders_.push_back(CompileEncoder(field.type, field.name));
      stats_.emplace_back(field.type);
    }
  }

  void Write(const arrow::RecordBatch& batch) override {
    InFile(path_, [&] {
      if (!sink_) sink_ = fs_.OpenOutput(path_);
      arrow::ArrayVector columns;
      for (size_t i = 0; i < encoders_.size(); ++i) {
        const DataField& field = options_.fields[i];
        const auto& array = batch.column(static_cast<int>(i));
        columns.push_back(
            array->type()->Equals(*ToArrowType(field.type)) ? array : ConformArray(array, field.type, field.name));
        encoders_[i]->Bind(*columns.back());
        stats_[i].Add(*columns.back());
      }
      for (int64_t row = 0; row < batch.num_rows(); ++row) {
        writer_->Append([&](std::string& out) {
          for (const auto& encoder : encoders_) encoder->Encode(row, out);
        });
        if (writer_->buffered_bytes() > kDrainBytes) Check(sink_->Write(writer_->Drain()));
      }
      rows_ += batch.num_rows();
    });
  }

  int64_t EstimatedBytes() const override { return writer_->size(); }
  int64_t BufferedBytes() const override { return writer_->buffered_bytes(); }

  WrittenFile Close() override {
    WrittenFile written;
    InFile(path_, [&] {
      if (!sink_) sink_ = fs_.OpenOutput(path_);
      Check(sink_->Write(writer_->Finish()));
      written.file_bytes = Take(sink_->Tell());
      Check(sink_->Close());
    });
    written.row_count = rows_;
    for (const ColumnStatsCollector& stats : stats_) written.stats.push_back(stats.Finish());
    return written;
  }

 private:
  static constexpr int64_t kDrainBytes = 1 << 20;

  FileSystem& fs_;
  std::string path_;
  DataFileWriteOptions options_;
  std::unique_ptr<AvroFileWriter> writer_;
  std::vector<std::unique_ptr<AvroValueEncoder>> encoders_;
  std::vector<ColumnStatsCollector> stats_;
  std::shared_ptr<arrow::io::OutputStream> sink_;
  int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<DataFileReader> OpenAvroFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                             const DataFileReadOptions& options) {
  return std::make_unique<AvroReader>(fs, path, size, options);
}

std::vector<std::string> AvroFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size) {
  return InFile(path, [&] {
    auto content = ReadWhole(fs, path, size);
    AvroFileReader reader(View(*content));
    const AvroSchema schema = AvroSchema::Parse(reader.schema_json());
    return RowOf(schema.root()).record->names;
  });
}

std::unique_ptr<DataFileWriter> CreateAvroFile(FileSystem& fs, const std::string& path,
                                               const DataFileWriteOptions& options) {
  return std::make_unique<AvroWriter>(fs, path, options);
}

}  // namespace mica
