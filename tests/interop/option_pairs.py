"""Every pair of option values of a primary-key table that may stand together: engine, file format, changelog producer,
bucket mode, deletion vectors, sequence fields, partitioning. Random operations run on three tables of the same definition,
one written by Mica, one by Java, one by both in turn, and beside a model. All hold the same rows at the end and in between,
and their changelogs tell the same of each key.

Java's API needs a job around it to write keys that move between partitions and postponed buckets: there Mica writes alone
and both read.

Operations are such that the order in which rows are merged does not change the result; `engines.py` is about the others.
"""
import collections
import concurrent.futures
import itertools
import random

import values
from mica_side import quoted
from paimon_types import parse
from random_tables import Mismatch

DIMENSIONS = {
    "engine": ["deduplicate", "partial-update", "aggregation", "first-row"],
    "format": ["parquet", "orc", "avro"],
    "producer": ["none", "input", "lookup", "full-compaction"],
    "bucket": ["1", "2", "dynamic", "moving", "postpone"],
    "vectors": ["off", "32", "64"],
    "sequence": ["none", "ascending", "descending", "two", "group"],
    "partitioned": [False, True],
}
NAMES = list(DIMENSIONS)
COLUMNS = [("k", parse("INT NOT NULL")), ("p", parse("STRING NOT NULL")), ("op", parse("STRING")), ("a", parse("BIGINT")),
           ("b", parse("BIGINT")), ("c", parse("STRING")), ("s", parse("INT")), ("t", parse("INT"))]
K, P, OP, A, B, C, S, T = range(8)


def legal(c):
    """Whether Paimon takes a choice of some of the dimensions."""
    engine, producer, sequence = c.get("engine"), c.get("producer"), c.get("sequence")
    if engine == "first-row" and (producer in ("input", "full-compaction") or c.get("vectors", "off") != "off"
                                  or sequence not in (None, "none")):
        return False
    if producer == "full-compaction" and c.get("vectors", "off") != "off":
        return False
    if c.get("bucket") == "moving" and (c.get("partitioned") is False or sequence not in (None, "none", "group")):
        return False
    return sequence != "group" or engine in (None, "partial-update")


def legal_pairs():
    pairs = set()
    for one, other in itertools.combinations(NAMES, 2):
        for x, y in itertools.product(DIMENSIONS[one], DIMENSIONS[other]):
            if legal({one: x, other: y}):
                pairs.add(((one, x), (other, y)))
    return pairs


def pairs_of(choice):
    return {((one, choice[one]), (other, choice[other])) for one, other in itertools.combinations(NAMES, 2)}


def random_choice(rng, fixed=()):
    while True:
        choice = {name: rng.choice(some) for name, some in DIMENSIONS.items()}
        choice.update(fixed)
        if legal(choice):
            return choice


def covering_choices(rng):
    """Choices that have every legal pair among them."""
    left, choices = legal_pairs(), []
    while left:
        seed_pair = min(left, key=repr)
        best = max((random_choice(rng, dict(seed_pair)) for _ in range(40)), key=lambda c: len(pairs_of(c) & left))
        left -= pairs_of(best)
        choices.append(best)
    return choices


class Row(list):
    """A row with a kind of its own, whatever its column `op` says."""
    kind = None


def kind_of(row):
    return getattr(row, "kind", None) or row[OP]


class PairModel:
    def __init__(self, rng, choice):
        self.rng, self.choice = rng, choice
        self.engine, self.producer, self.sequence = choice["engine"], choice["producer"], choice["sequence"]
        self.partitioned = choice["partitioned"]
        self.moving = choice["bucket"] == "moving"  # keys are k alone, and live in one partition at a time
        self.columns = [(n, parse("STRING") if n == "p" and self.moving else t) for n, t in COLUMNS]
        self.state = {}
        self.changes = collections.defaultdict(list)  # (kind, row) by key
        self.deduplicates_changes = self.producer in ("lookup", "full-compaction") and rng.random() < 0.5
        if self.moving and self.engine == "deduplicate":
            self.deduplicates_changes = False
        self.ignores = self.engine == "first-row" or (self.engine != "aggregation" and rng.random() < 0.3)
        if self.engine == "partial-update" and self.sequence != "group":
            self.ignores = True
        if self.moving and self.engine == "deduplicate":  # refused: a key that moves leaves a delete behind
            self.ignores = False
        # A delete that a compaction has dropped is forgotten, and an older row may come back.
        self.retracts = self.ignores or self.engine == "aggregation" or self.sequence in ("none", "group")
        self.options = self.make_options()

    def make_options(self):
        rng, choice = self.rng, self.choice
        options = {"merge-engine": self.engine, "file.format": choice["format"], "rowkind.field": "op",
                   "bucket": {"dynamic": "-1", "moving": "-1", "postpone": "-2"}.get(choice["bucket"], choice["bucket"]),
                   "changelog-producer": self.producer, "num-sorted-run.compaction-trigger": str(rng.randint(2, 4))}
        if choice["bucket"] in ("dynamic", "moving"):
            options["dynamic-bucket.target-row-num"] = "5"
        if choice["bucket"] == "postpone":
            options["postpone.default-bucket-num"] = str(rng.randint(1, 3))
        if choice["vectors"] != "off":
            options["deletion-vectors.enabled"] = "true"
            options["deletion-vectors.bitmap64"] = "true" if choice["vectors"] == "64" else "false"
        if self.sequence in ("ascending", "descending", "two"):
            options["sequence.field"] = "s,t" if self.sequence == "two" else "s"
            options["sequence.field.sort-order"] = "descending" if self.sequence == "descending" else "ascending"
        if self.sequence == "group":
            options["fields.s.sequence-group"] = "b,c"
        if self.engine == "aggregation":
            options.update({"fields.a.aggregate-function": "sum", "fields.b.aggregate-function": "max"})
            for name in ("b", "c", "op", "s", "t") + (("p",) if self.moving else ()):
                options["fields.%s.ignore-retract" % name] = "true"
        if self.ignores:
            options["ignore-delete"] = "true"
        if self.deduplicates_changes:
            options["changelog-producer.row-deduplicate"] = "true"
        if rng.random() < 0.3:
            options["target-file-size"] = "1 b"
        if rng.random() < 0.2:
            options["compaction.force-up-level-0"] = "true"
        if rng.random() < 0.2:
            options["data-file.thin-mode"] = "true"
        return options

    def random_rows(self):
        rng = self.rng
        rows = []
        known = (lambda key: key[0]) if self.moving else (lambda key: key)
        seen = {known(key) for key in self.state}
        null = lambda value, share: None if rng.random() < share else value
        for _ in range(rng.choice([1, 1, 3, 8])):
            kind = rng.choice(["+I", "+I", "+I", "+U"])
            key = (rng.randint(1, 12), rng.choice("xy" if not self.moving else ["x", "y", None]))
            if self.retracts and rng.random() < 0.25 and (self.engine == "deduplicate" or self.ignores or known(key) in seen):
                kind = rng.choice(["-U", "-D"])
            # With an order of its own a partial row would depend on what it is merged with first.
            share = 0.3 if self.sequence in ("none", "group") else 0
            row = [key[0], key[1], kind, null(rng.randint(-9, 9), share), null(rng.randint(-9, 9), share),
                   null(rng.choice(["", "u", "v", "日本"]), share), null(rng.randint(1, 5), 0.2), null(rng.randint(1, 2), 0.2)]
            if self.sequence == "group":
                row[T] = None
                if row[S] is None:
                    row[B] = row[C] = None
                if kind[0] == "-":
                    row[A] = None
            elif self.engine == "partial-update":
                row[T] = row[T] or 1
            if self.sequence in ("ascending", "descending", "two") and self.engine == "aggregation":
                row[T] = row[T] or 1
            # Java's write buffer sorts in ascending order always (see differences.md).
            if self.sequence != "descending" or key not in [(r[K], r[P]) for r in rows]:
                seen.add(known(key))
                rows.append(row)
        return rows

    def order_of(self, row):
        fields = {"ascending": [S], "descending": [S], "two": [S, T]}.get(self.sequence, [])
        sign = -1 if self.sequence == "descending" else 1
        return tuple((row[f] is not None, sign * (row[f] or 0)) for f in fields)

    def write(self, rows):
        """Rows of one commit, and what they change."""
        if self.ignores:
            rows = [r for r in rows if r[OP][0] == "+"]
        if self.moving:
            rows = list(self.placed(rows))
        by_key = collections.OrderedDict()
        for row in rows:
            by_key.setdefault((row[K], row[P]), []).append(row)
        for key, some in by_key.items():
            some = sorted(some, key=self.order_of)
            before = list(self.state[key]) if key in self.state else None
            self.merge(key, some)
            after = self.state.get(key)
            if self.producer == "input":
                self.changes[key] += [(kind_of(r), tuple(r)) for r in some]
            elif self.producer != "none":
                self.changes[key] += self.change(before, after)

    def for_java(self, rows):
        """Java notes a place for keys that move even of rows that `ignore-delete` leaves out."""
        return [r for r in rows if r[OP][0] == "+"] if self.moving and self.ignores else rows

    def session_forgets(self, rows):
        """Whether Java's next writes need a session of their own: one keeps in mind where deleted keys that move were, and
        what deleted rows were as long as the file lives that a deletion vector marks them in (see differences.md)."""
        if self.producer == "input":
            return self.moving
        deletes = self.moving or any(row[OP][0] == "-" for row in rows)
        return self.producer == "lookup" and self.choice["vectors"] != "off" and deletes

    def placed(self, rows):
        """Rows in the partitions that they are written to, with deletes where keys leave theirs."""
        places = dict(key for key in self.state)
        for row in rows:
            k, p = row[K], row[P]
            place = places.get(k, p)
            if place != p:
                if self.engine == "first-row":
                    continue
                moved = Row(row[:P] + [place] + row[P + 1:])
                if self.engine == "deduplicate":
                    moved.kind = "-D"
                yield moved
                if self.engine != "deduplicate":
                    continue
            places[k] = p
            yield row

    def change(self, before, after):
        if self.engine == "first-row":  # the row as it came
            return [(after[OP], tuple(after))] if before is None else []
        if before is None:
            return [("+I", tuple(after))] if after is not None else []
        if after is None:
            return [("-D", tuple(before))]
        if self.deduplicates_changes and before == after:
            return []
        return [("-U", tuple(before)), ("+U", tuple(after))]

    def merge(self, key, rows):
        for row in rows:
            now = self.state.get(key)
            retract = kind_of(row)[0] == "-"
            if self.engine == "deduplicate":
                newest = self.__dict__.setdefault("newest", {})
                if key in newest and self.order_of(row) < newest[key]:
                    continue
                newest[key] = self.order_of(row)
                if retract:
                    self.state.pop(key, None)
                else:
                    self.state[key] = list(row)
            elif now is None and self.engine == "aggregation" and retract:
                # By its sequence field it comes before the row that it takes back.
                self.state[key] = row[:OP] + [None] * (T - P)
                self.aggregate(self.state[key], row, retract)
            elif now is None:
                self.state[key] = list(row)
            elif self.engine == "aggregation":
                self.aggregate(now, row, retract)
            elif self.engine == "partial-update":
                self.update(now, row, retract)

    def aggregate(self, now, row, retract):
        if row[A] is not None:
            now[A] = (now[A] or 0) + (-row[A] if retract else row[A])
        newer = self.order_of(row) >= self.order_of(now)
        # The last value of these, NULL too.
        ordering = {"two": [S, T], "none": []}.get(self.sequence, [S])
        if retract:
            return
        if row[B] is not None and (now[B] is None or row[B] > now[B]):
            now[B] = row[B]
        if not newer:
            return
        for f in [OP, C, S, T]:
            if row[f] is not None or f in ordering:
                now[f] = row[f]

    def update(self, now, row, retract):
        if self.sequence != "group":
            if self.order_of(row) >= self.order_of(now):
                for f in [OP, A, B, C, S, T]:
                    if row[f] is not None:
                        now[f] = row[f]
            return
        if not retract:
            for f in [OP, A]:
                if row[f] is not None:
                    now[f] = row[f]
        if row[S] is None or (now[S] is not None and row[S] < now[S]):
            return
        now[S] = row[S]
        now[B], now[C] = (None, None) if retract else (row[B], row[C])


class Table:
    """One of the three tables, and who writes it."""

    def __init__(self, run, name, writers):
        self.run, self.name, self.writers = run, name, writers
        self.rng = random.Random(run.rng.random())
        self.writer = self.rng.choice(writers)
        self.place = (run.mica.warehouse, "pairs", name)

    def create(self):
        model = self.run.model
        keys = ["k"] if model.moving else ["k", "p"]
        if self.writer == "java":
            ids = [len(model.columns) - 1]
            self.run.java.ask("create", *self.place, columns=[{"name": n, "type": t.schema_json(ids)} for n, t in model.columns],
                              primary_keys=keys, partition_keys=["p"] if model.partitioned else [], options=model.options)
            return
        text = "CREATE TABLE `pairs`.`%s` (%s, PRIMARY KEY (%s) NOT ENFORCED)" % (
            self.name, ", ".join("`%s` %s" % (n, t.sql()) for n, t in model.columns), ", ".join(keys))
        if model.partitioned:
            text += " PARTITIONED BY (p)"
        self.run.mica.run(text + " WITH (%s)" % values.options(model.options))

    def perform(self, operations):
        """Rows of one commit each, or "full" or "minor" compactions; Java's stretches in one session of its own."""
        model, session = self.run.model, []
        for operation in operations:
            self.writer = self.rng.choice(self.writers + [self.writer] * 2)
            if self.writer == "mica":
                self.java_session(session)
                self.mica_does(operation)
            elif isinstance(operation, list):
                session.append({"rows": [{"kind": r[OP], "row": r} for r in model.for_java(operation)]})
                if model.producer == "full-compaction":  # which Mica's writers bring about themselves
                    session[-1]["compact"] = True
                if model.session_forgets(operation):
                    self.java_session(session)
            elif operation == "full":  # a minor one is part of each of its writes
                session.append({"compact": True})
        self.java_session(session)

    def java_session(self, session):
        if session:
            self.run.java.ask("session", *self.place, operations=session)
        session.clear()

    def mica_does(self, operation):
        if not isinstance(operation, list):
            self.run.mica.run("CALL sys.compact(`table` => 'pairs.%s'%s)" % (
                self.name, ", compact_strategy => 'minor'" if operation == "minor" else ""))
            return
        body = ", ".join("(%s)" % ", ".join(values.literal(v, t) for v, (_, t) in zip(r, COLUMNS)) for r in operation)
        self.run.mica.run("INSERT INTO `pairs`.`%s` VALUES %s" % (self.name, body))

    def check(self, when):
        types = [t for _, t in COLUMNS]
        names = [n for n, _ in COLUMNS]
        expected = values.multiset(self.run.model.state.values(), types)
        java = values.multiset(self.run.java.rows(*self.place), types)
        read = self.run.mica.run("SELECT * FROM %s" % quoted("pairs", self.name))
        mica = values.multiset([[r[n] for n in names] for r in read], types)
        for reader, got in (("Java", java), ("Mica", mica)):
            difference = values.difference(expected, got)
            if difference:
                raise Mismatch("%s, %s reads table of %s: %s\n    %s" % (when, reader, "+".join(self.writers), difference,
                                                                      self.run.story()))

    def check_changes(self):
        latest = self.run.java.ask("schema", *self.place)["snapshot"]
        if self.run.model.producer == "none" or not latest:
            return
        warehouse, db, name = self.place
        options = {"incremental-between": "0,%d" % latest, "incremental-between-scan-mode": "changelog"}
        read = self.run.mica.run("SELECT * FROM %s /*+ OPTIONS(%s) */" % (quoted(db, name + "$audit_log"),
                                                                       values.options(options)))
        self.compare_changes("Mica", [[r["rowkind"]] + [r[n] for n, _ in COLUMNS] for r in read])
        # Java's batch scans of tables with deletion vectors leave level 0 out, where changelogs of the input lie.
        if self.run.model.producer != "input" or self.run.model.choice["vectors"] == "off":
            self.compare_changes("Java", self.run.java.rows(warehouse, db, name + "$audit_log", options=options))

    def compare_changes(self, reader, rows):
        got = collections.defaultdict(list)
        for kind, *row in rows:
            got[(row[K], row[P])].append((kind, tuple(row)))
        for key in sorted(set(got) | set(self.run.model.changes), key=repr):
            expected, read = self.run.model.changes[key], got[key]
            if self.run.model.moving:
                expected, read = ([("+I" if kind[0] == "+" else "-D", row) for kind, row in some] for some in (expected, read))
            # Java reads splits of several snapshots in any order; a key that comes back to its partition in one commit may
            # lie in another bucket than before, and buckets have no order among them.
            if reader == "Java" or self.run.model.moving:
                expected, read = collections.Counter(expected), collections.Counter(read)
            if expected != read:
                raise Mismatch("the changelog of %s as %s reads it, key %s: expected %s, got %s\n    %s" % (
                    "+".join(self.writers), reader, key, self.run.model.changes[key], got[key], self.run.story()))


class Run:
    def __init__(self, java, mica, seed, number):
        self.java, self.mica = java, mica
        self.rng = random.Random("%d/pairs/%d" % (seed, number))
        covering = covering_choices(random.Random("%d/pairs" % seed))
        choice = covering[number] if number < len(covering) else random_choice(self.rng)
        self.model = PairModel(self.rng, choice)
        self.done = []
        writers = {"m": ["mica"], "j": ["java"], "x": ["mica", "java"]}
        if choice["bucket"] == "postpone":
            writers = {"m": ["mica"]}
        self.tables = [Table(self, "%s%03d" % (who, number), names) for who, names in writers.items()]

    def story(self):
        return "options %r, operations %r" % (self.model.options, self.done)

    def step(self):
        """The next operation, which the model has done."""
        if self.rng.random() < 0.15:
            self.done.append("minor" if self.rng.random() < 0.4 else "full")
        else:
            self.done.append(self.model.random_rows())
            self.model.write(self.done[-1])
        return self.done[-1]

    def perform(self, operations):
        alone = [t for t in self.tables if len(t.writers) == 1]
        with concurrent.futures.ThreadPoolExecutor() as pool:  # each side has a process of its own
            for done in [pool.submit(t.perform, operations) for t in alone]:
                done.result()
        for table in self.tables:
            if table not in alone:
                table.perform(operations)


def option_pairs(java, mica, seed, number, operations=30, stretch=15):
    run = Run(java, mica, seed, number)
    for table in run.tables:
        table.create()
    for first in range(0, operations, stretch):
        run.perform([run.step() for _ in range(stretch)])
        for table in run.tables:
            table.check("after operation %d" % (first + stretch))
    for table in run.tables:
        table.check_changes()
