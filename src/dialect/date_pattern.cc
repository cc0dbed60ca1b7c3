#include <array>

#include "base/error.h"
#include "dialect/query_rewriter.h"

namespace mica::dialect {
namespace {

struct PatternLetters {
  std::string_view java;
  std::string_view strftime;
};

constexpr std::array kLetters = {
    PatternLetters{"yyyy", "%Y"}, PatternLetters{"uuuu", "%Y"}, PatternLetters{"yy", "%y"},
    PatternLetters{"y", "%Y"},    PatternLetters{"MMMM", "%B"}, PatternLetters{"MMM", "%b"},
    PatternLetters{"MM", "%m"},   PatternLetters{"M", "%-m"},   PatternLetters{"dd", "%d"},
    PatternLetters{"d", "%-d"},   PatternLetters{"DDD", "%j"},  PatternLetters{"HH", "%H"},
    PatternLetters{"H", "%-H"},   PatternLetters{"hh", "%I"},   PatternLetters{"h", "%-I"},
    PatternLetters{"mm", "%M"},   PatternLetters{"m", "%-M"},   PatternLetters{"ss", "%S"},
    PatternLetters{"s", "%-S"},   PatternLetters{"SSS", "%g"},  PatternLetters{"SSSSSS", "%f"},
    PatternLetters{"a", "%p"},    PatternLetters{"EEEE", "%A"}, PatternLetters{"EEE", "%a"},
    PatternLetters{"E", "%a"},
};

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void AppendLiteral(char c, std::string* out) {
  if (c == '%') *out += '%';
  *out += c;
}

// 'text' between single quotes; '' is one quote. Gives the position after it.
size_t AppendQuoted(std::string_view pattern, size_t i, std::string* out) {
  if (i + 1 < pattern.size() && pattern[i + 1] == '\'') {
    *out += '\'';
    return i + 2;
  }
  for (++i; i < pattern.size() && pattern[i] != '\''; ++i) AppendLiteral(pattern[i], out);
  return i + 1;
}

}  // namespace

std::string StrftimePattern(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size();) {
    if (pattern[i] == '\'') {
      i = AppendQuoted(pattern, i, &out);
    } else if (!IsLetter(pattern[i])) {
      AppendLiteral(pattern[i++], &out);
    } else {
      size_t end = std::min(pattern.find_first_not_of(pattern[i], i), pattern.size());
      std::string_view run = pattern.substr(i, end - i);
      auto found =
          std::find_if(kLetters.begin(), kLetters.end(), [&](const auto& letters) { return letters.java == run; });
      if (found == kLetters.end()) {
        throw Unsupported("Date pattern '{}' uses '{}', which has no counterpart. Use strftime with its own pattern",
                          pattern, run);
      }
      out += found->strftime;
      i = end;
    }
  }
  return out;
}

}  // namespace mica::dialect
