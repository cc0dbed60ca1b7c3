#include "dialect/function_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/text.h"

namespace mica::dialect {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kSource = MICA_SOURCE_DIR;

std::string TextOfFile(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Whether the name stands in the text as a word of its own.
bool Names(const std::string& text, std::string_view name) {
  auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    bool before = at > 0 && word(text[at - 1]) && word(name.front());
    bool after = at + name.size() < text.size() && word(text[at + name.size()]) && word(name.back());
    if (!before && !after) return true;
  }
  return false;
}

TEST(FunctionList, HasOneMeaningForEachNameAndDialect) {
  std::map<FunctionScope, std::set<std::string_view>> seen;
  for (const FunctionGroup& group : FunctionGroups()) {
    for (const SqlFunction& function : group.functions) {
      EXPECT_TRUE(seen[function.scope].insert(function.name).second) << function.name;
      if (function.scope != FunctionScope::kBoth) {
        EXPECT_FALSE(seen[FunctionScope::kBoth].contains(function.name)) << function.name;
      }
      EXPECT_EQ(function.name, ToLower(function.name));
      bool needs_body = function.kind == FunctionKind::kAlias || function.kind == FunctionKind::kMacro ||
                        function.kind == FunctionKind::kRewritten || function.kind == FunctionKind::kGenerator;
      EXPECT_EQ(needs_body, !function.body.empty()) << function.name;
    }
  }
}

TEST(FunctionList, FindsNamesWithoutCaseInTheirDialect) {
  EXPECT_NE(FindFunction("NVL2", Dialect::kSpark), nullptr);
  EXPECT_EQ(FindFunction("nvl2", Dialect::kFlink), nullptr);
  EXPECT_NE(FindFunction("ltrim", Dialect::kSpark), FindFunction("ltrim", Dialect::kFlink));
  EXPECT_EQ(NearestFunction("initcp", Dialect::kSpark), "initcap");
  EXPECT_EQ(NearestFunction("*", Dialect::kSpark), std::nullopt);  // never an operator
}

TEST(FunctionList, WritesMacrosWithTheEnginesOwnFunctions) {
  EXPECT_EQ(MacroDefinition(*FindFunction("space", Dialect::kSpark)),
            "CREATE MACRO \"space\" (n) AS system.main.repeat(' ', n)");
}

TEST(FunctionList, IsTestedWhole) {
  std::string spark, flink = TextOfFile(kSource / "tests/interop/flink_expressions.txt") +
                             TextOfFile(kSource / "tests/interop/flink_queries.txt");
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "tests/sql/functions")) {
    (entry.path().filename().string().starts_with("flink") ? flink : spark) += TextOfFile(entry.path());
  }
  spark = ToLower(spark);
  flink = ToLower(flink);
  for (const FunctionGroup& group : FunctionGroups()) {
    for (const SqlFunction& function : group.functions) {
      if (function.usage.empty()) continue;
      if (function.scope != FunctionScope::kFlink)
        EXPECT_TRUE(Names(spark, function.name)) << "Spark: " << function.name;
      if (function.scope != FunctionScope::kSpark)
        EXPECT_TRUE(Names(flink, function.name)) << "Flink: " << function.name;
    }
  }
}

// MICA_UPDATE_DOCS=1 writes the page.
TEST(FunctionList, IsTheReferencePage) {
  std::filesystem::path page = kSource / "docs/reference/functions.md";
  if (std::getenv("MICA_UPDATE_DOCS") != nullptr) {
    std::filesystem::create_directories(page.parent_path());
    std::ofstream(page) << FunctionReference();
  }
  EXPECT_EQ(TextOfFile(page), FunctionReference()) << "run dialect_test with MICA_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace mica::dialect
