#include "dialect/text_edit.h"

#include <algorithm>

namespace mica::dialect {

void TextEdit::CopyTo(size_t position) {
  if (position <= copied_) return;
  out_ += source_.substr(copied_, position - copied_);
  copied_ = position;
}

void TextEdit::Replace(SourceRange range, std::string_view text) {
  if (range.begin < copied_) return;
  CopyTo(range.begin);
  out_ += text;
  copied_ = range.end;
}

void TextEdit::ReplaceOperator(SourceRange range, std::string_view text) {
  bool before = range.begin > 0 && source_[range.begin - 1] != ' ';
  bool after = range.end < source_.size() && source_[range.end] != ' ';
  Replace(range, fmt::format("{}{}{}", before ? " " : "", text, after ? " " : ""));
}

std::string TextEdit::Finish(size_t end) {
  CopyTo(end);
  if (insertions_.empty()) return std::move(out_);
  std::stable_sort(insertions_.begin(), insertions_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string result;
  size_t from = 0;
  for (const auto& [position, text] : insertions_) {
    result.append(out_, from, position - from);
    result += text;
    from = position;
  }
  return result.append(out_, from);
}

}  // namespace mica::dialect
