"""Tables of every merge engine: Java and Mica write rows of all kinds in turn, and after each write both must read the
same. What is right is what real Paimon reads; order inside collections that Java keeps in hash order does not count."""
import collections
import struct

import roaring64
import values
from mica_side import quoted
from paimon_types import parse
from random_tables import Mismatch, Pair
from table_model import Model

# Aggregate functions with the types tried, and whether they take retracts.
FUNCTIONS = [
    ("sum", ["INT", "BIGINT", "DECIMAL(10, 2)", "DECIMAL(25, 3)", "DOUBLE"], True),
    ("product", ["BIGINT", "DECIMAL(20, 2)"], False),
    ("max", ["INT", "STRING", "DATE", "TIMESTAMP(3)", "BYTES", "DOUBLE", "DECIMAL(10, 2)", "SMALLINT"], False),
    ("min", ["INT", "STRING", "DATE", "TIMESTAMP(3)", "BYTES", "DOUBLE", "DECIMAL(25, 3)", "BIGINT"], False),
    ("last_value", ["INT", "STRING", "ARRAY<INT>"], True),
    ("last_non_null_value", ["INT", "STRING", "BOOLEAN"], True),
    ("first_value", ["INT", "STRING"], False),
    ("first_non_null_value", ["INT", "STRING"], False),
    ("listagg", ["STRING"], False),
    ("bool_and", ["BOOLEAN"], False),
    ("bool_or", ["BOOLEAN"], False),
    ("collect", ["ARRAY<INT>", "ARRAY<STRING>"], True),
    ("merge_map", ["MAP<STRING, INT>"], True),
    ("merge_map_with_keytime", ["MAP<STRING, ROW<`v` INT, `ts` STRING>>"], False),
    ("nested_update", ["ARRAY<ROW<`id` INT, `v` STRING>>"], True),
    ("nested_partial_update", ["ARRAY<ROW<`id` INT, `a` STRING, `b` INT>>"], False),
    ("rbm32", ["BYTES"], False),
    ("rbm64", ["BYTES"], False),
]
KINDS = ["+I", "-U", "+U", "-D"]


def bitmap(numbers):
    """A 32-bit roaring bitmap of a few numbers as all libraries serialise it."""
    groups = collections.defaultdict(list)
    for n in sorted(set(numbers)):
        groups[n >> 16].append(n & 0xffff)
    head = struct.pack("<II", 12346, len(groups))
    head += b"".join(struct.pack("<HH", key, len(low) - 1) for key, low in groups.items())
    offset = len(head) + 4 * len(groups)
    offsets, body = b"", b""
    for low in groups.values():
        offsets += struct.pack("<I", offset + len(body))
        body += struct.pack("<%dH" % len(low), *low)
    return "0x" + (head + offsets + body).hex()


def random_value(rng, text, function):
    if rng.random() < 0.2:
        return None
    word = lambda: rng.choice(["", "a", "b", "cd", "e,f", "b,b", "日本"]) if function != "min" else rng.choice("abcxyz")
    if function == "rbm32":
        return bitmap(rng.choice([1, 2, 70000, 5000000, 2 ** 32 - 1]) for _ in range(rng.randint(0, 3)))
    if function == "rbm64":
        upper = rng.choice([0, 1, 2 ** 47, 300 << 16]) + rng.randint(0, 40)
        return roaring64.one(upper, [rng.choice([1, 2, 9, 65535]) for _ in range(rng.randint(0, 3))])
    if text == "INT":
        return rng.randint(-9, 9)
    if text in ("SMALLINT", "BIGINT"):
        return rng.randint(-2, 2)
    if text.startswith("DECIMAL"):
        scale = int(text.split(",")[1].strip(" )"))
        return "%.*f" % (scale, rng.randint(-200, 200) / 10 ** scale)
    if text == "DOUBLE":
        return rng.randint(-40, 40) / 4
    if text == "STRING":
        return word()
    if text == "BOOLEAN":
        return rng.random() < 0.5
    if text == "DATE":
        return "2024-01-%02d" % rng.randint(1, 28)
    if text == "TIMESTAMP(3)":
        return "2024-01-%02d 01:02:03.%03d" % (rng.randint(1, 28), rng.randint(0, 999))
    if text == "BYTES":
        return "0x" + bytes(rng.choice([0, 1, 0x7f, 0x80, 0xff]) for _ in range(rng.randint(0, 3))).hex()
    some = range(rng.randint(0, 3))
    if text == "ARRAY<INT>":
        return [rng.choice([None, 1, 2, 3]) for _ in some]
    if text == "ARRAY<STRING>":
        return [rng.choice(["a", "b", "c"]) for _ in some]
    keys = rng.sample("abcd", len(some))
    if text == "MAP<STRING, INT>":
        return [[k, rng.choice([None, 1, 2])] for k in keys]
    if text.startswith("MAP"):
        return [[k, [rng.randint(1, 9), rng.choice([None, "2024-01-01", "2024-01-02", "2024-01-03"])]] for k in keys]
    ids = [rng.randint(1, 3) for _ in some]
    if "`b`" in text:
        return [[i, rng.choice([None, "x", "y"]), rng.choice([None, 1])] for i in ids]
    return [[i, rng.choice(["x", "y"])] for i in ids]


class EngineModel(Model):
    """Columns k, [p], op (the kind of a row), then what the engine is about."""

    def __init__(self, seed, number):
        super().__init__(seed, number, "engines")
        rng = self.rng
        self.engine = ["aggregation", "partial-update", "deduplicate", "aggregation", "partial-update",
                       "first-row"][(number // 3) % 6]
        self.partitioned, self.dynamic = rng.random() < 0.3, rng.random() < 0.25
        self.keyed = True
        self.columns = [("k", parse("INT NOT NULL"))]
        self.keys, self.partitions = ["k"], []
        if self.partitioned:
            self.columns.append(("p", parse("STRING NOT NULL")))
            self.keys, self.partitions = ["k", "p"], ["p"]
        self.columns.append(("op", parse("STRING")))
        self.functions, self.unordered = {}, set()
        self.kinds = KINDS
        self.options = {"file.format": self.format, "merge-engine": self.engine, "rowkind.field": "op",
                        "write-only": rng.choice(["true", "false"]), "bucket": "-1" if self.dynamic else rng.choice(["1", "2"])}
        if self.dynamic:
            self.options["dynamic-bucket.target-row-num"] = "5"
        self.options["num-sorted-run.compaction-trigger"] = str(rng.randint(2, 4))
        if self.engine != "first-row" and rng.random() < 0.25:
            self.options["deletion-vectors.enabled"] = "true"
        if rng.random() < 0.3:
            self.options["changelog-producer"] = "lookup"
        self.free = 0
        if self.engine == "aggregation":
            self.aggregation()
        elif self.engine == "partial-update":
            self.partial_update()
        else:
            for _ in range(rng.randint(1, 3)):
                self.add(rng.choice(["INT", "STRING"]))
        if self.engine == "first-row" or (self.engine == "deduplicate" and rng.random() < 0.3):
            self.options["ignore-delete"] = "true"
        if self.engine != "first-row" and rng.random() < 0.4:
            names = [self.add("INT") for _ in range(rng.randint(1, 2))]
            self.options["sequence.field"] = ",".join(names)
            self.options["sequence.field.sort-order"] = rng.choice(["ascending", "descending"])

    def add(self, text, function=None):
        name = "c%d" % self.free
        self.free += 1
        self.columns.append((name, parse(text)))
        self.functions[name] = (text, function)
        return name

    def aggregate(self):
        """A column with a random function."""
        rng = self.rng
        function, types, retracts = rng.choice(FUNCTIONS)
        name = self.add(rng.choice(types), function)
        option = lambda word, value: self.options.__setitem__("fields.%s.%s" % (name, word), value)
        option("aggregate-function", function)
        if not retracts and not self.removes:
            option("ignore-retract", "true")
        if function in ("listagg", "collect") and rng.random() < 0.5:
            option("distinct", "true")
            self.unordered.add(name) if function == "collect" else None
        if function == "listagg" and rng.random() < 0.5:
            option("list-agg-delimiter", rng.choice([";", "--"]))
        if function == "nested_partial_update" or (function == "nested_update" and rng.random() < 0.6):
            option("nested-key", "id")
            self.unordered.add(name)
        return name

    def aggregation(self):
        self.removes = self.rng.random() < 0.3
        if self.removes:
            self.options["aggregation.remove-record-on-delete"] = "true"
            self.kinds = ["+I", "+U", "-D"]
        for _ in range(self.rng.randint(1, 5)):
            self.aggregate()

    def partial_update(self):
        rng = self.rng
        self.removes = False
        for _ in range(rng.randint(1, 3)):
            self.add(rng.choice(["INT", "STRING", "ARRAY<INT>"]))
        how = rng.choice(["groups", "groups", "remove", "ignore"])
        if how == "remove":
            self.options["partial-update.remove-record-on-delete"] = "true"
        elif how == "ignore":
            self.options["ignore-delete"] = "true"
        removing = []
        for _ in range(rng.randint(1, 2) if how == "groups" else 0):
            order = [self.add("INT") for _ in range(rng.randint(1, 2))]
            members = [self.aggregate() if rng.random() < 0.6 else self.add("STRING") for _ in range(rng.randint(1, 3))]
            self.options["fields.%s.sequence-group" % ",".join(order)] = ",".join(members)
            if rng.random() < 0.3:
                removing.append(order[0])
        if removing:
            self.options["partial-update.remove-record-on-sequence-group"] = ",".join(removing)

    def random_rows(self, count):
        rng = self.rng
        rows = []
        for _ in range(count):
            row = []
            for name, t in self.columns:
                if name == "k":
                    row.append(rng.randint(1, 4))
                elif name == "p":
                    row.append(rng.choice(["x", "y"]))
                elif name == "op":
                    row.append(rng.choice(self.kinds) if rng.random() < 0.4 else "+I")
                else:
                    row.append(random_value(rng, *self.functions[name]))
            rows.append(row)
        return rows

    def comparable(self, rows, names=None):
        """Rows with collections in an order of their own where Java's is that of a hash table."""
        out = collections.Counter()
        for row, count in rows.items():
            out[tuple(self.one_form(n, v) for n, v in zip(names or [n for n, _ in self.columns], row))] += count
        return out

    def one_form(self, name, value):
        if value is not None and name in self.unordered:
            return tuple(sorted(value, key=repr))
        if value is not None and self.functions.get(name, ("", ""))[1] == "rbm64":
            return roaring64.numbers(value)
        return value


def engines(java, mica, seed, number):
    model = EngineModel(seed, number)
    rng = model.rng
    pair = Pair(java, mica, model)
    pair.created_by_either()
    writers = {"java": ["java"], "mica": ["mica"], "both": ["java", "mica"]}[rng.choice(["java", "mica", "both", "both"])]
    for turn in range(rng.randint(3, 8)):
        rows = model.random_rows(rng.choice([1, 1, 3, 8]))
        writer = rng.choice(writers)
        if writer == "java":
            java.ask("write", *pair.place, rows=[{"kind": r[model.index("op")], "row": r} for r in rows])
        else:
            mica.run(model.insert_sql(rows))
        if rng.random() < (1 if model.engine == "first-row" else 0.25):
            if rng.random() < 0.5:
                java.ask("compact", *pair.place)
            else:
                mica.run("CALL sys.compact(%s)" % values.text_literal("%s.%s" % (model.db, model.name)))
        both_agree(pair, "after turn %d (%s wrote %r)" % (turn + 1, writer, rows))


def both_agree(pair, when):
    model = pair.model
    expected, got = model.comparable(pair.java_rows()), model.comparable(pair.mica_rows())
    difference = values.difference(expected, got)
    if difference:
        raise Mismatch("%s, options %r: Mica reads otherwise than Java: %s" % (when, model.options, difference))
    some = model.rng.sample(model.columns, model.rng.randint(1, len(model.columns)))
    at = [model.index(n) for n, _ in some]
    part = collections.Counter()
    for row, count in got.items():
        part[tuple(row[i] for i in at)] += count
    names = [n for n, _ in some]
    rows = pair.mica_rows(names, [t for _, t in some], columns=", ".join(quoted(n) for n in names))
    read = model.comparable(rows, names)
    difference = values.difference(part, read)
    if difference:
        raise Mismatch("%s, options %r: SELECT %s: %s" % (when, model.options, names, difference))
