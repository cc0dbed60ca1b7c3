"""migrate_table and migrate_database: tables of Hive become Paimon's. Their files keep their inodes, Java reads them, and
whatever fails before the commit puts everything back."""
import os
import shutil

import hive_side
from hive_side import refused, same

NULL = "__HIVE_DEFAULT_PARTITION__"
COLUMNS = [["k", "bigint"], ["v", "string"], ["d", "decimal(12,3)"], ["t", "date"], ["m", "timestamp"], ["a", "array<bigint>"],
           ["r", "struct<x:double,y:string>"]]
TYPES = "k BIGINT, v STRING, d DECIMAL(12, 3), t DATE, m TIMESTAMP(6), a ARRAY<BIGINT>, r ROW<x DOUBLE, y STRING>"
KEYS = [["dt", "string"], ["hh", "int"]]
PARTITIONS = [["2024-01-01", "1"], ["2024-01-01", NULL], [NULL, "2"], ["01", "3"]]


def rows_of(n):
    return [[10 * n + 1, "a%d" % n, "1.500", "2024-02-29", "2024-01-01 10:00:00.123456", [1, None], [0.5, "p"]],
            [10 * n + 2, None, None, None, None, None, None]]


def data_file(world, file_format, n):
    """A file of such rows without partition columns, made once and copied."""
    name = "source_%s_%d" % (file_format, n)
    if not (world.warehouse / "db.db" / name).exists():
        world.mica.run("CREATE TABLE db.%s (%s) WITH ('file.format' = '%s', 'bucket' = '-1')" % (name, TYPES, file_format))
        world.ask("write", name, rows=rows_of(n))
    return next((world.warehouse / "db.db" / name / "bucket-0").iterdir())


class Source:
    """A table of Hive with its files, the way Hive names them, and files that Hive hides."""

    def __init__(self, world, name, file_format, partitioned, database="db", **more):
        self.world, self.name, self.format = world, name, file_format
        self.root = world.warehouse / (database + ".db") / name
        self.parts = PARTITIONS if partitioned else [[]]
        self.folders = [self.root / "/".join("%s=%s" % (k[0], v) for k, v in zip(KEYS, part)) for part in self.parts]
        world.metastore.ask("create-table", db=database, table=name, partitioned=KEYS if partitioned else [],
                            location="file:%s" % self.root,
                            **{"columns": COLUMNS, "parameters": {"comment": "from Hive"}, **hive_side.FORMATS[file_format], **more})
        for n, folder in enumerate(self.folders):
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(data_file(world, file_format if file_format != "text" else "orc", n), folder / "000000_0")
            (folder / "_SUCCESS").write_text("")
            (folder / ".hidden").write_text("x")
        if partitioned:
            world.metastore.ask("add-partitions", db=database, table=name, partitions=[
                {"values": part, "location": "file:%s" % folder} for part, folder in zip(self.parts, self.folders)])
        self.inodes = self.files(self.root)

    @staticmethod
    def files(root):
        return sorted(os.stat(f).st_ino for f in root.rglob("0000*") if f.is_file())

    def rows(self):
        """What is to be read: the values of the partition at the end."""
        typed = lambda part: [None if v == NULL else int(v) if k[1] == "int" else v for k, v in zip(KEYS, part)]
        return sorted((row + typed(part) for n, part in enumerate(self.parts) for row in rows_of(n)), key=repr)

    def check_untouched(self):
        same("the files of the source", self.inodes, self.files(self.root))
        same("the source is Hive's", hive_side.FORMATS[self.format]["input"], self.world.known(self.name)["input"])


def check_migrated(source, table):
    world = source.world
    same("Mica counts", len(source.rows()), world.count(table))
    same("Java reads", source.rows(), world.rows(table))
    same("Java filters by statistics", [r for r in source.rows() if r[0] > 11],
         world.rows(table, filter={"column": "k", "op": ">", "value": 11}))
    entry = world.known(table)
    same("the storage", "org.apache.paimon.hive.mapred.PaimonInputFormat", entry["input"])
    same("the bucket", "-1", entry["parameters"]["bucket"])
    same("the comment", "from Hive", entry["parameters"]["hive.comment"])
    same("the key", None, entry["parameters"].get("primary-key"))
    root = world.warehouse / "db.db" / table
    same("the files are the same ones", source.inodes, source.files(root))
    same("no plan is left", False, (root / "_migration.json").exists())


def default_replacement(world, file_format, partitioned):
    name = "plain_%s_%d" % (file_format, partitioned)
    source = Source(world, name, file_format, partitioned)
    same("the result", [{"result": "Success"}], world.mica.run(
        "CALL sys.migrate_table(connector => 'hive', source_table => 'db.%s', options => 'file.format=%s')" % (name, file_format)))
    check_migrated(source, name)
    same("no temporary table", False, name + "_paimon_" in world.metastore.ask("tables", db="db")["tables"])
    world.ask("write", name, rows=[rows_of(9)[0] + ["2024-01-01", 1][:2 * partitioned]])
    same("Java writes on", len(source.rows()) + 1, world.count(name))
    world.mica.run("CALL sys.compact('db.%s')" % name)
    same("Java reads what was compacted", len(source.rows()) + 1, len(world.rows(name)))


def named_target(world, file_format, partitioned):
    name = "named_%s_%d" % (file_format, partitioned)
    source = Source(world, name, file_format, partitioned)
    world.spark.run("CALL sys.migrate_table(source_type => 'hive', table => 'db.%s', target_table => 'db.%s_t', "
                    "options_map => map('file.format', '%s'), parallelism => 3)" % (name, name, file_format))
    check_migrated(source, name + "_t")
    same("the source is gone", False, name in world.metastore.ask("tables", db="db")["tables"])
    # Into the same target again: the rows add up, names that are taken give way.
    again = Source(world, name, file_format, partitioned)
    world.mica.run("CALL sys.migrate_table('hive', 'db.%s', 'db.%s_t')" % (name, name))
    same("Java reads both", sorted(source.rows() + again.rows(), key=repr), world.rows(name + "_t"))


def kept_source(world, file_format, partitioned):
    name = "kept_%s_%d" % (file_format, partitioned)
    source = Source(world, name, file_format, partitioned)
    world.mica.run("CALL sys.migrate_table(connector => 'hive', source_table => 'db.%s', target_table => 'db.%s_t', "
                   "delete_origin => false)" % (name, name))
    check_migrated(source, name + "_t")
    same("the source is there", hive_side.FORMATS[file_format]["input"], world.known(name)["input"])
    same("and empty", [], source.files(source.root))


def action_and_positions(world):
    source = Source(world, "by_action", "orc", True, external=True)
    done = world.action("migrate_table", "--source_type", "hive", "--table", "db.by_action", "--options", "file.format=orc")
    same("the action", (0, ""), (done.returncode, done.stderr))
    check_migrated(source, "by_action")
    source = Source(world, "by_position", "orc", False)
    world.mica.run("CALL sys.migrate_table('hive', 'db.by_position', 'file.format=orc')")
    check_migrated(source, "by_position")
    same("the option", "orc", world.known("by_position")["parameters"]["file.format"])


def with_parquet_partition(world, source, name):
    """Adds a partition in another format than the table's; the rows that the table has then."""
    folder = source.root / "dt=2025-01-01" / "hh=5"
    folder.mkdir(parents=True)
    shutil.copy(data_file(world, "parquet", 7), folder / "part-0.parquet")
    parquet = hive_side.FORMATS["parquet"]
    world.metastore.ask("add-partitions", db="db", table=name, partitions=[
        {"values": ["2025-01-01", "5"], "location": "file:%s" % folder, "serde": parquet["serde"], "input": parquet["input"]}])
    return sorted(source.rows() + [r + ["2025-01-01", 5] for r in rows_of(7)], key=repr)


def mixed_formats(world):
    source = Source(world, "mixed", "orc", True)
    rows = with_parquet_partition(world, source, "mixed")
    world.mica.run("CALL sys.migrate_table('hive', 'db.mixed')")
    same("Java reads", rows, world.rows("mixed"))


def added_column(world):
    """Files that are older than a column."""
    source = Source(world, "older", "parquet", False, columns=COLUMNS + [["extra", "int"]])
    world.mica.run("CALL sys.migrate_table('hive', 'db.older')")
    same("Java reads", [r + [None] for r in source.rows()], world.rows("older"))


def migrate_refusals(world):
    orc = Source(world, "bad", "orc", True)
    call = lambda arguments, name="bad": world.mica.run("CALL sys.migrate_table(connector => 'hive', source_table => 'db.%s'%s)"
                                                        % (name, arguments))
    for words, arguments in (("'delete_origin' = 'false' needs a 'target_table'", ", delete_origin => false"),
                             ("'bucket' = '4'", ", options => 'bucket=4'"), ("'primary-key'", ", options => 'primary-key=k'"),
                             ("parallelism", ", parallelism => 0")):
        refused(words, lambda: call(arguments))
    refused("not from 'iceberg'", lambda: world.mica.run("CALL sys.migrate_table(connector => 'iceberg', source_table => 'db.bad')"))
    refused("does not exist", lambda: call("", "nothing"))
    world.mica.run("CREATE TABLE db.pk (k BIGINT, PRIMARY KEY (k) NOT ENFORCED)")
    refused("primary key", lambda: call(", target_table => 'db.pk'"))
    world.mica.run("CREATE TABLE db.flat (%s)" % TYPES)
    refused("partitioned by", lambda: call(", target_table => 'db.flat'"))
    world.mica.run("CREATE TABLE db.other (%s, dt INT, hh INT) PARTITIONED BY (dt, hh)" % TYPES)
    refused("is STRING in the source and INT in the target", lambda: call(", target_table => 'db.other'"))
    refused("table of Paimon already", lambda: call("", "flat"))
    stray = orc.root / "dt=2030-01-01"
    stray.mkdir()
    shutil.copy(data_file(world, "orc", 0), stray / "000009_0")
    refused("belongs to no partition", lambda: call(""))
    shutil.rmtree(stray)
    (orc.folders[2] / "000001_0").write_text("no ORC file")
    refused("000001_0", lambda: call(""))
    (orc.folders[2] / "000001_0").unlink()
    orc.check_untouched()
    same("no target is left", False, "bad_paimon_" in world.metastore.ask("tables", db="db")["tables"])
    same("nor its folder", False, (world.warehouse / "db.db" / "bad_paimon_").exists())
    text = Source(world, "texts", "text", False)
    refused("unsupported format", lambda: call("", "texts"))
    text.check_untouched()
    wrong = Source(world, "wrong", "orc", False, columns=[["k", "string"]] + COLUMNS[1:])
    refused("'k'", lambda: call("", "wrong"))
    wrong.check_untouched()
    acid = Source(world, "acid", "orc", False)
    refused("needs a Hive catalog", lambda: world.plain.run("CALL sys.migrate_table(connector => 'hive', source_table => 'db.acid')"))
    acid.check_untouched()


def whole_database(world):
    """G-16."""
    world.metastore.ask("create-database", db="all", location="file:%s/all.db" % world.warehouse)
    good = Source(world, "good", "orc", False, "all")
    text = Source(world, "texts", "text", False, "all")
    result = world.mica.run("CALL sys.migrate_database(connector => 'hive', source_database => 'all', options => 'file.format=orc')")
    same("the result", [{"result": "migrate database is finished, success cnt: 1 , failed cnt: 1"}], result)
    same("Java reads", good.rows(), world.rows("good", db="all"))
    same("the text table", text.inodes, text.files(text.root))
    done = world.action("migrate_database", "--source_type", "hive", "--database", "all")
    same("again", True, "migrate database is finished, success cnt: 0 , failed cnt: 1" in done.stdout)


def faults(world):
    """A failure or an end of the process at each change of the storage, before or after it, and at some reads: the source
    stays as it was, or the next call finishes."""
    for kind, step in (("fail-writes", 1), ("kill-after-writes", 1), ("fail-after-writes", 3), ("kill-writes", 3), ("fail", 17)):
        for at in range(0, 1000, step):
            name = "f_%s_%d" % (kind.replace("-", "_"), at)
            source = Source(world, name, "orc", True)
            call = ["migrate_table", "--source_type", "hive", "--table", "db." + name]
            done = world.action(*call, "--catalog_conf", "test.fault=%s:%d" % (kind, at))
            if done.returncode == 0:
                check_migrated(source, name)
                break
            if kind.startswith("fail") and "Call migrate_table again" not in done.stderr:
                source.check_untouched()
                same("%s at %d: no target is left" % (kind, at), False,
                     name + "_paimon_" in world.metastore.ask("tables", db="db")["tables"])
            done = world.action(*call)
            # The metastore's own database gives way now and then when it is asked a lot; the message says what to do.
            if "MetaException: Exception thrown when executing query" in done.stderr and "Call migrate_table again" in done.stderr:
                done = world.action(*call)
            if "is a table of Paimon already" not in done.stderr:  # the process ended after its last step
                same("%s at %d: the next call" % (kind, at), (0, ""), (done.returncode, done.stderr))
            check_migrated(source, name)
            world.mica.run("DROP TABLE db." + name)


def matrix(world):
    for file_format in ("orc", "parquet", "avro"):
        for partitioned in (False, True):
            for case in (default_replacement, named_target, kept_source):
                case(world, file_format, partitioned)


CASES = [matrix, action_and_positions, mixed_formats, added_column, migrate_refusals, whole_database, faults]
