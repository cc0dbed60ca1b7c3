"""Reads of two sorted runs of Mica with filters: Java skips pages and rows of its own choice in every column."""
from random_tables import Mismatch

DATABASE = "filtered"
ROWS, UPDATED = 50000, 3  # every third row is in the second run too


def text(i):
    return "%0100d" % i  # pages of texts end elsewhere than those of numbers


def merged(java, mica):
    place = (mica.warehouse, DATABASE, "t")
    name = "lpad(CAST(i AS VARCHAR), 100, '0')"
    mica.run("CREATE TABLE `%s`.t (id BIGINT, day DATE, name STRING, v INT, PRIMARY KEY (id, day, name) NOT ENFORCED) "
             "WITH ('bucket' = '1', 'write-only' = 'true')" % DATABASE)
    for share, value in ((1, "i"), (UPDATED, "-i")):
        mica.run("INSERT INTO `%s`.t SELECT 5 * i, DATE '2024-01-01' + CAST(i AS INTEGER), %s, %s FROM range(%d) AS r(i) "
                 "WHERE i %% %d = 0" % (DATABASE, name, value, ROWS, share))
    # From the start or to the end, whichever is nearer; where Java's batches and Mica's pages may end.
    for row in 1024, 8192, 16384, 20000, 32768, 40961, 49152:
        op, wanted = ("<=", range(row + 1)) if row < ROWS // 2 else (">=", range(row, ROWS))
        expected = [[5 * i, text(i), -i if i % UPDATED == 0 else i] for i in wanted]
        for column, value in ("id", 5 * row), ("name", text(row)):
            got = java.rows(*place, columns=["id", "name", "v"], filter={"column": column, "op": op, "value": value})
            if sorted(got) != expected:
                raise Mismatch("of %s %s %s Java reads %d rows, not %d, or others" % (column, op, value, len(got), len(expected)))


def run(java, mica, report):
    mica.run("CREATE DATABASE `%s`" % DATABASE)
    report("filtered:merged", lambda: merged(java, mica))
    return 1
