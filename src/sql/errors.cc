#include "sql/errors.h"

#include <algorithm>
#include <cctype>

#include <duckdb/parser/query_error_context.hpp>

#include "base/text.h"
#include "dialect/function_list.h"
#include "dialect/keywords.h"
#include "engine/expectation.h"
#include "functions/function_entries.h"
#include "sql/session_state.h"

namespace mica::sql {

namespace {

ErrorKind KindOf(duckdb::ExceptionType type) {
  switch (type) {
    case duckdb::ExceptionType::INTERRUPT:
      return ErrorKind::kCancelled;
    case duckdb::ExceptionType::IO:
    case duckdb::ExceptionType::HTTP:
    case duckdb::ExceptionType::NETWORK:
      return ErrorKind::kIoError;
    case duckdb::ExceptionType::NOT_IMPLEMENTED:
    case duckdb::ExceptionType::MISSING_EXTENSION:
      return ErrorKind::kUnsupported;
    case duckdb::ExceptionType::PERMISSION:
      return ErrorKind::kPermissionDenied;
    case duckdb::ExceptionType::INTERNAL:
    case duckdb::ExceptionType::FATAL:
      return ErrorKind::kInternal;
    case duckdb::ExceptionType::CATALOG:
      return ErrorKind::kNotFound;
    default:
      return ErrorKind::kInvalidArgument;
  }
}

// DuckDB looks for functions under this name, whatever they turn out to be.
constexpr const char* kFunctionType = "Scalar Function";

std::optional<Error> UnknownFunction(const duckdb::ErrorData& error) {
  const auto& extra = error.ExtraInfo();
  auto type = extra.find("type"), name = extra.find("name");
  if (type == extra.end() || name == extra.end() || type->second != kFunctionType) return std::nullopt;
  using dialect::Dialect;
  for (auto [known, word] : {std::pair(Dialect::kSpark, "spark"), std::pair(Dialect::kFlink, "flink")}) {
    if (dialect::FindFunction(name->second, known) != nullptr) {
      return NotFound("The function '{}' does not exist in this dialect. Use --dialect {}", name->second, word);
    }
  }
  if (auto substitute = dialect::Substitute(name->second)) {
    return Unsupported("The function '{}' is not supported{}{}", name->second, substitute->empty() ? "" : ". ",
                       *substitute);
  }
  auto nearest = dialect::NearestFunction(name->second, Dialect::kSpark);
  if (!nearest) nearest = dialect::NearestFunction(name->second, Dialect::kFlink);
  std::string advice = nearest ? fmt::format(". Did you mean '{}'?", *nearest)
                               : std::string(". docs/reference/functions.md lists those of Spark and Flink");
  return NotFound("The function '{}' does not exist{}", name->second, advice);
}

// DuckDB suggests tables and functions of its own.
bool IsOfEngine(std::string_view name) {
  for (std::string_view prefix :
       {"pg_", "duckdb_", "sqlite_", "parquet_", "information_schema", "pragma_", "system."}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// The part of a message from its excerpt on.
std::string ExcerptOf(const std::string& message) {
  const size_t at = message.find("\n\nLINE ");
  return at == std::string::npos ? std::string() : message.substr(at);
}

std::optional<Error> UnknownTable(const duckdb::ErrorData& error) {
  constexpr std::string_view kSchema = " because schema \"";
  const std::string& raw = error.RawMessage();
  if (const size_t at = raw.find(kSchema); at != std::string::npos) {
    const size_t begin = at + kSchema.size();
    return NotFound("The database '{}' does not exist.{}", raw.substr(begin, raw.find('"', begin) - begin),
                    ExcerptOf(error.Message()));
  }
  const auto& extra = error.ExtraInfo();
  const auto subtype = extra.find("error_subtype"), type = extra.find("type"), name = extra.find("name");
  if (subtype == extra.end() || subtype->second != "MISSING_ENTRY" || type == extra.end() || name == extra.end()) {
    return std::nullopt;
  }
  std::string what;
  if (type->second == "Table") what = "table";
  if (type->second == "Table Function") what = "table function";
  if (type->second == "Type") what = "type";
  if (what.empty()) return std::nullopt;
  std::string advice;
  const auto candidates = extra.find("candidates");
  if (candidates != extra.end() && !candidates->second.empty()) {
    const std::string first = candidates->second.substr(0, candidates->second.find(", "));
    if (!IsOfEngine(first)) advice = fmt::format(". Did you mean '{}'?", first);
  }
  return NotFound("The {} '{}' does not exist{}{}", what, name->second, advice, ExcerptOf(error.Message()));
}

// Names that the user did not give: of a table in the making, and of where the functions of function_list.h live.
std::string WithoutOurNames(std::string message) {
  const std::string schema = fmt::format(".{}.", kFunctionSchema);
  for (size_t at = message.find(schema); at != std::string::npos; at = message.find(schema, at)) {
    const size_t before = message.find_last_of(" \t\n'\"(", at);
    const size_t begin = before == std::string::npos ? 0 : before + 1;
    message.erase(begin, at + schema.size() - begin);
    at = begin;
  }
  for (size_t at = message.find(kReplacementSuffix); at != std::string::npos;
       at = message.find(kReplacementSuffix, at)) {
    message.erase(at, kReplacementSuffix.size());
  }
  for (std::string_view kind : {"INTEGER", "STRING"}) {
    const std::string literal = fmt::format("{}_LITERAL", kind);
    for (size_t at = message.find(literal); at != std::string::npos; at = message.find(literal, at)) {
      message.replace(at, literal.size(), kind);
    }
  }
  return message;
}

constexpr std::string_view kExcerpt = "\n\nLINE ";
constexpr std::string_view kCut = "...";

bool IsWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

std::string_view WordAt(std::string_view text, size_t at) {
  size_t begin = at, end = at;
  while (begin > 0 && IsWordByte(text[begin - 1])) --begin;
  while (end < text.size() && IsWordByte(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// How many bytes around the places are the same.
size_t CommonContext(std::string_view a, size_t at_a, std::string_view b, size_t at_b) {
  size_t count = 0;
  for (size_t i = 1; i <= std::min(at_a, at_b) && a[at_a - i] == b[at_b - i]; ++i) ++count;
  for (size_t i = 0; at_a + i < a.size() && at_b + i < b.size() && a[at_a + i] == b[at_b + i]; ++i) ++count;
  return count;
}

// Where the user's text has the word that stands in an excerpt: nothing where two places are as good.
std::optional<size_t> PlaceOf(std::string_view excerpt, size_t column, std::string_view text) {
  const std::string_view word = WordAt(excerpt, column);
  const size_t in_excerpt = static_cast<size_t>(word.data() - excerpt.data());
  std::optional<size_t> place;
  size_t best = 0;
  if (word.empty()) return place;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (WordAt(text, at).size() != word.size()) continue;
    const size_t common = CommonContext(excerpt, in_excerpt, text, at);
    if (common == best) place.reset();
    if (common > best) {
      best = common;
      place = at;
    }
  }
  return place;
}

// In "SELECT * FORM t" the place of the error is t: that word, or the one before it, may be a keyword with a slip.
std::string KeywordAdvice(const std::string& message) {
  static const std::vector<std::string> kKeywords = {"FROM",  "WHERE",  "GROUP",    "ORDER", "HAVING",    "LIMIT",
                                                     "JOIN",  "VALUES", "DISTINCT", "UNION", "PARTITION", "BETWEEN",
                                                     "INNER", "LEFT",   "RIGHT",    "CROSS", "SELECT"};
  const size_t at = message.find(kExcerpt);
  if (at == std::string::npos) return {};
  const size_t line = at + 2, line_end = message.find('\n', line), caret = message.find('^', line_end);
  if (line_end == std::string::npos || caret == std::string::npos) return {};
  const std::string_view text = std::string_view(message).substr(line, line_end - line);
  const size_t column = std::min(caret - line_end - 1, text.size());
  const size_t before = text.substr(0, column).find_last_not_of(" \t");
  for (size_t place : {before, column}) {
    const std::string_view word = place < text.size() ? WordAt(text, place) : std::string_view();
    if (word.size() < 4 || dialect::IsReservedWord(word)) continue;
    auto nearest = NearestName(word, kKeywords);
    const bool same_start = nearest && std::toupper(static_cast<unsigned char>(word[0])) == nearest->front();
    if (same_start) return fmt::format(". Did you mean '{}'?", *nearest);
  }
  return {};
}

}  // namespace

Error FromDuck(const duckdb::ErrorData& error, const std::string& sql) {
  if (auto own = OwnError(error)) return *own;
  if (auto unknown = UnknownFunction(error)) return *unknown;
  if (auto unknown = UnknownTable(error)) return *unknown;
  if (error.RawMessage().find("NameListToString") != std::string::npos) {
    return InvalidArgument("A name has more than three parts. Write catalog.database.table");
  }
  if (error.Type() == duckdb::ExceptionType::INTERRUPT) return Cancelled("Interrupted");
  std::string message = WithoutOurNames(error.Message());
  if (error.Type() == duckdb::ExceptionType::PARSER) {
    std::string advice = KeywordAdvice(message);
    if (advice.empty() && message.find("syntax error at") != std::string::npos) {
      const std::string expected = Expectation(sql);
      if (!expected.empty()) advice = ". Expected " + expected;
    }
    message.insert(std::min(message.find(kExcerpt), message.size()), advice);
  }
  return Error(KindOf(error.Type()), message);
}

Error InWordsOf(std::string_view source, const Error& error) {
  const std::string text = error.what();
  const size_t at = text.find(kExcerpt);
  if (at == std::string::npos) return error;
  const size_t line_end = std::min(text.find('\n', at + kExcerpt.size()), text.size());
  std::string_view line = std::string_view(text).substr(at, line_end - at);
  std::string_view shown = line.substr(line.find(": ") + 2);
  // A column of the excerpt is a byte only where all of it is ASCII.
  const bool ascii = std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  const size_t column = ascii ? text.find('^', line_end) : std::string::npos;
  if (shown.starts_with(kCut)) shown.remove_prefix(kCut.size());
  if (shown.ends_with(kCut)) shown.remove_suffix(kCut.size());
  if (source.find(shown) != std::string_view::npos) return error;
  // The engine was given other words. The place is known where the word is one of the user's.
  const std::string message = text.substr(0, at);
  std::optional<size_t> place;
  if (column != std::string::npos) {
    place = PlaceOf(line, std::min(column - line_end - 1 + kExcerpt.find('L'), line.size()), source);
  }
  if (!place) return Error(error.kind(), message);
  return Error(error.kind(), duckdb::QueryErrorContext::Format(std::string(source), message, *place));
}

}  // namespace mica::sql
