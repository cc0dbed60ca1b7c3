#include <algorithm>

#include <arrow/adapters/orc/adapter.h>
#include <arrow/api.h>
#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "format/conform.h"
#include "format/orc_file.h"
#include "format/orc_tail.h"
#include "format/orc_zone.h"
#include "format/read_guard.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

using arrow::adapters::orc::ORCFileReader;

struct OpenFile {
  std::unique_ptr<ORCFileReader> reader;
  std::unique_ptr<OrcTail> tail;
};

OpenFile Open(const std::shared_ptr<arrow::io::RandomAccessFile>& input) {
  OpenFile file;
  file.reader = Take(ORCFileReader::Open(input, arrow::default_memory_pool()));
  file.tail = std::make_unique<OrcTail>(file.reader->GetSerializedFileTail());
  for (size_t i = 0; i < file.tail->types().size(); ++i) {
    // CHAR is read as that many bytes, whatever the text has; as STRING it is read as it is.
    if (file.tail->types()[i].kind == static_cast<int32_t>(OrcKind::kChar)) file.tail->Retype(i, OrcKind::kString, 0);
  }
  // The library believes row indexes without looking, and we start at the begin of stripes anyway.
  file.tail->ForgetRowIndexes();
  auto view = WithTail(input, file.tail->footer_offset(), file.tail->Encode());
  file.reader = Take(ORCFileReader::Open(view, arrow::default_memory_pool()));
  return file;
}

class OrcReader final : public DataFileReader {
 public:
  OrcReader(FileSystem& fs, std::string path, std::optional<int64_t> size, DataFileReadOptions options)
      : guard_(std::move(path)), options_(std::move(options)) {
    guard_([&] {
      file_ = Open(guard_.Open(fs, size));
      MapColumns();
      ChooseStripes();
    });
  }

  int64_t row_count() const override { return file_.reader->NumberOfRows(); }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    return guard_([&]() -> std::shared_ptr<arrow::RecordBatch> {
      while (next_stripe_ < stripes_.size()) {
        const Stripe& stripe = stripes_[next_stripe_];
        if (position_ < 0) OpenStripe(stripe);
        if (position_ >= stripe.end_row) {
          batches_.reset();
          position_ = -1;
          ++next_stripe_;
          continue;
        }
        if (auto batch = NextInStripe(stripe)) return batch;
      }
      return nullptr;
    });
  }

 private:
  struct Stripe {
    int64_t first_row;
    int64_t end_row;
  };

  void MapColumns() {
    const OrcType& root = file_.tail->types()[0];
    for (const DataField& field : options_.fields) {
      auto found = std::find(root.names.begin(), root.names.end(), field.name);
      if (found == root.names.end()) throw Corrupt("The file has no column '{}'", field.name);
      columns_.push_back(static_cast<int>(found - root.names.begin()));
      CheckTimestamps(root.children[static_cast<size_t>(columns_.back())], field);
    }
    included_ = columns_;
    std::sort(included_.begin(), included_.end());
    included_.erase(std::unique(included_.begin(), included_.end()), included_.end());
    // The library gives columns in the file's order.
    for (int& column : columns_) {
      column = static_cast<int>(std::lower_bound(included_.begin(), included_.end(), column) - included_.begin());
    }
  }

  // The library turns timestamps into nanoseconds and does not notice what they cannot hold.
  void CheckTimestamps(size_t index, const DataField& field) const {
    constexpr int64_t kLimitMillis = 9'223'372'036'854 - 1;
    const OrcType& type = file_.tail->types()[index];
    if ((type.least_millis && *type.least_millis < -kLimitMillis) ||
        (type.greatest_millis && *type.greatest_millis > kLimitMillis)) {
      throw Unsupported("The column '{}' has a timestamp outside of the years 1677 to 2262 in an ORC file", field.name);
    }
    for (uint32_t child : type.children) CheckTimestamps(child, field);
  }

  void ChooseStripes() {
    for (int64_t i = 0; i < file_.reader->NumberOfStripes(); ++i) {
      auto information = file_.reader->GetStripeInformation(i);
      int64_t first = information.first_row_id;
      int64_t end = first + information.num_rows;
      if (options_.row_range) {
        first = std::max(first, options_.row_range->first);
        end = std::min(end, options_.row_range->second);
      }
      if (first < end) stripes_.push_back({first, end});
    }
  }

  void OpenStripe(const Stripe& stripe) {
    position_ = stripe.first_row;
    if (included_.empty()) return;
    Check(file_.reader->Seek(stripe.first_row));
    batches_ = Take(file_.reader->NextStripeReader(options_.batch_rows, included_));
    if (!batches_) throw Corrupt("A stripe is missing");
  }

  std::shared_ptr<arrow::RecordBatch> NextInStripe(const Stripe& stripe) {
    int64_t rows = std::min<int64_t>(options_.batch_rows, stripe.end_row - position_);
    std::shared_ptr<arrow::RecordBatch> from;
    if (batches_) {
      Check(batches_->ReadNext(&from));
      if (!from) throw Corrupt("A stripe ends before its rows");
      rows = std::min(from->num_rows(), stripe.end_row - position_);
      if (rows == 0) return nullptr;
    }
    arrow::ArrayVector columns;
    arrow::FieldVector fields;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const DataField& field = options_.fields[i];
      auto array = from->column(columns_[i]);
      if (rows < array->length()) array = array->Slice(0, rows);
      array = ConformArray(array, field.type, field.name);
      columns.push_back(OrcInstants(array, field.type, OrcDirection::kRead));
      fields.push_back(arrow::field(field.name, columns.back()->type(), field.type.nullable()));
    }
    if (options_.with_row_positions) {
      arrow::Int64Builder builder;
      Check(builder.Reserve(rows));
      for (int64_t i = 0; i < rows; ++i) builder.UnsafeAppend(position_ + i);
      columns.push_back(Take(builder.Finish()));
      fields.push_back(arrow::field("_POSITION", arrow::int64(), false));
    }
    position_ += rows;
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(columns));
  }

  ReadGuard guard_;
  DataFileReadOptions options_;
  OpenFile file_;
  std::vector<int> columns_;   // of options_.fields, within included_
  std::vector<int> included_;  // of the file
  std::vector<Stripe> stripes_;
  size_t next_stripe_ = 0;
  int64_t position_ = -1;  // of the next row; -1 before a stripe is open
  std::shared_ptr<arrow::RecordBatchReader> batches_;
};

}  // namespace

std::unique_ptr<DataFileReader> OpenOrcFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                            const DataFileReadOptions& options) {
  return std::make_unique<OrcReader>(fs, path, size, options);
}

std::vector<std::string> OrcFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size) {
  ReadGuard guard(path);
  return guard([&] { return Open(guard.Open(fs, size)).tail->types()[0].names; });
}

}  // namespace mica
