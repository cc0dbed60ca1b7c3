#include "procedures/call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "catalog/scratch_table.h"

namespace mica {
namespace {

using ::testing::HasSubstr;
using Kind = GivenArgument::Kind;

const Procedure& Example() {
  static const Procedure procedure = {
      .name = "example",
      .description = "An example.",
      .arguments = {{.name = "table", .description = "the table", .required = true},
                    {.name = "snapshot_id", .type = ArgumentType::kLong, .description = "a snapshot", .aliases = {"snapshot"}},
                    {.name = "small", .type = ArgumentType::kInt, .description = "a number"},
                    {.name = "flag", .type = ArgumentType::kBoolean, .description = "a flag"},
                    {.name = "map", .type = ArgumentType::kMap, .description = "a map"},
                    {.name = "parts", .description = "parts", .joined_by = ';'}},
      .flink_order = {"table", "small"},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) { return call.Success(); },
  };
  return procedure;
}

ProcedureCall Call(const std::vector<GivenArgument>& arguments, Engine dialect = Engine::kSpark) {
  ProcedureSetting setting;
  setting.dialect = dialect;
  return ProcedureCall(Example(), setting, arguments);
}

std::string ErrorOf(const std::vector<GivenArgument>& arguments) {
  try {
    Call(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalidArgument);
    return error.what();
  }
  return "no error";
}

TEST(ProcedureCall, BindsByNameInAnyOrderAndCase) {
  auto call = Call({{"FLAG", Kind::kBoolean, "true"}, {"Snapshot", Kind::kNumber, "12"}, {"TABLE", Kind::kText, "t"}});
  EXPECT_EQ(call.Text("table"), "t");
  EXPECT_EQ(call.Integer("snapshot_id"), 12);
  EXPECT_TRUE(call.Boolean("flag"));
  EXPECT_FALSE(call.Has("small"));
  EXPECT_EQ(call.OptionalInteger("small"), std::nullopt);
}

TEST(ProcedureCall, BindsByPositionInTheOrderOfTheEngine) {
  auto spark = Call({{"", Kind::kText, "t"}, {"", Kind::kNumber, "7"}});
  EXPECT_EQ(spark.Integer("snapshot_id"), 7);
  auto flink = Call({{"", Kind::kText, "t"}, {"", Kind::kNumber, "7"}}, Engine::kFlink);
  EXPECT_EQ(flink.Integer("small"), 7);
  EXPECT_EQ(flink.shape(), Engine::kFlink);
}

TEST(ProcedureCall, TakesEmptyTextAndNullForArgumentsNotGiven) {
  auto call = Call({{"", Kind::kText, "t"}, {"", Kind::kText, ""}, {"", Kind::kNull, ""}, {"", Kind::kText, "true"}});
  EXPECT_FALSE(call.Has("snapshot_id"));
  EXPECT_FALSE(call.Has("small"));
  EXPECT_TRUE(call.Boolean("flag"));
}

TEST(ProcedureCall, JoinsArgumentsThatMayBeRepeated) {
  auto named = Call({{"table", Kind::kText, "t"}, {"parts", Kind::kText, "a=1"}, {"parts", Kind::kText, "b=2"}});
  EXPECT_EQ(named.Text("parts"), "a=1;b=2");
  auto positions = Call({{"", Kind::kText, "t"}, {"", Kind::kText, ""}, {"", Kind::kText, ""}, {"", Kind::kText, ""},
                         {"", Kind::kText, ""}, {"", Kind::kText, "x"}, {"", Kind::kText, "y"}, {"", Kind::kText, "z"}});
  EXPECT_EQ(positions.Text("parts"), "x;y;z");
}

TEST(ProcedureCall, TakesMapsAsMapsAndAsText) {
  GivenArgument map{"map", Kind::kMap, "", {{"k", "v"}}};
  EXPECT_EQ(Call({{"table", Kind::kText, "t"}, map}).MapOr("map"), (Options{{"k", "v"}}));
  EXPECT_EQ(Call({{"table", Kind::kText, "t"}, {"map", Kind::kText, " a = 1 , b=x=y "}}).MapOr("map"),
            (Options{{"a", "1"}, {"b", "x=y"}}));
}

TEST(ProcedureCall, NamesWhatIsWrong) {
  GivenArgument table{"table", Kind::kText, "t"};
  EXPECT_THAT(ErrorOf({}), HasSubstr("needs the argument 'table'"));
  EXPECT_THAT(ErrorOf({table, {"snapsht", Kind::kNumber, "1"}}), HasSubstr("Did you mean 'snapshot'?"));
  EXPECT_THAT(ErrorOf({table, {"snapshot", Kind::kNumber, "1"}, {"snapshot_id", Kind::kNumber, "1"}}), HasSubstr("given twice"));
  EXPECT_THAT(ErrorOf({table, {"", Kind::kNumber, "1"}}), HasSubstr("all by name or all by position"));
  EXPECT_THAT(ErrorOf({table, {"snapshot", Kind::kNumber, "1.5"}}), HasSubstr("whole number, not '1.5'"));
  EXPECT_THAT(ErrorOf({table, {"snapshot", Kind::kBoolean, "true"}}), HasSubstr("whole number, not 'true'"));
  EXPECT_THAT(ErrorOf({table, {"small", Kind::kNumber, "3000000000"}}), HasSubstr("32 bits, not '3000000000'"));
  EXPECT_THAT(ErrorOf({table, {"flag", Kind::kText, "maybe"}}), HasSubstr("true or false, not 'maybe'"));
  EXPECT_THAT(ErrorOf({table, {"map", Kind::kNumber, "1"}}), HasSubstr("a map, not '1'"));
  EXPECT_THAT(ErrorOf({table, {"map", Kind::kText, "novalue"}}), HasSubstr("Invalid key-value string 'novalue'"));
  EXPECT_THAT(ErrorOf({{"table", Kind::kMap, "", {}}}), HasSubstr("a text, not a map"));
}

TEST(ProcedureCall, ReadsNamesOfTables) {
  auto name = [](const std::string& text) { return Call({{"table", Kind::kText, text}}).Name().ToString(); };
  EXPECT_EQ(name("t"), "default.t");
  EXPECT_EQ(name("db.t"), "db.t");
  EXPECT_EQ(name("paimon.db.t"), "db.t");
  EXPECT_EQ(name("`a.b`.`c``d`"), "a.b.c`d");
  EXPECT_EQ(name("db.t$branch_b"), "db.t$branch_b");
  for (const char* bad : {"a.b.c.d", "a.", ".t", "`a", "other.db.t"}) EXPECT_THROW(name(bad), Error) << bad;
}

// Every entry is whole: completion, help and the reference page rely on it.
TEST(Procedures, AreDescribedAndAmbiguousNowhere) {
  std::set<std::string> names;
  for (const Procedure& procedure : Procedures()) {
    EXPECT_TRUE(names.insert(procedure.name).second) << procedure.name;
    EXPECT_TRUE(procedure.description.ends_with('.')) << procedure.name;
    EXPECT_FALSE(procedure.spark_result.empty() && procedure.flink_result.empty()) << procedure.name;
    std::set<std::string> arguments, options;
    for (const ProcedureArgument& argument : procedure.arguments) {
      EXPECT_FALSE(argument.description.empty()) << procedure.name << " " << argument.name;
      EXPECT_TRUE(arguments.insert(argument.name).second) << procedure.name << " " << argument.name;
      for (const std::string& alias : argument.aliases) EXPECT_TRUE(arguments.insert(alias).second) << procedure.name << " " << alias;
      EXPECT_TRUE(options.insert(argument.option.empty() ? argument.name : argument.option).second) << argument.name;
      EXPECT_TRUE(!argument.joined_by || argument.type == ArgumentType::kText) << argument.name;
    }
    for (const std::string& name : procedure.flink_order) EXPECT_NE(procedure.FindArgument(name), nullptr) << name;
    EXPECT_EQ(&FindProcedure(procedure.name), &procedure);
  }
}

}  // namespace
}  // namespace mica
