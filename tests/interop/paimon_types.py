"""Paimon's data types as the suite generates them: their forms in schema files and in SQL, random ones, values of them.

A value is kept in the encoding of the Java side (README.md): integers, floats (Python floats, NaN included), text for
decimals, dates and times, "0x.." for bytes, lists for ARRAY and ROW, lists of [key, value] for MAP and MULTISET.
"""
import datetime
import decimal
import math
import re
import struct

ATOMS = ["BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "CHAR", "VARCHAR", "STRING",
         "BINARY", "VARBINARY", "BYTES", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"]
NESTED = ["ARRAY", "MAP", "MULTISET", "ROW"]
# Apache Paimon cannot write other multisets in Avro, nor read those of decimals and timestamps in Parquet.
MULTISET_ROOTS = {"parquet": ["INT", "STRING", "DATE", "BIGINT"], "orc": ["INT", "STRING", "DATE", "BIGINT"], "avro": ["STRING"]}
INTEGER_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
LTZ_IN_SCHEMA = "TIMESTAMP(%d) WITH LOCAL TIME ZONE"

# A year range that Python, DuckDB and Java all print alike; nanoseconds in 64 bits reach less far.
MICROS = (datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999))
# Apache Paimon's ORC takes earlier days for days of the Julian calendar and does not read back what it wrote.
GREGORIAN = (datetime.datetime(1600, 1, 1), MICROS[1])
NANOS = (datetime.datetime(1678, 1, 1), datetime.datetime(2261, 12, 31, 23, 59, 59, 999999))
EPOCH = datetime.datetime(1970, 1, 1)

TEXTS = ["", "a", "plain text", "'quoted' \"twice\"", "back\\slash", "per%cent_", "tab\tnew\nline", "日本語", "😀 smile",
         "é", "NULL", "null", " leading", "trailing ", "a/b=c:d", "\u0001", "￿", "x" * 40, ";", "--", "0", "true"]


class Type:
    def __init__(self, root, *args, nullable=True, fields=None):
        self.root = root
        self.args = args  # lengths and precisions, or element types
        self.fields = fields  # of ROW: (name, Type) pairs
        self.nullable = nullable

    def not_null(self):
        return Type(self.root, *self.args, nullable=False, fields=self.fields)

    def atomic(self):
        return self.root in ATOMS

    def text(self, ltz="TIMESTAMP_LTZ(%d)"):
        """Without nullability."""
        if self.root == "TIMESTAMP_LTZ":
            return ltz % self.args
        if self.root == "ROW":
            return "ROW<%s>" % ", ".join("`%s` %s" % (n, t.sql(ltz)) for n, t in self.fields)
        if self.root in NESTED:
            return "%s<%s>" % (self.root, ", ".join(a.sql(ltz) for a in self.args))
        return self.root + ("(%s)" % ", ".join(map(str, self.args)) if self.args else "")

    def sql(self, ltz="TIMESTAMP_LTZ(%d)"):
        """As Flink's SQL says it."""
        return self.text(ltz) + ("" if self.nullable else " NOT NULL")

    def schema_json(self, ids=None):
        """As a schema file says it. `ids` counts the fields of nested rows."""
        ids = ids if ids is not None else [0]
        suffix = "" if self.nullable else " NOT NULL"
        if self.root == "ARRAY" or self.root == "MULTISET":
            return {"type": self.root + suffix, "element": self.args[0].schema_json(ids)}
        if self.root == "MAP":
            return {"type": "MAP" + suffix, "key": self.args[0].schema_json(ids), "value": self.args[1].schema_json(ids)}
        if self.root == "ROW":
            fields = []
            for name, t in self.fields:
                ids[0] += 1
                fields.append({"id": ids[0], "name": name, "type": t.schema_json(ids)})
            return {"type": "ROW" + suffix, "fields": fields}
        return self.sql(LTZ_IN_SCHEMA)

    def key(self):
        return self.args[0]

    def value(self):
        return self.args[1] if self.root == "MAP" else Type("INT", nullable=False)

    def contains(self, test):
        inner = [t for _, t in self.fields] if self.fields else [a for a in self.args if isinstance(a, Type)]
        return test(self) or any(t.contains(test) for t in inner)


def random_atom(rng, for_key=False, file_format="parquet"):
    root = rng.choice(ATOMS)
    if root == "DECIMAL":
        p = rng.choice([1, 5, 9, 10, 18, 19, 28, 38])
        return Type(root, p, rng.randint(0, p))
    if root in ("CHAR", "BINARY"):
        return Type(root, rng.choice([1, 3, 8]))
    if root in ("VARCHAR", "VARBINARY"):
        return Type(root, rng.choice([1, 10, 100]))
    if root == "TIME":
        return Type(root, rng.randint(0, 3))
    if root == "TIMESTAMP":
        return Type(root, rng.randint(0, 6 if file_format == "avro" else 9))
    if root == "TIMESTAMP_LTZ":
        # SQL has no local-time-zone type above microseconds; that refusal has its own test.
        return Type(root, rng.randint(0, 6))
    return Type(root)


def random_type(rng, depth=3, file_format="parquet"):
    if depth <= 1 or rng.random() < 0.7:
        return random_atom(rng, file_format=file_format)
    root = rng.choice(NESTED)
    inner = lambda: random_type(rng, depth - 1, file_format)
    if root == "ROW":
        return Type("ROW", fields=[("f%d" % i, inner()) for i in range(rng.randint(1, 4))])
    if root == "ARRAY":
        return Type("ARRAY", inner())
    if root == "MULTISET":
        return Type("MULTISET", Type(rng.choice(MULTISET_ROOTS[file_format])).not_null())
    key = random_atom(rng, file_format=file_format)
    while key.root in ("FLOAT", "DOUBLE", "BINARY", "VARBINARY", "BYTES", "CHAR", "TIMESTAMP_LTZ"):
        key = random_atom(rng, file_format=file_format)
    return Type("MAP", key.not_null(), inner())


def random_value(rng, t, file_format="parquet", null_rate=0.15, simple=False):
    """`simple` leaves out what makes a bad key: NaN and the two zeros."""
    if t.nullable and rng.random() < null_rate:
        return None
    root = t.root
    if root == "BOOLEAN":
        return rng.random() < 0.5
    if root in INTEGER_BITS:
        top = 1 << (INTEGER_BITS[root] - 1)
        return rng.choice([-top, top - 1, 0, 1, -1, rng.randint(-top, top - 1), rng.randint(-100, 100)])
    if root in ("FLOAT", "DOUBLE"):
        return random_float(rng, root, simple, file_format)
    if root == "DECIMAL":
        p, s = t.args
        top = 10 ** p - 1
        unscaled = rng.choice([0, 1, -1, top, -top, rng.randint(-top, top)])
        return "{:f}".format(decimal.Decimal(unscaled).scaleb(-s, decimal.Context(prec=60)))
    if root in ("CHAR", "VARCHAR", "STRING"):
        limit = t.args[0] if t.args else 1000
        text = rng.choice(TEXTS + ["k%d" % rng.randint(0, 10 ** 6)] * 4)[:limit]
        # Blanks at the end of a CHAR cannot be told from its padding.
        return text.rstrip(" ") if root == "CHAR" else text
    if root in ("BINARY", "VARBINARY", "BYTES"):
        limit = t.args[0] if t.args else 20
        n = limit if root == "BINARY" else rng.randint(0, min(limit, 20))
        return "0x" + bytes(rng.choice([0, 0x7f, 0x80, 0xff, rng.randint(0, 255)]) for _ in range(n)).hex()
    if root == "DATE":
        span = GREGORIAN if file_format == "orc" else MICROS
        day = rng.choice([span[0], span[1], EPOCH, EPOCH - datetime.timedelta(days=1), random_moment(rng, span)])
        return "%04d-%02d-%02d" % (day.year, day.month, day.day)
    if root == "TIME":
        millis = rng.choice([0, 86399999, rng.randint(0, 86399999)])
        millis -= millis % 10 ** (3 - t.args[0])
        seconds = millis // 1000
        text = "%02d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)
        return text + (("." + "%03d" % (millis % 1000))[:t.args[0] + 1] if t.args[0] else "")
    if root in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        return random_timestamp(rng, t, file_format)
    if root == "ARRAY":
        return [random_value(rng, t.args[0], file_format, null_rate) for _ in range(rng.randint(0, 4))]
    if root in ("MAP", "MULTISET"):
        entries = {}
        for _ in range(rng.randint(0, 4)):
            key = random_value(rng, t.key(), file_format, 0, True)
            value = rng.randint(1, 5) if root == "MULTISET" else random_value(rng, t.value(), file_format, null_rate)
            entries[key] = value
        return [[k, v] for k, v in entries.items()]
    if root == "ROW":
        return [random_value(rng, f, file_format, null_rate) for _, f in t.fields]
    raise ValueError(root)


def random_float(rng, root, simple, file_format):
    usual = [1.5, -1.5, rng.uniform(-1000, 1000), rng.uniform(-1, 1) * 10.0 ** rng.randint(-30, 30), 1.0]
    if root == "FLOAT":
        extreme = [3.4028234663852886e38, 1.401298464324817e-45, -3.4028234663852886e38, math.inf, -math.inf]
    else:
        extreme = [1.7976931348623157e308, 5e-324, -1.7976931348623157e308, math.inf, -math.inf]
    # Java's ORC reader takes a batch of both zeros for one value repeated, so only one of them is written there.
    odd = [] if simple else [-0.0, math.nan] if file_format == "orc" else [0.0, -0.0, math.nan]
    value = rng.choice(usual * 2 + extreme + odd)
    return struct.unpack("<f", struct.pack("<f", value))[0] if root == "FLOAT" else value


def random_moment(rng, span):
    seconds = rng.randint(0, int((span[1] - span[0]).total_seconds()))
    return span[0] + datetime.timedelta(seconds=seconds, microseconds=rng.randint(0, 999999) if seconds else 0)


def random_timestamp(rng, t, file_format):
    p = t.args[0]
    # A fraction before 1970 is refused when an ORC file is written.
    span = NANOS if p > 6 else GREGORIAN if file_format == "orc" else MICROS
    moment = rng.choice([span[0], EPOCH, datetime.datetime(1969, 12, 31, 23, 59, 58, 500000),
                         datetime.datetime(2024, 2, 29, 12, 34, 56, 789012), random_moment(rng, span),
                         random_moment(rng, (datetime.datetime(1990, 1, 1), datetime.datetime(2030, 1, 1))), span[1]])
    if moment > span[1]:
        moment = span[1]
    if file_format == "orc" and datetime.timedelta(seconds=-1) <= moment - EPOCH < datetime.timedelta(0):
        moment = EPOCH  # Apache Paimon itself reads the fraction of that second back as one second later
    whole = file_format == "orc" and moment < EPOCH
    if whole:
        moment = moment.replace(microsecond=0)
    digits = "0" * p if whole else ("%06d" % moment.microsecond + "%03d" % rng.randint(0, 999))[:p]
    day = "%04d-%02d-%02d" % (moment.year, moment.month, moment.day)
    clock = "%02d:%02d:%02d" % (moment.hour, moment.minute, moment.second) + ("." + digits if p else "")
    return day + "T" + clock + "Z" if t.root == "TIMESTAMP_LTZ" else day + " " + clock


def parse(text):
    """A type out of its SQL text, e.g. "MAP<STRING, ROW<`x` DECIMAL(9, 3) NOT NULL>>"."""
    t, rest = parse_prefix(text.strip())
    if rest.strip():
        raise ValueError("type %r" % text)
    return t


def parse_prefix(text):
    m = re.match(r"(ARRAY|MAP|MULTISET|ROW)<", text)
    if m:
        args, fields, rest = [], [], text[m.end():]
        while not rest.startswith(">"):
            if m[1] == "ROW":
                name, rest = re.match(r"`([^`]*)` (.*)", rest, re.S).groups()
                t, rest = parse_prefix(rest)
                fields.append((name, t))
            else:
                t, rest = parse_prefix(rest)
                args.append(t)
            rest = rest.removeprefix(", ").removeprefix(",").lstrip() if rest.startswith(",") else rest
        t, rest = Type(m[1], *args, fields=fields or None), rest[1:]
    else:
        m = re.match(r"([A-Z_]+)(?:\((\d+(?:, ?\d+)*)\))?( WITH LOCAL TIME ZONE)?", text)
        root = "TIMESTAMP_LTZ" if m[3] else m[1]
        t, rest = Type(root, *(int(x) for x in (m[2] or "").split(",") if x)), text[m.end():]
    if rest.startswith(" NOT NULL"):
        return t.not_null(), rest[len(" NOT NULL"):]
    return t, rest
