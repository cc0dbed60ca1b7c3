"""The differential test: the same queries by Flink SQL and by Mica over one warehouse have to give the same rows.

Mica writes the tables: types with NULL, partitions, primary keys with several commits, nested values. Expressions of
one list (flink_expressions.txt) are asked for in groups, a list of whole queries (flink_queries.txt) and random queries
one by one. Where both refuse a query they agree; where Mica means to differ, docs/differences.md says so and the lists
leave it out.
"""
import decimal
import json
import pathlib
import random
import re
import time

from flink_side import Flink, FlinkError
from mica_side import Mica, MicaError

HERE = pathlib.Path(__file__).resolve().parent
GROUP = 12  # expressions asked for at once
MOMENT = re.compile(r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(\+00(:00)?|Z)?$")
NUMBER = re.compile(r"^-?\d+(\.\d+)?$")

TABLES = """
CREATE TABLE plain (id INT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, m DECIMAL(10, 2),
                    c STRING, dt DATE, ts TIMESTAMP(3));
CREATE TABLE sales (day_ STRING, region INT, item STRING, amount INT, price DECIMAL(8, 2)) PARTITIONED BY (day_, region);
CREATE TABLE orders (id INT, customer INT, status STRING, total DECIMAL(12, 2), PRIMARY KEY (id) NOT ENFORCED)
    WITH ('bucket' = '3');
CREATE TABLE keyed (day_ STRING, k INT, v STRING, n BIGINT, PRIMARY KEY (day_, k) NOT ENFORCED) PARTITIONED BY (day_)
    WITH ('bucket' = '2');
CREATE TABLE nested (id INT, a ARRAY<INT>, m MAP<STRING, INT>, r ROW<x INT, y STRING>)
"""

WORDS = ["apple", "Banana", "cherry pie", "", "a_b", "100%", "Ünïcode", "zebra", "apple tart", "x"]


def text(v):
    return "NULL" if v is None else "'%s'" % v.replace("'", "''")


def maybe(rng, make, odds=0.15):
    return "NULL" if rng.random() < odds else make()


def plain_row(rng, n):
    day = "2024-%02d-%02d" % (rng.randint(1, 12), rng.randint(1, 28))
    clock = "%s %02d:%02d:%02d.%03d" % (day, rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59), rng.randint(0, 999))
    return "(%s)" % ", ".join([
        str(n), maybe(rng, lambda: rng.choice(["TRUE", "FALSE"])),
        maybe(rng, lambda: "CAST(%d AS TINYINT)" % rng.randint(-100, 100)),
        maybe(rng, lambda: "CAST(%d AS SMALLINT)" % rng.randint(-3000, 3000)), maybe(rng, lambda: str(rng.randint(-50, 50))),
        maybe(rng, lambda: "CAST(%d AS BIGINT)" % rng.randint(-10**12, 10**12)),
        maybe(rng, lambda: "CAST(%d.5 AS FLOAT)" % rng.randint(-20, 20)),
        maybe(rng, lambda: "CAST(%d.25 AS DOUBLE)" % rng.randint(-500, 500)),
        maybe(rng, lambda: "CAST(%d.%02d AS DECIMAL(10, 2))" % (rng.randint(-900, 900), rng.randint(0, 99))),
        maybe(rng, lambda: text(rng.choice(WORDS))), maybe(rng, lambda: "DATE '%s'" % day),
        maybe(rng, lambda: "TIMESTAMP '%s'" % clock)])


def insert(mica, table, rows):
    mica.run("INSERT INTO db.%s VALUES %s" % (table, ", ".join(rows)))


def fill(mica, rng):
    mica.run("CREATE DATABASE db")
    mica.run("USE db")
    for statement in TABLES.split(";"):
        mica.run(statement)
    insert(mica, "plain", [plain_row(rng, n) for n in range(60)])
    insert(mica, "plain", [plain_row(rng, n) for n in range(60, 90)])
    for _ in range(3):
        insert(mica, "sales", ["('2024-01-0%d', %d, %s, %s, %d.%02d)" % (
            rng.randint(1, 4), rng.randint(1, 3), text(rng.choice(WORDS)), maybe(rng, lambda: str(rng.randint(1, 9))),
            rng.randint(1, 99), rng.randint(0, 99)) for _ in range(25)])
    states = ["new", "paid", "sent", None]
    for _ in range(4):
        insert(mica, "orders", ["(%d, %s, %s, %d.50)" % (
            i, maybe(rng, lambda: str(rng.randint(1, 9))), text(rng.choice(states)), rng.randint(1, 999))
            for i in rng.sample(range(60), 25)])
    for _ in range(3):
        insert(mica, "keyed", ["('2024-01-0%d', %d, %s, %d)" % (1 + k % 3, k, text(rng.choice(WORDS)), rng.randint(0, 10**10))
                               for k in rng.sample(range(40), 15)])
    insert(mica, "nested", [
        "(1, ARRAY[1, 2, 3], MAP['a', 1, 'b', 2], ROW(1, 'x'))", "(2, ARRAY[4], MAP['c', 3], ROW(2, 'y'))",
        "(3, NULL, NULL, NULL)", "(4, ARRAY[5, CAST(NULL AS INT)], MAP['d', CAST(NULL AS INT)], ROW(4, 'z'))"])


# ---- random queries ----

COLUMNS = {
    "plain": {"int": ["id", "i", "s", "t"], "long": ["l"], "dec": ["m"], "double": ["d"], "str": ["c"], "bool": ["b"],
              "date": ["dt"], "ts": ["ts"]},
    "sales": {"int": ["region", "amount"], "dec": ["price"], "str": ["day_", "item"]},
    "orders": {"int": ["id", "customer"], "dec": ["total"], "str": ["status"]},
    "keyed": {"int": ["k"], "long": ["n"], "str": ["day_", "v"]},
}


class Grammar:
    """Queries over one table, or two joined ones, of expressions that have one meaning in both engines."""

    def __init__(self, rng):
        self.rng = rng

    def column(self, types):
        named = [(a + "." + c) for t in types for a, table in self.tables for c in COLUMNS[table].get(t, [])]
        return self.rng.choice(named) if named else None

    def integer(self, depth=2):
        r = self.rng
        column = self.column(["int"])
        if depth == 0 or r.random() < 0.4:
            return column if column and r.random() < 0.8 else str(r.randint(-9, 60))
        a = self.integer(depth - 1)
        return r.choice([
            lambda: "(%s + %s)" % (a, self.integer(depth - 1)), lambda: "(%s - %s)" % (a, self.integer(depth - 1)),
            lambda: "(%s * %d)" % (a, r.randint(-3, 3)), lambda: "(%s / %d)" % (a, r.choice([-4, 2, 3, 7])),
            lambda: "MOD(%s, %d)" % (a, r.choice([3, 5, 8])), lambda: "ABS(%s)" % a,
            lambda: "COALESCE(%s, %d)" % (a, r.randint(0, 5)), lambda: "CHAR_LENGTH(%s)" % self.string(depth - 1),
            lambda: "CASE WHEN %s THEN %s ELSE %s END" % (self.condition(depth - 1), a, self.integer(depth - 1)),
            lambda: "CAST(%s AS INT)" % (self.column(["dec", "double"]) or a),
            lambda: "NULLIF(%s, %d)" % (a, r.randint(0, 3)), lambda: "POSITION('a' IN %s)" % self.string(depth - 1)])()

    def string(self, depth=2):
        r = self.rng
        column = self.column(["str"])
        if depth == 0 or r.random() < 0.4:
            return column if column and r.random() < 0.8 else text(r.choice(WORDS))
        a = self.string(depth - 1)
        return r.choice([
            lambda: "UPPER(%s)" % a, lambda: "LOWER(%s)" % a, lambda: "TRIM(%s)" % a, lambda: "REVERSE(%s)" % a,
            lambda: "SUBSTRING(%s, %d, %d)" % (a, r.randint(-3, 4), r.randint(0, 4)), lambda: "%s || %s" % (a, text("-")),
            lambda: "CONCAT(%s, %s)" % (a, self.string(depth - 1)), lambda: "REPLACE(%s, 'a', 'b')" % a,
            lambda: "LPAD(%s, %d, '*')" % (a, r.randint(0, 8)), lambda: "CAST(%s AS STRING)" % self.integer(depth - 1),
            lambda: "COALESCE(%s, 'none')" % a, lambda: "REGEXP_REPLACE(%s, '[aeiou]', '.')" % a])()

    def comparison(self, depth):
        r = self.rng
        op = r.choice(["=", "<>", "<", "<=", ">", ">="])
        kind = r.randint(0, 7)
        if kind <= 1:
            left, right = self.integer(depth), self.integer(depth)
            # Flink takes x = x for true where x is NULL too.
            return "%s %s %s" % (left, op, right if right != left else str(r.randint(-9, 60)))
        if kind == 2:
            return "%s %s %s" % (self.string(depth), op, text(r.choice(WORDS)))
        if kind == 3:
            return "%s LIKE %s" % (self.string(depth), text(r.choice(["a%", "%e", "%an%", "_", "%", "apple"])))
        if kind == 4:
            return "%s %sIN (%s)" % (self.integer(depth), r.choice(["", "NOT "]), ", ".join(str(r.randint(0, 30)) for _ in range(3)))
        if kind == 5:
            return "%s BETWEEN %d AND %d" % (self.integer(depth), r.randint(-5, 10), r.randint(5, 40))
        if kind == 6:
            column = self.column(["int", "str", "dec", "double", "date", "ts", "bool", "long"])
            return "%s IS %sNULL" % (column, r.choice(["", "NOT "]))
        column = self.column(["date"])
        if column:
            return "%s %s DATE '2024-0%d-15'" % (column, op, r.randint(1, 9))
        return "%s %s %d.5" % (self.column(["dec"]) or self.integer(depth), op, r.randint(0, 60))

    def condition(self, depth=2):
        r = self.rng
        if depth == 0 or r.random() < 0.5:
            return self.comparison(max(depth - 1, 0))
        return r.choice([
            lambda: "(%s AND %s)" % (self.condition(depth - 1), self.condition(depth - 1)),
            lambda: "(%s OR %s)" % (self.condition(depth - 1), self.condition(depth - 1)),
            lambda: "NOT (%s)" % self.condition(depth - 1)])()

    def source(self):
        r = self.rng
        names = sorted(COLUMNS)
        self.tables = [("q", r.choice(names))]
        hint = ""
        if self.tables[0][1] in ("orders", "keyed") and r.random() < 0.4:
            hint = " /*+ OPTIONS('scan.snapshot-id'='%d') */" % r.randint(1, 3)
        source = "db.%s%s AS q" % (self.tables[0][1], hint)
        if r.random() < 0.25:
            other = r.choice(names)
            left, right = COLUMNS[self.tables[0][1]]["int"], COLUMNS[other]["int"]
            source += " %s JOIN db.%s AS u ON q.%s = u.%s" % (r.choice(["", "LEFT", "FULL"]), other, r.choice(left), r.choice(right))
            self.tables.append(("u", other))
        return source

    def query(self):
        r = self.rng
        source = self.source()
        where = " WHERE " + self.condition() if r.random() < 0.8 else ""
        if r.random() < 0.4:
            keys = [self.column(["str", "int"]) for _ in range(r.randint(0, 2))]
            number = self.column(["int"])
            aggregates = ["COUNT(*)", "COUNT(%s)" % number, "SUM(%s)" % number, "MIN(%s)" % self.column(["int", "str"]),
                          "MAX(%s)" % self.column(["int", "dec", "str"]), "COUNT(DISTINCT %s)" % self.column(["str", "int"]),
                          "AVG(%s)" % number, "SUM(%s)" % (self.column(["dec"]) or number),
                          # Flink has no average of decimals where it sorts to aggregate.
                          "AVG(CAST(%s AS DOUBLE))" % (self.column(["dec"]) or number)]
            chosen = keys + r.sample(aggregates, r.randint(1, 4))
            group = " GROUP BY %s" % ", ".join(keys) if keys else ""
            having = " HAVING COUNT(*) > %d" % r.randint(0, 3) if keys and r.random() < 0.3 else ""
            return "SELECT %s FROM %s%s%s%s" % (named(chosen), source, where, group, having)
        items = [r.choice([self.integer, self.string])() for _ in range(r.randint(1, 3))]
        items.append(self.column(["int", "str", "dec", "date", "ts", "double", "bool", "long"]))
        distinct = "DISTINCT " if r.random() < 0.2 else ""
        return "SELECT %s%s FROM %s%s" % (distinct, named(items), source, where)


def named(items):
    return ", ".join("%s AS c%d" % (item, n) for n, item in enumerate(items))


# ---- comparison ----

def canonical(v):
    if isinstance(v, bool) or v is None:
        return v
    if isinstance(v, (int, decimal.Decimal)):
        return number(decimal.Decimal(v))
    if isinstance(v, float):
        return number(decimal.Decimal(repr(v)))
    if isinstance(v, str):
        if NUMBER.match(v):
            return number(decimal.Decimal(v))
        if MOMENT.match(v):
            v = re.sub(r"(\+00(:00)?|Z)$", "", v.replace("T", " "))
            return re.sub(r"\.?0+$", "", v) if "." in v else v
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(v, v)
    if isinstance(v, dict):
        if set(v) == {"key", "value"}:
            return (canonical(v["key"]), canonical(v["value"]))
        return tuple(canonical(x) for x in v.values())
    return tuple(canonical(x) for x in v)


def number(v):
    """Twelve digits: sums of doubles depend on their order."""
    return "%.12g" % v if v == v and abs(v) != decimal.Decimal("Infinity") else str(v)


def multiset(rows):
    return sorted((tuple(canonical(x) for x in row) for row in rows), key=repr)


# Some plans hold classes of Flink's planner, which its workers do not have: Flink fails with them after it took the query.
FLINK_CANNOT_SHIP = "ClassNotFoundException: scala."


class Differential:
    def __init__(self, mica, flink, report):
        self.mica, self.flink, self.report = mica, flink, report
        self.count = 0

    def ask(self, sql):
        """(rows or None, error) of both."""
        try:
            theirs, refused = self.flink.run(sql), None
        except FlinkError as e:
            theirs, refused = None, str(e)
        try:
            ours, error = [list(row.values()) for row in self.mica.run(sql)], None
        except MicaError as e:
            ours, error = None, str(e)
        return theirs, refused, ours, error

    def differs(self, sql):
        theirs, refused, ours, error = self.ask(sql)
        if theirs is None and FLINK_CANNOT_SHIP in refused:
            return None
        if theirs is None:
            return None if ours is None else "only Flink refuses it: %s; Mica: %s" % (refused[:300], ours[:5])
        if ours is None:
            return "only Mica refuses it: %s; Flink: %s" % (error[:300], theirs[:5])
        theirs, ours = multiset(theirs), multiset(ours)
        if theirs == ours:
            return None
        only = [[row for row in a if row not in b][:4] for a, b in ((theirs, ours), (ours, theirs))]
        return "only in Flink %s, only in Mica %s (%d and %d rows)" % (only[0], only[1], len(theirs), len(ours))

    def check(self, name, sql):
        self.count += 1
        why = self.differs(sql)
        if why:
            self.report.fail("differential:%s" % name, "%s\n    %s" % (sql, why))

    def expressions(self, lines, source):
        """Many at once; one by one where a group does not agree."""
        for at in range(0, len(lines), GROUP):
            group = lines[at:at + GROUP]
            if self.differs("SELECT %s FROM %s" % (named(group), source)) is None:
                self.count += len(group)
                continue
            for line in group:
                self.check("expression", "SELECT %s FROM %s" % (named([line]), source))


def lines_of(name):
    lines = [line.rstrip("\n") for line in open(HERE / name, encoding="utf-8")]
    return [line for line in lines if line and not line.startswith("#")]


def sample(lines, rng, part):
    return lines if part >= 1 else rng.sample(lines, max(1, round(len(lines) * part)))


def run(program, folder, seed, seconds, report, only=None, part=1.0):
    """The number of expressions and queries that were compared: of each list the part given, which the seed chooses, and
    random ones within about so many seconds."""
    end = time.monotonic() + seconds
    folder = pathlib.Path(folder)
    mica = Mica(program, folder)
    fill(mica, random.Random("differential:%d" % seed))
    mica.run("USE db")
    flink = Flink(folder)
    test = Differential(mica, flink, report)
    if only is None:
        rng = random.Random("differential:%d:lists" % seed)
        test.expressions(sample(lines_of("flink_expressions.txt"), rng, part), "(VALUES (1)) AS t(only_one)")
        for n, sql in sample(list(enumerate(lines_of("flink_queries.txt"))), rng, part):
            test.check("query %d" % n, sql)
    least = test.count + round(40 * part)
    n = 0 if only is None else only
    while test.count < least or time.monotonic() < end:
        test.check(str(n), Grammar(random.Random("differential:%d:%d" % (seed, n))).query())
        n += 1
        if only is not None or test.count >= 600:
            break
    mica.close()
    flink.close()
    return test.count
