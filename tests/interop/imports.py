"""import_files: Mica takes files into a table where they lie, those of DuckDB and those that Java wrote for another table. Java
reads them, filters by their statistics and expires them once they are compacted."""
from random_tables import Mismatch

DATABASE = "imports"
COLUMNS = ("k INT", "v STRING", "d DECIMAL(12, 3)", "t DATE", "m TIMESTAMP(3)", "a ARRAY<BIGINT>", "r ROW<x DOUBLE, y STRING>")
ROWS = [[1, "a", "1.500", "2024-02-29", "2024-01-01 10:00:00.123", [1, None], [0.5, "p"]],
        [2, None, None, None, None, None, None],
        [7, "zz", "-9.125", "1969-12-31", "1999-12-31 23:59:59.999", [], [-2.0, None]]]
DUCK = """COPY (SELECT * FROM (VALUES
  (1, 'a', 1.5::DECIMAL(12, 3), DATE '2024-02-29', TIMESTAMP_MS '2024-01-01 10:00:00.123', [1, NULL]::BIGINT[], {'x': 0.5::DOUBLE, 'y': 'p'}),
  (2, NULL, NULL, NULL, NULL, NULL, NULL),
  (7, 'zz', -9.125, DATE '1969-12-31', TIMESTAMP_MS '1999-12-31 23:59:59.999', [], {'x': -2.0, 'y': NULL})) AS rows(k, v, d, t, m, a, r))
  TO '%s/duck.parquet' (FORMAT PARQUET)"""


def imported(java, mica, source, file_format):
    name = "%s_%s" % (source, file_format)
    mica.run("CREATE TABLE %s.%s (%s, p DATE) PARTITIONED BY (p) WITH ('file.format' = '%s', 'compaction.min.file-num' = '2')"
             % (DATABASE, name, ", ".join(COLUMNS), file_format))
    place = (mica.warehouse, DATABASE, name)
    if source == "duck":
        folder = mica.warehouse / (name + "_files")
        folder.mkdir()
        mica.run(DUCK % folder)
    else:
        mica.run("CREATE TABLE %s.%s_source (%s) WITH ('file.format' = '%s')" % (DATABASE, name, ", ".join(COLUMNS), file_format))
        java.ask("write", mica.warehouse, DATABASE, name + "_source", rows=ROWS)
        folder = mica.warehouse / (DATABASE + ".db") / (name + "_source") / "bucket-0"
    before = sorted(folder.iterdir())
    call = "CALL sys.import_files('%s.%s', '%s', 'p=2024-07-01')" % (DATABASE, name, folder)
    same("the count", [1], list(mica.run(call)[0].values()))
    expected = sorted(row + ["2024-07-01"] for row in ROWS)
    rows = lambda **more: sorted(java.rows(*place, **more))
    same("Java reads", expected, rows())
    same("Java filters", expected[2:], rows(filter={"column": "k", "op": ">", "value": 2}))
    same("Java filters by partition", [], rows(filter={"column": "p", "op": ">", "value": "2024-07-01"}))
    same("Mica reads", [[1, "a"], [2, None], [7, "zz"]],
         sorted([r["k"], r["v"]] for r in mica.run("SELECT * FROM %s.%s WHERE p = DATE '2024-07-01'" % (DATABASE, name))))
    more = [[9, "more", None, None, None, None, None, "2024-07-01"]]
    java.ask("write", *place, rows=more)
    mica.run("CALL sys.compact('%s.%s')" % (DATABASE, name))
    same("Java reads what Mica compacted", expected + more, rows())
    same("Mica reads what it compacted", 4, mica.run("SELECT count(*) AS n FROM %s.%s" % (DATABASE, name))[0]["n"])
    same("the files before the expiry", before, sorted(folder.iterdir()))
    java.ask("expire", *place, keep=1)
    same("the files after the expiry", [f for f in before if f.suffix != "." + file_format], sorted(folder.iterdir()))
    same("Java reads at the end", expected + more, rows())


def same(what, expected, got):
    if expected != got:
        raise Mismatch("%s: expected %r, got %r" % (what, expected, got))


def run(java, mica, report):
    cases = [("duck", "parquet"), ("java", "parquet"), ("java", "orc"), ("java", "avro")]
    mica.run("CREATE DATABASE " + DATABASE)
    for source, file_format in cases:
        report("imports:%s_%s" % (source, file_format), lambda: imported(java, mica, source, file_format))
    return len(cases)
