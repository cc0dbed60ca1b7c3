#include "cli/rows_writer.h"

#include <algorithm>
#include <optional>

#include "base/escape.h"
#include "base/text.h"

namespace mica::cli {

namespace {

using Texts = std::vector<std::optional<std::string>>;

size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void AppendTimes(std::string& out, std::string_view text, size_t count) {
  for (size_t i = 0; i < count; ++i) out += text;
}

class Box {
 public:
  Box(const std::vector<DataField>& columns, const std::vector<Texts>& rows) {
    for (size_t c = 0; c < columns.size(); ++c) {
      size_t width = Width(columns[c].name);
      for (const Texts& row : rows) width = std::max(width, Width(row[c].value_or("NULL")));
      widths_.push_back(width);
    }
    Texts names;
    for (const DataField& column : columns) names.emplace_back(column.name);
    Line("┌", "┬", "┐");
    Row(names);
    Line("├", "┼", "┤");
    for (const Texts& row : rows) Row(row);
    Line("└", "┴", "┘");
  }
  std::string Take() { return std::move(out_); }

 private:
  void Line(std::string_view left, std::string_view middle, std::string_view right) {
    for (size_t c = 0; c < widths_.size(); ++c) {
      out_ += c == 0 ? left : middle;
      AppendTimes(out_, "─", widths_[c] + 2);
    }
    out_ += right;
    out_ += '\n';
  }
  void Row(const Texts& row) {
    for (size_t c = 0; c < widths_.size(); ++c) {
      std::string text = row[c].value_or("NULL");
      out_ += "│ " + text;
      AppendTimes(out_, " ", widths_[c] - Width(text) + 1);
    }
    out_ += "│\n";
  }

  std::vector<size_t> widths_;
  std::string out_;
};

void AppendJsonRow(std::string& out, const std::vector<DataField>& columns, const Texts& row) {
  out += '{';
  for (size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) out += ',';
    AppendJsonText(out, columns[c].name);
    out += ':';
    if (!row[c]) {
      out += "null";
    } else if (columns[c].type.IsString()) {
      AppendJsonText(out, *row[c]);
    } else {
      out += *row[c];
    }
  }
  out += '}';
}

}  // namespace

std::string FormatRows(const std::vector<DataField>& columns, const std::vector<ProcedureRow>& rows, RenderFormat format) {
  std::vector<Texts> texts;
  for (const ProcedureRow& row : rows) {
    Texts& out = texts.emplace_back();
    for (size_t c = 0; c < columns.size(); ++c) {
      out.push_back(IsNull(row[c]) ? std::nullopt : std::optional(ValueToString(row[c], columns[c].type)));
    }
  }
  std::string out;
  switch (format) {
    case RenderFormat::kTable: return Box(columns, texts).Take();
    case RenderFormat::kCsv:
      for (size_t c = 0; c < columns.size(); ++c) {
        if (c > 0) out += ',';
        AppendCsvField(out, columns[c].name);
      }
      out += '\n';
      for (const Texts& row : texts) {
        for (size_t c = 0; c < columns.size(); ++c) {
          if (c > 0) out += ',';
          if (row[c]) AppendCsvField(out, *row[c]);
        }
        out += '\n';
      }
      return out;
    case RenderFormat::kJson:
      out += '[';
      for (size_t i = 0; i < texts.size(); ++i) {
        if (i > 0) out += ",\n";
        AppendJsonRow(out, columns, texts[i]);
      }
      return out + "]\n";
    case RenderFormat::kJsonLines:
      for (const Texts& row : texts) {
        AppendJsonRow(out, columns, row);
        out += '\n';
      }
      return out;
    case RenderFormat::kMarkdown:
      for (const DataField& column : columns) out += "| " + MarkdownCell(column.name) + " ";
      out += "|\n";
      for (size_t c = 0; c < columns.size(); ++c) out += "| --- ";
      out += "|\n";
      for (const Texts& row : texts) {
        for (const auto& text : row) out += "| " + MarkdownCell(text.value_or("NULL")) + " ";
        out += "|\n";
      }
      return out;
    case RenderFormat::kLines:
      for (const Texts& row : texts) {
        for (size_t c = 0; c < columns.size(); ++c) out += columns[c].name + " = " + row[c].value_or("NULL") + "\n";
        out += '\n';
      }
      return out;
  }
  return out;
}

}  // namespace mica::cli
