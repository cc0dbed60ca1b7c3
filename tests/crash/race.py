"""Processes that commit to one table at the same time.

Each writer has a partition of its own that it overwrites now and then, and a shared partition that all append to (or
upsert, under its own keys and under keys that all write). What a writer was told is done must be there exactly once; what
was refused as a conflict must not be there at all.
"""
import json
import random
import threading
import time

from mica_side import Mica, MicaError

CREATE = {
    False: "CREATE TABLE race.appended (id BIGINT, v STRING, p STRING) PARTITIONED BY (p)",
    True: "CREATE TABLE race.keyed (id BIGINT, v STRING, p STRING, PRIMARY KEY (p, id) NOT ENFORCED) PARTITIONED BY (p) "
          "WITH ('bucket' = '2')",
}


class Writer(threading.Thread):
    def __init__(self, suite, number, table, keyed, commits):
        super().__init__()
        self.suite, self.number, self.table, self.keyed, self.commits = suite, number, table, keyed, commits
        self.rng = random.Random("race/%s/%d" % (keyed, number))
        self.own = "own%d" % number
        self.rows = []  # acknowledged (id, v, p); for keyed tables the last one of a key counts
        self.shared = set()  # (id, v) acknowledged under keys that all write
        self.done = self.conflicts = 0

    def run(self):
        mica = Mica(self.suite.program, self.suite.warehouse, "flink")
        for i in range(self.commits):
            self.commit(mica, i)
        mica.close()

    def commit(self, mica, i):
        base = (self.number * 1000 + i) * 10
        rows = [(base + j, "w%d-%d" % (self.number, i), self.rng.choice(["all", self.own])) for j in range(self.rng.randint(1, 4))]
        overwrite = self.rng.random() < 0.1
        if overwrite:
            rows = [(id, v, self.own) for id, v, _ in rows]
            sql = "INSERT OVERWRITE %s PARTITION (p = '%s') VALUES " % (self.table, self.own)
            sql += ", ".join("(%d, '%s')" % r[:2] for r in rows)
        else:
            if self.keyed and self.rows and self.rng.random() < 0.5:
                id, _, p = self.rng.choice(self.rows)
                rows.append((id, "w%d-%d again" % (self.number, i), p))
            shared = [(-self.rng.randint(1, 5), "w%d-%d" % (self.number, i), "all")] if self.keyed else []
            sql = "INSERT INTO %s VALUES " % self.table + ", ".join("(%d, '%s', '%s')" % r for r in rows + shared)
        try:
            mica.run(sql)
        except MicaError as e:
            self.conflicts += 1
            if "conflict" not in str(e).lower() and "other writers were faster" not in str(e):
                self.suite.fail("race: writer %d: refused, and not for a conflict: %s" % (self.number, e))
            return
        self.done += 1
        if overwrite:
            self.rows = [r for r in self.rows if r[2] != self.own]
        elif self.keyed:
            self.shared.update((id, v) for id, v, _ in shared)
        if self.keyed:
            keys = {(r[0], r[2]) for r in rows}
            self.rows = [r for r in self.rows if (r[0], r[2]) not in keys]
        self.rows += rows


def run(suite, keyed, processes, commits):
    """The number of acknowledged commits."""
    start = time.monotonic()
    table = "race.keyed" if keyed else "race.appended"
    code, error = suite.once("race", ("" if keyed else "CREATE DATABASE race; ") + CREATE[keyed])
    if code:
        raise SystemExit("crash: %s" % error)
    writers = [Writer(suite, n, table, keyed, commits) for n in range(processes)]
    for w in writers:
        w.start()
    for w in writers:
        w.join()
    check(suite, table, keyed, writers)
    done, lost = sum(w.done for w in writers), sum(w.conflicts for w in writers)
    print("crash: race on %s: %d commits, %d conflicts (%.0f s)" % (table, done, lost, time.monotonic() - start), flush=True)
    return done


def check(suite, table, keyed, writers):
    mica = Mica(suite.program, suite.warehouse)
    got = sorted((int(r["id"]), r["v"], r["p"]) for r in mica.run("SELECT id, v, p FROM %s" % table))
    mica.close()
    if suite.java:
        java = sorted(tuple(r) for r in suite.java.rows(suite.warehouse, *table.split(".")))
        if java != got:
            suite.fail("race: Java reads %d rows of %s, Mica %d" % (len(java), table, len(got)))
    expected = sorted(r for w in writers for r in w.rows)
    own = [r for r in got if r[0] >= 0]
    if own != expected:
        suite.fail("race: %s: lost %r, not acknowledged or twice %r" % (
            table, sorted(set(expected) - set(own))[:10], sorted(set(own) - set(expected))[:10] or len(own)))
    shared = [r for r in got if r[0] < 0]
    written = {pair for w in writers for pair in w.shared}
    if len({r[0] for r in shared}) != len(shared) or not {r[:2] for r in shared} <= written:
        suite.fail("race: %s: keys that all write: %r" % (table, shared))
    check_snapshots(suite, table)


def check_snapshots(suite, table):
    """Every snapshot from the first kept to the last is there and whole."""
    db, name = table.split(".")
    folder = suite.warehouse / (db + ".db") / name / "snapshot"
    ids = sorted(int(p.name[len("snapshot-"):]) for p in folder.glob("snapshot-*"))
    if ids != list(range(ids[0], ids[0] + len(ids))):
        suite.fail("race: %s: holes between its snapshots" % table)
    for i in ids:
        if json.loads((folder / ("snapshot-%d" % i)).read_text())["id"] != i:
            suite.fail("race: %s: snapshot %d is another one" % (table, i))
