"""Random histories over several lines of one table (Engine 10): Mica and Java write, tag, branch, compact, expire and clean in turn.

After each step every snapshot and every tag of every line reads as when it was first seen, and after a clean the other side
finds no file left over. A second process of Mica writes beside expiry and clean.
"""
import datetime
import random
import subprocess
import time

from history import History, same
from java_side import JavaError
from mica_side import MicaError

KINDS = {
    "append": (False, {}),
    "keyed": (True, {"num-sorted-run.compaction-trigger": "3"}),
    "vectors": (True, {"deletion-vectors.enabled": "true"}),
    "changelog": (True, {"changelog-producer": "input"}),
}
NOW = -5000  # the age that lets Java's clean see every file
BRANCHES = 3  # beside main, always


def just_now():
    return (datetime.datetime.now() - datetime.timedelta(milliseconds=2)).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


class Lines:
    def __init__(self, java, mica, kind, seed):
        self.random = random.Random("%s %d" % (kind, seed))
        self.keyed, options = KINDS[kind]
        self.java, self.mica = java, mica
        self.h = History(java, mica, "lines_%s_%d" % (kind, seed), self.keyed)
        self.h.run("ALTER TABLE %s SET (%s)" % (self.h.table(), ", ".join(
            "'%s' = '%s'" % o for o in dict(options, **{"manifest.merge-min-count": "3"}).items())))
        self.seen = {}  # (line, "scan.snapshot-id" or "scan.tag-name", value) -> rows
        self.lines = ["main"]
        self.number = 0
        self.maintained = 0
        self.log = []

    # -- what is there

    def name(self, line, system=""):
        return self.h.name + ("" if line == "main" else "$branch_" + line) + system

    def sql(self, line, system=""):
        return "`history`.`%s`" % self.name(line, system)

    def place(self, line):
        return self.mica.warehouse, "history", self.name(line)

    def column(self, line, system, column):
        return [r[column] for r in self.mica.run("SELECT * FROM %s" % self.sql(line, system))]

    def states(self, line):
        found = [("scan.snapshot-id", str(i)) for i in self.column(line, "$snapshots", "snapshot_id")]
        return found + [("scan.tag-name", t) for t in self.column(line, "$tags", "tag_name")]

    def rows(self, line, option, value):
        hint = "/*+ OPTIONS('%s' = '%s') */" % (option, value)
        return sorted((r["k"], r["v"]) for r in self.mica.run("SELECT k, v FROM %s %s" % (self.sql(line), hint)))

    def java_rows(self, line, option, value):
        return sorted(tuple(r[:2]) for r in self.java.rows(*self.place(line), options={option: value}))

    def verify(self, by_java):
        seen = {}
        for line in self.lines:
            for option, value in self.states(line):
                rows = self.rows(line, option, value)
                place = (line, option, value)
                same("%s after %s" % (place, self.log), self.seen.get(place, rows), rows)
                # Java looks for the tags of a branch among those of main (P-55).
                if by_java and (line == "main" or option == "scan.snapshot-id"):
                    same("what Java reads of %s after %s" % (place, self.log), rows, self.java_rows(line, option, value))
                seen[place] = rows
        self.seen = seen

    # -- steps

    def next(self, prefix):
        self.number += 1
        return "%s%d" % (prefix, self.number)

    def write(self, line):
        row = (self.random.randrange(6), self.next("v"))
        if self.random.random() < 0.4:
            self.log.append("Java writes %s" % line)
            self.java.ask("write", *self.place(line), rows=[list(row)])
        else:
            verb = "OVERWRITE" if self.random.random() < 0.3 else "INTO"
            self.log.append("%s %s" % (verb, line))
            self.mica.run("INSERT %s %s VALUES (%d, '%s')" % ((verb, self.sql(line)) + row))

    def tag(self, line):
        snapshots = self.column(line, "$snapshots", "snapshot_id")
        if not snapshots:
            return
        name, at = self.next("tag"), self.random.choice(snapshots)
        self.log.append("tag %s of %s at %d" % (name, line, at))
        self.call(line, "create_tag", tag=name, snapshot_id=at)

    def call(self, line, procedure, **arguments):
        given = ["`table` => 'history.%s'" % self.name(line)]
        given += ["%s => %s" % (k, repr(v) if isinstance(v, str) else str(v).lower()) for k, v in arguments.items()]
        return [list(r.values()) for r in self.mica.run("CALL sys.%s(%s)" % (procedure, ", ".join(given)))]

    def branch(self, line):
        name = self.next("b")
        self.log.append("branch %s of %s" % (name, line))
        self.call(line, "create_branch", branch=name)
        self.lines.append(name)

    def drop_branch(self):
        if len(self.lines) > BRANCHES + 1:
            name = self.random.choice(self.lines[1:])
            self.log.append("drop %s" % name)
            self.call("main", "delete_branch", branch=name)
            self.lines.remove(name)

    def roll_back(self, line):
        targets = [value for option, value in self.states(line) if option == "scan.snapshot-id"]
        if targets:
            target = self.random.choice(targets)
            self.log.append("roll %s back to %s" % (line, target))
            rows = self.rows(line, "scan.snapshot-id", target)
            self.call(line, "rollback_to", snapshot_id=int(target))
            same("after the rollback, %s" % self.log, rows, self.rows(line, "scan.snapshot-id", str(self.latest(line))))

    def latest(self, line):
        return max(self.column(line, "$snapshots", "snapshot_id"))

    def merge(self):
        source, target = self.random.sample(self.lines, 2)
        self.log.append("merge %s into %s" % (source, target))
        try:
            self.call("main", "merge_branch", source_branch=source, target_branch=target)
        except MicaError as error:
            refused = ("snapshot", "overwrite", "deleted", "primary keys")
            if not any(word in str(error) for word in refused):
                raise
            self.log.append("  refused")

    def maintain(self, line):
        """Java does every third."""
        self.maintained += 1
        by_java = self.maintained % 3 == 0
        what = self.random.choice(["compact", "expire", "expire", "delete a tag", "clean"])
        self.log.append("%s: %s of %s" % ("Java" if by_java else "Mica", what, line))
        if what == "compact":
            if by_java and self.keyed:
                self.java.ask("compact", *self.place(line))
            else:
                self.call(line, "compact")
        elif what == "expire":
            keep = self.random.randrange(1, 4)
            # Java looks at the tags of main when it expires a branch: those that only the branch has would lose their files.
            held = set(self.column(line, "$tags", "tag_name")) - set(self.column("main", "$tags", "tag_name"))
            if by_java and not held:
                self.java.ask("expire", *self.place(line), keep=keep)
            else:
                self.call(line, "expire_snapshots", retain_max=keep, retain_min=keep)
        elif what == "delete a tag":
            tags = [t for t in self.column(line, "$tags", "tag_name") if t.startswith("tag")]
            # A branch may begin with it: only Mica knows.
            tags = [t for t in tags if not any(other != line and t in self.column(other, "$tags", "tag_name") for other in self.lines)]
            if tags and by_java:
                self.java.ask("delete-tag", *self.place(line), name=tags[0])
            elif tags:
                self.call(line, "delete_tag", tag=tags[0])
        else:
            self.clean(by_java)

    def clean(self, by_java):
        time.sleep(0.005)  # a file of this very millisecond is not older than now
        java = lambda: self.java.ask("clean", *self.place("main"), age=NOW)["count"]
        mica = lambda: int(self.call("main", "remove_orphan_files", older_than=just_now())[0][0])
        first, second = (java, mica) if by_java else (mica, java)
        first()
        same("files that the other side finds after a clean, %s" % self.log, 0, second())

    def step(self):
        line = self.random.choice(self.lines)
        if len(self.lines) <= BRANCHES:
            return self.branch(line)
        choice = self.random.randrange(12)
        if choice < 5:
            return self.write(line)
        if choice == 5:
            return self.tag(line)
        if choice == 6:
            return self.roll_back(line)
        if choice == 7:
            return self.branch(line) if len(self.lines) < BRANCHES + 3 else self.drop_branch()
        if choice == 8 and not self.keyed:
            return self.merge()
        return self.maintain(line)


def sequence(java, mica, kind, seed, steps):
    lines = Lines(java, mica, kind, seed)
    try:
        for number in range(steps):
            lines.step()
            lines.verify(by_java=number % 4 == 3 or number == steps - 1)
        for line in lines.lines:
            lines.call(line, "compact")
            lines.call(line, "expire_snapshots", retain_max=1, retain_min=1)
        lines.clean(False)
        lines.verify(by_java=True)
    except (MicaError, JavaError) as error:
        raise type(error)("%s after %s" % (error, lines.log))


def writer_beside(java, mica):
    """A process that commits all the time, beside expiry by both and cleans: no row of it is lost, every listed state reads."""
    h = History(java, mica, "beside", keyed=True)
    h.overwrite((0, "first"))
    script = "".join("INSERT INTO %s VALUES (%d, 'v%d');\n" % (h.table(), i % 40, i) for i in range(1, 200))
    process = subprocess.Popen([mica.process.args[0], "sql", "--warehouse", str(mica.warehouse), "--dialect", "flink"],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        process.stdin.write(script)
        process.stdin.close()
        rounds = 0
        while process.poll() is None:
            rounds += 1
            if rounds % 3 == 0:
                java.ask("expire", *h.place, keep=3)
            else:
                h.call("expire_snapshots", retain_max=3, retain_min=3)
            ago = datetime.datetime.now() - datetime.timedelta(seconds=20)
            h.call("remove_orphan_files", older_than=ago.strftime("%Y-%m-%d %H:%M:%S"))
            h.run("SELECT count(*), max(v) FROM %s" % h.table())
        # That another process expired the same snapshots at the same time is told, and no error.
        same("errors of the writer", [], [line for line in process.stderr.read().splitlines() if not line.startswith("Warning: ")])
    finally:
        process.kill()
        process.wait()
    last = {}
    for i in range(1, 200):
        last[i % 40] = "v%d" % i
    same("rows", sorted(last.items()), h.read())
    for snapshot in h.snapshots():
        h.read(**{"scan.snapshot-id": str(snapshot)})


def run(java, mica, seed, sequences, steps, report):
    """Runs `sequences` of each kind; returns how many there were."""
    mica.run("CREATE DATABASE IF NOT EXISTS `history`")
    report("lines:writer-beside", lambda: writer_beside(java, mica))
    for kind in KINDS:
        for number in range(sequences):
            report("lines:%s:%d" % (kind, seed + number), lambda: sequence(java, mica, kind, seed + number, steps))
    return 1 + sequences * len(KINDS)
