"""Tags, rollbacks, expiry and statistics: each side goes on with what the other one did to the history of a table."""
import datetime
import json
import re
import signal
import subprocess

from table_model import Model
from random_tables import Mismatch


def same(what, expected, got):
    if expected != got:
        raise Mismatch("%s: expected %r, got %r" % (what, expected, got))


class History:
    """One small table, its rows as sorted lists."""

    def __init__(self, java, mica, name, keyed):
        self.java, self.mica, self.name = java, mica, name
        self.place = (mica.warehouse, "history", name)
        self.root = mica.warehouse / "history.db" / name
        key = ", PRIMARY KEY (k) NOT ENFORCED" if keyed else ""
        options = "WITH ('bucket' = '1')" if keyed else ""
        self.run("CREATE TABLE %s (k INT, v STRING%s) %s" % (self.table(), key, options))

    def table(self, suffix=""):
        return "`history`.`%s%s`" % (self.name, suffix)

    def run(self, sql):
        return self.mica.run(sql)

    def call(self, procedure, **arguments):
        given = ["`table` => 'history.%s'" % self.name]
        given += ["%s => %s" % (k, repr(v) if isinstance(v, str) else str(v).lower()) for k, v in arguments.items()]
        return [list(r.values()) for r in self.run("CALL sys.%s(%s)" % (procedure, ", ".join(given)))]

    def overwrite(self, *rows):
        self.run("INSERT OVERWRITE %s VALUES %s" % (self.table(), ", ".join("(%d, '%s')" % r for r in rows)))

    def read(self, **options):
        """What both sides read, which has to be the same."""
        hint = " /*+ OPTIONS(%s) */" % ", ".join("'%s' = '%s'" % o for o in options.items()) if options else ""
        mica = sorted([r["k"], r["v"]] for r in self.run("SELECT k, v FROM %s%s" % (self.table(), hint)))
        java = self.java.rows(*self.place, options=options) if options else self.java.rows(*self.place)
        java = sorted(row[:2] for row in java)
        same("Java and Mica read with %r" % options, mica, java)
        return [tuple(r) for r in mica]

    def at_tag(self, name):
        return self.read(**{"scan.tag-name": name})

    def tags(self):
        """Name, snapshot and retention of the tags as both sides list them."""
        mica = [(r["tag_name"], r["snapshot_id"], r["time_retained"]) for r in self.run("SELECT * FROM %s" % self.table("$tags"))]
        java = [(r[0], r[1], r[6]) for r in self.java.rows(self.mica.warehouse, "history", self.name + "$tags")]
        same("Java and Mica list the tags", sorted(mica), sorted(java))
        return sorted(mica)

    def snapshots(self):
        return sorted(r["snapshot_id"] for r in self.run("SELECT snapshot_id FROM %s" % self.table("$snapshots")))

    def data_files(self):
        return len(list(self.root.rglob("bucket-*/*")))


def tag_files(java, mica):
    """M-0610: the same snapshot under a tag of each side is the same file, but for the time of creation."""
    h = History(java, mica, "tag_files", keyed=True)
    h.overwrite((1, "a"), (2, "b"))
    h.overwrite((1, "c"))
    h.call("create_tag", tag="mica", snapshot_id=1)
    java.ask("tag", *h.place, name="java", snapshot=1)
    h.call("create_tag", tag="mica-kept", snapshot_id=2, time_retained="36 h")
    java.ask("tag", *h.place, name="java-kept", snapshot=2, retained="PT36H")
    h.call("create_tag", tag="mica-fraction", time_retained="1500 ms")
    java.ask("tag", *h.place, name="java-fraction", snapshot=2, retained="PT1.5S")
    text = lambda name: (h.root / "tag" / ("tag-" + name)).read_text()
    # A tag of Mica's snapshot that Java wrote: the keys and their order are Java's.
    same("tag files without retention", json.loads(text("java")), json.loads(text("mica")))
    same("keys of tag files", list(json.loads(text("java-kept"))), list(json.loads(text("mica-kept"))))
    for kind in ("kept", "fraction"):
        line = lambda side: re.search(r'"tagTimeRetained" : (.*)', text("%s-%s" % (side, kind))).group(0)
        same("retention of tag files", line("java"), line("mica"))
        shape = lambda side: re.sub(r"\d+", "N", re.search(r'"tagCreateTime" : (.*)', text("%s-%s" % (side, kind))).group(0))
        same("creation time of tag files", shape("java").count("N") >= 5, shape("mica").count("N") >= 5)
    same("tags", [("java", 1, None), ("java-fraction", 2, "PT1.5S"), ("java-kept", 2, "PT36H"), ("mica", 1, None),
                  ("mica-fraction", 2, "PT1.5S"), ("mica-kept", 2, "PT36H")], h.tags())
    for name in ("java", "mica"):
        same("tag " + name, [(1, "a"), (2, "b")], h.at_tag(name))
    h.call("rename_tag", tag="java-kept", target_tag="renamed")
    same("renamed tag", [(1, "c")], h.at_tag("renamed"))
    java.ask("delete-tag", *h.place, name="mica")
    h.call("delete_tag", tag="java,renamed,mica-kept,java-fraction,mica-fraction")
    same("tags at the end", [], h.tags())


def expiry(java, mica):
    """M-0605, M-0616, P-51: what a tag holds stays, whoever expires, and goes with it, whoever deletes it."""
    for first, second in ((True, False), (False, True)):
        h = History(java, mica, "expiry_%s" % first, keyed=first)

        def expire(by_java):
            if by_java:
                java.ask("expire", *h.place, keep=1)
            else:
                h.call("expire_snapshots", retain_max=1, retain_min=1)

        def delete(by_java, name):
            if by_java:
                java.ask("delete-tag", *h.place, name=name)
            else:
                h.call("delete_tag", tag=name)

        for n, name in ((1, "one"), (2, "two"), (3, "three"), (4, "four")):
            h.overwrite((n, name))
            if n in (1, 3):
                h.call("create_tag", tag=name)
        expire(first)
        same("snapshots", [4], h.snapshots())
        same("tag one", [(1, "one")], h.at_tag("one"))
        same("tag three", [(3, "three")], h.at_tag("three"))
        same("data files with two tags", 3, h.data_files())
        h.overwrite((5, "five"))
        expire(second)
        same("latest", [(5, "five")], h.read())
        delete(second, "one")
        same("tag three alone", [(3, "three")], h.at_tag("three"))
        same("data files with one tag", 2, h.data_files())
        delete(first, "three")
        same("data files without tags", 1, h.data_files())
        same("latest at the end", [(5, "five")], h.read())


def rollbacks(java, mica):
    """Q-01, M-0633: Java reads, goes on with and expires what a rollback of Mica made, and the other way round."""
    h = History(java, mica, "rollbacks", keyed=True)
    h.overwrite((1, "a"), (2, "b"))
    h.call("create_tag", tag="eod")
    h.overwrite((1, "bad"))
    h.overwrite((9, "worse"))
    h.call("create_tag", tag="backup")
    same("rollback", [[3, 4]], h.call("rollback_to", tag="eod"))
    same("after the rollback", [(1, "a"), (2, "b")], h.read())
    same("rollback to a snapshot", [[4, 5]], h.call("rollback_to", snapshot_id=2))
    same("after the second rollback", [(1, "bad")], h.read())
    java.ask("write", *h.place, rows=[[7, "java"]])
    same("Java goes on", [(1, "bad"), (7, "java")], h.read())
    java.ask("expire", *h.place, keep=1)
    same("after Java expired the snapshots before", [(1, "bad"), (7, "java")], h.read())
    same("the backup", [(9, "worse")], h.at_tag("backup"))
    h.call("rollback_to", tag="backup")
    same("from a tag alone", [(9, "worse")], h.read())
    java.ask("compact", *h.place)
    same("Java compacts", [(9, "worse")], h.read())
    h.call("expire_snapshots", retain_max=1, retain_min=1)
    same("Mica expires", [(9, "worse")], h.read())
    java.ask("rollback", *h.place, name="eod")
    same("Java's own form", [(1, "a"), (2, "b")], h.read())
    h.overwrite((3, "next"))
    same("Mica goes on after it", [(3, "next")], h.read())
    h.call("create_tag", tag="later")
    same("deleting later ones", 2, len(h.call("rollback_to", tag="eod", delete_later=True)[0]))
    same("after the deleting rollback", [(1, "a"), (2, "b")], h.read())
    java.ask("write", *h.place, rows=[[8, "java"]])
    same("Java goes on after the deleting one", [(1, "a"), (2, "b"), (8, "java")], h.read())


def tags_after_rollback(java, mica):
    """Q-01: after a rollback and more commits, what Java expires and deletes takes nothing from the tags that are left."""
    for keyed in (True, False):
        h = History(java, mica, "tags_after_rollback_%s" % keyed, keyed)
        tags = {}

        def commit(n, verb="OVERWRITE"):
            h.run("INSERT %s %s VALUES (%d, 'v%d')" % (verb, h.table(), n, n))
            tags["t%d" % n] = h.read()
            h.call("create_tag", tag="t%d" % n)

        def check():
            for name, rows in tags.items():
                same("tag %s, those left %s" % (name, sorted(tags)), rows, h.at_tag(name))

        for n in (1, 2, 3, 4):
            commit(n)
        h.call("rollback_to", tag="t2")
        same("after the rollback", tags["t2"], h.read())
        commit(5, "INTO")
        commit(6)
        java.ask("expire", *h.place, keep=1)
        check()
        for name in ("t1", "t3", "t5", "t2"):
            java.ask("delete-tag", *h.place, name=name)
            del tags[name]
            check()
        commit(7, "INTO")
        java.ask("expire", *h.place, keep=1)
        check()
        h.call("rollback_to", tag="t4")
        java.ask("expire", *h.place, keep=1)
        check()
        java.ask("delete-tag", *h.place, name="t6")
        del tags["t6"]
        check()
        same("the table", tags["t4"], h.read())


def merges(java, mica):
    """M-0641: what a merge made two lines share stays for both, whoever lets go of it on one of them."""
    for first in ("main", "b"):
        h = History(java, mica, "merges_" + first, keyed=False)
        branch = h.place[:2] + (h.name + "$branch_b",)
        h.run("INSERT INTO %s VALUES (1, 'a')" % h.table())
        h.call("create_branch", branch="b")
        java.ask("write", *branch, rows=[[2, "java on b"]])
        h.run("INSERT INTO %s VALUES (3, 'mica on b')" % h.table("$branch_b"))
        java.ask("write", *h.place, rows=[[4, "java on main"]])
        h.call("merge_branch", source_branch="b")
        everything = [(1, "a"), (2, "java on b"), (3, "mica on b"), (4, "java on main")]
        on_branch = everything[:3]
        same("after the merge", everything, h.read())
        java.ask("write", *branch, rows=[[5, "later"]])
        h.call("merge_branch", source_branch="b")
        everything.append((5, "later"))
        on_branch.append((5, "later"))
        same("after the second merge", everything, h.read())
        place, suffix = (h.place, "") if first == "main" else (branch, "$branch_b")
        h.run("INSERT OVERWRITE %s VALUES (9, 'only')" % h.table(suffix))
        java.ask("expire", *place, keep=1)
        java.ask("clean", *h.place, age=-5000)
        same("main", [(9, "only")] if first == "main" else everything, h.read())
        same("the branch", on_branch if first == "main" else [(9, "only")], h.read(branch="b"))


def branches(java, mica):
    """M-0636, P-56: what one line expires and compacts, whoever does it, the other line still reads; both ways round."""
    for keyed in (True, False):
        for by_java in (True, False):
            h = History(java, mica, "branches_%s_%s" % (keyed, by_java), keyed)
            main, branch = h.place, h.place[:2] + (h.name + "$branch_b",)
            on = {"branch": "b"}

            def expire_and_compact(place):
                if by_java:
                    if keyed:
                        java.ask("compact", *place)
                    java.ask("expire", *place, keep=1)
                else:
                    for call in ("compact(`table` => '%s.%s')", "expire_snapshots(`table` => '%s.%s', retain_max => 1, retain_min => 1)"):
                        mica.run("CALL sys." + call % place[1:])

            h.overwrite((1, "a"), (2, "b"))
            h.run("INSERT INTO %s VALUES (3, 'c')" % h.table())
            h.call("create_branch", branch="b")
            h.overwrite((9, "main"))
            h.run("INSERT INTO %s VALUES (8, 'main')" % h.table())
            expire_and_compact(main)
            same("the branch", [(1, "a"), (2, "b"), (3, "c")], h.read(**on))
            java.ask("write", *branch, rows=[[4, "java"]])
            h.run("INSERT INTO %s VALUES (5, 'mica')" % h.table("$branch_b"))
            whole = [(1, "a"), (2, "b"), (3, "c"), (4, "java"), (5, "mica")]
            same("the branch goes on", whole, h.read(**on))
            # The other way round: main has what the branch began with under a tag.
            h.run("INSERT OVERWRITE %s VALUES (6, 'branch')" % h.table("$branch_b"))
            h.run("INSERT INTO %s VALUES (7, 'branch')" % h.table("$branch_b"))
            expire_and_compact(branch)
            same("the branch after it expired", [(6, "branch"), (7, "branch")], h.read(**on))
            same("main", [(8, "main"), (9, "main")], h.read())
            same("the beginning", [(1, "a"), (2, "b"), (3, "c")], h.at_tag("branch-b"))
            # Java takes the branch over as Mica left it, and Mica lets go of it.
            h.call("fast_forward", branch="b")
            same("after fast_forward", [(6, "branch"), (7, "branch")], h.read())
            h.overwrite((10, "later"))
            expire_and_compact(main)
            same("the branch after main let go", [(6, "branch"), (7, "branch")], h.read(**on))
            h.call("delete_branch", branch="b")
            same("main at the end", [(10, "later")], h.read())
            same("tags at the end", [], h.tags())
            # What main did itself before the fast-forward is left over.
            before = datetime.datetime.now() - datetime.timedelta(milliseconds=2)
            h.call("remove_orphan_files", older_than=before.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3])
            same("main without the rest", [(10, "later")], h.read())
            same("data files at the end", 1, h.data_files())


def java_branches(java, mica):
    """Branches that Java makes: read, written, changed and fast-forwarded by Mica, and by Java after Mica."""
    h = History(java, mica, "java_branches", keyed=True)
    branch = h.place[:2] + (h.name + "$branch_j",)
    h.overwrite((1, "a"))
    java.ask("tag", *h.place, name="start", snapshot=1)
    java.ask("branch", *h.place, name="j", tag="start")
    java.ask("branch", *h.place, name="empty")
    listed = lambda: [r["branch_name"] for r in h.run("SELECT * FROM %s ORDER BY 1" % h.table("$branches"))]
    same("branches", ["empty", "j"], listed())
    same("branches as Java lists them", ["empty", "j"], sorted(r[0] for r in java.rows(*h.place[:2], h.name + "$branches")))
    same("an empty branch", [], h.read(branch="empty"))
    h.run("INSERT INTO %s VALUES (2, 'mica')" % h.table("$branch_j"))
    h.run("ALTER TABLE %s ADD x INT" % h.table("$branch_j"))
    java.ask("write", *branch, rows=[[3, "java", 7]])
    same("with a column of its own", [[1, "a", None], [2, "mica", None], [3, "java", 7]], sorted(java.rows(*branch)))
    same("main", [(1, "a")], h.read())
    java.ask("fast-forward", *h.place, name="j")
    same("Java's fast-forward", [(1, "a"), (2, "mica"), (3, "java")], h.read())
    # Both lines have the same snapshots now: neither may take files from the other.
    h.run("INSERT OVERWRITE %s VALUES (4, 'main', 1)" % h.table())
    h.call("expire_snapshots", retain_max=1, retain_min=1)
    same("the branch", [(1, "a"), (2, "mica"), (3, "java")], h.read(branch="j"))
    h.run("INSERT OVERWRITE %s VALUES (5, 'branch', 1)" % h.table("$branch_j"))
    mica.run("CALL sys.expire_snapshots('history.java_branches$branch_j', 1, 1)")
    same("main after both expired", [(4, "main")], h.read())
    same("the branch after both expired", [(5, "branch")], h.read(branch="j"))
    same("the tag", [(1, "a")], h.at_tag("start"))
    h.call("delete_branch", branch="j,empty")
    same("main at the end", [(4, "main")], h.read())
    same("the tag at the end", [(1, "a")], h.at_tag("start"))


def streams(java, mica):
    """M-0524: `mica tail` follows what Java writes, as it comes."""
    for producer in ("append", "none", "input"):
        h = History(java, mica, "streams_" + producer, keyed=producer != "append")
        if producer == "input":
            h.run("ALTER TABLE %s SET ('changelog-producer' = 'input')" % h.table())
        java.ask("write", *h.place, rows=[[1, "a"], [2, "b"]])
        process = subprocess.Popen([mica.process.args[0], "tail", "history." + h.name, "--warehouse", str(mica.warehouse), "--options",
                                    "continuous.discovery-interval=20 ms"], stdout=subprocess.PIPE, text=True)
        try:
            read = lambda count: sorted(list(json.loads(process.stdout.readline()).values()) for _ in range(count))
            same("the state", [["+I", 1, "a"], ["+I", 2, "b"]], read(2))
            for step in range(3):
                java.ask("write", *h.place, rows=[[1, "java %d" % step], [10 + step, "new"]])
                same("what Java wrote", [["+I", 1, "java %d" % step], ["+I", 10 + step, "new"]], read(2))
            process.send_signal(signal.SIGINT)
            same("the exit code", 130, process.wait(60))
        finally:
            process.kill()
            process.wait()


def statistics(java, mica):
    """M-1206: what ANALYZE writes is what Java reads."""
    columns = "i INT, b BIGINT, d DECIMAL(10, 2), f DOUBLE, s STRING, y BYTES, dt DATE, ts TIMESTAMP(3), z BOOLEAN"
    mica.run("CREATE TABLE `history`.`statistics` (%s)" % columns)
    mica.run("INSERT INTO `history`.`statistics` VALUES "
             "(1, 10, 1.5, 0.5, 'abc', X'00', DATE '2024-01-02', TIMESTAMP '2024-01-02 03:04:05.678', true), "
             "(2, NULL, -2.25, 1.5, 'a', X'0011', DATE '1969-12-31', TIMESTAMP '1969-01-02 03:04:05', false), "
             "(2, 30, NULL, NULL, NULL, NULL, NULL, NULL, NULL)")
    mica.run("ANALYZE TABLE `history`.`statistics` COMPUTE STATISTICS FOR ALL COLUMNS")
    place = (mica.warehouse, "history", "statistics")
    read = json.loads(java.ask("statistics", *place)["statistics"])
    same("rows", 3, read["mergedRecordCount"])
    found = read["colStats"]
    wanted = {"i": (2, 0, "1", "2", 4, 4), "b": (2, 1, "10", "30", 8, 8), "d": (2, 1, "-2.25", "1.50", 8, 8),
              "f": (2, 1, "0.5", "1.5", 8, 8), "s": (2, 1, None, None, 2, 3), "y": (2, 1, None, None, 2, 2),
              "dt": (2, 1, "-1", "19724", 4, 4), "z": (2, 1, "false", "true", 1, 1)}
    for name, (distinct, nulls, low, high, average, longest) in wanted.items():
        c = found[name]
        same("statistics of " + name, (distinct, nulls, low, high, average, longest),
             (c["distinctCount"], c["nullCount"], c.get("min"), c.get("max"), c["avgLen"], c["maxLen"]))
    same("statistics of ts", ("1969-01-02 03:04:05.000", "2024-01-02 03:04:05.678"), (found["ts"]["min"], found["ts"]["max"]))
    shown = java.rows(mica.warehouse, "history", "statistics$statistics")
    own = [list(r.values()) for r in mica.run("SELECT * FROM `history`.`statistics$statistics`")]
    same("$statistics", [r[:4] for r in shown], [r[:4] for r in own])


def show_create(mica, seed, number):
    """M-1202: what SHOW CREATE TABLE prints makes an equal table, in both dialects."""
    model = Model(seed, number, "show")
    model.db = "history"
    mica.run(model.create_sql())
    schema = lambda name: json.loads(next((mica.warehouse / "history.db" / name / "schema").glob("schema-0")).read_text())
    for dialect in ("spark", "flink"):
        mica.run("SET 'dialect' = '%s'" % dialect)
        try:
            text = list(mica.run("SHOW CREATE TABLE `history`.`%s`" % model.name)[0].values())[0]
            again = "%s_%s" % (model.name, dialect)
            mica.run(text.replace("`history`.`%s`" % model.name, "`history`.`%s`" % again, 1))
        finally:
            mica.run("SET 'dialect' = 'flink'")
        first, second = schema(model.name), schema(again)
        first.pop("timeMillis"), second.pop("timeMillis")
        same("schema made by %s" % text, first, second)


PARTS = {"tag-files": tag_files, "expiry": expiry, "rollbacks": rollbacks, "tags-after-rollback": tags_after_rollback,
         "branches": branches, "merges": merges,
         "java-branches": java_branches, "streams": streams,
         "statistics": statistics}


def run(java, mica, seed, count, report):
    """Runs all parts; returns how many there were."""
    mica.run("CREATE DATABASE `history`")
    for name, part in PARTS.items():
        report("history:" + name, lambda: part(java, mica))
    for number in range(count):
        report("history:show-create:%d" % number, lambda: show_create(mica, seed, number))
    return len(PARTS) + count
