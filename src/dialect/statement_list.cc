#include "dialect/statement_list.h"

namespace mica::dialect {

namespace {

constexpr StatementInfo kStatements[] = {
    {"Queries", "SELECT ... FROM t [VERSION AS OF {n | 'tag'} | TIMESTAMP AS OF time]",
     "Reads tables, now or at an older state.", "SELECT * FROM t VERSION AS OF 'eod' WHERE id > 3"},
    {"Queries", "SELECT ... FROM t /*+ OPTIONS('key' = 'value', ...) */",
     "Reads a table with options for this statement.", "SELECT * FROM t /*+ OPTIONS('scan.snapshot-id' = '1') */"},
    {"Queries", "SELECT ... FROM `t$snapshots`", "Reads a system table: snapshots, schemas, options, files, tags, ...",
     "SELECT * FROM `t$snapshots`"},
    {"Queries", "EXPLAIN [ANALYZE | EXTENDED] statement", "Shows how a statement would run, and what is read.",
     "EXPLAIN SELECT * FROM t WHERE id = 1"},

    {"Changing rows", "INSERT INTO t [PARTITION (k = v, ...)] [(column, ...) | BY NAME] {query | VALUES ...}",
     "Adds rows; in a table with a primary key they replace those of the same key.",
     "INSERT INTO t PARTITION (dt = '2024-01-01') (id, v) VALUES (1, 'a')"},
    {"Changing rows", "INSERT OVERWRITE t [PARTITION (k = v, ...)] query",
     "Replaces the rows of the table or of partitions.",
     "INSERT OVERWRITE t PARTITION (dt = '2024-01-01') SELECT 1, 'a'"},
    {"Changing rows", "UPDATE t [[AS] a] SET column[.field] = value, ... [WHERE condition]",
     "Sets columns of the rows for which the condition holds.", "UPDATE t SET v = v + 1 WHERE id = 1"},
    {"Changing rows", "DELETE FROM t [[AS] a] [WHERE condition]",
     "Removes the rows for which the condition holds; whole partitions without reading them.",
     "DELETE FROM t WHERE id = 1"},
    {"Changing rows",
     "MERGE INTO t [[AS] a] USING {table | (query)} [[AS] b] ON condition {WHEN [NOT] MATCHED [BY SOURCE] [AND "
     "condition] THEN "
     "{UPDATE SET {* | column = value, ...} | DELETE | INSERT {* | (column, ...) VALUES (value, ...)}}} ...",
     "Changes, removes and adds rows by the rows of a source.",
     "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"},
    {"Changing rows", "TRUNCATE TABLE t [PARTITION (k = v, ...)]", "Removes all rows.", "TRUNCATE TABLE t"},
    {"Changing rows", "{BEGIN | COMMIT | ROLLBACK}", "Makes several writes of one table one commit.", "BEGIN"},

    {"Catalogs", "CREATE CATALOG [IF NOT EXISTS] c [COMMENT 'c'] WITH ('type' = 'paimon', 'warehouse' = '...', ...)",
     "Brings another catalog into the session.", "CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '/w')"},
    {"Catalogs", "USE {[CATALOG] c | c.db | db}", "Chooses where names are looked for.", "USE CATALOG c"},
    {"Catalogs", "DROP CATALOG [IF EXISTS] c", "Forgets a catalog; what it holds stays.", "DROP CATALOG IF EXISTS c"},

    {"Databases",
     "CREATE {DATABASE | SCHEMA} [IF NOT EXISTS] db [COMMENT 'c'] [LOCATION 'path'] [WITH [DBPROPERTIES] (...)]",
     "Makes a database.", "CREATE DATABASE IF NOT EXISTS db"},
    {"Databases", "DROP {DATABASE | SCHEMA} [IF EXISTS] db [RESTRICT | CASCADE]",
     "Drops a database; CASCADE drops its tables too.", "DROP DATABASE IF EXISTS db CASCADE"},
    {"Databases",
     "ALTER {DATABASE | SCHEMA | NAMESPACE} db SET {DBPROPERTIES (...) | PROPERTIES (...) | (...) | LOCATION 'path'}",
     "Changes a database, in catalogs that keep more than its name.",
     "ALTER DATABASE db SET DBPROPERTIES ('owner' = 'me')"},

    {"Tables",
     "CREATE TABLE [IF NOT EXISTS] t (column type [NOT NULL] [DEFAULT v] [COMMENT 'c'], ...) [COMMENT 'c'] "
     "[PARTITIONED BY (column, ...)] [TBLPROPERTIES (...) | WITH (...)]",
     "Makes a table. The primary key is the property 'primary-key' or PRIMARY KEY (...) NOT ENFORCED.",
     "CREATE TABLE t (id INT NOT NULL, v STRING) TBLPROPERTIES ('primary-key' = 'id')"},
    {"Tables", "CREATE TABLE t [PARTITIONED BY (...)] [TBLPROPERTIES (...)] AS query",
     "Makes a table of the rows of a query.", "CREATE TABLE t AS SELECT 1 AS id"},
    {"Tables", "CREATE TABLE [IF NOT EXISTS] t LIKE t2",
     "Makes a table with the columns, keys and options of another one.", "CREATE TABLE t LIKE t2"},
    {"Tables", "[CREATE OR] REPLACE TABLE t (...) [...] [AS query]",
     "Gives a table another definition; its older snapshots stay.", "CREATE OR REPLACE TABLE t (id INT)"},
    {"Tables", "DROP TABLE [IF EXISTS] t [PURGE]", "Drops a table and its files.", "DROP TABLE IF EXISTS t"},
    {"Tables", "COMMENT ON {TABLE t | COLUMN t.c | DATABASE db} IS {'text' | NULL}", "Sets or removes a comment.",
     "COMMENT ON TABLE t IS 'orders of a day'"},
    {"Tables", "ALTER TABLE t RENAME TO t2", "Renames a table.", "ALTER TABLE t RENAME TO t2"},
    {"Tables", "ALTER TABLE t SET TBLPROPERTIES ('key' = 'value', ...)", "Sets options.",
     "ALTER TABLE t SET TBLPROPERTIES ('write-buffer-size' = '256 MB')"},
    {"Tables", "ALTER TABLE t UNSET TBLPROPERTIES ('key', ...)", "Takes options back to their defaults.",
     "ALTER TABLE t UNSET TBLPROPERTIES ('write-buffer-size')"},
    {"Tables", "ALTER TABLE t ADD {COLUMN | COLUMNS} (column type [COMMENT 'c'] [FIRST | AFTER c2], ...)",
     "Adds columns; a.b adds a field to a nested one.", "ALTER TABLE t ADD COLUMNS (c1 INT, c2 STRING)"},
    {"Tables", "ALTER TABLE t RENAME COLUMN a TO b", "Renames a column.", "ALTER TABLE t RENAME COLUMN a TO b"},
    {"Tables", "ALTER TABLE t DROP {COLUMN | COLUMNS} (column, ...)", "Drops columns.",
     "ALTER TABLE t DROP COLUMNS (c1, c2)"},
    {"Tables",
     "ALTER TABLE t ALTER COLUMN c {TYPE type | COMMENT 'c' | FIRST | AFTER c2 | SET DEFAULT v | DROP NOT NULL}",
     "Changes one thing of a column.", "ALTER TABLE t ALTER COLUMN c TYPE BIGINT"},
    {"Tables", "ALTER TABLE t DROP [IF EXISTS] PARTITION (k = v, ...)[, PARTITION ...]",
     "Removes the rows of partitions.", "ALTER TABLE t DROP PARTITION (dt = '2024-01-01')"},
    {"Tables", "ALTER TABLE t {SET ('key' = 'value', ...) | RESET ('key', ...)}",
     "Sets options or takes them back, in Flink's words.", "ALTER TABLE t SET ('write-only' = 'true')"},
    {"Tables", "ALTER TABLE t ADD (column type [FIRST | AFTER c2], ...)", "Adds columns, in Flink's words.",
     "ALTER TABLE t ADD (c1 INT FIRST)"},
    {"Tables", "ALTER TABLE t MODIFY {column type [NOT NULL] [COMMENT 'c'] [FIRST | AFTER c2] | (...)}",
     "Gives columns another definition, in Flink's words.", "ALTER TABLE t MODIFY c DOUBLE AFTER c2"},
    {"Tables", "ALTER TABLE t {RENAME a TO b | DROP {column | (column, ...)}}",
     "Renames or drops columns, in Flink's words.", "ALTER TABLE t RENAME a TO b"},

    {"Views",
     "CREATE [OR REPLACE] [TEMPORARY] VIEW [IF NOT EXISTS] v [(column [COMMENT 'c'], ...)] [COMMENT 'c'] "
     "[TBLPROPERTIES (...)] AS query",
     "Keeps a query under a name; a temporary one for the session.", "CREATE OR REPLACE VIEW v AS SELECT * FROM t"},
    {"Views", "DROP VIEW [IF EXISTS] v", "Drops a view.", "DROP VIEW IF EXISTS v"},

    {"Tags", "ALTER TABLE t CREATE TAG [IF NOT EXISTS] `tag` [AS OF VERSION n] [RETAIN n {DAYS | HOURS | MINUTES}]",
     "Names a snapshot, which then stays.", "ALTER TABLE t CREATE TAG `eod` AS OF VERSION 1 RETAIN 7 DAYS"},
    {"Tags", "ALTER TABLE t {REPLACE | CREATE OR REPLACE} TAG `tag` [AS OF VERSION n] [RETAIN ...]",
     "Gives a tag another snapshot.", "ALTER TABLE t REPLACE TAG `eod` AS OF VERSION 2"},
    {"Tags", "ALTER TABLE t RENAME TAG `tag` TO `tag2`", "Renames a tag.", "ALTER TABLE t RENAME TAG `a` TO `b`"},
    {"Tags", "ALTER TABLE t DELETE TAG [IF EXISTS] `tag,tag2`", "Deletes tags and the files that only they held.",
     "ALTER TABLE t DELETE TAG IF EXISTS `eod`"},

    {"Looking", "SHOW {DATABASES | SCHEMAS} [LIKE 'pattern']", "Lists databases.", "SHOW DATABASES"},
    {"Looking", "SHOW TABLES [IN db] [LIKE 'pattern']", "Lists tables; * is any text, | separates patterns.",
     "SHOW TABLES IN db LIKE 'a*'"},
    {"Looking", "SHOW TABLE EXTENDED [IN db] LIKE 'pattern' [PARTITION (k = v, ...)]",
     "Tells more about tables, or about one partition.", "SHOW TABLE EXTENDED LIKE 't*'"},
    {"Looking", "SHOW COLUMNS {FROM | IN} t", "Lists the columns of a table.", "SHOW COLUMNS IN t"},
    {"Looking", "SHOW PARTITIONS t [PARTITION (k = v, ...)]", "Lists the partitions of a table.", "SHOW PARTITIONS t"},
    {"Looking", "SHOW VIEWS [IN db] [LIKE 'pattern']", "Lists views.", "SHOW VIEWS LIKE 'v*'"},
    {"Looking", "SHOW CREATE {TABLE t | VIEW v | DATABASE db}", "Shows the statement that makes an equal one.",
     "SHOW CREATE TABLE t"},
    {"Looking", "SHOW FUNCTIONS [LIKE 'pattern']", "Lists the functions of the dialect.", "SHOW FUNCTIONS"},
    {"Looking", "SHOW TBLPROPERTIES t [('key')]", "Lists the options of a table.", "SHOW TBLPROPERTIES t"},
    {"Looking", "SHOW TAGS t", "Lists tags.", "SHOW TAGS t"},
    {"Looking", "SHOW PROCEDURES [LIKE 'pattern']", "Lists the procedures that CALL knows.", "SHOW PROCEDURES"},
    {"Looking", "SHOW {CATALOGS | CURRENT CATALOG | CURRENT DATABASE}", "Tells where names are looked for.",
     "SHOW CURRENT DATABASE"},
    {"Looking", "{DESCRIBE | DESC} [TABLE] [EXTENDED] t [column]",
     "Tells the columns of a table or view; EXTENDED its options and statistics too.", "DESCRIBE TABLE EXTENDED t"},
    {"Looking", "DESCRIBE DATABASE [EXTENDED] db", "Tells about a database.", "DESCRIBE DATABASE db"},
    {"Looking", "ANALYZE TABLE t COMPUTE STATISTICS [FOR COLUMNS column, ... | FOR ALL COLUMNS]",
     "Counts rows and values, for the planner and for DESCRIBE EXTENDED.",
     "ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS"},

    {"Procedures", "CALL [catalog.]sys.procedure(name => value, ...)", "Runs a procedure with named arguments.",
     "CALL sys.create_tag(table => 't', tag => 'eod')"},
    {"Procedures", "CALL [catalog.]sys.procedure(value, ...)",
     "Runs a procedure with arguments in their order; '' and NULL stand for those that are not given.",
     "CALL sys.rollback_to('t', '', 10)"},

    {"Session", "SET [key [= value]]", "Sets or shows settings; spark.paimon.<option> holds for every table.",
     "SET 'spark.sql.sources.partitionOverwriteMode' = 'dynamic'"},
    {"Session", "RESET [key]", "Takes settings back.", "RESET memory_limit"},
    {"Session", "REFRESH TABLE t", "Forgets what is known of a table.", "REFRESH TABLE t"},
};

}  // namespace

std::span<const StatementInfo> Statements() {
  return kStatements;
}

}  // namespace mica::dialect
