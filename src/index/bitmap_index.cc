#include "index/bitmap_index.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "base/error.h"
#include "index/column_index.h"
#include "index/index_value.h"

namespace mica {
namespace {

struct Entry {
  int32_t offset = 0;  // below zero: the one row -1 - offset
  std::optional<int32_t> length;
};

// Finds the bitmaps of values in an index body.
class BitmapIndex final : public ColumnIndex {
 public:
  BitmapIndex(std::string_view body, DataType type) : type_(std::move(type)), body_(body) {
    IndexInput in(body);
    version_ = in.Read<int8_t>();
    if (version_ != 1 && version_ != 2) {
      throw Unsupported("A bitmap index has version '{}', known are 1 and 2", version_);
    }
    row_count_ = in.Read<int32_t>();
    distinct_ = in.Read<int32_t>();
    if (row_count_ < 0 || distinct_ < 0) throw Corrupt("A bitmap index has a negative count");
    if (in.Read<int8_t>() != 0) {
      nulls_.emplace();
      nulls_->offset = in.Read<int32_t>();
      if (version_ == 2) nulls_->length = in.Read<int32_t>();
    }
    if (version_ == 1) {
      ReadEntries(&in);
    } else {
      ReadBlocks(&in);
    }
  }

  IndexAnswer Ask(const Predicate& leaf) const override {
    switch (leaf.op()) {
      case PredicateOp::kEqual:
      case PredicateOp::kIn:
        return IndexAnswer::Of(RowsOf(leaf.literals()));
      case PredicateOp::kNotEqual:
      case PredicateOp::kNotIn: {
        // Of finer timestamps the index holds a part only.
        if (type_.IsTimestamp() && type_.precision() > 6) return {};
        for (const Value& literal : leaf.literals()) {
          if (IsNull(literal)) return IndexAnswer::None();
        }
        RowSet rows = NotNull();
        rows -= RowsOf(leaf.literals());
        return IndexAnswer::Of(std::move(rows));
      }
      case PredicateOp::kIsNull:
        return IndexAnswer::Of(nulls_ ? RowsAt(*nulls_) : RowSet());
      case PredicateOp::kIsNotNull:
        return IndexAnswer::Of(NotNull());
      default:
        return {};
    }
  }

 private:
  struct Block {
    Value first;
    int32_t offset;
  };

  // Version 1: all entries stand together, and a bitmap ends where the next begins.
  void ReadEntries(IndexInput* in) {
    std::vector<std::pair<std::string, int32_t>> read;
    for (int32_t i = 0; i < distinct_; ++i) {
      std::string value;
      AppendIndexValue(ReadIndexValue(in, type_), type_, &value);
      read.emplace_back(std::move(value), in->Read<int32_t>());
    }
    bitmaps_ = in->rest();
    std::vector<int32_t> starts;
    for (const auto& [value, offset] : read) {
      if (offset >= 0) starts.push_back(offset);
    }
    std::sort(starts.begin(), starts.end());
    const auto length_of = [&](int32_t offset) -> int32_t {
      const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
      return (next == starts.end() ? static_cast<int32_t>(bitmaps_.size()) : *next) - offset;
    };
    for (auto& [value, offset] : read) {
      Entry entry{offset, std::nullopt};
      if (offset >= 0) entry.length = length_of(offset);
      entries_.emplace(std::move(value), entry);
    }
    if (nulls_ && nulls_->offset >= 0) nulls_->length = length_of(nulls_->offset);
  }

  void ReadBlocks(IndexInput* in) {
    const auto count = in->Read<int32_t>();
    for (int32_t i = 0; i < count; ++i) {
      Value first = ReadIndexValue(in, type_);
      blocks_.push_back({std::move(first), in->Read<int32_t>()});
    }
    const auto body = in->Read<int32_t>();
    block_bytes_ = in->rest();
    IndexInput after(in->rest());
    after.Bytes(body);
    bitmaps_ = after.rest();
  }

  RowSet RowsOf(const std::vector<Value>& literals) const {
    RowSet rows;
    for (const Value& literal : literals) {
      if (IsNull(literal)) continue;
      for (const Value& form : StoredForms(literal, type_)) {
        if (auto entry = Find(AsIndexed(form, type_))) rows |= RowsAt(*entry);
      }
    }
    return rows;
  }

  std::optional<Entry> Find(const Value& value) const {
    std::string bytes;
    AppendIndexValue(value, type_, &bytes);
    if (version_ == 1) {
      const auto found = entries_.find(bytes);
      return found == entries_.end() ? std::nullopt : std::optional(found->second);
    }
    for (size_t i = 0; i < blocks_.size(); ++i) {
      // Both zeros compare as equal, but stand side by side.
      if (CompareValues(blocks_[i].first, value) > 0) break;
      if (i + 1 < blocks_.size() && CompareValues(blocks_[i + 1].first, value) < 0) continue;
      IndexInput in(block_bytes_);
      in.Bytes(blocks_[i].offset);
      const auto count = in.Read<int32_t>();
      std::string other;
      for (int32_t e = 0; e < count; ++e) {
        other.clear();
        AppendIndexValue(ReadIndexValue(&in, type_), type_, &other);
        Entry entry{in.Read<int32_t>(), in.Read<int32_t>()};
        if (other == bytes) return entry;
      }
    }
    return std::nullopt;
  }

  RowSet RowsAt(const Entry& entry) const {
    if (entry.offset < 0) {
      RowSet rows;
      rows.Add(static_cast<uint32_t>(-1 - int64_t{entry.offset}));
      return rows;
    }
    IndexInput in(bitmaps_);
    in.Bytes(entry.offset);
    return RowSet::Parse(entry.length && *entry.length >= 0 ? in.Bytes(*entry.length) : in.rest());
  }

  RowSet NotNull() const {
    RowSet rows = RowSet::All(static_cast<uint32_t>(row_count_));
    if (nulls_) rows -= RowsAt(*nulls_);
    return rows;
  }

  DataType type_;
  std::string_view body_, block_bytes_, bitmaps_;
  int8_t version_ = 0;
  int32_t row_count_ = 0;
  int32_t distinct_ = 0;
  std::optional<Entry> nulls_;
  std::unordered_map<std::string, Entry> entries_;  // version 1, by bytes
  std::vector<Block> blocks_;                       // version 2
};

}  // namespace

BitmapIndexBuilder::BitmapIndexBuilder(DataType type, int32_t version, int64_t block_bytes)
    : type_(std::move(type)), version_(version), block_bytes_(block_bytes) {
  if (version_ != 1 && version_ != 2) throw InvalidArgument("A bitmap index has version 1 or 2, not '{}'", version_);
  if (block_bytes_ <= 0) throw InvalidArgument("Blocks of a bitmap index need a positive size, not '{}'", block_bytes_);
}

void BitmapIndexBuilder::Add(std::string_view value) {
  auto found = rows_.find(value);
  if (found == rows_.end()) found = rows_.emplace(std::string(value), std::vector<uint32_t>()).first;
  found->second.push_back(row_count_++);
}

std::string BitmapIndexBuilder::Serialize() const {
  struct Written {
    const std::string* bytes;
    Value value;
    int32_t offset;
    int32_t length;  // -1: a single row
  };
  std::vector<Written> written;
  for (const auto& [bytes, rows] : rows_) {
    IndexInput in(bytes);
    written.push_back({&bytes, ReadIndexValue(&in, type_), 0, -1});
  }
  std::sort(written.begin(), written.end(), [](const Written& a, const Written& b) {
    const auto order = CompareValues(a.value, b.value);
    if (order != 0) return order < 0;
    return *a.bytes > *b.bytes;  // -0.0 before 0.0: its sign bit is set
  });
  std::string bitmaps;
  std::string null_bytes;
  if (!nulls_.empty()) null_bytes = RowSet::Of(nulls_).Serialize();
  if (nulls_.size() > 1) bitmaps = null_bytes;
  for (Written& entry : written) {
    const std::vector<uint32_t>& rows = rows_.find(*entry.bytes)->second;
    if (rows.size() == 1) {
      entry.offset = static_cast<int32_t>(-1 - int64_t{rows[0]});
      continue;
    }
    const std::string bytes = RowSet::Of(rows).Serialize();
    entry.offset = static_cast<int32_t>(bitmaps.size());
    entry.length = static_cast<int32_t>(bytes.size());
    bitmaps += bytes;
    if (bitmaps.size() > INT32_MAX) throw Unsupported("A bitmap index would be bigger than 2 GB");
  }

  std::string out;
  out.push_back(static_cast<char>(version_));
  AppendBig(out, static_cast<int32_t>(row_count_));
  AppendBig(out, static_cast<int32_t>(written.size()));
  out.push_back(nulls_.empty() ? 0 : 1);
  if (!nulls_.empty()) {
    AppendBig(out, nulls_.size() == 1 ? static_cast<int32_t>(-1 - int64_t{nulls_[0]}) : 0);
    if (version_ == 2) AppendBig(out, static_cast<int32_t>(null_bytes.size()));
  }
  if (version_ == 1) {
    for (const Written& entry : written) {
      out += *entry.bytes;
      AppendBig(out, entry.offset);
    }
    return out + bitmaps;
  }
  std::string blocks, heads;
  int32_t block_count = 0;
  for (size_t i = 0; i < written.size();) {
    size_t end = i;
    int64_t bytes = 4;
    while (end < written.size()) {
      const auto entry_bytes = static_cast<int64_t>(written[end].bytes->size()) + 8;
      if (end > i && bytes + entry_bytes > block_bytes_) break;
      bytes += entry_bytes;
      ++end;
    }
    heads += *written[i].bytes;
    AppendBig(heads, static_cast<int32_t>(blocks.size()));
    AppendBig(blocks, static_cast<int32_t>(end - i));
    for (; i < end; ++i) {
      blocks += *written[i].bytes;
      AppendBig(blocks, written[i].offset);
      AppendBig(blocks, written[i].length);
    }
    ++block_count;
  }
  AppendBig(out, block_count);
  out += heads;
  AppendBig(out, static_cast<int32_t>(blocks.size()));
  return out + blocks + bitmaps;
}

std::unique_ptr<ColumnIndex> OpenBitmapIndex(std::string_view body, const DataType& type) {
  return std::make_unique<BitmapIndex>(body, type);
}

}  // namespace mica
