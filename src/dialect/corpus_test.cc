#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>

#include <gtest/gtest.h>

#include "dialect/parser.h"
#include "dialect/test_corpus.h"

namespace mica::dialect {
namespace {

std::vector<std::string> Statements(std::string_view script, Dialect dialect) {
  std::vector<std::string> out;
  for (const StatementText& part : SplitStatements(script, dialect)) {
    out.emplace_back(script.substr(part.range.begin, part.range.end - part.range.begin));
  }
  return out;
}

double Seconds(const std::function<void()>& work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Corpus, EveryStatementParsesInBothDialects) {
  for (std::string_view script : {kFlinkCorpus, kSparkCorpus}) {
    Dialect own = script == kFlinkCorpus ? Dialect::kFlink : Dialect::kSpark;
    std::vector<std::string> statements = Statements(script, own);
    EXPECT_GT(statements.size(), 60u);
    for (const std::string& sql : statements) {
      for (Dialect dialect : {Dialect::kSpark, Dialect::kFlink}) {
        EXPECT_NO_THROW(ParseStatement(sql, dialect)) << sql;
      }
    }
  }
}

TEST(Corpus, AStatementTakesLessThanAMillisecond) {
  constexpr int kRounds = 5;
  for (std::string_view script : {kFlinkCorpus, kSparkCorpus}) {
    for (const std::string& sql : Statements(script, Dialect::kFlink)) {
      double best = 1;
      for (int i = 0; i < kRounds; ++i) best = std::min(best, Seconds([&] { ParseStatement(sql, Dialect::kFlink); }));
      EXPECT_LT(best, 0.001) << sql;
    }
  }
}

// Random cuts, swaps, repeats and odd bytes: the parser gives statements or an Error, nothing else.
TEST(Corpus, BrokenStatementsGiveErrors) {
  uint64_t seed =
      std::getenv("MICA_SEED") ? std::strtoull(std::getenv("MICA_SEED"), nullptr, 10) : std::random_device()();
  std::cout << "MICA_SEED=" << seed << "\n";
  std::mt19937_64 random(seed);
  std::vector<std::string> statements = Statements(kFlinkCorpus, Dialect::kFlink);
  for (std::string& sql : Statements(kSparkCorpus, Dialect::kSpark)) statements.push_back(std::move(sql));
  static constexpr std::string_view kPieces[] = {
      "(",   ")",  "<",     ">",    "'",        "\"", "`",     ";",       ",",        ".",
      "/*+", "/*", "*/",    "--",   "\\",       "\n", "AS OF", "VERSION", "OPTIONS(", "NOT NULL",
      "::",  "=>", "CAST(", " AS ", "INTERVAL", "1e", "\xFF",  "$"};
  auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  int errors = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string sql = statements[below(statements.size())];
    for (size_t change = 1 + below(4); change > 0; --change) {
      size_t at = below(sql.size() + 1);
      size_t length = below(std::min<size_t>(sql.size() - at, 12) + 1);
      std::string_view other = statements[below(statements.size())];
      switch (below(4)) {
        case 0:
          sql.erase(at, length);
          break;
        case 1:
          sql.insert(at, kPieces[below(std::size(kPieces))]);
          break;
        case 2:
          sql.insert(at, sql.substr(at, length));
          break;
        default:
          sql.insert(at, other.substr(below(other.size()), below(20)));
      }
    }
    Dialect dialect = below(2) == 0 ? Dialect::kSpark : Dialect::kFlink;
    SplitStatements(sql, dialect);
    try {
      Parse(sql, dialect);
    } catch (const Error& error) {
      ++errors;
      ASSERT_TRUE(error.kind() == ErrorKind::kInvalidArgument || error.kind() == ErrorKind::kUnsupported)
          << error.what() << "\n"
          << sql;
    }
  }
  EXPECT_GT(errors, 1000);
}

std::string Repeat(std::string_view piece, size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += piece;
  return out;
}

// Ten times the text takes about ten times as long, for text that is right and text that is not.
TEST(Corpus, TimeGrowsLinearly) {
  constexpr size_t kSmall = 100'000;
  constexpr size_t kLarge = 1'000'000;
  struct Shape {
    std::string_view begin;
    std::string_view piece;
  };
  for (const Shape& shape : {
           Shape{"INSERT INTO t VALUES (0, '')", ", (1, 'it\\'s', CAST('1' AS ARRAY<FOO>), CAST(\"2\" AS STRING))"},
           Shape{"SELECT * FROM a", ", t VERSION AS OF 1 AS x, u /*+ OPTIONS('a'='b') */ v"},
           Shape{"CREATE TABLE t (a INT", ", `c d` STRUCT<a: INT, b: MAP<INT, STRING>> DEFAULT f(1) COMMENT 'x'"},
           Shape{"SELECT ", "("},
           Shape{"SELECT ", "f(/*"},
           Shape{"SELECT 1 ", "WITH x AS (SELECT 1) "},
           Shape{"SELECT * FROM t TIMESTAMP AS OF ", "("},
           Shape{"SELECT * FROM t TIMESTAMP AS OF ", "(SELECT a FROM t TIMESTAMP AS OF "},
           Shape{"SELECT * FROM t VERSION AS OF 1 x(", "a, "},
           Shape{"SELECT CAST(a AS ", "ROW<a "},
           Shape{"CREATE TABLE t (a ROW<", "a ARRAY<"},
           Shape{"SELECT ", "'"},
           Shape{"CALL sys.f(", "a => (1), "},
           Shape{"EXPLAIN ", "EXPLAIN "},
           Shape{"SELECT ", "a.`b`."},
           Shape{"SELECT a ", "LEFT SEMI "},
           Shape{"ALTER TABLE t SET (", "'a' "},
           Shape{"SET a", "."},
           Shape{"UPDATE t ", "SET a "},
           Shape{"UPDATE t SET s.a = 1", ", a = 2, t.b = f(3)"},
           Shape{"MERGE INTO t USING s ON a ", "WHEN MATCHED THEN UPDATE SET t.a = s.b "},
       }) {
    auto time = [&](size_t bytes) {
      std::string sql = std::string(shape.begin) + Repeat(shape.piece, bytes);
      return Seconds([&] {
        try {
          Parse(sql, Dialect::kSpark);
        } catch (const Error&) {
        }
      });
    };
    double small = std::min(time(kSmall), time(kSmall));
    double large = time(kLarge);
    EXPECT_LT(large, 40 * small + 0.2) << shape.begin << shape.piece;
    EXPECT_LT(large, 5) << shape.begin << shape.piece;
  }
}

}  // namespace
}  // namespace mica::dialect
