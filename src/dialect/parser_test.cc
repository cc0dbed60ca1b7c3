#include "dialect/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mica::dialect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

template <typename T>
T As(std::string_view sql, Dialect dialect = Dialect::kSpark) {
  return std::get<T>(ParseStatement(sql, dialect).body);
}
template <typename T>
T Action(std::string_view sql, Dialect dialect = Dialect::kSpark) {
  AlterTable alter = As<AlterTable>(sql, dialect);
  EXPECT_EQ(alter.actions.size(), 1u);
  return std::get<T>(alter.actions.at(0));
}
std::string Failure(std::string_view sql, Dialect dialect = Dialect::kSpark) {
  try {
    Parse(sql, dialect);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

// M-0302, M-0303
TEST(Parser, ReadsCreateTableOfSpark) {
  auto table = As<CreateTable>(
      "CREATE TABLE IF NOT EXISTS db.t (a BIGINT NOT NULL COMMENT 'key', `b c` STRING DEFAULT concat('x', 'y') COMMENT "
      "\"two\", "
      "dt STRING) USING paimon PARTITIONED BY (dt) COMMENT 'c' TBLPROPERTIES ('primary-key' = 'dt,a', bucket = 2) "
      "LOCATION '/p'");
  EXPECT_THAT(table.name.parts, ElementsAre("db", "t"));
  EXPECT_TRUE(table.if_not_exists);
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[0].type, DataType::BigInt().WithNullable(false));
  EXPECT_EQ(table.columns[0].comment, "key");
  EXPECT_EQ(table.columns[1].name, "b c");
  EXPECT_EQ(table.columns[1].default_value->source, "concat('x', 'y')");
  EXPECT_EQ(table.columns[1].comment, "two");
  EXPECT_THAT(table.partition_keys, ElementsAre("dt"));
  EXPECT_THAT(table.options, ElementsAre(Pair("bucket", "2"), Pair("primary-key", "dt,a")));
  EXPECT_EQ(table.location, "/p");
  EXPECT_EQ(table.comment, "c");
  EXPECT_EQ(table.provider, "paimon");
  EXPECT_FALSE(table.query.has_value());
}

// M-0304
TEST(Parser, ReadsCreateTableOfFlink) {
  auto table = As<CreateTable>(
      "CREATE TABLE t (a INT, ts TIMESTAMP(3), PRIMARY KEY (a, ts) NOT ENFORCED) PARTITIONED BY (a) WITH ('bucket' = "
      "'2')",
      Dialect::kFlink);
  EXPECT_THAT(table.primary_key, ElementsAre("a", "ts"));
  EXPECT_EQ(table.columns[1].type, DataType::Timestamp(3));
  EXPECT_THAT(table.options, ElementsAre(Pair("bucket", "2")));
  EXPECT_THAT(As<CreateTable>("CREATE TABLE t (k INT PRIMARY KEY NOT ENFORCED, v INT)").primary_key, ElementsAre("k"));
}

TEST(Parser, TakesTypedPartitionColumnsAndBuckets) {
  auto table =
      As<CreateTable>("CREATE TABLE t (a INT) PARTITIONED BY (dt STRING, hh INT) CLUSTERED BY (a) INTO 8 BUCKETS");
  EXPECT_THAT(table.partition_keys, ElementsAre("dt", "hh"));
  EXPECT_EQ(table.columns.size(), 3u);
  EXPECT_THAT(table.options, ElementsAre(Pair("bucket", "8"), Pair("bucket-key", "a")));
}

// M-0307
TEST(Parser, ReadsCreateTableAsSelect) {
  auto table = As<CreateTable>(
      "CREATE TABLE b PARTITIONED BY (dt) TBLPROPERTIES ('primary-key' = 'dt') AS SELECT * FROM `a` VERSION AS OF 1");
  EXPECT_THAT(table.partition_keys, ElementsAre("dt"));
  EXPECT_EQ(table.query->sql, "SELECT * FROM \"a\" AT (VERSION => 1)");
  EXPECT_EQ(table.query->source, "SELECT * FROM `a` VERSION AS OF 1");
}

// M-0401, M-0402, M-0403, M-0404, M-0408, M-0410
TEST(Parser, ReadsTheFormsOfInsert) {
  auto plain = As<Insert>("INSERT INTO t VALUES (1, \"p1\"), (2, 'p2')");
  EXPECT_FALSE(plain.overwrite);
  EXPECT_EQ(plain.query.sql, "VALUES (1, 'p1'), (2, 'p2')");

  auto fixed = As<Insert>("INSERT OVERWRITE TABLE db.t PARTITION (pt='p1', hh) (a, b) SELECT * FROM s");
  EXPECT_TRUE(fixed.overwrite);
  EXPECT_EQ(fixed.partition.size(), 2u);
  EXPECT_EQ(fixed.partition[0].value->text, "p1");
  EXPECT_FALSE(fixed.partition[1].value.has_value());
  EXPECT_THAT(fixed.columns, ElementsAre("a", "b"));

  auto hinted = As<Insert>("INSERT INTO t /*+ OPTIONS('branch'='b') */ (SELECT 1)", Dialect::kFlink);
  EXPECT_THAT(hinted.options, ElementsAre(Pair("branch", "b")));
  EXPECT_THAT(hinted.columns, IsEmpty());

  EXPECT_TRUE(As<Insert>("INSERT INTO t BY NAME SELECT 1 AS a").by_name);
  EXPECT_EQ(As<Insert>("WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c").query.sql,
            "WITH c AS (SELECT 1)\nSELECT * FROM c");
}

// M-0413, M-0414
TEST(Parser, ReadsUpdateAndDelete) {
  auto update = As<Update>("UPDATE d.t AS x SET s.c2 = 'a_new', x.b = \"x\", a = (SELECT x.y FROM x) WHERE s.c1 = 1");
  EXPECT_THAT(update.target.parts, ElementsAre("d", "t"));
  EXPECT_EQ(update.alias, "x");
  ASSERT_EQ(update.assignments.size(), 3u);
  EXPECT_THAT(update.assignments[0].path, ElementsAre("s", "c2"));
  EXPECT_THAT(update.assignments[1].path, ElementsAre("b"));
  EXPECT_EQ(update.assignments[1].value.sql, "'x'");
  EXPECT_EQ(update.assignments[2].value.sql, "(SELECT x.y FROM x)");
  EXPECT_EQ(update.where->sql, "s.c1 = 1");
  EXPECT_THAT(As<Update>("UPDATE d.t SET d.t.a.b = 1, t.c = 2").assignments[0].path, ElementsAre("a", "b"));
  EXPECT_EQ(As<Update>("UPDATE t SET a = CASE WHEN b THEN 1 END WHERE c").assignments[0].value.sql,
            "CASE WHEN b THEN 1 END");
  EXPECT_FALSE(As<Delete>("DELETE FROM `d`.`t`").where.has_value());
  EXPECT_EQ(As<Delete>("WITH c AS (SELECT 1) DELETE FROM t x WHERE x.a IN (SELECT * FROM c)").with,
            "WITH c AS (SELECT 1)\n");
  EXPECT_THAT(Failure("UPDATE t /*+ OPTIONS('branch'='b') */ SET a = 1"), HasSubstr("on the table that is changed"));
  EXPECT_THAT(Failure("DELETE FROM t VERSION AS OF 1"), HasSubstr("on the table that is changed"));
  EXPECT_THAT(Failure("UPDATE t SET s.a = 1, b = 2, B = 3"), HasSubstr("column 'B' is assigned twice"));
  EXPECT_THAT(Failure("UPDATE t SET s.a = 1, s = 2"), HasSubstr("column 's' is assigned twice"));
  EXPECT_THAT(Failure("UPDATE t SET a = 1 FROM u"), HasSubstr("Use MERGE INTO"));
  EXPECT_THAT(Failure("DELETE FROM t USING u WHERE a = 1"), HasSubstr("Use MERGE INTO"));
}

// M-0416
TEST(Parser, ReadsMerge) {
  using When = MergeClause::When;
  using Action = MergeClause::Action;
  auto merge = As<Merge>(
      "MERGE INTO db.t AS g USING (SELECT 1 AS a, 2 AS d) AS s ON g.a = CASE WHEN s.a THEN 1 END "
      "WHEN MATCHED AND s.d = CASE WHEN g.x THEN 1 END THEN DELETE "
      "WHEN MATCHED THEN UPDATE SET g.x.y.z = s.x, b = 1 WHEN MATCHED THEN UPDATE SET * "
      "WHEN NOT MATCHED BY TARGET AND s.a > 1 THEN INSERT (a, g.b) VALUES (s.a, f(1, 2)) WHEN NOT MATCHED THEN INSERT * "
      "WHEN NOT MATCHED BY SOURCE AND g.a = 1 THEN UPDATE SET a = 2 WHEN NOT MATCHED BY SOURCE THEN DELETE");
  EXPECT_EQ(merge.source.sql, "(SELECT 1 AS a, 2 AS d) AS s");
  EXPECT_EQ(merge.on.sql, "g.a = CASE WHEN s.a THEN 1 END");
  ASSERT_EQ(merge.clauses.size(), 7u);
  EXPECT_EQ(merge.clauses[0].condition->sql, "s.d = CASE WHEN g.x THEN 1 END");
  EXPECT_EQ(merge.clauses[0].action, Action::kDelete);
  EXPECT_THAT(merge.clauses[1].assignments[0].path, ElementsAre("x", "y", "z"));
  EXPECT_EQ(merge.clauses[2].action, Action::kUpdateAll);
  EXPECT_EQ(merge.clauses[3].when, When::kNotMatched);
  EXPECT_THAT(merge.clauses[3].columns, ElementsAre("a", "b"));
  EXPECT_EQ(merge.clauses[3].values[1].sql, "f(1, 2)");
  EXPECT_EQ(merge.clauses[4].action, Action::kInsertAll);
  EXPECT_EQ(merge.clauses[5].when, When::kNotMatchedBySource);
  EXPECT_EQ(merge.clauses[6].action, Action::kDelete);
  EXPECT_THAT(Failure("MERGE INTO t USING s ON a"), HasSubstr("expected WHEN"));
  EXPECT_THAT(Failure("MERGE INTO t USING s ON a WHEN NOT MATCHED THEN DELETE"), HasSubstr("INSERT"));
  EXPECT_THAT(Failure("MERGE INTO t USING s ON a WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *"),
              HasSubstr("Name the columns"));
}

TEST(Parser, ReadsCalls) {
  auto call = As<Call>("CALL sys.create_tag(`table` => 'orders', tag => CONCAT('eod-', `x`), snapshot_id => -12345L)");
  EXPECT_THAT(call.procedure.parts, ElementsAre("sys", "create_tag"));
  ASSERT_EQ(call.arguments.size(), 3u);
  EXPECT_EQ(call.arguments[0].name, "table");
  EXPECT_EQ(call.arguments[0].value.literal->text, "orders");
  EXPECT_FALSE(call.arguments[1].value.literal.has_value());
  EXPECT_EQ(call.arguments[1].value.sql, "CONCAT('eod-', \"x\")");
  EXPECT_EQ(call.arguments[2].value.literal, (Literal{Literal::Kind::kNumber, "-12345"}));
  EXPECT_TRUE(As<Call>("CALL sys.f('a', 1)").arguments[0].name.empty());
  EXPECT_THAT(As<Call>("CALL sys.f()").arguments, IsEmpty());
}

// M-0313 to M-0329
TEST(Parser, ReadsAlterTable) {
  EXPECT_THAT(Action<SetOptions>("ALTER TABLE t SET TBLPROPERTIES ('write-buffer-size' = '256 MB')").options,
              ElementsAre(Pair("write-buffer-size", "256 MB")));
  EXPECT_THAT(Action<SetOptions>("ALTER TABLE t SET (-- one\n 'a' = '1', 'b' = true)").options,
              ElementsAre(Pair("a", "1"), Pair("b", "true")));
  EXPECT_THAT(Action<UnsetOptions>("ALTER TABLE t UNSET TBLPROPERTIES ('k')").keys, ElementsAre("k"));
  EXPECT_THAT(Action<UnsetOptions>("ALTER TABLE t RESET ('k')").keys, ElementsAre("k"));
  EXPECT_THAT(Action<RenameTable>("ALTER TABLE t RENAME TO db.u").new_name.parts, ElementsAre("db", "u"));

  auto nested = Action<AddColumn>("ALTER TABLE t ADD COLUMN v.element.f3 STRING COMMENT 'c' AFTER f2");
  EXPECT_THAT(nested.path, ElementsAre("v", "element", "f3"));
  EXPECT_EQ(nested.position->after, "f2");
  EXPECT_EQ(nested.column.comment, "c");
  EXPECT_EQ(As<AlterTable>("ALTER TABLE t ADD COLUMNS (c1 INT, c2 STRING)").actions.size(), 2u);
  EXPECT_EQ(As<AlterTable>("ALTER TABLE t ADD (c1 INT, c2 STRING)", Dialect::kFlink).actions.size(), 2u);

  EXPECT_EQ(Action<RenameColumn>("ALTER TABLE t RENAME COLUMN v.f1 to f100").new_name, "f100");
  EXPECT_THAT(Action<RenameColumn>("ALTER TABLE t RENAME c0 TO c1").path, ElementsAre("c0"));
  EXPECT_THAT(Action<DropColumn>("ALTER TABLE t DROP COLUMN v.value.f2").path, ElementsAre("v", "value", "f2"));
  EXPECT_EQ(As<AlterTable>("ALTER TABLE t DROP (c1, c2)").actions.size(), 2u);

  EXPECT_EQ(Action<AlterColumn>("ALTER TABLE t ALTER COLUMN a TYPE DOUBLE").type, DataType(TypeRoot::kDouble));
  EXPECT_EQ(Action<AlterColumn>("ALTER TABLE t ALTER COLUMN a COMMENT 'x'").comment, "x");
  EXPECT_EQ(Action<AlterColumn>("ALTER TABLE t ALTER COLUMN a FIRST").position->kind, Position::Kind::kFirst);
  EXPECT_EQ(Action<AlterColumn>("ALTER TABLE t ALTER COLUMN a SET DEFAULT 3").set_default->source, "3");
  EXPECT_EQ(Action<AlterColumn>("ALTER TABLE t ALTER COLUMN a DROP NOT NULL").nullable, true);
  auto modify = Action<AlterColumn>("ALTER TABLE t MODIFY a FLOAT NOT NULL COMMENT 'c' AFTER b", Dialect::kFlink);
  EXPECT_EQ(modify.nullable, false);
  EXPECT_EQ(modify.position->after, "b");

  auto drop = Action<DropPartitions>("ALTER TABLE t DROP PARTITION (`id` = 1, `name` = 'paimon'), PARTITION (id = 2)");
  EXPECT_EQ(drop.partitions.size(), 2u);
  EXPECT_EQ(drop.partitions[0][1].value->text, "paimon");
}

TEST(Parser, ReadsTagStatements) {
  auto tag = As<AlterTag>("ALTER TABLE T CREATE TAG `TAG-4` AS OF VERSION 2 RETAIN 12 HOURS");
  EXPECT_EQ(tag.tag, "TAG-4");
  EXPECT_EQ(tag.snapshot_id, 2);
  EXPECT_EQ(tag.retention, "12 hours");
  EXPECT_EQ(As<AlterTag>("ALTER TABLE T CREATE OR REPLACE TAG a").action, AlterTag::Action::kCreateOrReplace);
  EXPECT_TRUE(As<AlterTag>("ALTER TABLE T DELETE TAG IF EXISTS `TAG-1`").if_exists);
  EXPECT_EQ(As<AlterTag>("ALTER TABLE T RENAME TAG `TAG-1` TO `TAG-2`").new_tag, "TAG-2");
}

// M-0333 to M-0335
TEST(Parser, ReadsSettings) {
  auto set = As<Set>("SET spark.paimon.*.default.T1.scan.snapshot-id=2");
  EXPECT_EQ(set.key, "spark.paimon.*.default.T1.scan.snapshot-id");
  EXPECT_EQ(set.value, "2");
  EXPECT_EQ(As<Set>("SET spark.paimon.file.block-size = 512M -- note").value, "512M");
  EXPECT_EQ(As<Set>("SET 'table.exec.x' = 'NONE'").key, "table.exec.x");
  EXPECT_EQ(As<Set>("SET 'table.exec.x' = 'NONE'").value, "NONE");
  EXPECT_EQ(As<Set>("SET TIME ZONE 'UTC'").key, "spark.sql.session.timeZone");
  EXPECT_FALSE(As<Set>("SET a.b").value.has_value());
  EXPECT_FALSE(As<Set>("SET").key.has_value());
  EXPECT_EQ(As<Reset>("RESET spark.paimon.file.block-size").key, "spark.paimon.file.block-size");
}

TEST(Parser, ReadsShowDescribeAndExplain) {
  auto tables = As<Show>("SHOW TABLES IN db LIKE 'a*'");
  EXPECT_THAT(tables.name->parts, ElementsAre("db"));
  EXPECT_EQ(tables.pattern, "a*");
  EXPECT_EQ(As<Show>("SHOW PARTITIONS t PARTITION (dt='1')").partition.size(), 1u);
  EXPECT_EQ(As<Show>("SHOW CREATE TABLE t").what, Show::What::kCreateTable);
  EXPECT_EQ(As<Show>("SHOW COLUMNS IN t FROM db").name->parts.size(), 2u);
  EXPECT_THAT(As<Describe>("desc `my_table$snapshots`").name.parts, ElementsAre("my_table$snapshots"));
  EXPECT_TRUE(As<Describe>("DESCRIBE TABLE EXTENDED t").extended);
  EXPECT_EQ(As<Describe>("DESCRIBE DATABASE d").what, Describe::What::kDatabase);
  auto explain = As<Explain>("EXPLAIN EXTENDED SELECT * FROM `t`");
  EXPECT_EQ(explain.mode, Explain::Mode::kExtended);
  EXPECT_EQ(std::get<Query>(explain.statement->body).query.sql, "SELECT * FROM \"t\"");
  EXPECT_EQ(explain.statement->source, "SELECT * FROM `t`");
}

TEST(Parser, KeepsTheWordsOfViews) {
  auto view = As<CreateView>("CREATE OR REPLACE VIEW v (a COMMENT 'x', b) AS SELECT \"t\", 1 FROM `t`");
  EXPECT_EQ(view.query.source, "SELECT \"t\", 1 FROM `t`");
  EXPECT_EQ(view.query.sql, "SELECT 't', 1 FROM \"t\"");
  EXPECT_THAT(view.columns, ElementsAre("a", "b"));
}

TEST(Parser, PassesTheEnginesOwnStatementsOn) {
  for (std::string_view sql :
       {"COPY t TO 'x.parquet'", "ATTACH 'a.db' AS a", "PRAGMA version",
        "CREATE MACRO f(x) AS x + 1", "SHOW ALL TABLES", "SET VARIABLE a = 1"}) {
    EXPECT_EQ(As<Query>(sql).kind, Query::Kind::kOther) << sql;
    EXPECT_EQ(As<Query>(sql).query.sql, sql);
  }
}

TEST(Parser, TakesTheTableThatIsLike) {
  auto table = As<CreateTable>("CREATE TABLE IF NOT EXISTS a LIKE c.db.b TBLPROPERTIES ('k' = 'v')");
  ASSERT_TRUE(table.like.has_value());
  EXPECT_THAT(table.like->parts, ElementsAre("c", "db", "b"));
  EXPECT_THAT(table.options, ElementsAre(Pair("k", "v")));
  EXPECT_TRUE(table.if_not_exists);
}

TEST(Parser, RefusesByName) {
  EXPECT_THAT(Failure("CREATE TABLE a (x INT) LIKE b"), HasSubstr("CREATE TABLE LIKE with columns"));
  EXPECT_THAT(Failure("CREATE TABLE a LIKE b (INCLUDING ALL)"), HasSubstr("INCLUDING"));
  EXPECT_THAT(Failure("REPLACE TABLE a AS SELECT 1"), HasSubstr("CREATE OR REPLACE TABLE"));
  EXPECT_THAT(Failure("CREATE TABLE a (x INT, WATERMARK FOR x AS x)"), HasSubstr("WATERMARK"));
  EXPECT_THAT(Failure("CREATE TABLE a (x AS 1)"), HasSubstr("computed columns"));
  EXPECT_THAT(Failure("CREATE TABLE a (x INT) PARTITIONED BY (days(x))"), HasSubstr("partition transforms"));
  EXPECT_THAT(Failure("EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1"), HasSubstr("STATEMENT SET"));
  EXPECT_THAT(Failure("CREATE TEMP TABLE x AS SELECT 1"), HasSubstr("a TEMPORARY table"));
  EXPECT_THAT(Failure("CREATE OR REPLACE TEMPORARY TABLE x (a INT)"), HasSubstr("a TEMPORARY table"));
  EXPECT_THAT(Failure("MSCK REPAIR TABLE t"), HasSubstr("MSCK statements"));
  EXPECT_THAT(Failure("GRANT SELECT ON t TO someone"), HasSubstr("GRANT statements"));
}

TEST(Parser, SaysWhatItExpectedAndWhere) {
  EXPECT_EQ(
      Failure("SELECT 1;\nCREATE TABEL t (a INT)"),
      "Syntax error at line 2, column 8: expected one of TABLE, VIEW, DATABASE, SCHEMA, NAMESPACE, CATALOG, found "
      "'TABEL'. Did you mean 'TABLE'?\n  CREATE TABEL t (a INT)\n         ^");
  EXPECT_THAT(Failure("SELEC 1"), HasSubstr("expected a statement, found 'SELEC'. Did you mean 'SELECT'?"));
  EXPECT_THAT(Failure("SHOW TABELS"), HasSubstr("Did you mean 'TABLES'?"));
  EXPECT_THAT(Failure("CREATE TABLE t (a INT, a STRING)"), HasSubstr("column 'a' is given twice"));
  EXPECT_THAT(Failure("CREATE TABLE t (a INT) PARTITION BY (a)"),
              HasSubstr("or the end, found 'PARTITION'"));
  EXPECT_THAT(Failure("DROP TABLE"), HasSubstr("expected a table name, found the end of the statement"));
  EXPECT_THAT(Failure("SELECT 'abc"), HasSubstr("text is not closed"));
  EXPECT_THAT(Failure("INSERT INTO t"), HasSubstr("expected VALUES or a query"));
  EXPECT_THAT(Failure("CREATE TABLE t (a INT) TBLPROPERTIES ('a' = 'b', 'a' = 'c')"),
              HasSubstr("option 'a' is given twice"));
}

// M-1210
TEST(Splitter, CutsAtSemicolonsOutsideQuotesAndComments) {
  std::string script = "SELECT ';' /* ; */; -- ;\n;\nSELECT `a;b`\n";
  auto parts = SplitStatements(script, Dialect::kSpark);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_TRUE(parts[0].complete);
  EXPECT_EQ(script.substr(parts[0].range.begin, parts[0].range.end - parts[0].range.begin), "SELECT ';'");
  EXPECT_FALSE(parts[1].complete);
  EXPECT_THAT(SplitStatements(" -- nothing\n", Dialect::kSpark), IsEmpty());
  // Nothing of a set runs by itself.
  EXPECT_EQ(SplitStatements("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END; SELECT 3",
                            Dialect::kFlink)
                .size(),
            2);
  EXPECT_EQ(SplitStatements("BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END;", Dialect::kFlink).size(), 1);
  EXPECT_EQ(SplitStatements("BEGIN; INSERT INTO a SELECT 1; END;", Dialect::kFlink).size(), 3);
}

TEST(Splitter, AnOpenQuoteIsNotComplete) {
  EXPECT_FALSE(SplitStatements("SELECT 'a;", Dialect::kSpark).at(0).complete);
  EXPECT_FALSE(SplitStatements("SELECT 1; /* a", Dialect::kSpark).at(1).complete);
}

}  // namespace
}  // namespace mica::dialect
