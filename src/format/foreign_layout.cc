#include "format/foreign_layout.h"

#include <algorithm>
#include <cctype>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/text.h"
#include "format/avro_file.h"
#include "format/avro_record.h"
#include "format/orc_tail.h"
#include "format/read_guard.h"

namespace mica {

namespace {

constexpr std::string_view kWayOut = "Rewrite the file with a current writer, or insert its rows";

// Columns are found by name, and only Hive ignores the case of names.
void CheckNames(const std::vector<std::string>& columns, const std::vector<DataField>& fields) {
  for (const DataField& field : fields) {
    if (std::find(columns.begin(), columns.end(), field.name) != columns.end()) continue;
    for (const std::string& column : columns) {
      if (!EqualsIgnoreCase(column, field.name)) continue;
      throw Unsupported("The file calls the column '{}' '{}', and names are not found when their case differs. {}", field.name,
                        column, kWayOut);
    }
  }
}

bool IsPlaceholder(const std::string& name) {
  return name.size() > 4 && name.starts_with("_col") &&
         std::all_of(name.begin() + 4, name.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// A list whose repeated field is the element, not a group around it: as Thrift and old versions of Avro wrote lists of rows.
void CheckLists(const parquet::schema::Node& node, const std::string& column) {
  if (node.is_primitive()) return;
  const auto& group = static_cast<const parquet::schema::GroupNode&>(node);
  const bool is_list = group.converted_type() == parquet::ConvertedType::LIST && group.field_count() == 1;
  if (is_list && group.field(0)->is_group() && group.field(0)->is_repeated()) {
    const auto& element = static_cast<const parquet::schema::GroupNode&>(*group.field(0));
    if (element.field_count() != 1 || element.name() == "array" || element.name() == group.name() + "_tuple") {
      throw Unsupported("The column '{}' holds a list in an old layout of two levels, which Paimon for Java cannot read. {}", column,
                        kWayOut);
    }
  }
  for (int i = 0; i < group.field_count(); ++i) CheckLists(*group.field(i), column);
}

void CheckParquet(const std::shared_ptr<arrow::io::RandomAccessFile>& input, const std::vector<DataField>& fields) {
  const auto metadata = parquet::ParquetFileReader::Open(input)->metadata();
  const parquet::schema::GroupNode& root = *metadata->schema()->group_node();
  std::vector<std::string> columns;
  for (int i = 0; i < root.field_count(); ++i) columns.push_back(root.field(i)->name());
  CheckNames(columns, fields);
  for (const DataField& field : fields) {
    const int at = root.FieldIndex(field.name);
    if (at >= 0) CheckLists(*root.field(at), field.name);
  }
}

void CheckOrc(arrow::io::RandomAccessFile& input, const std::vector<DataField>& fields) {
  const OrcTail tail = OrcTail::Read(input);
  const std::vector<std::string>& columns = tail.types()[0].names;
  CheckNames(columns, fields);
  if (fields.empty() || !AreUnnamed(columns)) return;
  if (std::find(columns.begin(), columns.end(), fields.front().name) != columns.end()) return;
  throw Unsupported("The file has no column '{}': its columns have no names but '{}', as Hive 1 wrote them. {}", fields.front().name,
                    Join(columns, "', '"), kWayOut);
}

void CheckUnions(const AvroNode& node, const DataField& field) {
  const auto is_null = [](const AvroNode* child) { return child->kind == AvroKind::kNull; };
  if (node.kind == AvroKind::kUnion && std::any_of(node.children.begin(), node.children.end(), is_null) &&
      !is_null(node.children.front())) {
    throw Unsupported("The column '{}' is a union that does not begin with null, which Paimon for Java cannot read. {}", field.name,
                      kWayOut);
  }
  if (node.kind == AvroKind::kFixed && field.type.root() == TypeRoot::kDecimal) {
    throw Unsupported("The column '{}' holds decimals of fixed size, which Paimon for Java reads wrong. {}", field.name, kWayOut);
  }
  for (const AvroNode* child : node.children) CheckUnions(*child, field);
}

void CheckAvro(arrow::io::RandomAccessFile& input, int64_t size, const std::vector<DataField>& fields) {
  const auto content = Take(input.ReadAt(0, size));
  const AvroFileReader reader({reinterpret_cast<const char*>(content->data()), static_cast<size_t>(content->size())});
  const AvroSchema schema = AvroSchema::Parse(reader.schema_json());
  if (schema.root().kind != AvroKind::kRecord) return;
  CheckNames(schema.root().names, fields);
  for (size_t i = 0; i < schema.root().names.size(); ++i) {
    const int at = FindField(fields, schema.root().names[i]);
    if (at >= 0) CheckUnions(*schema.root().children[i], fields[static_cast<size_t>(at)]);
  }
}

}  // namespace

bool AreUnnamed(const std::vector<std::string>& columns) {
  return !columns.empty() && std::all_of(columns.begin(), columns.end(), IsPlaceholder);
}

void RefuseForeignLayout(FileSystem& fs, const std::string& path, int64_t size, const std::string& format,
                         const std::vector<DataField>& fields) {
  ReadGuard guard(path);
  guard([&] {
    auto input = guard.Open(fs, size);
    if (format == "parquet") return CheckParquet(input, fields);
    if (format == "orc") return CheckOrc(*input, fields);
    CheckAvro(*input, size, fields);
  });
}

}  // namespace mica
