// The physical schema against a file that Java Paimon wrote with the same columns (Format 8.2).
#include "format/parquet_schema.h"

#include <fstream>
#include <sstream>

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include "base/arrow.h"
#include "base/expect_error.h"
#include "base/json.h"
#include "format/data_file.h"
#include "io/memory_file_system.h"
#include "types/arrow_types.h"

namespace mica {
namespace {

// Everything that the schema says, a node a line.
void Describe(const parquet::schema::Node& node, const std::string& indent, std::string* out) {
  *out += indent + node.name() + " repetition=" + std::to_string(node.repetition()) +
          " id=" + std::to_string(node.field_id()) + " converted=" + std::to_string(node.converted_type()) +
          " logical=" + (node.logical_type() ? node.logical_type()->ToString() : "");
  if (node.is_primitive()) {
    const auto& leaf = static_cast<const parquet::schema::PrimitiveNode&>(node);
    *out += " physical=" + std::to_string(leaf.physical_type()) + "(" + std::to_string(leaf.type_length()) + ")";
    *out += " decimal=" + std::to_string(leaf.decimal_metadata().isset) + "," +
            std::to_string(leaf.decimal_metadata().precision) + "," + std::to_string(leaf.decimal_metadata().scale);
  }
  *out += "\n";
  if (!node.is_group()) return;
  const auto& group = static_cast<const parquet::schema::GroupNode&>(node);
  for (int i = 0; i < group.field_count(); ++i) Describe(*group.field(i), indent + "  ", out);
}

std::string SchemaText(const std::string& bytes) {
  auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  auto reader = parquet::ParquetFileReader::Open(input);
  std::string text;
  Describe(*reader->metadata()->schema()->group_node(), "", &text);
  return text;
}

std::string Golden(const std::string& name) {
  std::ifstream in(std::string(MICA_SOURCE_DIR) + "/tests/golden/format/" + name, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<DataField> FieldsOf(const std::string& schema_file) {
  std::vector<DataField> fields;
  const Json json = ParseJson(Golden(schema_file), schema_file);
  for (const Json& field : json["fields"]) fields.push_back(DataField::FromJson(field));
  return fields;
}

TEST(ParquetSchemaTest, EqualsJavas) {
  const std::string java = Golden("types.parquet");
  ASSERT_FALSE(java.empty());
  MemoryFileSystem fs;
  CreateDataFile(fs, "/x.parquet", {.fields = FieldsOf("types.schema.json")})->Close();
  EXPECT_EQ(SchemaText(fs.ReadFile("/x.parquet")), SchemaText(java));
}

TEST(ParquetSchemaTest, NothingElseIsStored) {
  MemoryFileSystem fs;
  CreateDataFile(fs, "/x.parquet", {.fields = FieldsOf("types.schema.json")})->Close();
  const std::string bytes = fs.ReadFile("/x.parquet");
  auto reader =
      parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
  auto metadata = reader->metadata()->key_value_metadata();
  EXPECT_TRUE(!metadata || metadata->size() == 0);
}

}  // namespace
}  // namespace mica
