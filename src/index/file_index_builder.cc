#include "index/file_index_builder.h"

#include <bit>
#include <cmath>

#include <arrow/api.h>

#include "base/bytes.h"
#include "base/error.h"
#include "index/bitmap_index.h"
#include "index/bloom_filter.h"
#include "index/column_index.h"
#include "index/file_index.h"
#include "index/index_value.h"

namespace mica {
namespace {

int64_t DivideDown(int64_t number, int64_t by) {
  const int64_t quotient = number / by;
  return number % by < 0 ? quotient - 1 : quotient;
}

// What one step of the type's Arrow unit is divided by: nanoseconds are indexed as microseconds.
int64_t TimestampDivisor(const DataType& type) {
  return type.precision() > 6 ? 1000 : 1;
}

// Calls `number` with the value of each row as the index sees it (int64; bits of floats), `bytes` for text and binary,
// and `null`.
template <typename Number, typename Bytes, typename Null>
void VisitRows(const arrow::Array& values, const DataType& type, Number number, Bytes bytes, Null null) {
  const int64_t rows = values.length();
  const auto fixed = [&](const auto& array, auto convert) {
    for (int64_t i = 0; i < rows; ++i) {
      if (array.IsNull(i)) {
        null();
      } else {
        number(convert(array.Value(i)));
      }
    }
  };
  const auto same = [](auto value) { return static_cast<int64_t>(value); };
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return fixed(static_cast<const arrow::BooleanArray&>(values), same);
    case TypeRoot::kTinyInt:
      return fixed(static_cast<const arrow::Int8Array&>(values), same);
    case TypeRoot::kSmallInt:
      return fixed(static_cast<const arrow::Int16Array&>(values), same);
    case TypeRoot::kInt:
      return fixed(static_cast<const arrow::Int32Array&>(values), same);
    case TypeRoot::kDate:
      return fixed(static_cast<const arrow::Date32Array&>(values), same);
    case TypeRoot::kTime:
      return fixed(static_cast<const arrow::Time32Array&>(values), same);
    case TypeRoot::kBigInt:
      return fixed(static_cast<const arrow::Int64Array&>(values), same);
    case TypeRoot::kFloat:
      return fixed(static_cast<const arrow::FloatArray&>(values), [](float value) {
        return std::isnan(value) ? int64_t{0x7fc00000} : int64_t{std::bit_cast<int32_t>(value)};
      });
    case TypeRoot::kDouble:
      return fixed(static_cast<const arrow::DoubleArray&>(values), [](double value) {
        return std::isnan(value) ? int64_t{0x7ff8000000000000} : std::bit_cast<int64_t>(value);
      });
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const int64_t divisor = TimestampDivisor(type);
      return fixed(static_cast<const arrow::TimestampArray&>(values),
                   [divisor](int64_t value) { return divisor == 1 ? value : DivideDown(value, divisor); });
    }
    default: {
      const auto& array = static_cast<const arrow::BinaryArray&>(values);
      for (int64_t i = 0; i < rows; ++i) {
        if (array.IsNull(i)) {
          null();
        } else {
          bytes(array.GetView(i));
        }
      }
    }
  }
}

class BloomBuilder final : public ColumnIndexBuilder {
 public:
  explicit BloomBuilder(const FileIndexColumn& column)
      : type_(column.type), filter_(column.items, column.false_positives) {}
  void Add(const arrow::Array& values) override {
    VisitRows(
        values, type_, [&](int64_t number) { filter_.Add(IndexHashOfNumber(number)); },
        [&](std::string_view bytes) { filter_.Add(IndexHashOfBytes(bytes)); }, [] {});
  }
  std::string Finish() override { return filter_.Serialize(); }

 private:
  DataType type_;
  BloomFilter filter_;
};

class BitmapBuilder final : public ColumnIndexBuilder {
 public:
  explicit BitmapBuilder(const FileIndexColumn& column)
      : type_(column.type), bytes_(IndexValueBytes(column.type)), index_(column.type, column.version, column.block_bytes) {}
  void Add(const arrow::Array& values) override {
    VisitRows(
        values, type_,
        [&](int64_t number) {
          // Big-endian, cut to the type's width from the left.
          char big[8];
          StoreBig(big, number);
          index_.Add(std::string_view(big + 8 - *bytes_, static_cast<size_t>(*bytes_)));
        },
        [&](std::string_view text) {
          value_.clear();
          AppendBig(value_, static_cast<int32_t>(text.size()));
          value_.append(text);
          index_.Add(value_);
        },
        [&] { index_.AddNull(); });
  }
  std::string Finish() override { return index_.Serialize(); }

 private:
  DataType type_;
  std::optional<int32_t> bytes_;
  BitmapIndexBuilder index_;
  std::string value_;
};

}  // namespace

std::unique_ptr<ColumnIndexBuilder> MakeColumnIndexBuilder(const FileIndexColumn& column) {
  if (column.kind == kBloomIndex) return std::make_unique<BloomBuilder>(column);
  if (column.kind == kBitmapIndex) return std::make_unique<BitmapBuilder>(column);
  throw Unsupported("Cannot write file indexes of kind '{}' (column '{}'). Known are: bloom-filter, bitmap", column.kind,
                    column.column);
}

FileIndexBuilder::FileIndexBuilder(const std::vector<FileIndexColumn>& columns) : columns_(columns) {
  for (const FileIndexColumn& column : columns_) builders_.push_back(MakeColumnIndexBuilder(column));
}

void FileIndexBuilder::Add(const arrow::RecordBatch& batch) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto values = batch.GetColumnByName(columns_[i].column);
    MICA_CHECK(values != nullptr);
    builders_[i]->Add(*values);
  }
}

std::vector<FileIndexPart> FileIndexBuilder::Parts() {
  std::vector<FileIndexPart> parts;
  for (size_t i = 0; i < columns_.size(); ++i) {
    parts.push_back({columns_[i].column, columns_[i].kind, builders_[i]->Finish()});
  }
  return parts;
}

}  // namespace mica
