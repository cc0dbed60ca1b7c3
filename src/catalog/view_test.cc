#include "catalog/view.h"

#include <gmock/gmock.h>

#include "catalog/scratch_table.h"
#include "io/faulty_file_system.h"

namespace mica {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

View Query(const std::string& text) {
  View view;
  view.query = text;
  view.dialects["spark"] = text;
  return view;
}

ErrorKind KindOf(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kInternal;
}

TEST(View, IsTheSameAfterItWasWritten) {
  View view = Query("SELECT 1");
  view.fields = {Column("a", DataType::Int())};
  view.fields[0].id = 0;
  view.fields[0].description = "first";
  view.comment = "why";
  view.options = {{"k", "v"}};
  View read = View::FromJson(view.ToJson(), "view");
  EXPECT_EQ(read.ToJson(), view.ToJson());
  EXPECT_EQ(read.fields, view.fields);
  EXPECT_EQ(*read.comment, "why");
}

TEST(View, RunsInTheDialectOfItsText) {
  View view = Query("SELECT spark");
  EXPECT_EQ(view.DialectOf("flink"), "spark");
  EXPECT_EQ(view.QueryFor("flink"), "SELECT spark");
  view.dialects["flink"] = "SELECT flink";
  EXPECT_EQ(view.DialectOf("flink"), "flink");
  EXPECT_EQ(view.QueryFor("flink"), "SELECT flink");
}

TEST(View, DamagedFilesAreCorrupt) {
  EXPECT_EQ(KindOf([] { View::FromJson("{\"query\": 1}", "view"); }), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf([] { View::FromJson("{", "view"); }), ErrorKind::kCorrupt);
}

TEST(View, SharesNamesWithTables) {
  ScratchCatalog scratch;
  scratch.Create({Column("a", DataType::Int())}, {}, {}, {}, "t");
  auto& catalog = scratch.catalog;
  catalog.CreateView({"default", "v"}, Query("SELECT 1"), false, false);
  EXPECT_THAT(catalog.ListViews("default"), ElementsAre("v"));
  EXPECT_THAT(catalog.ListTables("default"), ElementsAre("t"));
  EXPECT_EQ(KindOf([&] { catalog.CreateView({"default", "t"}, Query("SELECT 1"), false, true); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(KindOf([&] { catalog.CreateView({"default", "v"}, Query("SELECT 2"), false, false); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(KindOf([&] { scratch.Create({Column("a", DataType::Int())}, {}, {}, {}, "v"); }), ErrorKind::kAlreadyExists);
  EXPECT_EQ(KindOf([&] { catalog.RenameTable({"default", "t"}, {"default", "v"}); }), ErrorKind::kAlreadyExists);
  catalog.CreateView({"default", "v"}, Query("SELECT 3"), true, false);
  EXPECT_EQ(catalog.FindView({"default", "v"})->query, "SELECT 1");
  catalog.CreateView({"default", "v"}, Query("SELECT 2"), false, true);
  EXPECT_EQ(catalog.FindView({"default", "v"})->query, "SELECT 2");
  EXPECT_EQ(KindOf([&] { catalog.DropView({"default", "t"}, false); }), ErrorKind::kNotFound);
  catalog.DropView({"default", "v"}, false);
  EXPECT_FALSE(catalog.FindView({"default", "v"}).has_value());
  catalog.DropView({"default", "v"}, true);
}

// SHOW TABLES of many tables: one call a table, whatever their age.
TEST(Catalog, ListsTablesWithOneCallEach) {
  constexpr int kTables = 200;
  auto storage = std::make_shared<MemoryFileSystem>();
  ScratchCatalog writer(storage);
  for (int i = 0; i < kTables; ++i) writer.Create({Column("a", DataType::Int())}, {}, {}, {}, "t" + std::to_string(i));
  auto counting = std::make_shared<FaultyFileSystem>(storage, Fault{});
  ScratchCatalog reader(counting);
  EXPECT_EQ(reader.catalog.ListTables("default").size(), static_cast<size_t>(kTables));
  EXPECT_LE(counting->calls(), kTables + 2);
}

}  // namespace
}  // namespace mica
