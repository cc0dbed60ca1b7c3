#include "ingest/json_text.h"

#include <algorithm>

#include "base/error.h"

namespace mica {

namespace {

constexpr int kMostDepth = 100;

void AppendUtf8(uint32_t point, std::string* out) {
  if (point < 0x80) {
    out->push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out->push_back(static_cast<char>(0xc0 | point >> 6));
    out->push_back(static_cast<char>(0x80 | (point & 0x3f)));
  } else if (point < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | point >> 12));
    out->push_back(static_cast<char>(0x80 | (point >> 6 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3f)));
  } else {
    out->push_back(static_cast<char>(0xf0 | point >> 18));
    out->push_back(static_cast<char>(0x80 | (point >> 12 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (point >> 6 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3f)));
  }
}

bool IsNumberCharacter(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

}  // namespace

const JsonText* JsonText::Find(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

JsonText JsonTextParser::Parse(std::string_view text) {
  text_ = text;
  at_ = 0;
  decoded_.clear();
  JsonText value = Value(0);
  Space();
  if (at_ != text_.size()) Fail("something follows the value");
  return value;
}

JsonText JsonTextParser::Value(int depth) {
  if (depth > kMostDepth) Fail("it is nested too deeply");
  Space();
  JsonText value;
  const size_t start = at_;
  const char first = Peek();
  if (first == '{') {
    value.kind = JsonText::Kind::kObject;
    ++at_;
    Space();
    while (Peek() != '}') {
      if (!value.members.empty()) Expect(',');
      Space();
      if (Peek() != '"') Fail("a name in quotes is expected");
      const std::string_view name = String();
      Space();
      Expect(':');
      if (value.Find(name) != nullptr) Fail(fmt::format("the name '{}' comes twice", name));
      value.members.emplace_back(name, Value(depth + 1));
      Space();
    }
    ++at_;
  } else if (first == '[') {
    value.kind = JsonText::Kind::kArray;
    ++at_;
    Space();
    while (Peek() != ']') {
      if (!value.items.empty()) Expect(',');
      value.items.push_back(Value(depth + 1));
      Space();
    }
    ++at_;
  } else if (first == '"') {
    value.kind = JsonText::Kind::kString;
    value.text = String();
    return value;
  } else {
    while (at_ < text_.size() && (IsNumberCharacter(text_[at_]) || (text_[at_] >= 'a' && text_[at_] <= 'z'))) ++at_;
    value.text = text_.substr(start, at_ - start);
    if (value.text == "null") {
      value.kind = JsonText::Kind::kNull;
    } else if (value.text == "true" || value.text == "false") {
      value.kind = JsonText::Kind::kBoolean;
    } else if (!value.text.empty() && std::all_of(value.text.begin(), value.text.end(), IsNumberCharacter)) {
      value.kind = JsonText::Kind::kNumber;
    } else {
      at_ = start;
      Fail("a value is expected");
    }
    return value;
  }
  value.text = text_.substr(start, at_ - start);
  return value;
}

std::string_view JsonTextParser::String() {
  ++at_;  // the quote
  const size_t start = at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') ++at_;
  if (at_ == text_.size()) Fail("a string does not end");
  if (text_[at_] == '"') return text_.substr(start, at_++ - start);
  std::string& out = decoded_.emplace_back(text_.substr(start, at_ - start));
  while (true) {
    if (at_ == text_.size()) Fail("a string does not end");
    const char c = text_[at_++];
    if (c == '"') return out;
    if (c == '\\') {
      AppendEscape(&out);
    } else {
      out.push_back(c);
    }
  }
}

void JsonTextParser::AppendEscape(std::string* out) {
  if (at_ == text_.size()) Fail("a string does not end");
  switch (text_[at_++]) {
    case '"': out->push_back('"'); return;
    case '\\': out->push_back('\\'); return;
    case '/': out->push_back('/'); return;
    case 'b': out->push_back('\b'); return;
    case 'f': out->push_back('\f'); return;
    case 'n': out->push_back('\n'); return;
    case 'r': out->push_back('\r'); return;
    case 't': out->push_back('\t'); return;
    case 'u': {
      uint32_t point = Hex();
      if (point >= 0xd800 && point < 0xdc00 && text_.substr(at_, 2) == "\\u") {
        at_ += 2;
        const uint32_t low = Hex();
        if (low < 0xdc00 || low >= 0xe000) Fail("half of a character is missing");
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
      }
      if (point >= 0xd800 && point < 0xe000) Fail("half of a character is missing");
      return AppendUtf8(point, out);
    }
    default: Fail("an escape is not known");
  }
}

uint32_t JsonTextParser::Hex() {
  uint32_t number = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) Fail("four hexadecimal digits are expected");
    number = number << 4 | static_cast<uint32_t>(digit);
  }
  return number;
}

void JsonTextParser::Space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) ++at_;
}

void JsonTextParser::Expect(char wanted) {
  if (Peek() != wanted) Fail(fmt::format("'{}' is expected", wanted));
  ++at_;
}

void JsonTextParser::Fail(std::string_view what) const {
  throw InvalidArgument("This is no JSON: {} at character {}", what, at_ + 1);
}

}  // namespace mica
