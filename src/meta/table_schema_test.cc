#include "meta/table_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "io/memory_file_system.h"
#include "meta/golden.h"

namespace mica {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ErrorKind KindOf(const std::function<void()>& action, std::string* text = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    if (text) *text = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "no error";
  return ErrorKind::kInternal;
}

// The order of options in a file is that of the writer's hash map: it says nothing.
std::string SortOptions(const std::string& text) {
  size_t begin = text.find("\"options\" : {\n"), end = text.find("\n  }", begin);
  if (begin == std::string::npos || end == std::string::npos) return text;
  begin += 14;
  std::vector<std::string> lines;
  std::string line;
  for (char c : text.substr(begin, end - begin) + ",\n") {
    if (c == '\n') {
      line.pop_back();
      lines.push_back(std::exchange(line, ""));
    } else {
      line += c;
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string sorted;
  for (const std::string& l : lines) sorted += (sorted.empty() ? "" : ",\n") + l;
  return text.substr(0, begin) + sorted + text.substr(end);
}

TEST(TableSchema, WritesTheBytesThatItRead) {
  size_t count = 0;
  for (const std::string& path : GoldenAndFixtures("schema-", "schema")) {
    std::string text = ReadLocalFile(path);
    EXPECT_EQ(SortOptions(TableSchema::FromJson(text, path).ToJson()), SortOptions(text)) << path;
    ++count;
  }
  EXPECT_GE(count, 2u);
}

TEST(TableSchema, WritesEmptyAndSpecialTextAsJacksonDoes) {
  TableSchema schema;
  schema.options = {{"a\"b\\", "tab\there\x1f/é"}};
  EXPECT_EQ(schema.ToJson(),
            "{\n  \"version\" : 3,\n  \"id\" : 0,\n  \"fields\" : [ ],\n  \"highestFieldId\" : -1,\n"
            "  \"partitionKeys\" : [ ],\n  \"primaryKeys\" : [ ],\n  \"options\" : {\n"
            "    \"a\\\"b\\\\\" : \"tab\\there\\u001F/é\"\n  },\n  \"timeMillis\" : 0\n}");
  schema.options.clear();
  EXPECT_THAT(schema.ToJson(), HasSubstr("\"options\" : { }"));
}

TEST(TableSchema, GivesOldVersionsTheirDefaults) {
  auto parse = [](std::string_view head) {
    return TableSchema::FromJson(
        fmt::format("{{{}\"id\":0,\"fields\":[{{\"id\":0,\"name\":\"a\",\"type\":\"INT\"}}],\"unknown\":1}}", head),
        "x");
  };
  TableSchema one = parse("");
  EXPECT_EQ(one.version, 1);
  EXPECT_EQ(one.options, (Options{{"bucket", "1"}, {"file.format", "orc"}}));
  EXPECT_EQ(one.highest_field_id, 0);
  EXPECT_EQ(parse("\"version\":2,").options, (Options{{"file.format", "orc"}}));
  EXPECT_EQ(parse("\"version\":3,").options, Options());
}

TEST(TableSchema, RefusesWhatItCannotUnderstand) {
  std::string text;
  EXPECT_EQ(KindOf([] { TableSchema::FromJson("{\"version\":4,\"id\":0,\"fields\":[]}", "schema-0"); }, &text),
            ErrorKind::kUnsupported);
  EXPECT_THAT(text, HasSubstr("newer"));
  EXPECT_THAT(text, HasSubstr("schema-0"));
  for (const char* bad :
       {"", "[]", "{\"id\":0}", "{\"id\":\"0\",\"fields\":[]}", "{\"id\":0,\"fields\":{}}", "{\"id\":0,\"fields\":[1]}",
        "{\"id\":0,\"fields\":[],\"options\":[]}", "{\"id\":0,\"fields\":[],\"primaryKeys\":[\"k\"]}",
        "{\"id\":0,\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"NOPE\"}]}"}) {
    EXPECT_EQ(KindOf([&] { TableSchema::FromJson(bad, "schema-7"); }, &text), ErrorKind::kCorrupt) << bad;
    EXPECT_THAT(text, HasSubstr("schema-7"));
  }
}

TEST(TableSchema, SurvivesEveryCutAndFlip) {
  for (const char* name : {"schema-all-types", "schema-evolved"}) {
    std::string text = Golden(name);
    for (size_t i = 0; i < text.size(); ++i) {
      EXPECT_EQ(KindOf([&] { TableSchema::FromJson(text.substr(0, i), "s"); }), ErrorKind::kCorrupt);
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x11);
      try {
        TableSchema::FromJson(flipped, "s").ToJson();
      } catch (const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kUnsupported) << error.what();
      }
    }
  }
}

TableSchema Keyed() {
  TableSchema schema;
  schema.fields = {{0, "a", DataType::Int().WithNullable(false)},
                   {1, "p", DataType::Int().WithNullable(false)},
                   {2, "b", DataType::String().WithNullable(false)},
                   {3, "v", DataType::Int()}};
  schema.primary_keys = {"b", "p", "a"};
  schema.partition_keys = {"p"};
  return schema;
}

std::vector<std::string> NamesOf(const std::vector<DataField>& fields) {
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  return names;
}

TEST(TableSchema, TellsKeysAndColumnsOfFiles) {
  TableSchema schema = Keyed();
  EXPECT_THAT(schema.TrimmedPrimaryKeys(), ElementsAre("b", "a"));
  EXPECT_THAT(schema.BucketKeys(), ElementsAre("b", "a"));
  schema.options["bucket-key"] = "a , b";
  EXPECT_THAT(schema.BucketKeys(), ElementsAre("a", "b"));
  EXPECT_THAT(NamesOf(schema.FileFields(false)),
              ElementsAre("_KEY_b", "_KEY_a", "_SEQUENCE_NUMBER", "_VALUE_KIND", "a", "p", "b", "v"));
  EXPECT_THAT(NamesOf(schema.FileFields(true)), ElementsAre("_SEQUENCE_NUMBER", "_VALUE_KIND", "a", "p", "b", "v"));
  schema.primary_keys.clear();
  EXPECT_THAT(NamesOf(schema.FileFields(false)), ElementsAre("a", "p", "b", "v"));
  std::string text;
  EXPECT_EQ(KindOf([&] { schema.Field("pp"); }, &text), ErrorKind::kInvalidArgument);
  EXPECT_THAT(text, HasSubstr("Did you mean 'p'?"));
}

TEST(SchemaStore, PublishesEachIdOnce) {
  auto fs = std::make_shared<MemoryFileSystem>();
  SchemaStore store(fs, "/t");
  EXPECT_FALSE(store.Latest().has_value());
  TableSchema schema = Keyed();
  EXPECT_TRUE(store.Publish(schema));
  EXPECT_FALSE(store.Publish(schema));
  schema.id = 1;
  schema.comment = "second";
  EXPECT_TRUE(store.Publish(schema));
  fs->ReplaceAtomically("/t/schema/.schema-9.tmp", "x");
  fs->ReplaceAtomically("/t/schema/schema-9x", "x");
  EXPECT_THAT(store.Ids(), ElementsAre(0, 1));
  EXPECT_EQ(store.Latest()->comment, "second");
  EXPECT_EQ(store.Get(0)->primary_keys, Keyed().primary_keys);
  std::string text;
  EXPECT_EQ(KindOf([&] { store.Get(5); }, &text), ErrorKind::kNotFound);
  EXPECT_THAT(text, HasSubstr("'5'"));
}

}  // namespace
}  // namespace mica
