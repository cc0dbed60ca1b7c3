#include "types/nested_text.h"

#include <optional>
#include <vector>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/text.h"
#include "types/arrow_types.h"

namespace mica {

void AppendText(const arrow::Array& array, int64_t row, const DataType& type, std::string* text) {
  if (array.IsNull(row)) {
    *text += "null";
    return;
  }
  switch (type.root()) {
    case TypeRoot::kArray: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      *text += '[';
      for (int64_t i = list.value_offset(row), end = i + list.value_length(row), begin = i; i < end; ++i) {
        if (i > begin) *text += ", ";
        AppendText(*list.values(), i, type.element(), text);
      }
      *text += ']';
      return;
    }
    case TypeRoot::kMap: {
      const auto& map = static_cast<const arrow::MapArray&>(array);
      *text += '{';
      for (int64_t i = map.value_offset(row), end = i + map.value_length(row), begin = i; i < end; ++i) {
        if (i > begin) *text += ", ";
        AppendText(*map.keys(), i, type.key(), text);
        *text += " -> ";
        AppendText(*map.items(), i, type.value(), text);
      }
      *text += '}';
      return;
    }
    case TypeRoot::kRow: {
      const auto& row_array = static_cast<const arrow::StructArray&>(array);
      *text += '{';
      for (size_t i = 0; i < type.fields().size(); ++i) {
        if (i > 0) *text += ", ";
        AppendText(*row_array.field(static_cast<int>(i)), row, type.fields()[i].type, text);
      }
      *text += '}';
      return;
    }
    default: *text += ValueToString(ValueAt(array, row, type), type);
  }
}

namespace {

// What stands between the brackets, or between the parentheses after `word`; nothing when the text has neither form.
std::optional<std::string_view> Content(std::string_view text, char open, char close, std::string_view word) {
  text = Trim(text);
  if (text.size() >= 2 && text.front() == open && text.back() == close) return Trim(text.substr(1, text.size() - 2));
  if (text.size() < word.size() + 2 || !EqualsIgnoreCase(text.substr(0, word.size()), word)) return std::nullopt;
  text = Trim(text.substr(word.size()));
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  return Trim(text.substr(1, text.size() - 2));
}

// Splits at commas that are neither inside brackets nor inside double quotes; a backslash hides the next character. In
// maps quotes and backslashes are only marks, elsewhere they belong to the text.
std::vector<std::string> SplitItems(std::string_view content, bool drop_marks) {
  std::vector<std::string> items;
  std::string item;
  int depth = 0;
  bool quoted = false;
  bool escaped = false;
  auto finish = [&] {
    if (!item.empty()) items.emplace_back(Trim(item));
    item.clear();
  };
  for (char c : content) {
    const bool was_escaped = escaped;
    escaped = !was_escaped && c == '\\';
    if (was_escaped || c == '\\' || c == '"') {
      if (!was_escaped && c == '"') quoted = !quoted;
      if (!drop_marks) item += c;
      continue;
    }
    if (!quoted) {
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
      if (c == ',' && depth == 0) {
        finish();
        continue;
      }
    }
    item += c;
  }
  finish();
  return items;
}

void AppendItem(std::string_view text, const DataType& type, arrow::ArrayBuilder* builder) {
  text = Trim(text);
  if (text == "null") return Check(builder->AppendNull());
  AppendFromText(text, type, builder);
}

Error CannotRead(std::string_view text, const DataType& type) {
  return InvalidArgument("Cannot read '{}' as a value of type '{}'", text, type.ToString());
}

void AppendArray(std::string_view text, const DataType& type, arrow::ListBuilder* builder) {
  auto content = Content(text, '[', ']', "ARRAY");
  if (!content) throw CannotRead(text, type);
  Check(builder->Append());
  for (const std::string& item : SplitItems(*content, false))
    AppendItem(item, type.element(), builder->value_builder());
}

void AppendMap(std::string_view text, const DataType& type, arrow::MapBuilder* builder) {
  if (EqualsIgnoreCase(Trim(text), "NULL")) return Check(builder->AppendNull());
  auto content = Content(text, '{', '}', "MAP");
  if (!content) throw CannotRead(text, type);
  const bool arrows = Trim(text).front() == '{';
  std::vector<std::string> items;
  for (std::string& item : SplitItems(*content, true)) {
    if (!arrows) {
      items.push_back(std::move(item));
      continue;
    }
    const size_t arrow = item.find("->", 1);
    if (arrow == std::string::npos) throw CannotRead(text, type);
    items.emplace_back(Trim(std::string_view(item).substr(0, arrow)));
    items.emplace_back(Trim(std::string_view(item).substr(arrow + 2)));
  }
  if (items.size() % 2 != 0) throw CannotRead(text, type);
  Check(builder->Append());
  // A key that comes again replaces the earlier one.
  for (size_t i = 0; i < items.size(); i += 2) {
    bool again = false;
    for (size_t j = i + 2; j < items.size(); j += 2) again |= items[j] == items[i];
    if (again) continue;
    AppendItem(items[i], type.key(), builder->key_builder());
    AppendItem(items[i + 1], type.value(), builder->item_builder());
  }
}

void AppendRow(std::string_view text, const DataType& type, arrow::StructBuilder* builder) {
  auto content = Content(text, '{', '}', "STRUCT");
  if (!content) throw CannotRead(text, type);
  const std::vector<std::string> items = SplitItems(*content, false);
  const auto& fields = type.fields();
  if (!content->empty() && items.size() != fields.size()) {
    throw InvalidArgument("Cannot read '{}' as a value of type '{}': it has '{}' fields, not '{}'", text,
                          type.ToString(), items.size(), fields.size());
  }
  Check(builder->Append());
  for (size_t i = 0; i < fields.size(); ++i) {
    arrow::ArrayBuilder* field = builder->field_builder(static_cast<int>(i));
    if (items.empty()) {
      Check(field->AppendNull());
    } else {
      AppendItem(items[i], fields[i].type, field);
    }
  }
}

}  // namespace

void AppendFromText(std::string_view text, const DataType& type, arrow::ArrayBuilder* builder) {
  switch (type.root()) {
    case TypeRoot::kArray: return AppendArray(text, type, static_cast<arrow::ListBuilder*>(builder));
    case TypeRoot::kMap: return AppendMap(text, type, static_cast<arrow::MapBuilder*>(builder));
    case TypeRoot::kRow: return AppendRow(text, type, static_cast<arrow::StructBuilder*>(builder));
    default: break;
  }
  const Value value{std::string(text)};
  AppendValue(*CastValue(value, DataType::String(), type, /*exact=*/false), type, builder);
}

}  // namespace mica
