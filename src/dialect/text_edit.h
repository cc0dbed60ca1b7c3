// A copy of a source text in which ranges are replaced, made from left to right in linear time. What no edit touches
// stays as the user wrote it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/tokenizer.h"

namespace mica::dialect {

class TextEdit {
 public:
  // Copies from the position `from` of `source`, which must outlive this.
  TextEdit(std::string_view source, size_t from) : source_(source), copied_(from) {}

  void CopyTo(size_t position);
  // A range that begins before what is copied already is left alone.
  void Replace(SourceRange range, std::string_view text);
  void InsertAfter(const Token& token, std::string_view text) { Replace({token.range.end, token.range.end}, text); }
  // With blanks where the operator touched its operands.
  void ReplaceOperator(SourceRange range, std::string_view text);

  // A place in the copy, for text whose need is seen later only.
  size_t mark() const { return out_.size(); }
  void InsertAtMark(size_t mark, std::string_view text) { insertions_.emplace_back(mark, text); }

  // The copy up to the position `end` of the source.
  std::string Finish(size_t end);

 private:
  std::string_view source_;
  size_t copied_;
  std::string out_;
  std::vector<std::pair<size_t, std::string>> insertions_;
};

}  // namespace mica::dialect
