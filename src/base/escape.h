// Texts inside of CSV, JSON and Markdown, as all outputs write them.
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

}  // namespace mica
