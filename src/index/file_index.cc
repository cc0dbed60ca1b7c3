#include "index/file_index.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/error.h"
#include "index/index_value.h"

namespace mica {
namespace {

constexpr int64_t kMagic = 1493475289347502;
constexpr int32_t kVersion = 1;
constexpr int64_t kFixedHeadBytes = 16;  // magic, version, length of the header
constexpr int64_t kFirstRead = 4096;     // most headers are shorter

// Java writes NUL as two bytes, and characters beyond the base plane as two surrogates of three bytes.
std::string ToModifiedUtf8(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte == 0) {
      out += "\xc0\x80";
    } else if (byte >= 0xf0 && i + 3 < text.size()) {
      const auto bits = [&](size_t at) { return static_cast<uint32_t>(static_cast<uint8_t>(text[at]) & 0x3f); };
      const uint32_t point = ((byte & 7U) << 18 | bits(i + 1) << 12 | bits(i + 2) << 6 | bits(i + 3)) - 0x10000;
      for (const uint32_t unit : {0xd800 + (point >> 10), 0xdc00 + (point & 0x3ff)}) {
        out.push_back(static_cast<char>(0xe0 | unit >> 12));
        out.push_back(static_cast<char>(0x80 | (unit >> 6 & 0x3f)));
        out.push_back(static_cast<char>(0x80 | (unit & 0x3f)));
      }
      i += 3;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string FromModifiedUtf8(std::string_view text) {
  std::string out;
  const auto unit_at = [&](size_t i) -> uint32_t {
    if (i + 2 >= text.size() || (static_cast<uint8_t>(text[i]) & 0xf0) != 0xe0) return 0;
    const auto bits = [&](size_t at) { return static_cast<uint32_t>(static_cast<uint8_t>(text[at]) & 0x3f); };
    return (static_cast<uint8_t>(text[i]) & 0x0fU) << 12 | bits(i + 1) << 6 | bits(i + 2);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const uint32_t high = unit_at(i), low = unit_at(i + 3);
    if (text.substr(i, 2) == "\xc0\x80") {
      out.push_back('\0');
      ++i;
    } else if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
      const uint32_t point = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
      out.push_back(static_cast<char>(0xf0 | point >> 18));
      for (const int shift : {12, 6, 0}) out.push_back(static_cast<char>(0x80 | (point >> shift & 0x3f)));
      i += 5;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

void AppendText(std::string_view text, std::string* out) {
  const std::string bytes = ToModifiedUtf8(text);
  AppendBig(*out, static_cast<uint16_t>(bytes.size()));
  *out += bytes;
}

std::string ReadText(IndexInput* in) {
  return FromModifiedUtf8(in->Bytes(static_cast<uint16_t>(in->Read<int16_t>())));
}

}  // namespace

std::string WriteFileIndex(const std::vector<FileIndexPart>& parts) {
  std::map<std::string, std::vector<const FileIndexPart*>> columns;
  for (const FileIndexPart& part : parts) columns[part.column].push_back(&part);
  // The header's length does not depend on what it says.
  const auto header = [&](int32_t header_bytes) {
    std::string head;
    AppendBig(head, kMagic);
    AppendBig(head, kVersion);
    AppendBig(head, header_bytes);
    AppendBig(head, static_cast<int32_t>(columns.size()));
    int64_t start = header_bytes;
    for (const auto& [column, of_column] : columns) {
      AppendText(column, &head);
      AppendBig(head, static_cast<int32_t>(of_column.size()));
      for (const FileIndexPart* part : of_column) {
        AppendText(part->kind, &head);
        AppendBig(head, part->body ? static_cast<int32_t>(start) : -1);
        AppendBig(head, part->body ? static_cast<int32_t>(part->body->size()) : 0);
        if (part->body) start += static_cast<int64_t>(part->body->size());
      }
    }
    AppendBig(head, int32_t{0});
    if (start > INT32_MAX) throw Unsupported("The file index of one file would be bigger than 2 GB");
    return head;
  };
  std::string out = header(static_cast<int32_t>(header(0).size()));
  for (const auto& [column, of_column] : columns) {
    for (const FileIndexPart* part : of_column) {
      if (part->body) out += *part->body;
    }
  }
  return out;
}

FileIndex::FileIndex(std::string bytes)
    : FileIndex(static_cast<int64_t>(bytes.size()), [bytes](int64_t offset, int64_t length) {
        return bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
      }) {}

FileIndex::FileIndex(int64_t file_bytes, ReadBytes read) : file_bytes_(file_bytes), read_(std::move(read)) {
  if (file_bytes_ < kFixedHeadBytes) throw Corrupt("A file index of {} bytes is cut off", file_bytes_);
  std::string head = read_(0, std::min(file_bytes_, kFirstRead));
  IndexInput in(head);
  if (in.Read<int64_t>() != kMagic) throw Corrupt("These bytes are no file index: the magic number is missing");
  const auto version = in.Read<int32_t>();
  if (version != kVersion) throw Unsupported("A file index has version '{}', known is '{}'", version, kVersion);
  const auto head_bytes = in.Read<int32_t>();
  if (head_bytes < kFixedHeadBytes || head_bytes > file_bytes_) throw Corrupt("A file index has a bad header");
  if (head_bytes > static_cast<int64_t>(head.size())) {
    head = read_(0, head_bytes);
    in = IndexInput(head);
    in.Bytes(kFixedHeadBytes);
  }
  const auto columns = in.Read<int32_t>();
  for (int32_t c = 0; c < columns; ++c) {
    std::vector<Place>& places = places_[ReadText(&in)];
    const auto count = in.Read<int32_t>();
    for (int32_t i = 0; i < count; ++i) {
      Place place;
      place.kind = ReadText(&in);
      place.start = in.Read<int32_t>();
      place.length = in.Read<int32_t>();
      if (place.start >= 0 && (place.length < 0 || place.start > file_bytes_ || place.length > file_bytes_ - place.start)) {
        throw Corrupt("A file index refers to bytes behind its end");
      }
      places.push_back(std::move(place));
    }
  }
}

std::vector<FileIndexPart> FileIndex::Parts() const {
  std::vector<FileIndexPart> parts;
  for (const auto& [column, places] : places_) {
    for (const Place& place : places) {
      FileIndexPart& part = parts.emplace_back();
      part.column = column;
      part.kind = place.kind;
      if (place.start >= 0) part.body = read_(place.start, place.length);
    }
  }
  return parts;
}

const FileIndex::Opened& FileIndex::Open(const Place& place, const DataType& type) {
  auto [it, is_new] = opened_.try_emplace({place.kind, place.start});
  Opened& opened = it->second;
  if (!is_new) return opened;
  opened.bytes = read_(place.start, place.length);
  opened.index = OpenColumnIndex(place.kind, opened.bytes, type);
  return opened;
}

IndexAnswer FileIndex::AskColumn(const Predicate& leaf, const std::vector<DataField>& fields) {
  const int position = FindField(fields, leaf.column());
  const auto found = places_.find(leaf.column());
  if (position < 0 || found == places_.end()) return {};
  const DataType& type = fields[static_cast<size_t>(position)].type;
  if (!type.SameTypeAs(leaf.type())) return {};
  IndexAnswer answer;
  for (const Place& place : found->second) {
    if (answer.kind == IndexAnswer::Kind::kNone) break;
    if (place.start < 0) {
      answer = std::move(answer) & OpenEmptyIndex()->Ask(leaf);
      continue;
    }
    const Opened& opened = Open(place, type);
    if (opened.index != nullptr) answer = std::move(answer) & opened.index->Ask(leaf);
  }
  return answer;
}

IndexAnswer FileIndex::Ask(const Predicate& predicate, const std::vector<DataField>& fields) {
  switch (predicate.op()) {
    case PredicateOp::kAnd: {
      IndexAnswer answer;
      for (const PredicatePtr& child : predicate.children()) {
        answer = std::move(answer) & Ask(*child, fields);
        if (answer.kind == IndexAnswer::Kind::kNone) return answer;
      }
      return answer;
    }
    case PredicateOp::kOr: {
      IndexAnswer answer = IndexAnswer::None();
      for (const PredicatePtr& child : predicate.children()) {
        answer = std::move(answer) | Ask(*child, fields);
        if (answer.kind == IndexAnswer::Kind::kUnknown) return answer;
      }
      return answer;
    }
    case PredicateOp::kFalse:
      return IndexAnswer::None();
    case PredicateOp::kNot:
    case PredicateOp::kTrue:
      return {};
    default:
      return AskColumn(predicate, fields);
  }
}

}  // namespace mica
