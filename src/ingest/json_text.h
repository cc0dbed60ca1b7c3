// One JSON text as a tree of views into it: numbers keep their digits, which a double would lose. Strings with escapes are
// decoded. For the lines of a stream.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mica {

struct JsonText {
  enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  std::string_view text;  // "true", the digits, the decoded string; of arrays and objects: as written
  std::vector<JsonText> items;
  std::vector<std::pair<std::string_view, JsonText>> members;

  // nullptr: the object has no such member.
  const JsonText* Find(std::string_view name) const;
};

// Keeps decoded strings. One parser may be used for many texts, one after the other.
class JsonTextParser {
 public:
  // The tree refers to `text` and to this object until the next call. Throws InvalidArgument that says where.
  JsonText Parse(std::string_view text);

 private:
  JsonText Value(int depth);
  std::string_view String();
  void AppendEscape(std::string* out);
  uint32_t Hex();
  void Space();
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void Expect(char wanted);
  [[noreturn]] void Fail(std::string_view what) const;

  std::string_view text_;
  size_t at_ = 0;
  std::deque<std::string> decoded_;
};

}  // namespace mica
