#include "format/orc_column.h"

#include <algorithm>

#include <arrow/api.h>
#include <arrow/util/bit_util.h>

#include "base/arrow.h"
#include "base/error.h"
#include "format/orc_time.h"
#include "format/protobuf.h"
#include "types/arrow_types.h"
#include "types/decimal.h"

namespace mica {

namespace {

using BufferPtr = std::shared_ptr<arrow::Buffer>;

BufferPtr Allocate(int64_t bytes) {
  return Take(arrow::AllocateBuffer(bytes));
}

// Where a batch has values.
struct Presence {
  int64_t rows = 0;
  int64_t count = 0;              // of the rows with a value
  const uint8_t* mask = nullptr;  // one byte a row; nullptr when all have
  BufferPtr bitmap;

  int64_t null_count() const { return rows - count; }
};

class PresentColumn : public OrcColumn {
 protected:
  PresentColumn(const OrcStripeStreams& streams, size_t index, std::string name) : name_(std::move(name)) {
    if (streams.Has(index, OrcStream::kPresent)) present_.emplace(streams.Open(index, OrcStream::kPresent));
  }

  Presence NextPresence(int64_t rows, const uint8_t* parent) {
    Presence presence{.rows = rows, .count = rows};
    if (!present_ && !parent) return presence;
    mask_.resize(static_cast<size_t>(rows));
    if (!parent) {
      present_->Next(mask_.data(), rows);
    } else {
      std::copy_n(parent, rows, mask_.data());
      if (present_) {
        Presence of_parent{.rows = rows, .count = std::count(parent, parent + rows, 1), .mask = parent};
        present_->Next(mask_.data(), of_parent.count);
        Spread(of_parent, mask_.data());
      }
    }
    presence.count = std::count(mask_.begin(), mask_.end(), 1);
    if (presence.count == rows) return presence;
    presence.mask = mask_.data();
    presence.bitmap = Take(arrow::AllocateEmptyBitmap(rows));
    uint8_t* bits = presence.bitmap->mutable_data();
    for (int64_t i = 0; i < rows; ++i) bits[i >> 3] |= static_cast<uint8_t>(mask_[static_cast<size_t>(i)] << (i & 7));
    return presence;
  }

  // Moves the values, which lie dense at the begin, to their rows. Rows without one get zeros.
  template <typename T>
  static void Spread(const Presence& presence, T* values) {
    if (!presence.mask) return;
    int64_t from = presence.count;
    for (int64_t to = presence.rows - 1; to >= 0; --to) {
      values[to] = presence.mask[to] ? values[--from] : T{};
    }
  }

  std::shared_ptr<arrow::Array> FixedWidth(std::shared_ptr<arrow::DataType> type, const Presence& presence,
                                           BufferPtr values) const {
    return arrow::MakeArray(arrow::ArrayData::Make(std::move(type), presence.rows, {presence.bitmap, std::move(values)},
                                                   presence.null_count()));
  }

  // Lengths of lists or texts as offsets, an empty one where there is no value.
  BufferPtr NextOffsets(OrcIntegerRuns& lengths, const Presence& presence) {
    std::vector<int64_t>& values = numbers_;
    values.resize(static_cast<size_t>(presence.rows));
    lengths.Next(values.data(), presence.count);
    Spread(presence, values.data());
    return Offsets(values);
  }

  BufferPtr Offsets(const std::vector<int64_t>& lengths) const {
    auto buffer = Allocate(static_cast<int64_t>((lengths.size() + 1) * sizeof(int32_t)));
    auto* offsets = reinterpret_cast<int32_t*>(buffer->mutable_data());
    int64_t at = 0;
    *offsets++ = 0;
    for (int64_t length : lengths) {
      if (length < 0 || length > INT32_MAX - at) {
        throw Corrupt("The column '{}' has a length that does not fit into a batch", name_);
      }
      *offsets++ = static_cast<int32_t>(at += length);
    }
    return buffer;
  }

  static int64_t Last(const BufferPtr& offsets) {
    return offsets->data_as<int32_t>()[offsets->size() / static_cast<int64_t>(sizeof(int32_t)) - 1];
  }

  std::string name_;
  std::vector<int64_t> numbers_;

 private:
  std::optional<OrcBitRuns> present_;
  std::vector<uint8_t> mask_;
};

class BooleanColumn final : public PresentColumn {
 public:
  BooleanColumn(const OrcStripeStreams& streams, size_t index, std::string name)
      : PresentColumn(streams, index, std::move(name)), bits_(streams.Open(index, OrcStream::kData)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    values_.resize(static_cast<size_t>(rows));
    bits_.Next(values_.data(), presence.count);
    Spread(presence, values_.data());
    auto buffer = Take(arrow::AllocateEmptyBitmap(rows));
    uint8_t* bits = buffer->mutable_data();
    for (int64_t i = 0; i < rows; ++i) bits[i >> 3] |= static_cast<uint8_t>(values_[static_cast<size_t>(i)] << (i & 7));
    return FixedWidth(arrow::boolean(), presence, std::move(buffer));
  }

 private:
  OrcBitRuns bits_;
  std::vector<uint8_t> values_;
};

class ByteColumn final : public PresentColumn {
 public:
  ByteColumn(const OrcStripeStreams& streams, size_t index, std::string name)
      : PresentColumn(streams, index, std::move(name)), bytes_(streams.Open(index, OrcStream::kData)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    auto buffer = Allocate(rows);
    bytes_.Next(buffer->mutable_data(), presence.count);
    Spread(presence, buffer->mutable_data());
    return FixedWidth(arrow::int8(), presence, std::move(buffer));
  }

 private:
  OrcByteRuns bytes_;
};

// SHORT, INT, LONG and DATE.
template <typename T>
class IntegerColumn final : public PresentColumn {
 public:
  IntegerColumn(const OrcStripeStreams& streams, size_t index, std::string name, std::shared_ptr<arrow::DataType> type)
      : PresentColumn(streams, index, std::move(name)),
        type_(std::move(type)),
        integers_(streams.OpenIntegers(index, OrcStream::kData, true)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    auto buffer = Allocate(rows * static_cast<int64_t>(sizeof(T)));
    auto* values = reinterpret_cast<T*>(buffer->mutable_data());
    if constexpr (sizeof(T) == sizeof(int64_t)) {
      integers_.Next(values, presence.count);
    } else {
      numbers_.resize(static_cast<size_t>(presence.count));
      integers_.Next(numbers_.data(), presence.count);
      bool fit = true;
      for (int64_t i = 0; i < presence.count; ++i) {
        const int64_t number = numbers_[static_cast<size_t>(i)];
        values[i] = static_cast<T>(number);
        fit &= values[i] == number;
      }
      if (!fit) throw Corrupt("The column '{}' has a number that its type cannot hold", name_);
    }
    Spread(presence, values);
    return FixedWidth(type_, presence, std::move(buffer));
  }

 private:
  std::shared_ptr<arrow::DataType> type_;
  OrcIntegerRuns integers_;
};

template <typename T>
class FloatColumn final : public PresentColumn {
 public:
  FloatColumn(const OrcStripeStreams& streams, size_t index, std::string name)
      : PresentColumn(streams, index, std::move(name)), in_(streams.Open(index, OrcStream::kData)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    auto buffer = Allocate(rows * static_cast<int64_t>(sizeof(T)));
    in_.Copy(buffer->mutable_data(), presence.count * static_cast<int64_t>(sizeof(T)));
    Spread(presence, reinterpret_cast<T*>(buffer->mutable_data()));
    return FixedWidth(sizeof(T) == sizeof(float) ? arrow::float32() : arrow::float64(), presence, std::move(buffer));
  }

 private:
  OrcInput in_;
};

// STRING, CHAR, VARCHAR and BINARY, each value in full.
class DirectTextColumn final : public PresentColumn {
 public:
  DirectTextColumn(const OrcStripeStreams& streams, size_t index, std::string name,
                   std::shared_ptr<arrow::DataType> type)
      : PresentColumn(streams, index, std::move(name)),
        type_(std::move(type)),
        lengths_(streams.OpenIntegers(index, OrcStream::kLength, false)),
        in_(streams.Open(index, OrcStream::kData)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    auto offsets = NextOffsets(lengths_, presence);
    auto bytes = Allocate(Last(offsets));
    in_.Copy(bytes->mutable_data(), bytes->size());
    return arrow::MakeArray(arrow::ArrayData::Make(
        type_, rows, {presence.bitmap, std::move(offsets), std::move(bytes)}, presence.null_count()));
  }

 private:
  std::shared_ptr<arrow::DataType> type_;
  OrcIntegerRuns lengths_;
  OrcInput in_;
};

// The same with indices into a dictionary of the stripe.
class DictionaryTextColumn final : public PresentColumn {
 public:
  DictionaryTextColumn(const OrcStripeStreams& streams, size_t index, std::string name,
                       std::shared_ptr<arrow::DataType> type)
      : PresentColumn(streams, index, std::move(name)),
        type_(std::move(type)),
        indices_(streams.OpenIntegers(index, OrcStream::kData, false)) {
    auto lengths = streams.OpenIntegers(index, OrcStream::kLength, false);
    const int64_t size = streams.DictionarySize(index);
    // By and by, because the size may be damaged and the stream much shorter.
    constexpr int64_t kStep = 65536;
    for (int64_t at = 0; at < size; at += kStep) {
      const int64_t some = std::min(kStep, size - at);
      numbers_.resize(static_cast<size_t>(at + some));
      lengths.Next(numbers_.data() + at, some);
    }
    offsets_ = Offsets(numbers_);
    dictionary_ = Allocate(Last(offsets_));
    auto in = streams.Open(index, OrcStream::kDictionary);
    in.Copy(dictionary_->mutable_data(), dictionary_->size());
  }

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    const int32_t* places = offsets_->data_as<int32_t>();
    const auto size = static_cast<uint64_t>(offsets_->size() / static_cast<int64_t>(sizeof(int32_t)) - 1);
    chosen_.resize(static_cast<size_t>(presence.count));
    indices_.Next(chosen_.data(), presence.count);
    lengths_.resize(static_cast<size_t>(rows));
    for (int64_t i = 0; i < presence.count; ++i) {
      const int64_t index = chosen_[static_cast<size_t>(i)];
      if (static_cast<uint64_t>(index) >= size) {
        throw Corrupt("The column '{}' has an index outside of its dictionary", name_);
      }
      lengths_[static_cast<size_t>(i)] = places[index + 1] - places[index];
    }
    Spread(presence, lengths_.data());
    auto offsets = Offsets(lengths_);
    auto bytes = Allocate(Last(offsets));
    uint8_t* out = bytes->mutable_data();
    for (int64_t index : chosen_) {
      const auto length = static_cast<size_t>(places[index + 1] - places[index]);
      std::memcpy(out, dictionary_->data() + places[index], length);
      out += length;
    }
    return arrow::MakeArray(arrow::ArrayData::Make(
        type_, rows, {presence.bitmap, std::move(offsets), std::move(bytes)}, presence.null_count()));
  }

 private:
  std::shared_ptr<arrow::DataType> type_;
  OrcIntegerRuns indices_;
  BufferPtr offsets_, dictionary_;
  std::vector<int64_t> chosen_, lengths_;
};

// Unscaled values as numbers of any length, each with its own scale.
class DecimalColumn final : public PresentColumn {
 public:
  DecimalColumn(const OrcStripeStreams& streams, size_t index, std::string name, const OrcType& type)
      : PresentColumn(streams, index, std::move(name)),
        precision_(static_cast<int32_t>(type.precision)),
        scale_(static_cast<int32_t>(type.scale)),
        in_(streams.Open(index, OrcStream::kData)),
        scales_(streams.OpenIntegers(index, OrcStream::kSecondary, true)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    auto buffer = Allocate(rows * static_cast<int64_t>(sizeof(Int128)));
    auto* values = reinterpret_cast<Int128*>(buffer->mutable_data());
    numbers_.resize(static_cast<size_t>(presence.count));
    scales_.Next(numbers_.data(), presence.count);
    const Int128 limit = PowerOfTen(precision_);
    for (int64_t i = 0; i < presence.count; ++i) {
      const int64_t scale = numbers_[static_cast<size_t>(i)];
      Int128 value = NextUnscaled();
      bool fits = scale >= 0 && scale <= 38;
      if (fits && scale > scale_) {
        value /= PowerOfTen(static_cast<int32_t>(scale) - scale_);
      } else if (fits && scale < scale_) {
        fits = !__builtin_mul_overflow(value, PowerOfTen(scale_ - static_cast<int32_t>(scale)), &value);
      }
      if (!fits || value >= limit || value <= -limit) {
        throw Corrupt("The column '{}' has a decimal that its type cannot hold", name_);
      }
      values[i] = value;
    }
    Spread(presence, values);
    return FixedWidth(arrow::decimal128(precision_, scale_), presence, std::move(buffer));
  }

 private:
  Int128 NextUnscaled() {
    unsigned __int128 raw = 0;
    for (int shift = 0; shift < 128; shift += 7) {
      const uint8_t byte = in_.Byte();
      raw |= static_cast<unsigned __int128>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return static_cast<Int128>(raw >> 1) ^ -static_cast<Int128>(raw & 1);
    }
    throw Corrupt("The column '{}' has a decimal that is too long", name_);
  }

  int32_t precision_, scale_;
  OrcInput in_;
  OrcIntegerRuns scales_;
};

class TimestampColumn final : public PresentColumn {
 public:
  TimestampColumn(const OrcStripeStreams& streams, size_t index, std::string name, OrcKind kind,
                  std::shared_ptr<arrow::DataType> type)
      : PresentColumn(streams, index, name),
        time_(kind == OrcKind::kTimestamp ? streams.zone() : std::string(), std::move(type), std::move(name)),
        seconds_(streams.OpenIntegers(index, OrcStream::kData, true)),
        nanos_(streams.OpenIntegers(index, OrcStream::kSecondary, false)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    auto buffer = Allocate(rows * static_cast<int64_t>(sizeof(int64_t)));
    auto* values = reinterpret_cast<int64_t*>(buffer->mutable_data());
    numbers_.resize(static_cast<size_t>(presence.count));
    seconds_.Next(values, presence.count);
    nanos_.Next(numbers_.data(), presence.count);
    time_.Decode(values, numbers_.data(), presence.count);
    Spread(presence, values);
    return FixedWidth(time_.type(), presence, std::move(buffer));
  }

 private:
  OrcTime time_;
  OrcIntegerRuns seconds_, nanos_;
};

class ListColumn final : public PresentColumn {
 public:
  ListColumn(const OrcStripeStreams& streams, size_t index, std::string name, std::unique_ptr<OrcColumn> element)
      : PresentColumn(streams, index, std::move(name)),
        lengths_(streams.OpenIntegers(index, OrcStream::kLength, false)),
        element_(std::move(element)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    auto offsets = NextOffsets(lengths_, presence);
    auto values = element_->Next(Last(offsets), nullptr);
    auto type = arrow::list(values->type());
    return std::make_shared<arrow::ListArray>(std::move(type), rows, std::move(offsets), std::move(values),
                                              presence.bitmap, presence.null_count());
  }

 private:
  OrcIntegerRuns lengths_;
  std::unique_ptr<OrcColumn> element_;
};

class MapColumn final : public PresentColumn {
 public:
  MapColumn(const OrcStripeStreams& streams, size_t index, std::string name, std::unique_ptr<OrcColumn> key,
            std::unique_ptr<OrcColumn> value)
      : PresentColumn(streams, index, std::move(name)),
        lengths_(streams.OpenIntegers(index, OrcStream::kLength, false)),
        key_(std::move(key)),
        value_(std::move(value)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    auto offsets = NextOffsets(lengths_, presence);
    auto keys = key_->Next(Last(offsets), nullptr);
    if (keys->null_count() > 0) throw Corrupt("The column '{}' has a map with a null as key", name_);
    auto values = value_->Next(Last(offsets), nullptr);
    auto type = arrow::map(keys->type(), values->type());
    return std::make_shared<arrow::MapArray>(std::move(type), rows, std::move(offsets), std::move(keys),
                                             std::move(values), presence.bitmap, presence.null_count());
  }

 private:
  OrcIntegerRuns lengths_;
  std::unique_ptr<OrcColumn> key_, value_;
};

class StructColumn final : public PresentColumn {
 public:
  StructColumn(const OrcStripeStreams& streams, size_t index, std::string name, std::vector<std::string> fields,
               std::vector<std::unique_ptr<OrcColumn>> children)
      : PresentColumn(streams, index, std::move(name)), fields_(std::move(fields)), children_(std::move(children)) {}

  std::shared_ptr<arrow::Array> Next(int64_t rows, const uint8_t* parent) override {
    Presence presence = NextPresence(rows, parent);
    arrow::ArrayVector arrays;
    arrow::FieldVector fields;
    for (size_t i = 0; i < children_.size(); ++i) {
      arrays.push_back(children_[i]->Next(rows, presence.mask));
      fields.push_back(arrow::field(fields_[i], arrays.back()->type()));
    }
    return std::make_shared<arrow::StructArray>(arrow::struct_(std::move(fields)), rows, std::move(arrays),
                                                presence.bitmap, presence.null_count());
  }

 private:
  std::vector<std::string> fields_;
  std::vector<std::unique_ptr<OrcColumn>> children_;
};

// The nodes below a node that a reader of `type` needs, with their types and names.
struct Child {
  size_t index;
  DataType type;
  std::string field;
};

std::vector<Child> ChildrenOf(const OrcType& node, const DataType& type, const std::string& name) {
  auto wrong = [&] {
    return Corrupt("The column '{}' of the file has the ORC kind '{}' and cannot be read as {}", name,
                   static_cast<int32_t>(node.kind), type.ToString());
  };
  switch (type.root()) {
    case TypeRoot::kArray:
      if (node.kind != OrcKind::kList) throw wrong();
      return {{node.children[0], type.element(), "element"}};
    case TypeRoot::kMap:
    case TypeRoot::kMultiset: {
      if (node.kind != OrcKind::kMap) throw wrong();
      const bool multiset = type.root() == TypeRoot::kMultiset;
      return {{node.children[0], multiset ? type.element() : type.key(), "key"},
              {node.children[1], multiset ? DataType::Int() : type.value(), "value"}};
    }
    case TypeRoot::kRow: {
      if (node.kind != OrcKind::kStruct) throw wrong();
      std::vector<Child> children;
      for (const DataField& field : type.fields()) {
        auto found = std::find(node.names.begin(), node.names.end(), field.name);
        if (found == node.names.end()) throw Corrupt("The column '{}' of the file has no field '{}'", name, field.name);
        children.push_back({node.children[static_cast<size_t>(found - node.names.begin())], field.type, field.name});
      }
      return children;
    }
    default:
      if (!node.children.empty() || node.kind == OrcKind::kStruct) throw wrong();
      return {};
  }
}

std::unique_ptr<OrcColumn> OpenLeaf(const OrcType& node, const OrcStripeStreams& streams, size_t index,
                                    const DataType& type, const std::string& name) {
  switch (node.kind) {
    case OrcKind::kBoolean:
      return std::make_unique<BooleanColumn>(streams, index, name);
    case OrcKind::kByte:
      return std::make_unique<ByteColumn>(streams, index, name);
    case OrcKind::kShort:
      return std::make_unique<IntegerColumn<int16_t>>(streams, index, name, arrow::int16());
    case OrcKind::kInt:
      return std::make_unique<IntegerColumn<int32_t>>(streams, index, name, arrow::int32());
    case OrcKind::kLong:
      return std::make_unique<IntegerColumn<int64_t>>(streams, index, name, arrow::int64());
    case OrcKind::kDate:
      return std::make_unique<IntegerColumn<int32_t>>(streams, index, name, arrow::date32());
    case OrcKind::kFloat:
      return std::make_unique<FloatColumn<float>>(streams, index, name);
    case OrcKind::kDouble:
      return std::make_unique<FloatColumn<double>>(streams, index, name);
    case OrcKind::kDecimal:
      return std::make_unique<DecimalColumn>(streams, index, name, node);
    case OrcKind::kTimestamp:
    case OrcKind::kTimestampInstant:
      return std::make_unique<TimestampColumn>(streams, index, name, node.kind,
                                               type.IsTimestamp() ? ToArrowType(type)
                                                                  : arrow::timestamp(arrow::TimeUnit::MICRO));
    default: {
      auto text = node.kind == OrcKind::kBinary ? arrow::binary() : arrow::utf8();
      if (streams.IsDictionary(index)) return std::make_unique<DictionaryTextColumn>(streams, index, name, text);
      return std::make_unique<DirectTextColumn>(streams, index, name, text);
    }
  }
}

}  // namespace

std::unique_ptr<OrcColumn> OpenOrcColumn(const OrcTail& tail, const OrcStripeStreams& streams, size_t index,
                                         const DataType& type, const std::string& name) {
  const OrcType& node = tail.types()[index];
  std::vector<std::unique_ptr<OrcColumn>> children;
  std::vector<std::string> fields;
  for (const Child& child : ChildrenOf(node, type, name)) {
    children.push_back(OpenOrcColumn(tail, streams, child.index, child.type, name + "." + child.field));
    fields.push_back(child.field);
  }
  switch (node.kind) {
    case OrcKind::kList:
      return std::make_unique<ListColumn>(streams, index, name, std::move(children[0]));
    case OrcKind::kMap:
      return std::make_unique<MapColumn>(streams, index, name, std::move(children[0]), std::move(children[1]));
    case OrcKind::kStruct:
      return std::make_unique<StructColumn>(streams, index, name, std::move(fields), std::move(children));
    default:
      return OpenLeaf(node, streams, index, type, name);
  }
}

void WantOrcColumns(const OrcTail& tail, size_t index, const DataType& type, const std::string& name,
                    std::vector<bool>* wanted) {
  (*wanted)[index] = true;
  for (const Child& child : ChildrenOf(tail.types()[index], type, name)) {
    WantOrcColumns(tail, child.index, child.type, name + "." + child.field, wanted);
  }
}

}  // namespace mica
