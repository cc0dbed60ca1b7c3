"""UPDATE, DELETE and MERGE INTO by Mica on tables of every kind, between rows and compactions by both sides. After each turn
both read what the model holds."""
import values
from compacted_tables import check_old_states
from mica_side import quoted
from paimon_types import parse
from random_tables import Pair
from table_model import Model

ID, P, V, S, R = range(5)
PARTS = ["x", "y", "z"]


class ChangedModel(Model):
    """Columns id, p, v, s and r; rows of small values, so that conditions hit some."""

    def make_columns(self):
        rng = self.rng
        self.layout = rng.choice(["plain", "plain", "vectors", "buckets", "bucket vectors", "keyed", "keyed", "dynamic",
                                  "keyed vectors"])
        self.keyed = "keyed" in self.layout or self.layout == "dynamic"
        self.dynamic = self.layout == "dynamic"
        not_null = " NOT NULL" if self.keyed else ""
        self.columns = [("id", parse("INT" + not_null)), ("p", parse("STRING" + (not_null if self.partitioned else ""))),
                        ("v", parse("INT")), ("s", parse("STRING")), ("r", parse("ROW<`a` INT, `b` STRING>"))]
        self.partitions = ["p"] if self.partitioned else []
        self.keys = ["id"] + self.partitions if self.keyed else []

    def make_options(self):
        rng = self.rng
        if self.dynamic:
            self.options.update({"bucket": "-1", "dynamic-bucket.target-row-num": "3"})
        elif self.keyed or "bucket" in self.layout:
            self.options["bucket"] = str(rng.randint(1, 3))
            if not self.keyed:
                self.options["bucket-key"] = "id"
        if "vectors" in self.layout:
            self.options["deletion-vectors.enabled"] = "true"
            self.options["deletion-vectors.bitmap64"] = rng.choice(["true", "false"])
        if rng.random() < 0.3:
            self.options["target-file-size"] = "1 b"

    def random_rows(self, count):
        rng = self.rng
        maybe = lambda make: None if rng.random() < 0.2 else make()
        rows = []
        for _ in range(count):
            record = maybe(lambda: [maybe(lambda: rng.randint(0, 5)), maybe(lambda: rng.choice("ab"))])
            p = rng.choice(PARTS) if self.partitioned and self.keyed else maybe(lambda: rng.choice(PARTS))
            rows.append([rng.randint(0, 20), p, maybe(lambda: rng.randint(0, 9)), maybe(lambda: rng.choice("abcd")), record])
        return rows

    def current(self):
        return list(self.merged.values()) if self.keyed else self.rows

    def hold(self, rows):
        if self.keyed:
            self.merged = {self.key_of(r): r for r in rows}
        else:
            self.rows = rows


def condition(rng, model):
    """SQL, and a function that says True, False or None of a row."""
    number, letter, part = rng.randint(0, 9), rng.choice("abcd"), rng.choice(PARTS)
    able = [
        ("v > %d" % number, lambda r: None if r[V] is None else r[V] > number),
        ("s = '%s'" % letter, lambda r: None if r[S] is None else r[S] == letter),
        ("v IS NULL", lambda r: r[V] is None),
        ("mod(id, 3) = %d" % (number % 3), lambda r: r[ID] % 3 == number % 3),
        ("id = %d" % number, lambda r: r[ID] == number),
        ("p = '%s'" % part, lambda r: None if r[P] is None else r[P] == part),
        ("r.a < %d" % number, lambda r: None if r[R] is None or r[R][0] is None else r[R][0] < number),
    ]
    sql, holds = rng.choice(able)
    if rng.random() < 0.3:
        more_sql, more = rng.choice(able)
        both = lambda r: False if holds(r) is False or more(r) is False else None if None in (holds(r), more(r)) else True
        return "%s AND %s" % (sql, more_sql), both
    return sql, holds


def assignments(rng, model):
    """SQL of a SET list, and what becomes of a row."""
    number, letter = rng.randint(0, 9), rng.choice("abcd")
    name = model.name

    def nested(r):
        return r[:R] + [[number, None if r[R] is None else r[R][1]]]

    able = [
        ("v = v + %d" % number, lambda r: r[:V] + [None if r[V] is None else r[V] + number] + r[V + 1:]),
        ("s = '%s', v = id" % letter, lambda r: r[:V] + [r[ID], letter] + r[S + 1:]),
        ("v = NULL", lambda r: r[:V] + [None] + r[V + 1:]),
        ("r.a = %d" % number, nested),
        ("%s.s = coalesce(s, p)" % quoted(name), lambda r: r[:S] + [r[P] if r[S] is None else r[S]] + r[S + 1:]),
    ]
    if not model.keyed:
        part = rng.choice(PARTS)
        able.append(("p = '%s', id = id + 1" % part, lambda r: [r[ID] + 1, part] + r[V:]))
    return rng.choice(able)


def merge(rng, model):
    """A MERGE with a source of distinct ids, by id and, where the key has it, the partition."""
    ids = rng.sample(range(0, 25), rng.randint(1, 8))
    source = [[i, rng.choice(PARTS), rng.randint(0, 9), rng.choice("xyz"), [rng.randint(0, 5), "m"]] for i in ids]
    text = ", ".join("(%d, '%s', %d, '%s', ROW(%d, 'm'))" % (r[0], r[1], r[2], r[3], r[4][0]) for r in source)
    on, same = "t.id = n.id", lambda t, s: t[ID] == s[ID]
    if model.partitioned and model.keyed:
        on, same = on + " AND t.p = n.p", lambda t, s: t[ID] == s[ID] and t[P] == s[P]
    limit = rng.randint(0, 9)
    matched = rng.choice(["all", "delete or set", "set", None])
    inserts = rng.choice(["all", "some", None])
    others = rng.choice(["delete", "set", None, None])
    if matched is inserts is others is None:
        matched = "set"
    sql = ["MERGE INTO %s AS t USING (VALUES %s) AS n(id, p, v, s, r) ON %s" % (quoted(model.db, model.name), text, on)]
    if matched == "all":
        sql.append("WHEN MATCHED AND n.v >= %d THEN UPDATE SET *" % limit if not model.keyed or model.partitions == []
                   else "WHEN MATCHED AND n.v >= %d THEN UPDATE SET v = n.v, s = n.s, r = n.r" % limit)
    elif matched == "delete or set":
        sql += ["WHEN MATCHED AND n.v < %d THEN DELETE" % limit, "WHEN MATCHED THEN UPDATE SET v = t.v + n.v, r.b = n.s"]
    elif matched == "set":
        sql.append("WHEN MATCHED THEN UPDATE SET s = n.s")
    if inserts == "all":
        sql.append("WHEN NOT MATCHED THEN INSERT *")
    elif inserts == "some":
        sql.append("WHEN NOT MATCHED AND v < %d THEN INSERT (id, s, p) VALUES (id, concat(s, 'n'), p)" % limit)
    if others == "delete":
        sql.append("WHEN NOT MATCHED BY SOURCE AND v > %d THEN DELETE" % limit)
    elif others == "set":
        sql.append("WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = -1")

    rows, used = [], set()
    for r in model.current():
        hit = next((i for i, s in enumerate(source) if same(r, s)), None)
        if hit is None:
            gone = others == "delete" and r[V] is not None and r[V] > limit
            rows += [] if gone else [r[:V] + [-1] + r[S:] if others == "set" else r]
            continue
        used.add(hit)
        s = source[hit]
        if matched == "all" and s[V] >= limit:
            rows.append(r[:V] + s[V:] if model.keyed and model.partitions else list(s))
        elif matched == "delete or set":
            if s[V] >= limit:
                rows.append(r[:V] + [None if r[V] is None else r[V] + s[V], r[S], [None if r[R] is None else r[R][0], s[S]]])
        elif matched == "set":
            rows.append(r[:S] + [s[S]] + r[R:])
        else:
            rows.append(r)
    for i, s in enumerate(source):
        if i in used:
            continue
        if inserts == "all":
            rows.append(list(s))
        elif inserts == "some" and s[V] < limit:
            rows.append([s[ID], s[P], None, s[S] + "n", None])
    return " ".join(sql), rows


def changes(java, mica, seed, number):
    model = ChangedModel(seed, number, "changes")
    rng = model.rng
    pair = Pair(java, mica, model)
    table = quoted(model.db, model.name)
    pair.created_by_either()
    for turn in range(10):
        # Java's API compacts no append tables.
        compactions = ["compaction by Mica"] + (["compaction by Java"] if model.keyed else [])
        what = "rows by Mica"
        if turn > 1:
            what = rng.choice(["rows by Mica", "rows by Java", "delete", "update", "merge"] * 2 + ["delete", "update", "merge"] +
                              compactions)
        if what.startswith("rows"):
            rows = model.random_rows(rng.randint(1, 12))
            if "Java" in what:
                pair.java_writes(rows)
            else:
                mica.run(model.insert_sql(rows))
            model.write(rows)
        elif what == "compaction by Mica":
            mica.run("CALL sys.compact(%s)" % values.text_literal("%s.%s" % (model.db, model.name)))
        elif what == "compaction by Java":
            java.ask("compact", *pair.place)
        elif what == "delete":
            sql, holds = condition(rng, model)
            what = "DELETE FROM %s WHERE %s" % (table, sql)
            mica.run(what)
            model.hold([r for r in model.current() if holds(r) is not True])
        elif what == "update":
            sql, holds = condition(rng, model)
            sets, change = assignments(rng, model)
            what = "UPDATE %s SET %s WHERE %s" % (table, sets, sql)
            mica.run(what)
            model.hold([change(r) if holds(r) is True else r for r in model.current()])
        else:
            what, rows = merge(rng, model)
            mica.run(what)
            model.hold(rows)
        pair.both_hold("after turn %d of a table with %s, %s" % (turn + 1, model.layout, what))
    check_old_states(pair)
