#include "base/escape.h"

#include <fmt/format.h>

namespace mica {

void AppendJsonText(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void AppendCsvField(std::string& out, std::string_view text) {
  if (text.empty() || text.find_first_of(",\"\r\n") != std::string_view::npos || text.front() == ' ' || text.back() == ' ') {
    out += '"';
    for (char c : text) {
      if (c == '"') out += '"';
      out += c;
    }
    out += '"';
    return;
  }
  out += text;
}

std::string MarkdownCell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') {
      out += "\\|";
    } else if (c == '\n') {
      out += "<br>";
    } else {
      out += c;
    }
  }
  return out;
}

std::string BackQuoted(std::string_view name) {
  std::string quoted = "`";
  for (char c : name) quoted.append(c == '`' ? 2 : 1, c);
  return quoted + "`";
}

}  // namespace mica
