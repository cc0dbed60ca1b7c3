"""clone: Mica copies tables that both sides wrote; Java reads the copies, writes into them, compacts and expires them, and reads
them again after the next clone."""
from random_tables import Mismatch

DATABASE = "clones"
COLUMNS = "id INT%s, v STRING, d DECIMAL(20, 3), r ROW<x INT, y STRING>, p STRING%s"
LAYOUTS = {
    "append": {},
    "vectors": {"deletion-vectors.enabled": "true"},
    "buckets": {"bucket": "2", "bucket-key": "id"},
    "indexed": {"file-index.bloom-filter.columns": "id", "file-index.in-manifest-threshold": "1 b"},
    "keyed": {"bucket": "2"},
    "keyed_thin": {"bucket": "1", "data-file.thin-mode": "true"},
    "keyed_vectors": {"bucket": "1", "deletion-vectors.enabled": "true"},
    "dynamic": {"bucket": "-1", "dynamic-bucket.target-row-num": "3"},
    "postpone": {"bucket": "-2"},
}


def same(what, expected, got):
    if expected != got:
        raise Mismatch("%s: expected %r, got %r" % (what, expected, got))


def rows_of(numbers, text):
    return [[i, "%s%d" % (text, i), "%d.125" % i, [i, None], "ab"[i % 2]] for i in numbers]


def options_of(options):
    return ", ".join("'%s' = '%s'" % item for item in options.items())


def cloned(java, mica, layout, file_format):
    keyed = layout.startswith("keyed") or layout in ("dynamic", "postpone")
    name, copy = "%s_%s" % (layout, file_format), "%s_%s_copy" % (layout, file_format)
    not_null = " NOT NULL" if keyed else ""
    options = dict(LAYOUTS[layout], **{"file.format": file_format, "write-only": "false"})
    keys = ", PRIMARY KEY (id, p) NOT ENFORCED" if keyed else ""
    mica.run("CREATE TABLE %s.%s (%s%s) PARTITIONED BY (p) WITH (%s)"
             % (DATABASE, name, COLUMNS % (not_null, not_null), keys, options_of(options)))
    source, target = (mica.warehouse, DATABASE, name), (mica.warehouse, DATABASE + "_copies", copy)
    if layout != "postpone":
        java.ask("write", *source, rows=rows_of(range(8), "java"))
    mica.run("INSERT INTO %s.%s VALUES %s" % (DATABASE, name, ", ".join(
        "(%d, 'mica%d', %d.5, ROW(%d, 'y'), '%s')" % (i, i, i, i, "ab"[i % 2]) for i in range(6, 14))))
    if layout != "buckets":
        mica.run("DELETE FROM %s.%s WHERE id IN (3, 10)" % (DATABASE, name))
    call = ("CALL sys.clone(database => '%s', `table` => '%s', target_database => '%s_copies', target_table => '%s')"
            % (DATABASE, name, DATABASE, copy))

    def compare(what):
        rows = sorted(map(repr, java.rows(*source)))
        same(what + ": Java", rows, sorted(map(repr, java.rows(*target))))
        count = "SELECT count(*) AS n, sum(id) AS s, sum(d) AS d, count(r.y) AS y, min(v) AS v FROM %s.%s"
        same(what + ": Mica", mica.run(count % (DATABASE, name)), mica.run(count % (DATABASE + "_copies", copy)))
        for number in (1, 7, 12):
            wanted = {"column": "id", "op": "=", "value": number}
            same(what + ": Java filters", sorted(map(repr, java.rows(*source, filter=wanted))),
                 sorted(map(repr, java.rows(*target, filter=wanted))))
        if len(rows) < 7:
            raise Mismatch("%s: only %d rows" % (what, len(rows)))

    mica.run(call)
    compare("the clone")
    # The copy goes its own way: rows and a compaction, none of which outlives the next clone.
    if layout != "postpone":
        java.ask("write", *target, rows=rows_of(range(40, 44), "own"))
        if layout == "buckets" or keyed:
            java.ask("compact", *target)
        else:
            mica.run("CALL sys.compact(`table` => '%s_copies.%s', options => 'compaction.min.file-num=2')" % (DATABASE, copy))
    else:
        mica.run("INSERT INTO %s_copies.%s VALUES (40, 'own', 1, NULL, 'a')" % (DATABASE, copy))
    mica.run("INSERT INTO %s.%s VALUES (20, 'late', 20, NULL, 'a'), (21, 'late', 21, NULL, 'b')" % (DATABASE, name))
    mica.run(call)
    compare("the second clone")
    # What the first clone brought, and the second one brought again, must outlive the snapshots in between.
    java.ask("expire", *target, keep=1)
    compare("after the expiry")
    mica.run(call)
    compare("the third clone")
    # The files with their metadata, without a commit.
    far = mica.warehouse / "far"
    mica.run("CALL sys.copy_files(database => '%s', `table` => '%s', target_warehouse => '%s', target_database => 'd', "
             "target_table => '%s')" % (DATABASE, name, far, name))
    same("Java reads the copied files", sorted(map(repr, java.rows(*source))), sorted(map(repr, java.rows(far, "d", name))))
    java.ask("write", far, "d", name, rows=rows_of(range(50, 52), "far"))
    same("Java goes on with the copy", len(java.rows(*source)) + (0 if layout == "postpone" else 2), len(java.rows(far, "d", name)))


def run(java, mica, report):
    mica.run("CREATE DATABASE " + DATABASE)
    cases = [(layout, "parquet") for layout in LAYOUTS] + [("append", "orc"), ("keyed", "orc"), ("append", "avro"), ("keyed", "avro")]
    for layout, file_format in cases:
        report("clones:%s_%s" % (layout, file_format), lambda: cloned(java, mica, layout, file_format))
    return len(cases)
