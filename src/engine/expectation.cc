#include "engine/expectation.h"

#include <cctype>

namespace mica::sql {

namespace {

constexpr std::string_view kWords[] = {
    ",",   ")",  "FROM", "WHERE",   "GROUP BY", "HAVING", "ORDER BY", "LIMIT",  "JOIN",   "ON",
    "AS",  "BY", "AND",  "BETWEEN", "THEN",     "WHEN",   "END",      "SELECT", "VALUES", "INTO",
    "SET", "=",  "]",    "->",      "INTERVAL", "OVER",   "NULL",     "NOT",    "(",
};
constexpr size_t kMostWords = 8;
// The statement is parsed again for each word.
constexpr size_t kMostBytes = 16 << 10;

// Where the grammar ends to understand a text: nothing where it understands all of it.
std::optional<size_t> PlaceOfFault(const std::string& sql) {
  duckdb::Parser parser;
  try {
    parser.ParseQuery(sql);
    return std::nullopt;
  } catch (const std::exception& exception) {
    const duckdb::ErrorData error(exception);
    if (error.RawMessage().find("at end of input") != std::string::npos) return sql.size();
    const auto place = error.ExtraInfo().find("position");
    return place == error.ExtraInfo().end() ? 0 : std::stoull(place->second);
  }
}

// Whether the grammar goes on from `start` with a word: then the fault, if any, is behind that word.
bool GoesOn(const std::string& start, std::string_view word) {
  const auto place = PlaceOfFault(fmt::format("{} {}", start, word));
  return !place || *place > start.size() + 1;
}

bool IsWord(std::string_view word) {
  return std::isalpha(static_cast<unsigned char>(word[0])) != 0;
}

std::vector<std::string> ExpectedAfter(const std::string& start) {
  std::vector<std::string> expected;
  const bool name = GoesOn(start, "x"), value = GoesOn(start, "1"), expression = name && value;
  if (name || value) expected.emplace_back(expression ? "an expression" : name ? "a name" : "a number");
  for (std::string_view word : kWords) {
    if (expected.size() == kMostWords) break;
    // Where an expression can stand, a word that begins one says nothing.
    const bool begins_one = word == "(" || word == "NULL" || word == "INTERVAL" || word == "NOT";
    if ((expression && begins_one) || !GoesOn(start, word)) continue;
    expected.push_back(IsWord(word) ? std::string(word) : fmt::format("'{}'", word));
  }
  if (!PlaceOfFault(start)) expected.emplace_back("the end");
  return expected;
}

}  // namespace

std::string Expectation(const std::string& sql) {
  const auto place = PlaceOfFault(sql);
  if (!place || *place == 0 || *place > kMostBytes) return {};
  const std::vector<std::string> expected = ExpectedAfter(sql.substr(0, *place));
  std::string text;
  for (size_t i = 0; i < expected.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < expected.size() ? ", " : " or ") + expected[i];
  }
  return text;
}

}  // namespace mica::sql
