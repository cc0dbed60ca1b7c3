// Patterns of Java's DateTimeFormatter, such as yyyy-MM-dd'T'HH:mm:ss.SSS, for writing and reading wall clocks.
//
//   y u year   M L month   d day   D day of year   E weekday   Q q quarter   a AM/PM
//   H 0-23     k 1-24      h 1-12  K 0-11   m minute   s second   S fraction   'text'   '' one quote
//
// Other letters have no meaning without a zone or a calendar of weeks and are refused. Immutable, so thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mica {

class TimePattern {
 public:
  // Throws InvalidArgument that names the pattern and the letter.
  explicit TimePattern(std::string_view pattern);

  // Microseconds since 1970-01-01 00:00:00 of a wall clock.
  std::string Format(int64_t micros) const;
  void Append(int64_t micros, std::string* out) const;

  // Nothing when the text does not fit. Fields that the pattern lacks are those of 1970-01-01 00:00:00.
  std::optional<int64_t> Parse(std::string_view text) const;

 private:
  struct Element {
    char letter = 0;  // 0: literal text
    int count = 0;
    std::string text;
  };
  bool NumberFollows(size_t element) const;

  std::vector<Element> elements_;
};

}  // namespace mica
