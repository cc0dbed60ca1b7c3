#include <algorithm>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/io/memory.h>

#include "base/arrow.h"
#include "format/conform.h"
#include "format/orc_column.h"
#include "format/orc_file.h"
#include "format/orc_statistics.h"
#include "format/orc_stripe.h"
#include "format/orc_tail.h"
#include "format/orc_time.h"
#include "format/read_guard.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

class OrcReader final : public DataFileReader {
 public:
  OrcReader(FileSystem& fs, std::string path, std::optional<int64_t> size, DataFileReadOptions options)
      : guard_(std::move(path)), options_(std::move(options)) {
    guard_([&] {
      input_ = guard_.Open(fs, size);
      tail_.emplace(OrcTail::Read(*input_));
      MapColumns();
      ChooseStripes();
    });
  }

  int64_t row_count() const override { return tail_->row_count(); }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    return guard_([&]() -> std::shared_ptr<arrow::RecordBatch> {
      for (; next_range_ < ranges_.size(); ++next_range_) {
        const Range& range = ranges_[next_range_];
        if (position_ < 0) OpenStripe(range);
        if (position_ < range.end_row) return NextInStripe(range);
        position_ = -1;
      }
      return nullptr;
    });
  }

 private:
  // What is wanted of a stripe.
  struct Range {
    size_t stripe;
    int64_t stripe_row;  // the first of the stripe
    int64_t first_row;
    int64_t end_row;
  };

  void MapColumns() {
    const OrcType& root = tail_->types()[0];
    wanted_.resize(tail_->types().size());
    wanted_[0] = true;
    for (const DataField& field : options_.fields) {
      auto found = std::find(root.names.begin(), root.names.end(), field.name);
      if (found == root.names.end()) throw Corrupt("The file has no column '{}'", field.name);
      nodes_.push_back(root.children[static_cast<size_t>(found - root.names.begin())]);
      WantOrcColumns(*tail_, nodes_.back(), field.type, field.name, &wanted_);
    }
  }

  void ChooseStripes() {
    std::optional<OrcStatistics> statistics;
    // Of a single stripe the table knows as much.
    if (options_.predicate && tail_->stripes().size() > 1) statistics = OrcStatistics::Read(*input_, *tail_);
    int64_t row = 0;
    for (size_t i = 0; i < tail_->stripes().size(); ++i) {
      Range range{i, row, row, row + tail_->stripes()[i].row_count};
      row = range.end_row;
      if (options_.row_range) {
        range.first_row = std::max(range.first_row, options_.row_range->first);
        range.end_row = std::min(range.end_row, options_.row_range->second);
      }
      if (range.first_row >= range.end_row || (statistics && !MayHold(*statistics, i))) continue;
      ranges_.push_back(range);
    }
  }

  bool MayHold(const OrcStatistics& statistics, size_t stripe) const {
    const OrcType& root = tail_->types()[0];
    auto range_of = [&](const std::string& name) -> std::optional<ColumnRange> {
      auto found = std::find(root.names.begin(), root.names.end(), name);
      if (found == root.names.end()) return std::nullopt;
      const size_t node = root.children[static_cast<size_t>(found - root.names.begin())];
      // Padding of CHAR is not part of the order of what is stored.
      const OrcKind kind = tail_->types()[node].kind;
      if (kind == OrcKind::kChar) return std::nullopt;
      // Bounds leave NaN out, which is the greatest of all.
      if (kind == OrcKind::kFloat || kind == OrcKind::kDouble) return std::nullopt;
      return statistics.RangeOf(stripe, node);
    };
    return MayMatch(*options_.predicate, range_of, tail_->stripes()[stripe].row_count);
  }

  void OpenStripe(const Range& range) {
    columns_.clear();
    position_ = range.first_row;
    if (nodes_.empty()) return;
    OrcStripeStreams streams(*input_, *tail_, tail_->stripes()[range.stripe], wanted_);
    if (streams.Has(0, OrcStream::kPresent)) throw Corrupt("A row of the file is null as a whole");
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const DataField& field = options_.fields[i];
      columns_.push_back(OpenOrcColumn(*tail_, streams, nodes_[i], field.type, field.name));
    }
    for (int64_t skip = range.first_row - range.stripe_row; skip > 0;) {
      const int64_t rows = std::min<int64_t>(skip, options_.batch_rows);
      for (auto& column : columns_) column->Next(rows, nullptr);
      skip -= rows;
    }
  }

  std::shared_ptr<arrow::RecordBatch> NextInStripe(const Range& range) {
    const int64_t rows = std::min<int64_t>(options_.batch_rows, range.end_row - position_);
    arrow::ArrayVector arrays;
    arrow::FieldVector fields;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const DataField& field = options_.fields[i];
      auto array = ConformArray(columns_[i]->Next(rows, nullptr), field.type, field.name);
      if (options_.orc_legacy_instants) array = OrcInstants(array, field.type, OrcDirection::kRead);
      arrays.push_back(std::move(array));
      fields.push_back(arrow::field(field.name, arrays.back()->type(), field.type.nullable()));
    }
    if (options_.with_row_positions) {
      arrow::Int64Builder builder;
      Check(builder.Reserve(rows));
      for (int64_t i = 0; i < rows; ++i) builder.UnsafeAppend(position_ + i);
      arrays.push_back(Take(builder.Finish()));
      fields.push_back(arrow::field("_POSITION", arrow::int64(), false));
    }
    position_ += rows;
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(arrays));
  }

  ReadGuard guard_;
  DataFileReadOptions options_;
  std::shared_ptr<arrow::io::RandomAccessFile> input_;
  std::optional<OrcTail> tail_;
  std::vector<size_t> nodes_;  // of options_.fields in the type tree
  std::vector<bool> wanted_;   // by node
  std::vector<Range> ranges_;
  size_t next_range_ = 0;
  int64_t position_ = -1;  // of the next row; -1 before a stripe is open
  std::vector<std::unique_ptr<OrcColumn>> columns_;
};

DataType TypeOfNode(const OrcTail& tail, size_t index) {
  using T = DataType;
  const OrcType& node = tail.types()[index];
  switch (node.kind) {
    case OrcKind::kBoolean:
      return T(TypeRoot::kBoolean);
    case OrcKind::kByte:
      return T(TypeRoot::kTinyInt);
    case OrcKind::kShort:
      return T(TypeRoot::kSmallInt);
    case OrcKind::kInt:
      return T::Int();
    case OrcKind::kLong:
      return T::BigInt();
    case OrcKind::kFloat:
      return T(TypeRoot::kFloat);
    case OrcKind::kDouble:
      return T(TypeRoot::kDouble);
    case OrcKind::kBinary:
      return T::Bytes();
    case OrcKind::kTimestamp:
      return T::Timestamp(6);
    case OrcKind::kTimestampInstant:
      return T::TimestampLtz(6);
    case OrcKind::kDate:
      return T(TypeRoot::kDate);
    case OrcKind::kDecimal:
      return T::Decimal(static_cast<int32_t>(node.precision), static_cast<int32_t>(node.scale));
    case OrcKind::kList:
      return T::Array(TypeOfNode(tail, node.children[0]));
    case OrcKind::kMap:
      return T::Map(TypeOfNode(tail, node.children[0]).WithNullable(false), TypeOfNode(tail, node.children[1]));
    case OrcKind::kStruct: {
      std::vector<DataField> fields;
      for (size_t i = 0; i < node.children.size(); ++i) {
        fields.push_back({static_cast<int32_t>(i), node.names[i], TypeOfNode(tail, node.children[i])});
      }
      return T::Row(std::move(fields));
    }
    default:
      return T::String();
  }
}

}  // namespace

std::shared_ptr<arrow::Table> ReadOrcContent(const std::string& content) {
  arrow::io::BufferReader input(arrow::Buffer::FromString(content));
  const OrcTail tail = OrcTail::Read(input);
  const DataType root = TypeOfNode(tail, 0);
  const std::vector<bool> wanted(tail.types().size(), true);
  arrow::RecordBatchVector batches;
  for (const OrcStripe& stripe : tail.stripes()) {
    OrcStripeStreams streams(input, tail, stripe, wanted);
    auto column = OpenOrcColumn(tail, streams, 0, root, "");
    constexpr int64_t kBatchRows = 16384;
    for (int64_t row = 0; row < stripe.row_count; row += kBatchRows) {
      auto rows = ConformArray(column->Next(std::min(kBatchRows, stripe.row_count - row), nullptr), root, "");
      batches.push_back(Take(arrow::RecordBatch::FromStructArray(rows)));
    }
  }
  return Take(arrow::Table::FromRecordBatches(ToArrowSchema(root.fields()), batches));
}

std::unique_ptr<DataFileReader> OpenOrcFile(FileSystem& fs, const std::string& path, std::optional<int64_t> size,
                                            const DataFileReadOptions& options) {
  return std::make_unique<OrcReader>(fs, path, size, options);
}

std::vector<std::string> OrcFileColumns(FileSystem& fs, const std::string& path, std::optional<int64_t> size) {
  ReadGuard guard(path);
  return guard([&] { return OrcTail::Read(*guard.Open(fs, size)).types()[0].names; });
}

}  // namespace mica
