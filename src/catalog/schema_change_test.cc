#include "catalog/schema_change.h"

#include <gmock/gmock.h>

#include "catalog/schema_merge.h"
#include "catalog/scratch_table.h"

namespace mica {
namespace {

using T = DataType;
using testing::HasSubstr;

TableSchema Made(std::vector<DataField> fields, Options options = {}, std::vector<std::string> keys = {},
                 std::vector<std::string> partitions = {}) {
  return FirstSchema({std::move(fields), std::move(partitions), std::move(keys), std::move(options), {}});
}

std::string MessageOf(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SchemaChange, RenamedColumnsAreRenamedInOptions) {
  TableSchema schema = Made({Column("k", T::Int()), Column("g", T::Int()), Column("h", T::Int()), Column("v", T::Int())},
                            {{"bucket", "1"},
                             {"merge-engine", "partial-update"},
                             {"fields.g,h.sequence-group", "v"},
                             {"fields.v.aggregate-function", "sum"}},
                            {"k"});
  TableSchema next = ApplyChanges(schema, {RenameColumn{{"g"}, "first"}, RenameColumn{{"v"}, "w"}, RenameColumn{{"k"}, "id"}}, true);
  EXPECT_EQ(next.options.at("fields.first,h.sequence-group"), "w");
  EXPECT_EQ(next.options.at("fields.w.aggregate-function"), "sum");
  EXPECT_EQ(next.primary_keys, std::vector<std::string>{"id"});
  EXPECT_EQ(next.Field("first").id, schema.Field("g").id);
}

TEST(SchemaChange, NewColumnsCanComeBeforeThePartition) {
  TableSchema schema = Made({Column("a", T::Int()), Column("pt", T::Int())}, {{"add-column-before-partition", "true"}}, {}, {"pt"});
  TableSchema next = ApplyChanges(schema, {AddColumn{{"b"}, T::Int(), {}, {}}}, true);
  ASSERT_EQ(next.fields.size(), 3u);
  EXPECT_EQ(next.fields[1].name, "b");
}

TEST(SchemaChange, ElementsAndValuesChangeTheirTypes) {
  TableSchema schema = Made({Column("l", T::Array(T::Int())), Column("m", T::Map(T::String().WithNullable(false), T::Int()))});
  TableSchema next = ApplyChanges(schema, {UpdateColumnType{{"l", "element"}, T::BigInt(), true},
                                           UpdateColumnType{{"m", "value"}, T::BigInt(), true}}, true);
  EXPECT_EQ(next.Field("l").type.element().root(), TypeRoot::kBigInt);
  EXPECT_EQ(next.Field("m").type.value().root(), TypeRoot::kBigInt);
  EXPECT_THAT(MessageOf([&] { ApplyChanges(schema, {UpdateColumnType{{"l", "value"}, T::BigInt(), true}}, true); }),
              HasSubstr("'element' inside an ARRAY"));
}

TEST(SchemaChange, DefaultsHaveToBeReadable) {
  DataField field = Column("s", T::String());
  field.default_value = "many";
  EXPECT_THAT(MessageOf([&] { ApplyChanges(Made({field}), {UpdateColumnType{{"s"}, T::Int(), true}}, false); }), HasSubstr("many"));
  DataField list = Column("l", T::Array(T::Int()));
  list.default_value = "[1, 2]";
  EXPECT_EQ(Made({list}).fields[0].default_value, "[1, 2]");
  list.default_value = "1, 2";
  EXPECT_THAT(MessageOf([&] { Made({list}); }), HasSubstr("'l'"));
}

TEST(SchemaChange, AReplacementHasIdsOfItsOwn) {
  TableSchema before = Made({Column("a", T::Int()), Column("b", T::Row({Column("x", T::Int())}))});
  TableSchema next = NextDefinition(before, {{Column("a", T::String())}, {}, {}, {}, {}});
  EXPECT_EQ(next.id, before.id + 1);
  EXPECT_GT(next.fields[0].id, before.highest_field_id);
  EXPECT_THAT(MessageOf([&] { NextDefinition(before, {{Column("a", T::Int())}, {"a"}, {}, {}, {}}); }), HasSubstr("partition"));
}

TEST(SchemaMerge, AddsWhatIsNewAndWidensOnDemand) {
  TableSchema schema = Made({Column("a", T::Int()), Column("s", T::Row({Column("x", T::Int())})), Column("d", T::Decimal(5, 2))});
  std::vector<DataField> incoming = {Column("A", T::BigInt()), Column("s", T::Row({Column("y", T::String())})),
                                     Column("d", T::Decimal(7, 2)), Column("z", T::Array(T::Int()).WithNullable(false))};
  TableSchema added = ApplyChanges(schema, MergeChanges(schema.fields, incoming, {}), true);
  EXPECT_EQ(added.Field("a").type.root(), TypeRoot::kInt);
  EXPECT_EQ(added.Field("s").type.fields().size(), 2u);
  EXPECT_TRUE(added.Field("z").type.nullable());
  TableSchema widened = ApplyChanges(schema, MergeChanges(schema.fields, incoming, {.type_widening = true}), true);
  EXPECT_EQ(widened.Field("a").type.root(), TypeRoot::kBigInt);
  EXPECT_EQ(widened.Field("d").type.precision(), 7);
  EXPECT_THAT(MessageOf([&] { MergeChanges(schema.fields, {Column("d", T::Decimal(9, 4))}, {.type_widening = true}); }),
              HasSubstr("'d'"));
  EXPECT_TRUE(MergeChanges(schema.fields, {Column("a", T(TypeRoot::kTinyInt))}, {.type_widening = true}).empty());
}

}  // namespace
}  // namespace mica
