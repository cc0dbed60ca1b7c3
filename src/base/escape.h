// Texts inside of CSV, JSON, Markdown and statements, as all outputs write them.
#pragma once

#include <string>
#include <string_view>

namespace mica {

// With the quotes.
void AppendJsonText(std::string& out, std::string_view text);
// In quotes where it has to be; the empty text too, since nothing at all means NULL.
void AppendCsvField(std::string& out, std::string_view text);
// For a cell of a table: '|' and line breaks are replaced.
std::string MarkdownCell(std::string_view text);

// A name as Spark and Flink quote it: `a``b`.
std::string BackQuoted(std::string_view name);

}  // namespace mica
