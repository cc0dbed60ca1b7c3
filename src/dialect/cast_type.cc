#include "dialect/cast_type.h"

#include <algorithm>

#include "dialect/type_parser.h"

namespace mica::dialect {

std::optional<CastType> ParseCastType(const TokenSlice& tokens, size_t i, bool in_cast) {
  if (tokens.At(i).kind != TokenKind::kWord) return std::nullopt;
  auto all = tokens.cursor().tokens();
  // Without source text: the error is not shown, and finding its line would cost time for each.
  Cursor types({}, all.subspan(0, std::min(tokens.end() + 1, all.size())), tokens.cursor().dialect());
  types.Rewind(i);
  try {
    DataType type = ParseType(types);
    bool whole = types.position() <= tokens.end() && (!in_cast || types.Peek().IsOperator(")"));
    if (!whole) return std::nullopt;
    CastType cast{.text = EngineType(type), .around = {}, .end = types.position()};
    if (in_cast && type.IsInteger()) cast.around = "mica_truncate(";
    const bool instant = type.root() == TypeRoot::kTimestampLtz && tokens.cursor().dialect() == Dialect::kSpark;
    if (in_cast && instant) cast.around = "mica_moment(";
    if (in_cast && type.IsString()) cast.around = "mica_text(";
    return cast;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace mica::dialect
