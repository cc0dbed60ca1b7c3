#include "format/orc_stripe.h"

#include <algorithm>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "base/error.h"
#include "format/protobuf.h"

namespace mica {

namespace {

using protobuf::Field;
using protobuf::ForEachField;

// Numbers of the fields in ORC's messages.
namespace footer {
constexpr uint32_t kStreams = 1, kEncodings = 2, kZone = 3;
}
namespace stream {
constexpr uint32_t kKind = 1, kColumn = 2, kLength = 3;
}
namespace encoding {
constexpr uint32_t kKind = 1, kDictionarySize = 2;
constexpr uint64_t kDirect = 0, kDictionary = 1, kDirectTwo = 2, kDictionaryTwo = 3;  // kinds
}  // namespace encoding

// What lies between two streams is read along when it is less.
constexpr int64_t kWorthASeek = 64 << 10;

std::shared_ptr<arrow::Buffer> ReadExactly(arrow::io::RandomAccessFile& file, int64_t offset, int64_t bytes) {
  auto buffer = Take(file.ReadAt(offset, bytes));
  if (buffer->size() < bytes) throw Corrupt("A stripe ends behind the end of the file");
  return buffer;
}

}  // namespace

OrcStripeStreams::OrcStripeStreams(arrow::io::RandomAccessFile& file, const OrcTail& tail, const OrcStripe& stripe,
                                   const std::vector<bool>& wanted)
    : tail_(tail) {
  auto bytes = ReadExactly(file, stripe.offset + stripe.index_bytes + stripe.data_bytes, stripe.footer_bytes);
  ParseFooter(tail.codec().DecompressAll(std::string_view(*bytes)), stripe, wanted);
  ReadStreams(file);
}

void OrcStripeStreams::ParseFooter(const std::string& footer, const OrcStripe& stripe,
                                   const std::vector<bool>& wanted) {
  int64_t offset = stripe.offset;
  int64_t rest = stripe.index_bytes + stripe.data_bytes;
  ForEachField(footer, [&](const Field& field) {
    if (field.number == footer::kZone) zone_ = field.bytes;
    if (field.number == footer::kEncodings) {
      Encoding& added = encodings_.emplace_back();
      ForEachField(field.bytes, [&](const Field& part) {
        if (part.number == encoding::kKind) added.kind = part.varint;
        if (part.number == encoding::kDictionarySize) added.dictionary_size = part.varint;
      });
      if (added.kind > encoding::kDictionaryTwo) throw Corrupt("A column has the unknown encoding '{}'", added.kind);
    }
    if (field.number != footer::kStreams) return;
    uint64_t kind = 0, column = 0, length = 0;
    ForEachField(field.bytes, [&](const Field& part) {
      if (part.number == stream::kKind) kind = part.varint;
      if (part.number == stream::kColumn) column = part.varint;
      if (part.number == stream::kLength) length = part.varint;
    });
    if (length > static_cast<uint64_t>(rest)) throw Corrupt("The streams of a stripe are longer than the stripe");
    const auto bytes = static_cast<int64_t>(length);
    const bool data = kind <= static_cast<uint64_t>(OrcStream::kSecondary);
    if (data && column < wanted.size() && wanted[column]) {
      places_[{static_cast<size_t>(column), static_cast<OrcStream>(kind)}] = {offset, bytes};
    }
    offset += bytes;
    rest -= bytes;
  });
  if (encodings_.size() != tail_.types().size()) throw Corrupt("A stripe does not tell the encodings of its columns");
}

void OrcStripeStreams::ReadStreams(arrow::io::RandomAccessFile& file) {
  std::vector<std::pair<Place, std::pair<size_t, OrcStream>>> by_offset;
  for (const auto& [key, place] : places_) by_offset.push_back({place, key});
  std::sort(by_offset.begin(), by_offset.end(),
            [](const auto& a, const auto& b) { return a.first.offset < b.first.offset; });
  for (size_t first = 0, next = 0; first < by_offset.size(); first = next) {
    const int64_t begin = by_offset[first].first.offset;
    int64_t end = begin;
    while (next < by_offset.size() && by_offset[next].first.offset - end <= kWorthASeek) {
      // An empty stream may come after the one that begins where it does.
      end = std::max(end, by_offset[next].first.offset + by_offset[next].first.bytes);
      ++next;
    }
    auto piece = ReadExactly(file, begin, end - begin);
    for (size_t i = first; i < next; ++i) {
      const auto& [place, key] = by_offset[i];
      bytes_[key] = arrow::SliceBuffer(piece, place.offset - begin, place.bytes);
    }
  }
}

bool OrcStripeStreams::Has(size_t column, OrcStream stream) const {
  return bytes_.contains({column, stream});
}

OrcInput OrcStripeStreams::Open(size_t column, OrcStream stream) const {
  auto found = bytes_.find({column, stream});
  if (found == bytes_.end()) {
    // An empty stream need not be written.
    return OrcInput(arrow::Buffer::FromString(""), &tail_.codec());
  }
  return OrcInput(found->second, &tail_.codec());
}

OrcIntegerRuns OrcStripeStreams::OpenIntegers(size_t column, OrcStream stream, bool is_signed) const {
  const uint64_t kind = encodings_[column].kind;
  const bool two = kind == encoding::kDirectTwo || kind == encoding::kDictionaryTwo;
  return OrcIntegerRuns(Open(column, stream), two ? OrcIntegerRuns::Version::kTwo : OrcIntegerRuns::Version::kOne,
                        is_signed);
}

bool OrcStripeStreams::IsDictionary(size_t column) const {
  const uint64_t kind = encodings_[column].kind;
  return kind == encoding::kDictionary || kind == encoding::kDictionaryTwo;
}

int64_t OrcStripeStreams::DictionarySize(size_t column) const {
  const uint64_t size = encodings_[column].dictionary_size;
  if (size > static_cast<uint64_t>(INT32_MAX)) throw Corrupt("A dictionary has '{}' values", size);
  return static_cast<int64_t>(size);
}

}  // namespace mica
