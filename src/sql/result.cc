#include "sql/result.h"

#include <duckdb/common/arrow/result_arrow_wrapper.hpp>
#include <duckdb/common/types/column/column_data_collection.hpp>
#include <duckdb/common/vector_operations/vector_operations.hpp>

#include "base/error.h"
#include "base/escape.h"
#include "engine/duck_types.h"
#include "sql/errors.h"
#include "sql/value_result.h"

namespace mica::sql {

namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

class EmptyResult final : public SqlResult {
 public:
  explicit EmptyResult(std::optional<int64_t> changed_rows) : changed_rows_(changed_rows) {}
  bool has_rows() const override { return false; }
  const std::vector<SqlColumn>& columns() const override { return columns_; }
  std::optional<int64_t> changed_rows() const override { return changed_rows_; }
  int64_t Render(const RenderSettings&, const std::function<void(std::string_view)>&) override { return 0; }
  std::vector<std::vector<std::optional<std::string>>> Rows() override { return {}; }
  void ExportStream(ArrowArrayStream*) override { throw InvalidArgument("The statement gives no rows"); }

 private:
  std::vector<SqlColumn> columns_;
  std::optional<int64_t> changed_rows_;
};

// Exact decimals and integers are numbers; what JSON cannot write as one (NaN, infinity) is text.
bool IsJsonNumber(std::string_view text) {
  if (text.empty()) return false;
  char first = text.front() == '-' && text.size() > 1 ? text[1] : text.front();
  return first >= '0' && first <= '9';
}

std::string TextOf(duckdb::ClientContext& context, const duckdb::Value& value) {
  if (value.type().id() == LogicalTypeId::VARCHAR) return duckdb::StringValue::Get(value);
  return value.CastAs(context, LogicalType::VARCHAR).GetValue<std::string>();
}

void AppendJson(std::string& out, duckdb::ClientContext& context, const duckdb::Value& value) {
  if (value.IsNull()) {
    out += "null";
    return;
  }
  switch (value.type().id()) {
    case LogicalTypeId::BOOLEAN: out += duckdb::BooleanValue::Get(value) ? "true" : "false"; return;
    case LogicalTypeId::LIST:
    case LogicalTypeId::ARRAY: {
      const auto& items = value.type().id() == LogicalTypeId::LIST ? duckdb::ListValue::GetChildren(value)
                                                                     : duckdb::ArrayValue::GetChildren(value);
      out += '[';
      for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out += ',';
        AppendJson(out, context, items[i]);
      }
      out += ']';
      return;
    }
    case LogicalTypeId::STRUCT: {
      const auto& types = duckdb::StructType::GetChildTypes(value.type());
      const auto& items = duckdb::StructValue::GetChildren(value);
      out += '{';
      for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out += ',';
        AppendJsonText(out, types[i].first);
        out += ':';
        AppendJson(out, context, items[i]);
      }
      out += '}';
      return;
    }
    case LogicalTypeId::MAP: {
      out += '{';
      bool first = true;
      for (const duckdb::Value& entry : duckdb::MapValue::GetChildren(value)) {
        const auto& parts = duckdb::StructValue::GetChildren(entry);
        if (!first) out += ',';
        first = false;
        AppendJsonText(out, TextOf(context, parts[0]));
        out += ':';
        AppendJson(out, context, parts[1]);
      }
      out += '}';
      return;
    }
    default: break;
  }
  std::string text = TextOf(context, value);
  if (value.type().IsNumeric() && IsJsonNumber(text)) {
    out += text;
  } else {
    AppendJsonText(out, text);
  }
}

}  // namespace

std::unique_ptr<SqlResult> NoResult(std::optional<int64_t> changed_rows) {
  return std::make_unique<EmptyResult>(changed_rows);
}

DuckResult::DuckResult(duckdb::shared_ptr<duckdb::ClientContext> context, duckdb::unique_ptr<duckdb::QueryResult> result)
    : context_(std::move(context)), result_(std::move(result)) {
  for (size_t i = 0; i < result_->names.size(); ++i) {
    columns_.push_back(SqlColumn{result_->names[i], result_->types[i].ToString()});
  }
}

DuckResult::~DuckResult() = default;

duckdb::unique_ptr<duckdb::DataChunk> DuckResult::Fetch() {
  if (!result_) throw InvalidArgument("The rows of this result were taken already");
  try {
    auto chunk = result_->Fetch();
    if (result_->HasError()) throw FromDuck(result_->GetErrorObject());
    return chunk && chunk->size() > 0 ? std::move(chunk) : nullptr;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw FromDuck(duckdb::ErrorData(error));
  }
}

duckdb::Vector DuckResult::AsText(duckdb::Vector& column, idx_t size) {
  duckdb::Vector text(LogicalType::VARCHAR, size);
  duckdb::VectorOperations::Cast(*context_, column, text, size);
  text.Flatten(size);
  return text;
}

int64_t DuckResult::RenderBox(const RenderSettings& settings, const std::function<void(std::string_view)>& write) {
  duckdb::ColumnDataCollection rows(duckdb::BufferManager::GetBufferManager(*context_), result_->types);
  while (auto chunk = Fetch()) rows.Append(*chunk);
  duckdb::BoxRendererConfig config;
  config.max_rows = settings.max_rows > 0 ? static_cast<idx_t>(settings.max_rows) : rows.Count() + 1;
  config.max_width = settings.max_width > 0 ? static_cast<idx_t>(settings.max_width) : static_cast<idx_t>(1) << 30;
  config.null_value = settings.null_text;
  duckdb::vector<duckdb::string> names;
  for (const SqlColumn& column : columns_) names.push_back(column.name);
  duckdb::BoxRenderer renderer(config);
  write(renderer.ToString(*context_, names, rows));
  return static_cast<int64_t>(rows.Count());
}

int64_t DuckResult::Render(const RenderSettings& settings, const std::function<void(std::string_view)>& write) {
  try {
    if (settings.format == RenderFormat::kTable && !plain_) return RenderBox(settings, write);
    int64_t count = 0;
    std::string out;
    size_t width = columns_.size();
    switch (settings.format) {
      case RenderFormat::kCsv:
        if (settings.header) {
          for (size_t i = 0; i < width; ++i) {
            if (i > 0) out += ',';
            AppendCsvField(out, columns_[i].name);
          }
          out += '\n';
        }
        break;
      case RenderFormat::kMarkdown:
        for (const SqlColumn& column : columns_) out += "| " + MarkdownCell(column.name) + " ";
        out += "|\n";
        for (size_t i = 0; i < width; ++i) out += result_->types[i].IsNumeric() ? "|--:" : "|---";
        out += "|\n";
        break;
      case RenderFormat::kJson: out += '['; break;
      default: break;
    }
    size_t name_width = 0;
    for (const SqlColumn& column : columns_) name_width = std::max(name_width, column.name.size());
    while (auto chunk = Fetch()) {
      idx_t size = chunk->size();
      bool json = settings.format == RenderFormat::kJson || settings.format == RenderFormat::kJsonLines;
      std::vector<duckdb::Vector> texts;
      if (!json) {
        for (idx_t c = 0; c < chunk->ColumnCount(); ++c) texts.push_back(AsText(chunk->data[c], size));
      }
      auto text_at = [&](size_t c, idx_t row) -> std::optional<std::string_view> {
        if (duckdb::FlatVector::IsNull(texts[c], row)) return std::nullopt;
        const auto& text = duckdb::FlatVector::GetData<duckdb::string_t>(texts[c])[row];
        return std::string_view(text.GetData(), text.GetSize());
      };
      for (idx_t row = 0; row < size; ++row, ++count) {
        switch (settings.format) {
          case RenderFormat::kCsv:
            for (size_t c = 0; c < width; ++c) {
              if (c > 0) out += ',';
              if (auto text = text_at(c, row)) AppendCsvField(out, *text);
            }
            out += '\n';
            break;
          case RenderFormat::kMarkdown:
            for (size_t c = 0; c < width; ++c) {
              out += "| " + MarkdownCell(text_at(c, row).value_or(settings.null_text)) + " ";
            }
            out += "|\n";
            break;
          case RenderFormat::kLines:
            if (count > 0) out += '\n';
            for (size_t c = 0; c < width; ++c) {
              out += fmt::format("{:>{}} = {}\n", columns_[c].name, name_width, text_at(c, row).value_or(settings.null_text));
            }
            break;
          case RenderFormat::kTable:
            out += text_at(width - 1, row).value_or(settings.null_text);
            if (out.empty() || out.back() != '\n') out += '\n';
            break;
          case RenderFormat::kJson:
          case RenderFormat::kJsonLines:
            if (settings.format == RenderFormat::kJson) out += count > 0 ? ",\n" : "";
            out += '{';
            for (size_t c = 0; c < width; ++c) {
              if (c > 0) out += ',';
              AppendJsonText(out, columns_[c].name);
              out += ':';
              AppendJson(out, *context_, chunk->GetValue(c, row));
            }
            out += '}';
            if (settings.format == RenderFormat::kJsonLines) out += '\n';
            break;
        }
        if (out.size() > (1 << 16)) {
          write(out);
          out.clear();
        }
      }
    }
    if (settings.format == RenderFormat::kJson) out += "]\n";
    if (!out.empty()) write(out);
    return count;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw FromDuck(duckdb::ErrorData(error));
  }
}

std::vector<std::vector<std::optional<std::string>>> DuckResult::Rows() {
  try {
    std::vector<std::vector<std::optional<std::string>>> rows;
    while (auto chunk = Fetch()) {
      size_t first = rows.size();
      rows.resize(first + chunk->size());
      for (idx_t c = 0; c < chunk->ColumnCount(); ++c) {
        duckdb::Vector text = AsText(chunk->data[c], chunk->size());
        for (idx_t row = 0; row < chunk->size(); ++row) {
          auto& out = rows[first + row];
          if (duckdb::FlatVector::IsNull(text, row)) {
            out.emplace_back(std::nullopt);
          } else {
            out.emplace_back(duckdb::FlatVector::GetData<duckdb::string_t>(text)[row].GetString());
          }
        }
      }
    }
    return rows;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw FromDuck(duckdb::ErrorData(error));
  }
}

void DuckResult::ExportStream(ArrowArrayStream* stream) {
  // The wrapper owns itself: releasing the stream deletes it.
  auto* wrapper = new duckdb::ResultArrowArrayStreamWrapper(std::move(result_), 65536);
  *stream = wrapper->stream;
}

namespace {

using CellAt = std::function<duckdb::Value(size_t row, size_t column)>;

std::unique_ptr<DuckResult> Collected(const duckdb::shared_ptr<duckdb::ClientContext>& context,
                                      duckdb::vector<duckdb::string> names, const duckdb::vector<LogicalType>& types,
                                      size_t row_count, const CellAt& cell_at) {
  auto collection = duckdb::make_uniq<duckdb::ColumnDataCollection>(duckdb::Allocator::DefaultAllocator(), types);
  duckdb::DataChunk chunk;
  chunk.Initialize(duckdb::Allocator::DefaultAllocator(), types);
  for (size_t row = 0; row < row_count; ++row) {
    idx_t at = chunk.size();
    chunk.SetCardinality(at + 1);
    for (size_t c = 0; c < types.size(); ++c) chunk.SetValue(c, at, cell_at(row, c));
    if (chunk.size() == STANDARD_VECTOR_SIZE) {
      collection->Append(chunk);
      chunk.Reset();
    }
  }
  if (chunk.size() > 0) collection->Append(chunk);
  auto result = duckdb::make_uniq<duckdb::MaterializedQueryResult>(duckdb::StatementType::SELECT_STATEMENT,
                                                                   duckdb::StatementProperties(), std::move(names),
                                                                   std::move(collection), context->GetClientProperties());
  return std::make_unique<DuckResult>(context, std::move(result));
}

}  // namespace

std::unique_ptr<DuckResult> TextResult(const duckdb::shared_ptr<duckdb::ClientContext>& context,
                                       const std::vector<std::string>& columns, const std::vector<TextRow>& rows) {
  duckdb::vector<duckdb::string> names;
  for (const std::string& column : columns) names.push_back(column);
  duckdb::vector<LogicalType> types(columns.size(), LogicalType::VARCHAR);
  return Collected(context, std::move(names), types, rows.size(), [&](size_t row, size_t c) {
    return rows[row][c] ? duckdb::Value(*rows[row][c]) : duckdb::Value(LogicalType::VARCHAR);
  });
}

std::unique_ptr<DuckResult> ValueResult(const duckdb::shared_ptr<duckdb::ClientContext>& context,
                                        const std::vector<DataField>& columns, const std::vector<std::vector<Value>>& rows) {
  duckdb::vector<duckdb::string> names;
  duckdb::vector<LogicalType> types;
  for (const DataField& column : columns) {
    names.push_back(column.name);
    types.push_back(ToDuckType(column.type));
  }
  return Collected(context, std::move(names), types, rows.size(), [&](size_t row, size_t c) {
    if (IsNull(rows[row][c])) return duckdb::Value(types[c]);
    return ToDuckValue(rows[row][c], columns[c].type);
  });
}

}  // namespace mica::sql
