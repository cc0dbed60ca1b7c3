#include "dialect/statement_beginnings.h"

#include <algorithm>

namespace mica::dialect {

namespace {

// Words so far, and whether more can follow.
struct Beginning {
  std::string words;
  bool open = true;
};

// Choices of a syntax with many optional parts stay few.
constexpr size_t kMostBeginnings = 200;

class Syntax {
 public:
  explicit Syntax(std::string_view text) : text_(text) {}

  // Goes on with each of `from` to the end of the text, or to `|`, `]` or `}`.
  std::vector<Beginning> Sequence(std::vector<Beginning> from) {
    while (at_ < text_.size() && !At('|') && !At(']') && !At('}')) {
      if (At(' ')) {
        ++at_;
      } else if (At('[') || At('{')) {
        bool optional = At('[');
        std::vector<Beginning> with = Group(from);
        if (optional) with.insert(with.end(), from.begin(), from.end());
        if (with.size() > kMostBeginnings) with.resize(kMostBeginnings);
        from = std::move(with);
      } else {
        Append(Word(), &from);
      }
    }
    return from;
  }

 private:
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }

  std::vector<Beginning> Group(const std::vector<Beginning>& from) {
    std::vector<Beginning> all;
    do {
      ++at_;
      std::vector<Beginning> one = Sequence(from);
      all.insert(all.end(), one.begin(), one.end());
    } while (At('|'));
    if (at_ < text_.size()) ++at_;
    return all;
  }

  std::string_view Word() {
    size_t begin = at_;
    while (at_ < text_.size() && std::string_view(" []{}|").find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  static void Append(std::string_view word, std::vector<Beginning>* beginnings) {
    bool fixed = std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    for (Beginning& beginning : *beginnings) {
      beginning.open = beginning.open && fixed;
      if (!beginning.open) continue;
      if (!beginning.words.empty()) beginning.words += ' ';
      beginning.words += word;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<std::string> Beginnings(std::string_view syntax) {
  std::vector<std::string> result;
  for (Beginning& beginning : Syntax(syntax).Sequence({Beginning()})) {
    if (!beginning.words.empty()) result.push_back(std::move(beginning.words));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace mica::dialect
