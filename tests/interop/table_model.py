"""A random table: its schema, and in memory what it must hold after each write. The seed and the number make it again."""
import random

from paimon_types import Type, random_atom, random_type, random_value
import values

COLUMN_NAMES = ["plain", "Upper", "with space", "select", "日本", "a.b", "quo\"te", "long_" + "x" * 50, "_low", "dash-ed"]
AVRO_NAMES = ["plain", "Upper", "select", "_low", "long_" + "x" * 50, "camelCase"]  # all that Avro allows
KEY_ROOTS = {"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "VARCHAR", "STRING", "VARBINARY", "BYTES", "BINARY",
             "DATE", "TIME", "TIMESTAMP", "CHAR"}
PARTITION_ROOTS = {"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "STRING", "VARCHAR", "DATE", "DECIMAL"}

NOT_INDEXED = {"DECIMAL", "ARRAY", "MAP", "MULTISET", "ROW"}
BYTE_ROOTS = {"VARBINARY", "BYTES", "BINARY"}


class Model:
    def __init__(self, seed, number, kind):
        """kind: "java", "mica" or "turns", only to keep names apart."""
        self.rng = random.Random("%d/%s/%d" % (seed, kind, number))
        rng = self.rng
        self.db = kind
        self.name = "t%03d" % number
        self.format = ["parquet", "orc", "avro"][number % 3]
        self.value_format = self.format  # the narrowest of the formats that will hold the rows
        self.keyed = (number // 3) % 2 == 1
        self.partitioned = (number // 6) % 2 == 1
        self.dynamic = self.keyed and (number // 12) % 4 == 3
        self.columns = []
        self.keys, self.partitions = [], []
        self.pads = rng.random() < 0.5  # whether Java's side writes CHAR at full length
        self.options = {"file.format": self.format}
        self.indexed = set()  # columns with a file index
        self.slash_in_partitions = True
        self.rows = []  # of an append table
        self.merged = {}  # of a primary-key table, by key
        self.make_columns()
        self.make_options()

    def make_columns(self):
        rng = self.rng
        names = rng.sample(AVRO_NAMES if self.format == "avro" else COLUMN_NAMES, rng.randint(2, 6))
        if self.partitioned:
            for i in range(rng.randint(1, 2)):
                t = self.pick(PARTITION_ROOTS)
                self.columns.append(("p%d" % i, t.not_null() if self.keyed else t))
                self.partitions.append("p%d" % i)
        if self.keyed:
            for i in range(rng.randint(1, 2)):
                # Java reads CHAR from ORC without its blanks, and its merge then meets keys out of order.
                roots = KEY_ROOTS - {"CHAR"} if self.format == "orc" else KEY_ROOTS
                self.columns.append(("k%d" % i, self.pick(roots).not_null()))
                self.keys.append("k%d" % i)
            self.keys += self.partitions
        for name in names:
            t = random_type(rng, 3, self.format)
            self.columns.append((name, t.not_null() if rng.random() < 0.1 else t))
        rng.shuffle(self.columns)
        if self.keyed:
            rng.shuffle(self.keys)

    def pick(self, roots):
        while True:
            t = random_atom(self.rng, file_format=self.format)
            if t.root in roots:
                return t

    def make_options(self):
        rng = self.rng
        if self.keyed:
            self.options["bucket"] = "-1" if self.dynamic else str(rng.choice([1, 2, 3]))
            if self.dynamic:
                self.options["dynamic-bucket.target-row-num"] = "5"
        else:
            able = [n for n, t in self.columns if t.root in KEY_ROOTS and n not in self.partitions and "," not in n]
            if able and rng.random() < 0.3:
                self.options.update({"bucket": str(rng.choice([1, 2, 4])), "bucket-key": rng.choice(able)})
        if rng.random() < 0.3:
            self.options["metadata.stats-mode"] = rng.choice(["none", "counts", "full", "truncate(3)"])
        if rng.random() < 0.2:
            self.options["write-only"] = "true"
        if self.partitioned and rng.random() < 0.3:
            self.options["partition.legacy-name"] = "false"
        if rng.random() < 0.2:
            self.options["file.compression"] = {"parquet": rng.choice(["snappy", "gzip"]), "orc": "lz4", "avro": "snappy"}[self.format]

        if rng.random() < 0.4:
            self.index_columns()

    def index_columns(self):
        """File indexes of some columns, inside of manifests or beside the files."""
        rng = self.rng
        plain = [(n, t) for n, t in self.columns if "." not in n and t.root not in NOT_INDEXED]
        for kind, able in (("bloom-filter", [n for n, t in plain if t.root != "BOOLEAN"]),
                           ("bitmap", [n for n, t in plain if t.root not in BYTE_ROOTS])):
            if not able or rng.random() < 0.3:
                continue
            names = rng.sample(able, rng.randint(1, min(3, len(able))))
            self.options["file-index.%s.columns" % kind] = ",".join(names)
            self.indexed.update(names)
            for name in names:
                own = "file-index.%s.%s." % (kind, name)
                if kind == "bloom-filter":
                    self.options[own + "items"] = str(rng.choice([10, 1000]))
                elif rng.random() < 0.5:
                    self.options[own + "version"] = rng.choice(["1", "2"])
        if self.indexed and rng.random() < 0.5:
            self.options["file-index.in-manifest-threshold"] = rng.choice(["1 b", "1 mb"])

    @property
    def types(self):
        return [t for _, t in self.columns]

    def index(self, name):
        return [n for n, _ in self.columns].index(name)

    def random_rows(self, count):
        """New rows; a partition column takes few values, and some rows of a keyed table repeat keys written before."""
        rng = self.rng
        if self.partitioned and not hasattr(self, "partition_values"):
            self.partition_values = [[self.partition_value(self.columns[self.index(p)][1]) for p in self.partitions]
                                     for _ in range(3)]
        out = []
        for _ in range(count):
            row = [random_value(rng, t, self.value_format, simple=n in self.keys) for n, t in self.columns]
            if self.partitioned:
                for p, v in zip(self.partitions, rng.choice(self.partition_values)):
                    row[self.index(p)] = v
            if self.keyed and self.merged and rng.random() < 0.3:
                again = rng.choice(list(self.merged.values()))
                for k in self.keys:
                    row[self.index(k)] = again[self.index(k)]
            out.append(row)
        return out

    def partition_value(self, t):
        while True:
            v = random_value(self.rng, t, self.value_format, null_rate=0.2)
            # Text of blanks alone means NULL to Apache Paimon and has its own golden table.
            if not isinstance(v, str) or v.strip() and (self.slash_in_partitions or "/" not in v):
                return v

    def key_of(self, row):
        return tuple(values.canonical(row[self.index(k)], self.columns[self.index(k)][1]) for k in self.keys)

    def partition_of(self, row):
        return tuple(values.canonical(row[self.index(p)], self.columns[self.index(p)][1]) for p in self.partitions)

    def write(self, rows):
        if not self.keyed:
            self.rows += rows
        for row in rows if self.keyed else []:
            self.merged[self.key_of(row)] = row

    def delete(self, rows):
        for row in rows:
            self.merged.pop(self.key_of(row), None)

    def overwrite(self, rows, dynamic):
        """Replaces the partitions of `rows`, or everything."""
        gone = {self.partition_of(r) for r in rows}
        stays = lambda r: dynamic and self.partitions and self.partition_of(r) not in gone
        self.rows = [r for r in self.rows if stays(r)]
        self.merged = {k: r for k, r in self.merged.items() if stays(r)}
        self.write(rows)

    def expected(self):
        return values.multiset(self.merged.values() if self.keyed else self.rows, self.types)

    def create_command(self):
        ids = [len(self.columns) - 1]
        return {"columns": [{"name": n, "type": t.schema_json(ids)} for n, t in self.columns], "primary_keys": self.keys,
                "partition_keys": self.partitions, "options": self.options}

    def create_sql(self):
        quote = lambda n: "`%s`" % n
        parts = ["%s %s" % (quote(n), t.sql()) for n, t in self.columns]
        if self.keys:
            parts.append("PRIMARY KEY (%s) NOT ENFORCED" % ", ".join(map(quote, self.keys)))
        text = "CREATE TABLE `%s`.`%s` (%s)" % (self.db, self.name, ", ".join(parts))
        if self.partitions:
            text += " PARTITIONED BY (%s)" % ", ".join(map(quote, self.partitions))
        return text + " WITH (%s)" % values.options(self.options)

    def insert_sql(self, rows, verb="INSERT INTO", hint=""):
        body = ", ".join("(%s)" % ", ".join(values.literal(v, t) for v, t in zip(r, self.types)) for r in rows)
        return "%s `%s`.`%s`%s VALUES %s" % (verb, self.db, self.name, hint, body)
