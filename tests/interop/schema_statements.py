"""Tables whose schemas only SQL makes: defaults, comments, nested changes, replaced definitions, merged schemas, views. Mica
runs the statements; Java reads schema and rows, and lists what it takes for tables."""
from java_side import JavaError
from random_tables import Mismatch

# name: statements, rows as Java has to read them, texts of the schema as Java prints it.
DEFINITIONS = {
    "with_defaults": (
        ["CREATE TABLE with_defaults (id INT NOT NULL COMMENT 'the key', s STRING DEFAULT 'x', n INT DEFAULT 5, "
         "a ARRAY<STRING> DEFAULT ARRAY('p', 'q'), m MAP<STRING, INT> DEFAULT '{k -> 1}', r STRUCT<x: INT, y: STRING> "
         "DEFAULT '{42, d}') COMMENT 'a table'",
         "INSERT INTO with_defaults (id) VALUES (1)"],
        [[1, "x", 5, ["p", "q"], [["k", 1]], [42, "d"]]],
        ["the key", "a table"]),
    "nested": (
        ["CREATE TABLE nested (id INT, v STRUCT<f1: STRING, f2: INT>, a ARRAY<STRUCT<f1: STRING, f2: INT>>, "
         "m MAP<INT, STRUCT<f1: STRING, f2: INT>>, l ARRAY<INT>)",
         "INSERT INTO nested VALUES (1, {'f1': 'x', 'f2': 1}, [{'f1': 'x', 'f2': 1}], MAP {7: {'f1': 'x', 'f2': 1}}, [1])",
         "ALTER TABLE nested ADD COLUMN v.f3 STRING", "ALTER TABLE nested ADD COLUMN a.element.f3 STRING",
         "ALTER TABLE nested ADD COLUMN m.value.f3 STRING", "ALTER TABLE nested RENAME COLUMN v.f1 TO f100",
         "ALTER TABLE nested RENAME COLUMN a.element.f1 TO f100", "ALTER TABLE nested RENAME COLUMN m.value.f1 TO f100",
         "ALTER TABLE nested DROP COLUMN v.f2", "ALTER TABLE nested DROP COLUMN a.element.f2",
         "ALTER TABLE nested DROP COLUMN m.value.f2", "ALTER TABLE nested ALTER COLUMN l.element TYPE BIGINT",
         "INSERT INTO nested VALUES (2, {'f100': 'y', 'f3': 'n'}, [{'f100': 'y', 'f3': 'n'}], "
         "MAP {8: {'f100': 'y', 'f3': 'n'}}, [5000000000])"],
        [[1, ["x", None], [["x", None]], [[7, ["x", None]]], [1]],
         [2, ["y", "n"], [["y", "n"]], [[8, ["y", "n"]]], [5000000000]]],
        ["f100"]),
    "positions": (
        ["CREATE TABLE positions (a INT, b STRING, pt STRING) PARTITIONED BY (pt)", "INSERT INTO positions VALUES (1, 'x', 'p')",
         "ALTER TABLE positions ADD COLUMN f INT FIRST", "ALTER TABLE positions ADD COLUMN g INT AFTER a",
         "ALTER TABLE positions ALTER COLUMN b FIRST", "ALTER TABLE positions ALTER COLUMN a TYPE DOUBLE",
         "ALTER TABLE positions RENAME COLUMN g TO h", "ALTER TABLE positions ALTER COLUMN h COMMENT 'moved'",
         "INSERT INTO positions VALUES ('y', 2, 2.5, 3, 'p')"],
        [["x", None, 1.0, None, "p"], ["y", 2, 2.5, 3, "p"]],
        ["moved"]),
    "replaced": (
        ["CREATE TABLE replaced (id INT, v STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '2')",
         "INSERT INTO replaced VALUES (1, 'old')",
         "CREATE OR REPLACE TABLE replaced TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '3') AS "
         "SELECT id * 10 AS k, concat(v, '!') AS w, 1 AS n FROM replaced",
         "INSERT INTO replaced VALUES (20, 'new', 2)"],
        [[10, "old!", 1], [20, "new", 2]],
        ["k"]),
    "merged": (
        ["CREATE TABLE merged (a INT, s STRUCT<x: INT>)", "INSERT INTO merged VALUES (1, {'x': 1})",
         "SET spark.paimon.write.merge-schema = true", "SET spark.paimon.write.merge-schema.type-widening = true",
         "INSERT INTO merged BY NAME SELECT 5000000000 AS a, {'x': 2, 'y': 'z'} AS s, DATE '2024-01-02' AS d", "RESET"],
        [[1, [1, None], None], [5000000000, [2, "z"], "2024-01-02"]],
        ["BIGINT"]),
    "liked": (
        ["CREATE TABLE liked LIKE with_defaults", "INSERT INTO liked (id, s) VALUES (2, 'own')"],
        [[2, "own", 5, ["p", "q"], [["k", 1]], [42, "d"]]],
        ["the key"]),
}
DATABASE = "statements"


def same(expected, got):
    return sorted(map(repr, expected)) == sorted(map(repr, got))


def definition(java, mica, name):
    statements, rows, texts = DEFINITIONS[name]
    for sql in statements:
        mica.run(sql)
    got = java.rows(mica.warehouse, DATABASE, name)
    if not same(rows, got):
        raise Mismatch("Java reads %s, expected %s" % (got, rows))
    schema = java.ask("schema", mica.warehouse, DATABASE, name)["schema"]
    for text in texts:
        if text not in schema:
            raise Mismatch("'%s' is not in the schema that Java reads: %s" % (text, schema))


def views_are_no_tables(java, mica):
    mica.run("CREATE VIEW a_view AS SELECT * FROM nested")
    tables = java.ask("list", mica.warehouse, DATABASE, "any")["tables"]
    if sorted(tables) != sorted(DEFINITIONS):
        raise Mismatch("Java lists %s" % tables)
    try:
        java.rows(mica.warehouse, DATABASE, "a_view")
    except JavaError:
        return
    raise Mismatch("Java reads a view as a table")


def run(java, mica, report):
    """The number of checks. Tables of a name in DEFINITIONS may use those before them."""
    mica.run("SET dialect = spark")
    mica.run("CREATE DATABASE %s" % DATABASE)
    mica.run("USE %s" % DATABASE)
    for name in DEFINITIONS:
        report("statements:%s" % name, lambda: definition(java, mica, name))
    report("statements:views", lambda: views_are_no_tables(java, mica))
    return len(DEFINITIONS) + 1
