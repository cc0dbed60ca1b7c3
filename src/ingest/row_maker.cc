#include "ingest/row_maker.h"

#include <algorithm>
#include <array>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/text.h"
#include "types/arrow_types.h"
#include "types/column_default.h"

namespace mica {

namespace {

constexpr std::array<std::string_view, 4> kKinds = {"+I", "-U", "+U", "-D"};

int8_t KindOf(std::string_view text) {
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (EqualsIgnoreCase(kKinds[i], text)) return static_cast<int8_t>(i);
  }
  throw InvalidArgument("'{}' is no kind of row. Known are: +I, -U, +U, -D", text);
}

void AppendText(std::string_view text, const DataType& type, arrow::ArrayBuilder* builder) {
  if (type.IsString() && builder->type()->id() == arrow::Type::STRING) {
    return Check(static_cast<arrow::StringBuilder*>(builder)->Append(text));
  }
  AppendValue(ValueFromString(text, type), type, builder);
}

void AppendJson(const JsonText& json, const DataType& type, arrow::ArrayBuilder* builder);

void AppendEntry(const JsonText& key, const JsonText& value, const DataType& key_type, const DataType& value_type,
                 arrow::MapBuilder* map) {
  if (key.kind == JsonText::Kind::kNull) throw InvalidArgument("a key of a map is null");
  AppendJson(key, key_type, map->key_builder());
  AppendJson(value, value_type, map->item_builder());
}

[[noreturn]] void Refuse(const JsonText& json, const DataType& type) {
  throw InvalidArgument("{} is no value of type {}", json.text, type.ToString());
}

void AppendJson(const JsonText& json, const DataType& type, arrow::ArrayBuilder* builder) {
  using Kind = JsonText::Kind;
  if (json.kind == Kind::kNull) return Check(builder->AppendNull());
  switch (type.root()) {
    case TypeRoot::kArray: {
      if (json.kind != Kind::kArray) Refuse(json, type);
      auto* list = static_cast<arrow::ListBuilder*>(builder);
      Check(list->Append());
      for (const JsonText& item : json.items) AppendJson(item, type.element(), list->value_builder());
      return;
    }
    case TypeRoot::kMap:
    case TypeRoot::kMultiset: {
      const bool is_map = type.root() == TypeRoot::kMap;
      const DataType key_type = is_map ? type.key() : type.element(), value_type = is_map ? type.value() : DataType::Int();
      auto* map = static_cast<arrow::MapBuilder*>(builder);
      Check(map->Append());
      if (json.kind == Kind::kObject) {
        for (const auto& [name, value] : json.members) {
          JsonText key;
          key.kind = Kind::kString;
          key.text = name;
          AppendEntry(key, value, key_type, value_type, map);
        }
        return;
      }
      if (json.kind != Kind::kArray) Refuse(json, type);
      for (const JsonText& entry : json.items) {
        if (entry.kind != Kind::kArray || entry.items.size() != 2) Refuse(json, type);
        AppendEntry(entry.items[0], entry.items[1], key_type, value_type, map);
      }
      return;
    }
    case TypeRoot::kRow: {
      if (json.kind != Kind::kObject) Refuse(json, type);
      auto* row = static_cast<arrow::StructBuilder*>(builder);
      Check(row->Append());
      size_t found = 0;
      for (size_t i = 0; i < type.fields().size(); ++i) {
        const JsonText* member = json.Find(type.fields()[i].name);
        static const JsonText kNull;
        found += member != nullptr ? 1 : 0;
        AppendJson(member != nullptr ? *member : kNull, type.fields()[i].type, row->field_builder(static_cast<int>(i)));
      }
      if (found != json.members.size()) Refuse(json, type);
      return;
    }
    default:
      if (json.kind == Kind::kArray || json.kind == Kind::kObject) {
        if (!type.IsString()) Refuse(json, type);
      }
      return AppendText(json.text, type, builder);
  }
}

std::vector<std::string> NamesOf(const std::vector<DataField>& fields) {
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  return names;
}

}  // namespace

RowMaker::RowMaker(std::vector<DataField> fields, std::optional<std::string> kind_field)
    : fields_(std::move(fields)), kind_field_(std::move(kind_field)) {
  for (size_t i = 0; i < fields_.size(); ++i) {
    builders_.push_back(mica::Take(arrow::MakeBuilder(ToArrowType(fields_[i].type))));
    defaults_.push_back(fields_[i].default_value ? DefaultArray(*fields_[i].default_value, fields_[i].type) : nullptr);
    csv_columns_.push_back(static_cast<int>(i));
  }
}

RowMaker::~RowMaker() = default;

void RowMaker::AppendDefault(size_t column) {
  if (defaults_[column] == nullptr) return Check(builders_[column]->AppendNull());
  Check(builders_[column]->AppendArraySlice(arrow::ArraySpan(*defaults_[column]->data()), 0, 1));
}

void RowMaker::AddJson(std::string_view record) {
  const JsonText json = parser_.Parse(record);
  if (json.kind != JsonText::Kind::kObject) throw InvalidArgument("A record has to be a JSON object");
  std::vector<bool> given(fields_.size());
  std::optional<std::string_view> kind;
  for (const auto& [name, value] : json.members) {
    const int column = FindField(fields_, name);
    if (kind_field_ && name == *kind_field_) {
      kind = value.text;
      if (column < 0) continue;
    }
    if (column < 0) {
      CutBack();
      throw InvalidArgument("The table has no column '{}'{}", name, DidYouMean(std::string(name), NamesOf(fields_)));
    }
    try {
      AppendJson(value, fields_[static_cast<size_t>(column)].type, builders_[static_cast<size_t>(column)].get());
    } catch (Error& error) {
      CutBack();
      error.Add(fmt::format("column '{}'", name));
      throw;
    }
    given[static_cast<size_t>(column)] = true;
  }
  Finish(given, kind);
}

void RowMaker::SplitCsv(std::string_view record) {
  csv_count_ = 0;
  size_t at = 0;
  while (true) {
    if (csv_count_ == csv_.size()) csv_.emplace_back();
    CsvField& field = csv_[csv_count_++];
    field.text.clear();
    field.quoted = at < record.size() && record[at] == '"';
    if (field.quoted) {
      for (++at; true; ++at) {
        if (at >= record.size()) throw InvalidArgument("A quoted field does not end");
        if (record[at] != '"') {
          field.text.push_back(record[at]);
        } else if (at + 1 < record.size() && record[at + 1] == '"') {
          field.text.push_back('"');
          ++at;
        } else {
          break;
        }
      }
      ++at;
    } else {
      const size_t end = std::min(record.find(',', at), record.size());
      field.text = record.substr(at, end - at);
      at = end;
    }
    if (at >= record.size()) return;
    if (record[at] != ',') throw InvalidArgument("Something follows a quoted field");
    ++at;
  }
}

void RowMaker::SetHeader(std::string_view record) {
  SplitCsv(record);
  csv_columns_.clear();
  std::vector<char> given(fields_.size());
  for (size_t i = 0; i < csv_count_; ++i) {
    const std::string& name = csv_[i].text;
    const int column = FindField(fields_, name);
    if (column < 0 && !(kind_field_ && name == *kind_field_)) {
      throw InvalidArgument("The table has no column '{}'{}", name, DidYouMean(name, NamesOf(fields_)));
    }
    if (column >= 0 && std::exchange(given[static_cast<size_t>(column)], 1) != 0) {
      throw InvalidArgument("The column '{}' comes twice", name);
    }
    csv_columns_.push_back(column);
  }
}

void RowMaker::AddCsv(std::string_view record) {
  SplitCsv(record);
  if (csv_count_ != csv_columns_.size()) {
    throw InvalidArgument("The record has {} fields where {} are needed", csv_count_, csv_columns_.size());
  }
  std::vector<bool> given(fields_.size());
  std::optional<std::string_view> kind;
  for (size_t i = 0; i < csv_count_; ++i) {
    const int column = csv_columns_[i];
    const CsvField& field = csv_[i];
    if (kind_field_ && (column < 0 || fields_[static_cast<size_t>(column)].name == *kind_field_)) kind = field.text;
    if (column < 0) continue;
    const DataField& target = fields_[static_cast<size_t>(column)];
    arrow::ArrayBuilder* builder = builders_[static_cast<size_t>(column)].get();
    try {
      if (field.text.empty() && !field.quoted) {
        Check(builder->AppendNull());
      } else if (target.type.IsPrimitive()) {
        AppendText(field.text, target.type, builder);
      } else {
        AppendJson(nested_parser_.Parse(field.text), target.type, builder);
      }
    } catch (Error& error) {
      CutBack();
      error.Add(fmt::format("column '{}'", target.name));
      throw;
    }
    given[static_cast<size_t>(column)] = true;
  }
  Finish(given, kind);
}

void RowMaker::Finish(const std::vector<bool>& given, std::optional<std::string_view> kind) {
  int8_t number = 0;
  if (kind_field_) {
    if (!kind) {
      CutBack();
      throw InvalidArgument("The record has no '{}', which tells the row's kind", *kind_field_);
    }
    try {
      number = KindOf(*kind);
    } catch (const Error&) {
      CutBack();
      throw;
    }
  }
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!given[i]) AppendDefault(i);
  }
  kinds_.push_back(number);
  ++row_count_;
}

// Takes the begun row out of all columns.
void RowMaker::CutBack() {
  for (auto& builder : builders_) {
    const auto values = mica::Take(builder->Finish());
    const int64_t rows = std::min(row_count_, values->length());
    if (rows > 0) Check(builder->AppendArraySlice(arrow::ArraySpan(*values->data()), 0, rows));
  }
}

std::shared_ptr<arrow::RecordBatch> RowMaker::Take() {
  arrow::ArrayVector columns;
  arrow::FieldVector fields;
  for (size_t i = 0; i < fields_.size(); ++i) {
    fields.push_back(ToArrowField(fields_[i]));
    columns.push_back(mica::Take(builders_[i]->Finish()));
  }
  if (kind_field_) {
    arrow::Int8Builder kinds;
    Check(kinds.AppendValues(kinds_));
    fields.push_back(arrow::field(std::string(kValueKind), arrow::int8(), false));
    columns.push_back(mica::Take(kinds.Finish()));
  }
  kinds_.clear();
  const int64_t rows = std::exchange(row_count_, 0);
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(columns));
}

}  // namespace mica
