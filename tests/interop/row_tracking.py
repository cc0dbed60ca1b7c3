"""Row ids and sequence numbers of append tables with row tracking: Java writes, and both read the hidden columns."""
from random_tables import Mismatch

DATABASE = "row_tracking"
FORMATS = ("parquet", "orc", "avro")


def tracked(java, mica, file_format):
    name = "t_" + file_format
    place = (mica.warehouse, DATABASE, name)
    table = "`%s`.`%s`" % (DATABASE, name)
    java.ask("create", *place, columns=[{"name": "k", "type": "INT"}, {"name": "v", "type": "STRING"}], primary_keys=[],
             partition_keys=[], options={"row-tracking.enabled": "true", "bucket": "-1", "file.format": file_format})
    expected = []
    for commit in range(3):
        rows = [[10 * commit + i, "v%d" % i] for i in range(4)]
        java.ask("write", *place, rows=rows)
        expected += [row + [4 * commit + i, commit + 1] for i, row in enumerate(rows)]
        if file_format != "avro":  # Java 1.4.2 has no ids for rows of Avro files
            same("Java after commit %d" % (commit + 1), expected, java.rows(mica.warehouse, DATABASE, name + "$row_tracking"))
        same("Mica after commit %d" % (commit + 1), expected, mica_rows(mica, table))
    if file_format != "avro":
        # A file as an update makes it: it holds the ids of its rows, and numbers of those that did not change.
        java.ask("write", *place, tracked=True, rows=[[50, "old", 3, 1], [51, "changed", 2, None]])
        expected += [[50, "old", 3, 1], [51, "changed", 2, 4]]
        same("Java with stored numbers", expected, java.rows(mica.warehouse, DATABASE, name + "$row_tracking"))
        same("Mica with stored numbers", expected, mica_rows(mica, table))
    same("Mica's $row_tracking", expected, mica_rows(mica, "`%s`.`%s$row_tracking`" % (DATABASE, name)))
    found = mica.run("SELECT v, __paimon_row_index AS i FROM %s WHERE _ROW_ID = 9 AND _SEQUENCE_NUMBER = 3" % table)
    same("the filter", [["v1", 1]], [[row["v"], row["i"]] for row in found])


def mica_rows(mica, table):
    return [[row["k"], row["v"], row["_ROW_ID"], row["_SEQUENCE_NUMBER"]]
            for row in mica.run("SELECT k, v, _ROW_ID, _SEQUENCE_NUMBER FROM " + table)]


def same(what, expected, got):
    if sorted(expected) != sorted(got):
        raise Mismatch("%s reads %s, expected %s" % (what, got, expected))


def run(java, mica, report):
    for file_format in FORMATS:
        report("row_tracking:%s" % file_format, lambda: tracked(java, mica, file_format))
    return len(FORMATS)
