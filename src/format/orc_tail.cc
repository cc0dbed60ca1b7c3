#include "format/orc_tail.h"

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

[[noreturn]] void Malformed() {
  throw Corrupt("The ORC footer is malformed");
}

// Numbers of the fields in ORC's messages.
namespace footer {
constexpr uint32_t kStripes = 3, kTypes = 4, kNumberOfRows = 6, kEncryption = 10;
}
namespace stripe {
constexpr uint32_t kOffset = 1, kIndexLength = 2, kDataLength = 3, kFooterLength = 4, kNumberOfRows = 5;
}
namespace type {
constexpr uint32_t kKind = 1, kSubtypes = 2, kFieldNames = 3, kMaximumLength = 4, kPrecision = 5, kScale = 6;
}
namespace postscript {
constexpr uint32_t kFooterLength = 1, kCompression = 2, kCompressionBlockSize = 3, kMetadataLength = 5, kMagic = 8000;
}

// Lengths and counts are not negative.
int64_t NaturalNumber(uint64_t number) {
  if (number > static_cast<uint64_t>(INT64_MAX)) Malformed();
  return static_cast<int64_t>(number);
}

OrcType ParseType(std::string_view message) {
  OrcType parsed;
  ForEachField(message, [&](const Field& field) {
    if (field.number == type::kKind) {
      if (field.varint > static_cast<uint64_t>(OrcKind::kTimestampInstant)) Malformed();
      parsed.kind = static_cast<OrcKind>(field.varint);
    }
    if (field.number == type::kSubtypes && field.wire == 0)
      parsed.children.push_back(static_cast<uint32_t>(field.varint));
    if (field.number == type::kSubtypes && field.wire == 2) {
      std::string_view packed = field.bytes;
      while (!packed.empty()) parsed.children.push_back(static_cast<uint32_t>(protobuf::ReadVarint(&packed)));
    }
    if (field.number == type::kPrecision) parsed.precision = field.varint;
    if (field.number == type::kScale) parsed.scale = field.varint;
    if (field.number == type::kFieldNames) parsed.names.emplace_back(field.bytes);
  });
  return parsed;
}

}  // namespace

OrcTail OrcTail::Read(arrow::io::RandomAccessFile& file) {
  constexpr int64_t kFirstRead = 16 << 10;
  const int64_t size = Take(file.GetSize());
  int64_t wanted = std::min(size, kFirstRead);
  auto end = Take(file.ReadAt(size - wanted, wanted));
  if (end->size() < wanted || wanted == 0) Malformed();
  // The postscript, at most 255 bytes, tells how much there is of the rest.
  OrcTail tail(std::string_view(), 0);
  tail.file_bytes_ = size;
  tail.ParsePostscript(std::string_view(*end));
  wanted = size - tail.footer_offset();
  if (wanted > end->size()) end = Take(file.ReadAt(size - wanted, wanted));
  return OrcTail(std::string_view(*end), size);
}

OrcTail::OrcTail(std::string_view end, int64_t file_bytes) : file_bytes_(file_bytes) {
  if (file_bytes == 0) return;
  ParsePostscript(end);
  const auto behind = static_cast<size_t>(file_bytes_ - footer_offset());
  if (behind > end.size()) Malformed();
  footer_ = codec_->DecompressAll(end.substr(end.size() - behind, static_cast<size_t>(footer_bytes_)));
  ParseFooter();
}

void OrcTail::ParsePostscript(std::string_view end) {
  if (end.empty()) Malformed();
  postscript_bytes_ = static_cast<uint8_t>(end.back());
  if (end.size() < static_cast<size_t>(postscript_bytes_) + 1) Malformed();
  postscript_ = end.substr(end.size() - 1 - static_cast<size_t>(postscript_bytes_), static_cast<size_t>(postscript_bytes_));
  uint64_t compression = 0, chunk_bytes = 256 << 10;
  bool magic = false;
  ForEachField(postscript_, [&](const Field& field) {
    if (field.number == postscript::kFooterLength) footer_bytes_ = NaturalNumber(field.varint);
    if (field.number == postscript::kMetadataLength) metadata_bytes_ = NaturalNumber(field.varint);
    if (field.number == postscript::kCompression) compression = field.varint;
    if (field.number == postscript::kCompressionBlockSize) chunk_bytes = field.varint;
    if (field.number == postscript::kMagic) magic = field.bytes == "ORC";
  });
  if (!magic) throw Corrupt("The file does not end as an ORC file");
  if (footer_bytes_ > file_bytes_ || footer_offset() < 0 || metadata_bytes_ > footer_offset()) Malformed();
  codec_ = std::make_shared<OrcCodec>(compression, chunk_bytes);
}

void OrcTail::ParseFooter() {
  ForEachField(footer_, [&](const Field& field) {
    if (field.number == footer::kEncryption) throw Unsupported("The ORC file is encrypted");
    if (field.number == footer::kTypes) types_.push_back(ParseType(field.bytes));
    if (field.number == footer::kStripes) AddStripe(field.bytes);
    if (field.number == footer::kNumberOfRows) row_count_ = NaturalNumber(field.varint);
  });
  CheckTypes();
  int64_t stripe_rows = 0;
  for (const OrcStripe& stripe : stripes_) {
    if (__builtin_add_overflow(stripe_rows, stripe.row_count, &stripe_rows)) Malformed();
  }
  if (row_count_ != stripe_rows) Malformed();
}

// Everything later goes by the type tree, so it has to be one.
void OrcTail::CheckTypes() const {
  if (types_.empty()) Malformed();
  size_t next = 1;  // nodes are in pre-order, each with one parent
  std::vector<std::pair<size_t, size_t>> open = {{0, 0}};
  while (!open.empty()) {
    auto& [index, child] = open.back();
    const OrcType& type = types_[index];
    if (type.kind == OrcKind::kUnion) throw Unsupported("The ORC file has a column of type UNION");
    if (type.kind == OrcKind::kDecimal && (type.precision < 1 || type.precision > 38 || type.scale > type.precision))
      Malformed();
    const size_t wanted = type.kind == OrcKind::kStruct ? type.names.size()
                          : type.kind == OrcKind::kList ? 1
                          : type.kind == OrcKind::kMap  ? 2
                                                        : 0;
    if (type.children.size() != wanted) Malformed();
    if (child == wanted) {
      open.pop_back();
      continue;
    }
    if (type.children[child++] != next || next >= types_.size()) Malformed();
    open.emplace_back(next++, 0);
  }
  if (next != types_.size() || types_[0].kind != OrcKind::kStruct) Malformed();
}

void OrcTail::AddStripe(std::string_view message) {
  OrcStripe added;
  ForEachField(message, [&](const Field& part) {
    const int64_t number = NaturalNumber(part.varint);
    if (part.number == stripe::kOffset) added.offset = number;
    if (part.number == stripe::kIndexLength) added.index_bytes = number;
    if (part.number == stripe::kDataLength) added.data_bytes = number;
    if (part.number == stripe::kFooterLength) added.footer_bytes = number;
    if (part.number == stripe::kNumberOfRows) added.row_count = number;
  });
  int64_t rest = footer_offset();
  for (int64_t part : {added.offset, added.index_bytes, added.data_bytes, added.footer_bytes}) {
    if (part > rest) Malformed();
    rest -= part;
  }
  stripes_.push_back(added);
}

void OrcTail::Retype(size_t index, OrcKind kind, int32_t length) {
  std::string changed;
  size_t next = 0;
  ForEachField(footer_, [&](const Field& field) {
    if (field.number != footer::kTypes || next++ != index) {
      changed.append(field.whole);
      return;
    }
    std::string message;
    protobuf::AppendNumber(message, type::kKind, static_cast<uint64_t>(kind));
    ForEachField(field.bytes, [&](const Field& part) {
      if (part.number != type::kKind && part.number != type::kMaximumLength) message.append(part.whole);
    });
    if (length > 0) protobuf::AppendNumber(message, type::kMaximumLength, static_cast<uint64_t>(length));
    protobuf::AppendMessage(changed, footer::kTypes, message);
  });
  footer_ = std::move(changed);
  types_[index].kind = kind;
}

std::string OrcTail::Encode() const {
  std::string out = codec_->Store(footer_);
  std::string script;
  protobuf::AppendNumber(script, postscript::kFooterLength, out.size());
  ForEachField(postscript_, [&](const Field& field) {
    if (field.number != postscript::kFooterLength) script.append(field.whole);
  });
  if (script.size() > 255) Malformed();
  return out + script + static_cast<char>(script.size());
}

}  // namespace mica
