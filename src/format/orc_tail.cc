#include "format/orc_tail.h"

#include <algorithm>
#include <functional>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "base/error.h"

namespace mica {

namespace {

enum class Kind : int32_t { kList = 10, kMap = 11, kStruct = 12, kUnion = 13, kDecimal = 14 };

// A field of a Protocol Buffers message.
struct Field {
  uint32_t number = 0;
  uint32_t wire = 0;
  uint64_t varint = 0;     // of wire types 0, 1 and 5
  std::string_view bytes;  // of wire type 2
  std::string_view whole;  // with its key
};

[[noreturn]] void Malformed() {
  throw Corrupt("The ORC footer is malformed");
}

uint64_t ReadVarint(std::string_view* in) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (in->empty()) Malformed();
    auto byte = static_cast<uint8_t>(in->front());
    in->remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  Malformed();
}

std::string_view ReadBytes(std::string_view* in, uint64_t size) {
  if (size > in->size()) Malformed();
  std::string_view bytes = in->substr(0, size);
  in->remove_prefix(size);
  return bytes;
}

void ForEachField(std::string_view message, const std::function<void(const Field&)>& on_field) {
  while (!message.empty()) {
    const char* begin = message.data();
    Field field;
    uint64_t key = ReadVarint(&message);
    field.number = static_cast<uint32_t>(key >> 3);
    field.wire = static_cast<uint32_t>(key & 7);
    switch (field.wire) {
      case 0:
        field.varint = ReadVarint(&message);
        break;
      case 1:
        ReadBytes(&message, 8);
        break;
      case 2:
        field.bytes = ReadBytes(&message, ReadVarint(&message));
        break;
      case 5:
        ReadBytes(&message, 4);
        break;
      default:
        Malformed();
    }
    field.whole = std::string_view(begin, static_cast<size_t>(message.data() - begin));
    on_field(field);
  }
}

void AppendVarint(std::string& out, uint64_t value) {
  for (; value > 0x7f; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void AppendNumber(std::string& out, uint32_t number, uint64_t value) {
  AppendVarint(out, number << 3);
  AppendVarint(out, value);
}

void AppendMessage(std::string& out, uint32_t number, std::string_view bytes) {
  AppendVarint(out, (number << 3) | 2);
  AppendVarint(out, bytes.size());
  out.append(bytes);
}

int64_t Unzigzag(uint64_t raw) {
  return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
}

// Numbers of the fields in ORC's messages.
namespace footer {
constexpr uint32_t kStripes = 3, kTypes = 4, kNumberOfRows = 6, kStatistics = 7, kRowIndexStride = 8;
}
namespace stripe {
constexpr uint32_t kOffset = 1, kFooterLength = 4, kNumberOfRows = 5;  // the lengths of the parts in between
}
namespace type {
constexpr uint32_t kKind = 1, kSubtypes = 2, kFieldNames = 3, kMaximumLength = 4, kPrecision = 5, kScale = 6;
}
namespace postscript {
constexpr uint32_t kFooterLength = 1, kCompression = 2, kCompressionBlockSize = 3;
}
namespace statistics {
constexpr uint32_t kTimestamps = 9;
constexpr uint32_t kMinimumUtc = 3, kMaximumUtc = 4;
}  // namespace statistics
namespace file_tail {
constexpr uint32_t kPostscript = 1, kFooter = 2, kFileLength = 3, kPostscriptLength = 4;
}

OrcType ParseType(std::string_view message) {
  OrcType parsed;
  ForEachField(message, [&](const Field& field) {
    if (field.number == type::kKind) parsed.kind = static_cast<int32_t>(field.varint);
    if (field.number == type::kSubtypes && field.wire == 0)
      parsed.children.push_back(static_cast<uint32_t>(field.varint));
    if (field.number == type::kSubtypes && field.wire == 2) {
      std::string_view packed = field.bytes;
      while (!packed.empty()) parsed.children.push_back(static_cast<uint32_t>(ReadVarint(&packed)));
    }
    if (field.number == type::kPrecision) parsed.precision = field.varint;
    if (field.number == type::kScale) parsed.scale = field.varint;
    if (field.number == type::kFieldNames) parsed.names.emplace_back(field.bytes);
  });
  return parsed;
}

void ParseStatistics(std::string_view message, OrcType* type) {
  ForEachField(message, [&](const Field& field) {
    if (field.number != statistics::kTimestamps) return;
    ForEachField(field.bytes, [&](const Field& bound) {
      if (bound.number == statistics::kMinimumUtc) type->least_millis = Unzigzag(bound.varint);
      if (bound.number == statistics::kMaximumUtc) type->greatest_millis = Unzigzag(bound.varint);
    });
  });
}

class TailedFile final : public arrow::io::RandomAccessFile {
 public:
  TailedFile(std::shared_ptr<arrow::io::RandomAccessFile> head, int64_t offset, std::string tail)
      : head_(std::move(head)), offset_(offset), tail_(std::move(tail)) {}

  arrow::Status Close() override { return head_ ? head_->Close() : arrow::Status::OK(); }
  bool closed() const override { return head_ && head_->closed(); }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override {
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> GetSize() override { return offset_ + static_cast<int64_t>(tail_.size()); }

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    if (position < 0 || bytes < 0) return arrow::Status::Invalid("a read before the begin of the file");
    int64_t done = 0;
    if (position < offset_) {
      const int64_t wanted = std::min(bytes, offset_ - position);
      if (head_) {
        ARROW_ASSIGN_OR_RAISE(done, head_->ReadAt(position, wanted, out));
        if (done < wanted) return done;
      } else {
        std::memset(out, 0, static_cast<size_t>(wanted));
        done = wanted;
      }
    }
    int64_t from = position + done - offset_;
    int64_t rest = std::clamp<int64_t>(static_cast<int64_t>(tail_.size()) - from, 0, bytes - done);
    if (rest > 0) std::memcpy(static_cast<char*>(out) + done, tail_.data() + from, static_cast<size_t>(rest));
    return done + rest;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(bytes));
    ARROW_ASSIGN_OR_RAISE(int64_t got, ReadAt(position, bytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(got));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }
  arrow::Result<int64_t> Read(int64_t bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(int64_t got, ReadAt(position_, bytes, out));
    position_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, bytes));
    position_ += buffer->size();
    return buffer;
  }

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> head_;
  int64_t offset_;
  std::string tail_;
  int64_t position_ = 0;
};

}  // namespace

OrcTail::OrcTail(std::string_view serialized) {
  ForEachField(serialized, [&](const Field& field) {
    if (field.number == file_tail::kPostscript) postscript_ = field.bytes;
    if (field.number == file_tail::kFooter) footer_ = field.bytes;
    if (field.number == file_tail::kFileLength) file_bytes_ = static_cast<int64_t>(field.varint);
    if (field.number == file_tail::kPostscriptLength) postscript_bytes_ = static_cast<int64_t>(field.varint);
  });
  ForEachField(postscript_, [&](const Field& field) {
    if (field.number == postscript::kFooterLength) footer_bytes_ = static_cast<int64_t>(field.varint);
  });
  if (footer_offset() < 0 || footer_offset() > file_bytes_) Malformed();
  ParseFooter();
}

void OrcTail::ParseFooter() {
  ForEachField(footer_, [&](const Field& field) {
    if (field.number == footer::kTypes) types_.push_back(ParseType(field.bytes));
  });
  size_t column = 0;
  ForEachField(footer_, [&](const Field& field) {
    if (field.number != footer::kStatistics) return;
    if (column < types_.size()) ParseStatistics(field.bytes, &types_[column]);
    ++column;
  });
  CheckTypes();
  CheckStripes();
}

// The ORC library trusts the footer; what it would stumble over is found here.
void OrcTail::CheckTypes() const {
  if (types_.empty()) Malformed();
  size_t next = 1;  // nodes are in pre-order, each with one parent
  std::vector<std::pair<size_t, size_t>> open = {{0, 0}};
  while (!open.empty()) {
    auto& [index, child] = open.back();
    const OrcType& type = types_[index];
    const auto kind = static_cast<Kind>(type.kind);
    if (type.kind < 0 || type.kind > static_cast<int32_t>(OrcKind::kTimestampInstant) || kind == Kind::kUnion) {
      Malformed();
    }
    if (kind == Kind::kDecimal && (type.precision < 1 || type.precision > 38 || type.scale > type.precision))
      Malformed();
    const size_t wanted = kind == Kind::kStruct ? type.names.size()
                          : kind == Kind::kList ? 1
                          : kind == Kind::kMap  ? 2
                                                : 0;
    if (type.children.size() != wanted) Malformed();
    if (child == wanted) {
      open.pop_back();
      continue;
    }
    if (type.children[child++] != next || next >= types_.size()) Malformed();
    open.emplace_back(next++, 0);
  }
  if (next != types_.size() || static_cast<Kind>(types_[0].kind) != Kind::kStruct) Malformed();
}

void OrcTail::CheckStripes() const {
  uint64_t row_count = 0, stripe_rows = 0;
  const auto limit = static_cast<uint64_t>(footer_offset());
  ForEachField(footer_, [&](const Field& field) {
    if (field.number == footer::kNumberOfRows) row_count = field.varint;
    if (field.number != footer::kStripes) return;
    uint64_t end = 0;
    ForEachField(field.bytes, [&](const Field& part) {
      if (part.number >= stripe::kOffset && part.number <= stripe::kFooterLength) {
        if (part.varint > limit) Malformed();
        end += part.varint;
      }
      if (part.number == stripe::kNumberOfRows) stripe_rows += part.varint;
    });
    if (end > limit) Malformed();
  });
  if (row_count != stripe_rows || row_count > static_cast<uint64_t>(INT64_MAX)) Malformed();
}

int64_t OrcTail::footer_offset() const {
  return file_bytes_ - 1 - postscript_bytes_ - footer_bytes_;
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
    AppendNumber(message, type::kKind, static_cast<uint64_t>(kind));
    ForEachField(field.bytes, [&](const Field& part) {
      if (part.number != type::kKind && part.number != type::kMaximumLength) message.append(part.whole);
    });
    if (length > 0) AppendNumber(message, type::kMaximumLength, static_cast<uint64_t>(length));
    AppendMessage(changed, footer::kTypes, message);
  });
  footer_ = std::move(changed);
  types_[index].kind = static_cast<int32_t>(kind);
}

void OrcTail::ForgetRowIndexes() {
  std::string changed;
  ForEachField(footer_, [&](const Field& field) {
    if (field.number != footer::kRowIndexStride) changed.append(field.whole);
  });
  AppendNumber(changed, footer::kRowIndexStride, 0);
  footer_ = std::move(changed);
}

std::string OrcTail::Encode() const {
  uint64_t compression = 0, chunk = 256 << 10;
  ForEachField(postscript_, [&](const Field& field) {
    if (field.number == postscript::kCompression) compression = field.varint;
    if (field.number == postscript::kCompressionBlockSize) chunk = field.varint;
  });
  std::string out;
  if (compression == 0) {
    out = footer_;
  } else {
    // In chunks that say of themselves to be uncompressed.
    chunk = std::clamp<uint64_t>(chunk, 1, (1 << 23) - 1);
    for (size_t at = 0; at < footer_.size(); at += chunk) {
      std::string_view part = std::string_view(footer_).substr(at, chunk);
      auto header = static_cast<uint32_t>(part.size() << 1 | 1);
      for (int shift = 0; shift < 24; shift += 8) out.push_back(static_cast<char>(header >> shift));
      out.append(part);
    }
  }
  std::string script;
  AppendNumber(script, postscript::kFooterLength, out.size());
  ForEachField(postscript_, [&](const Field& field) {
    if (field.number != postscript::kFooterLength) script.append(field.whole);
  });
  if (script.size() > 255) Malformed();
  return out + script + static_cast<char>(script.size());
}

std::shared_ptr<arrow::io::RandomAccessFile> WithTail(std::shared_ptr<arrow::io::RandomAccessFile> head, int64_t offset,
                                                      std::string tail) {
  return std::make_shared<TailedFile>(std::move(head), offset, std::move(tail));
}

}  // namespace mica
