"""The golden part: fixtures that real Apache Paimon wrote (tests/golden), read by Mica; it needs no Java.

Each "-- expect" line of tests/golden/sql/*.sql is a read that must give the rows beside it in expected/. Each
"-- refused TABLE OPTION" is a SELECT that must be refused by a message that names the option, "-- refused-write" an
INSERT; once Mica supports what a "refused" line names, the rows of its "-- expect" line must come instead.
"""
import json
import pathlib
import re
import tarfile

import values
from mica_side import Mica, MicaError, quoted
from paimon_types import parse
from random_tables import Mismatch, require

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
DIRECTIVE = re.compile(r"-- (expect|refused|refused-write) (\S+)(?: (\S+))?(?: (\S+))?$")


def unpack(folder):
    with tarfile.open(GOLDEN / "warehouse.tar.xz") as tar:
        tar.extractall(folder)


def cases():
    """(database, table, verb, first word, second word) of each directive."""
    for script in sorted((GOLDEN / "sql").glob("*.sql")):
        found = [DIRECTIVE.match(line) for line in script.read_text(encoding="utf-8").splitlines()]
        found = [m.groups() for m in found if m]
        refused = {table for verb, table, _, _ in found if verb == "refused"}
        for verb, table, one, two in found:
            if not (verb == "expect" and table in refused):
                yield script.stem, table, verb, one, two


def expected(db, table, label):
    lines = (GOLDEN / "expected" / db / (table + label + ".jsonl")).read_text(encoding="utf-8").split("\n")[:-1]
    columns = [(n, parse(t)) for n, t in json.loads(lines[0])["columns"]]
    return columns, [json.loads(x) for x in lines[1:]]


def check(mica, db, table, verb, one, two):
    if verb == "expect":
        label, suffix = "", ""
        if one:
            label = ".%s_%s" % (one, two)
            suffix = " VERSION AS OF %s" % (two if one == "snapshot" else "'%s'" % two)
        check_rows(mica, db, table, label, suffix)
        return
    sql = "SELECT * FROM %s" % quoted(db, table)
    if verb == "refused-write":
        sql = "INSERT INTO %s SELECT * FROM %s" % (quoted(db, table), quoted(db, table))
    try:
        mica.run(sql)
    except MicaError as e:
        if one not in str(e):
            raise Mismatch("%s: the refusal does not name '%s': %s" % (sql, one, e))
        return
    raise Mismatch("%s: was not refused for '%s'" % (sql, one))


def refused(table, t, column):
    """Whether a column is one of the listed differences: local time zone above microseconds, and nanoseconds outside of
    the years 1677 to 2262."""
    if t.root == "TIMESTAMP_LTZ" and t.args[0] > 6:
        return True
    nanos = t.root == "TIMESTAMP" and t.args[0] > 6
    return nanos and any(not 1677 < int(v[:4]) < 2262 for v in column if v is not None)


def check_rows(mica, db, table, label, suffix):
    columns, rows = expected(db, table, label)
    # Columns that Mica refuses by name; the others can be read.
    fine = [i for i, (_, t) in enumerate(columns) if not refused(table, t, [r[i] for r in rows])]
    if len(fine) < len(columns):
        try:
            mica.run("SELECT * FROM %s" % quoted(db, table))
            raise Mismatch("a column that Mica cannot hold was not refused")
        except MicaError as e:
            lost = [n for i, (n, _) in enumerate(columns) if i not in fine]
            if not any("'%s'" % n in str(e) for n in lost):
                raise Mismatch("the refusal does not name column '%s': %s" % (lost[0], e))
    columns, rows = [columns[i] for i in fine], [[r[i] for i in fine] for r in rows]
    names, types = [n for n, _ in columns], [t for _, t in columns]
    source = "%s%s" % (quoted(db, table), suffix)

    def read(where):
        got = mica.run("SELECT %s FROM %s%s" % (", ".join(quoted(n) for n in names), source, where))
        return values.multiset([[r[n] for n in names] for r in got], types)

    require("all rows", values.multiset(rows, types), read(""))
    for i, (name, t) in enumerate(columns):
        if not t.atomic() or t.root in ("FLOAT", "DOUBLE"):
            continue
        for v in {json.dumps(r[i]): r[i] for r in rows}.values():
            test = "IS NULL" if v is None else "= " + values.literal(v, t)
            keep = [r for r in rows if values.canonical(r[i], t) == values.canonical(v, t)]
            where = " WHERE %s %s" % (quoted(name), test)
            require(where, values.multiset(keep, types), read(where))


def run(program, folder, report):
    unpack(folder)
    mica = Mica(program, folder)
    count = 0
    for case in cases():
        count += 1
        report("golden %s.%s" % case[:2] + (" %s %s" % (case[3], case[4]) if case[3] else ""), lambda: check(mica, *case))
    mica.close()
    return count
