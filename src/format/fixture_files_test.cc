// Reads every data file of the tables that Java Paimon wrote, when the environment names their folder in MICA_FIXTURES.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "format/data_file.h"
#include "io/local_file_system.h"
#include "types/arrow_types.h"

namespace mica {
namespace {

namespace stdfs = std::filesystem;

std::string Slurp(const stdfs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// All schemas of the table that a data file is of; none when the path is of no table.
std::vector<std::vector<DataField>> SchemasOf(stdfs::path path) {
  std::vector<std::vector<DataField>> schemas;
  for (path = path.parent_path(); path.has_relative_path(); path = path.parent_path()) {
    if (!stdfs::is_directory(path / "schema")) continue;
    for (const auto& entry : stdfs::directory_iterator(path / "schema")) {
      if (!entry.path().filename().string().starts_with("schema-")) continue;
      std::vector<DataField> fields = {SequenceNumberField(), ValueKindField()};
      const Json schema = ParseJson(Slurp(entry.path()), "schema");
      for (const Json& field : schema["fields"]) {
        fields.push_back(DataField::FromJson(field));
        fields.push_back(KeyField(fields.back()));
      }
      schemas.push_back(std::move(fields));
    }
    break;
  }
  return schemas;
}

std::shared_ptr<arrow::Table> Read(FileSystem& fs, const std::string& path, const std::vector<DataField>& fields) {
  auto reader = OpenDataFile(fs, path, std::nullopt, {.fields = fields});
  arrow::RecordBatchVector batches;
  while (auto batch = reader->Next()) {
    Check(batch->ValidateFull());
    batches.push_back(batch);
  }
  return Take(Take(arrow::Table::FromRecordBatches(ToArrowSchema(fields), batches))->CombineChunks());
}

TEST(FixtureFilesTest, EveryDataFileReads) {
  const char* fixtures = std::getenv("MICA_FIXTURES");
  if (!fixtures) GTEST_SKIP() << "MICA_FIXTURES is not set";
  LocalFileSystem fs;
  std::map<std::string, int> counts;
  for (const auto& entry : stdfs::recursive_directory_iterator(fixtures)) {
    const std::string path = entry.path().string();
    const std::string extension = entry.path().extension().string();
    if (extension != ".parquet" && extension != ".orc" && extension != ".avro") continue;
    if (!entry.path().parent_path().filename().string().starts_with("bucket-")) continue;
    if (path.find("/branched/") != std::string::npos) continue;  // its schemas are those of branches, too
    std::vector<std::string> errors;
    bool read = false;
    for (const auto& schema : SchemasOf(entry.path())) {
      try {
        std::vector<DataField> fields;
        for (const std::string& name : DataFileColumns(fs, path, std::nullopt)) {
          int at = FindField(schema, name);
          if (name == kRowId) {
            fields.push_back({kRowIdId, name, DataType::BigInt()});
          } else if (at >= 0) {
            fields.push_back(schema[static_cast<size_t>(at)]);
            if (name == kSequenceNumber) fields.back().type = DataType::BigInt();  // optional with row tracking
          } else {
            throw NotFound("{}", name);
          }
        }
        auto table = Read(fs, path, fields);
        if (table->num_rows() == 0) errors.push_back("no rows");
        ++counts[extension];
        read = true;
        break;
      } catch (const Error& error) {
        errors.push_back(error.what());
      }
    }
    if (!read) ADD_FAILURE() << path << ": " << (errors.empty() ? "no schema" : errors.back());
  }
  for (const auto& [extension, count] : counts) std::cout << extension << " " << count << "\n";
}

// The same rows, written in three formats. Java reads fractions of the last second before 1970 from ORC files one
// second late, and so do we (Format 8.3).
TEST(FixtureFilesTest, FormatsHoldTheSameRows) {
  const char* fixtures = std::getenv("MICA_FIXTURES");
  if (!fixtures) GTEST_SKIP() << "MICA_FIXTURES is not set";
  LocalFileSystem fs;
  std::map<std::string, std::map<int32_t, std::string>> rows;
  for (const std::string format : {"parquet", "orc", "avro"}) {
    const stdfs::path table = stdfs::path(fixtures) / "types/warehouse/db.db" / (format + "_append");
    for (const auto& entry : stdfs::directory_iterator(table / "bucket-0")) {
      auto fields = SchemasOf(entry.path()).at(0);
      std::erase_if(fields, [](const DataField& field) {
        return field.name.starts_with("_") || (field.type.IsTimestamp() && field.type.precision() > 6);
      });
      auto read = Read(fs, entry.path(), fields);
      for (int64_t i = 0; i < read->num_rows(); ++i) {
        std::string text;
        for (int c = 1; c < read->num_columns(); ++c) {
          text += read->field(c)->name() + "=" + Take(read->column(c)->GetScalar(i))->ToString() + "\n";
        }
        rows[format][static_cast<const arrow::Int32Array&>(*read->column(0)->chunk(0)).Value(i)] += text;
      }
    }
  }
  std::cout << rows["avro"].size() << " rows\n";
  for (const auto& [id, text] : rows["avro"]) {
    EXPECT_EQ(rows["parquet"][id], text) << id;
    std::string orc = text;
    for (size_t at; (at = orc.find("1969-12-31 23:59:59.9")) != std::string::npos;) {
      orc.replace(at, 19, "1970-01-01 00:00:00");
    }
    EXPECT_EQ(rows["orc"][id], orc) << id;
  }
}

}  // namespace
}  // namespace mica
