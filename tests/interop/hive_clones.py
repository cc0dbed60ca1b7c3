"""clone of tables of Hive: the source stays as it is, Java reads the clone, a rerun copies nothing again."""
import json
import pathlib
import shutil

import hive_side
from hive_migrate import COLUMNS, KEYS, NULL, TYPES, Source, data_file, rows_of, with_parquet_partition
from hive_side import refused, same
from java_side import Java

FOREIGN = pathlib.Path(__file__).resolve().parent.parent / "foreign" / "files"


def far(world):
    """The warehouse of the clones: a folder, not a metastore."""
    return world.warehouse / "far"


def java_rows(world, table, db="db", **more):
    return sorted(Java.ask(world.java, "dump", far(world), db, table, **more)["rows"], key=repr)


def clone(world, *arguments):
    return world.action("clone", "--target_catalog_conf", "warehouse=%s" % far(world), *arguments)


def clone_table(world, name, *more):
    return clone(world, "--clone_from", "hive", "--database", "db", "--table", name, "--target_database", "db", "--target_table", name,
                 *more)


def done(what, result, words):
    """A run that passed, and the last thing that it said."""
    if result.returncode or words not in result.stderr:
        same(what, (0, words), (result.returncode, result.stderr))


def call(world, arguments):
    """CALL sys.clone from the Hive catalog into the other warehouse."""
    return world.mica.run("CALL sys.clone(%s, target_catalog_conf => 'warehouse=%s')" % (arguments, far(world)))


def schema_of(world, table):
    return json.loads(Java.ask(world.java, "schema", far(world), "db", table)["schema"])


def snapshots(world, table, db="db"):
    return len(list((far(world) / (db + ".db") / table / "snapshot").glob("snapshot-*")))


def clones(world, file_format, partitioned):
    name = "c_%s_%d" % (file_format, partitioned)
    source = Source(world, name, file_format, partitioned)
    files = len(source.inodes)
    done("the clone", clone_table(world, name), "%d copied" % files)
    same("Java reads", source.rows(), java_rows(world, name))
    same("Java filters by statistics", [r for r in source.rows() if r[0] > 11],
         java_rows(world, name, filter={"column": "k", "op": ">", "value": 11}))
    source.check_untouched()
    done("again", clone_table(world, name), "0 copied (0.0 MB), %d there already" % files)
    same("without a snapshot", 1, snapshots(world, name))
    table = schema_of(world, name)
    options = table["options"]
    same("the bucket", ("-1", file_format, []), (options["bucket"], options["file.format"], table["primaryKeys"]))
    same("the comments", ("from Hive", "from Hive"), (options["hive.comment"], table["comment"]))
    # The source goes on: what came is copied, what went goes.
    shutil.copy(data_file(world, file_format, 7), source.folders[0] / "000007_0")
    (source.folders[0] / "000000_0").unlink()
    done("the next one", clone_table(world, name), "1 copied")
    typed = lambda part: [None if v == NULL else int(v) if k[1] == "int" else v for k, v in zip(KEYS, part)]
    rows = [r for r in source.rows() if r[0] not in (1, 2)] + [r + typed(source.parts[0]) for r in rows_of(7)]
    same("Java reads the new state", sorted(rows, key=repr), java_rows(world, name))
    # In SQL, into the metastore itself.
    world.mica.run("CALL sys.clone(database => 'db', `table` => '%s', target_database => 'copies', target_table => '%s')" % (name, name))
    same("Java reads from the metastore", sorted(rows, key=repr), world.rows(name, db="copies"))
    Java.ask(world.java, "write", far(world), "db", name, rows=[rows_of(9)[0] + ["2024-01-01", 1][:2 * partitioned]])
    same("Java writes on", len(rows) + 1, len(java_rows(world, name)))


def clone_matrix(world):
    world.mica.run("CREATE DATABASE copies")
    for file_format in ("orc", "parquet", "avro"):
        for partitioned in (False, True):
            clones(world, file_format, partitioned)


class Days:
    """A table of Hive by days (G-18)."""

    def __init__(self, world, name, days, database="db"):
        self.root = world.warehouse / (database + ".db") / name
        world.metastore.ask("create-table", db=database, table=name, columns=COLUMNS, partitioned=[["dt", "string"]],
                            location="file:%s" % self.root, parameters={"orc.compress": "SNAPPY", "comment": "days"},
                            **hive_side.FORMATS["orc"])
        self.world, self.name, self.database = world, name, database
        for n, day in enumerate(days):
            self.add(day, n)

    def add(self, day, n):
        folder = self.root / ("dt=" + day)
        folder.mkdir(parents=True)
        shutil.copy(data_file(self.world, "orc", n), folder / "part-00000")
        self.world.metastore.ask("add-partitions", db=self.database, table=self.name,
                                 partitions=[{"values": [day], "location": "file:%s" % folder}])


def of_days(**days):
    return sorted((row + [day.replace("d", "2026-09-")] for day, n in days.items() for row in rows_of(n)), key=repr)


def clone_of_partitions(world):
    """G-18."""
    Days(world, "days", ["2026-09-09", "2026-09-10"])
    old = [row + [day] for day in ("2026-09-09", "2026-09-10") for row in rows_of(5)]
    world.plain.run("CREATE DATABASE IF NOT EXISTS db")
    target = "CREATE TABLE db.%s (" + TYPES + ", dt STRING) PARTITIONED BY (dt) WITH ('bucket' = '-1', 'file.format' = 'orc'%s)"
    mica = world.open_plain(far(world))
    mica.run("CREATE DATABASE IF NOT EXISTS db")
    mica.run(target % ("days", ""))
    mica.run(target % ("all_days", ", 'dynamic-partition-overwrite' = 'false'"))
    for table in ("days", "all_days"):
        Java.ask(world.java, "write", far(world), "db", table, rows=old)
    where = ("--where", "dt = '2026-09-10'")
    expected = sorted([r for r in old if r[-1] == "2026-09-09"] + of_days(d10=1), key=repr)
    for _ in range(2):
        done("a day", clone_table(world, "days", *where), "has 1 files")
        same("one day is replaced, the other one is not", expected, java_rows(world, "days"))
    same("the second run made no snapshot", 2, snapshots(world, "days"))
    done("a day of all", clone(world, "--clone_from", "hive", "--database", "db", "--table", "days", "--target_database", "db",
                               "--target_table", "all_days", *where), "1 copied")
    same("all of the table is replaced", of_days(d10=1), java_rows(world, "all_days"))
    for words, condition in (("'where' must be a condition on the partition columns [dt]", "k = 1"), ("'where'", "dt LIKE")):
        result = clone_table(world, "days", "--where", condition)
        same("the exit code", 1, result.returncode)
        same("it says why: " + result.stderr, True, words in result.stderr)
    call(world, "database => 'db', `table` => 'days', target_database => 'db', target_table => 'in_sql', "
         "`where` => 'dt IN (''2026-09-09'', ''x'') AND dt IS NOT NULL'")
    same("in SQL", of_days(d09=0), java_rows(world, "in_sql"))
    same("the compression of the source", "snappy", schema_of(world, "in_sql")["options"]["file.compression"])
    call(world, "database => 'db', `table` => 'days', target_database => 'db', target_table => 'empty', meta_only => true")
    same("no rows", [], java_rows(world, "empty"))
    same("and no snapshot", 0, snapshots(world, "empty"))
    call(world, "database => 'db', `table` => 'days', target_database => 'db', target_table => 'empty', clone_if_exists => false")
    same("left alone", [], java_rows(world, "empty"))
    # A partition that the source lets go stays in the clone.
    call(world, "database => 'db', `table` => 'days', target_database => 'db', target_table => 'empty'")
    world.metastore.ask("drop-partition", db="db", table="days", values=["2026-09-09"])
    call(world, "database => 'db', `table` => 'days', target_database => 'db', target_table => 'empty'")
    same("both days", of_days(d09=0, d10=1), java_rows(world, "empty"))
    mica.close()


def clone_scopes(world):
    for database in ("one", "two"):
        world.metastore.ask("create-database", db=database, location="file:%s/%s.db" % (world.warehouse, database),
                            description="the database " + database)
        for table in ("a", "b"):
            Source(world, table, "orc", False, database)
    world.mica.run("CREATE TABLE one.of_paimon (i INT)")
    world.mica.run("INSERT INTO one.of_paimon VALUES (1)")
    world.mica.run("CREATE VIEW one.shown AS SELECT i FROM one.of_paimon")
    done("a database", clone(world, "--clone_from", "hive", "--database", "one", "--target_database", "one_far",
                             "--excluded_tables", "one.b"), "one_far.a: has 1 files: 1 copied")
    listed = lambda db: sorted(p.name for p in (far(world) / (db + ".db")).iterdir() if p.is_dir())
    same("its tables", ["a"], listed("one_far"))
    # What a table is decides, where nothing is said.
    call(world, "database => 'one', target_database => 'one_all'")
    same("those of Paimon too", ["a", "b", "of_paimon"], listed("one_all"))
    same("Java reads that one", [[1]], java_rows(world, "of_paimon", db="one_all"))
    result = clone(world, "--clone_from", "hive", "--included_tables", "one.a,two.a,two.b", "--excluded_tables", "two.b")
    done("a catalog", result, "two.a: has 1 files: 1 copied")
    same("one", ["a"], listed("one"))
    same("two", ["a"], listed("two"))
    same("Java reads", 2, len(java_rows(world, "a", db="two")))
    world.mica.run("CALL sys.clone(database => 'one', target_database => 'one_copy', clone_from => 'hive')")
    same("the comment of the database", "the database one", world.metastore.ask("database", db="one_copy")["description"])
    # A table that fails does not stop the others.
    broken = Source(world, "a2", "orc", False, "two")
    (broken.root / "000001_0").write_text("no ORC")
    result = clone(world, "--clone_from", "hive", "--database", "two", "--target_database", "two_far")
    same("the exit code", 1, result.returncode)
    same("names the file: " + result.stderr, True, "000001_0" in result.stderr and "1 of 3 tables" in result.stderr)
    same("no table is made of it", ["a", "b"], listed("two_far"))


def clone_refusals(world):
    source = Source(world, "stays", "orc", True)
    base = "database => 'db', `table` => 'stays', target_database => 'db', target_table => 'stays'"
    for words, arguments in (
            ("only supported when clone_from is paimon", base + ", clone_from => 'hive', target_table_conf => 'a=b'"),
            ("only supported when clone_from is paimon", base + ", target_table_conf => 'a=b'"),
            ("'included_tables' cannot be given", base + ", included_tables => 'db.stays'"),
            ("must be parquet, orc or avro", base + ", prefer_file_format => 'csv'"),
            ("must be 'hive' or 'paimon'", base + ", clone_from => 'iceberg'"),
            ("'target_table' is needed", "database => 'db', `table` => 'stays', target_database => 'db'"),
            ("'target_database' is needed", "database => 'db'"),
            ("does not exist", "database => 'db', `table` => 'stay', target_database => 'db', target_table => 'stays'"),
            ("parallelism", base + ", parallelism => 0"),
            ("which is not among those", "database => 'db', target_database => 'db', included_tables => 'db.nothing'")):
        refused(words, lambda: call(world, arguments))
    refused("must be a Hive catalog", lambda: world.plain.run(
        "CALL sys.clone(database => 'db', `table` => 't', target_database => 'd', target_table => 't', clone_from => 'hive')"))
    # The folder of the source as a warehouse, and a place within it.
    for warehouse, database, table in ((world.warehouse, "db", "stays"), (source.root, "in", "it")):
        refused("lie", lambda: world.mica.run(
            "CALL sys.clone(database => 'db', `table` => 'stays', target_database => '%s', target_table => '%s', "
            "target_catalog_conf => 'warehouse=%s')" % (database, table, warehouse)))
    source.check_untouched()
    mica = world.open_plain(far(world))
    mica.run("CREATE DATABASE IF NOT EXISTS bad")
    into = lambda name: call(world, "database => 'db', `table` => 'stays', target_database => 'bad', target_table => '%s'" % name)
    for name, columns, more, words in (
            ("keyed", TYPES.replace("k BIGINT", "k BIGINT NOT NULL") + ", dt STRING, hh INT, PRIMARY KEY (k, dt, hh) NOT ENFORCED",
             "'bucket' = '1'", "primary key"),
            ("buckets", TYPES + ", dt STRING, hh INT", "'bucket' = '2', 'bucket-key' = 'k'", "'bucket' = '2'"),
            ("format", TYPES + ", dt STRING, hh INT", "'file.format' = 'parquet'", "'file.format' is 'parquet'"),
            ("types", TYPES.replace("DECIMAL(12, 3)", "DECIMAL(12, 2)") + ", dt STRING, hh INT", "'file.format' = 'orc'", "'d' is"),
            ("column", TYPES.replace(", v STRING", "") + ", dt STRING, hh INT", "'file.format' = 'orc'", "no column 'v'"),
            ("full", TYPES.replace("v STRING", "v STRING NOT NULL") + ", dt STRING, hh INT", "'file.format' = 'orc'", "NOT NULL")):
        mica.run("CREATE TABLE bad.%s (%s) PARTITIONED BY (dt, hh) WITH (%s)" % (name, columns, more))
        refused(words, lambda: into(name))
    mica.run("CREATE TABLE bad.flat (%s, dt STRING, hh INT) WITH ('file.format' = 'orc')" % TYPES)
    refused("partition columns", lambda: into("flat"))
    mica.close()
    Source(world, "c_text", "text", False)
    refused("unsupported format", lambda: call(world, "database => 'db', `table` => 'c_text', target_database => 'db', target_table => 'x'"))
    world.mica.run("CREATE VIEW db.c_view AS SELECT 1 AS one")
    refused("is a view", lambda: call(world, "database => 'db', `table` => 'c_view', target_database => 'db', target_table => 'x'"))
    world.mica.run("CREATE TABLE db.c_paimon (i INT)")
    refused("is a table of Paimon", lambda: call(
        world, "database => 'db', `table` => 'c_paimon', target_database => 'db', target_table => 'x', clone_from => 'hive'"))
    acid = Source(world, "c_acid", "orc", False, parameters={"transactional": "true", "transactional_properties": "insert_only"})
    refused("insert-only tables", lambda: call(world, "database => 'db', `table` => 'c_acid', target_database => 'db', target_table => 'x'"))
    acid.check_untouched()
    same("nothing was made", False, (far(world) / "db.db" / "x").exists())


def clone_into_existing(world):
    """A table with more columns, which another writer has rows in; rows that were deleted there come back."""
    source = Source(world, "more", "orc", True)
    mica = world.open_plain(far(world))
    mica.run("CREATE DATABASE IF NOT EXISTS db")
    mica.run("CREATE TABLE db.more (extra INT, %s, dt STRING, hh INT) PARTITIONED BY (dt, hh) WITH ('bucket' = '-1', "
             "'file.format' = 'orc', 'deletion-vectors.enabled' = 'true', 'partition.default-name' = '%s')" % (TYPES, NULL))
    mica.run("INSERT INTO db.more (extra, k, dt, hh) VALUES (7, 1, '2024-01-01', 1), (8, 2, 'own', 1)")
    rows = sorted([[None] + r for r in source.rows()] + [[8, 2] + [None] * 6 + ["own", 1]], key=repr)
    done("the clone", clone_table(world, "more"), "4 copied")
    same("Java reads", rows, java_rows(world, "more"))
    mica.close()
    mica = world.open_plain(far(world))
    mica.run("DELETE FROM db.more WHERE k = 11")
    same("a row less", len(rows) - 1, len(java_rows(world, "more")))
    done("again", clone_table(world, "more"), "0 copied")
    same("Java reads it again", rows, java_rows(world, "more"))
    mica.close()


def clone_in_another_format(world):
    source = Source(world, "turned", "orc", True)
    done("the clone", clone_table(world, "turned", "--prefer_file_format", "Parquet"), "4 of them written anew because 'parquet' files")
    same("Java reads", source.rows(), java_rows(world, "turned"))
    same("Java filters", [r for r in source.rows() if r[0] > 11],
         java_rows(world, "turned", filter={"column": "k", "op": ">", "value": 11}))
    kinds = {p.suffix for p in (far(world) / "db.db" / "turned").rglob("data-*")}
    same("the files", {".parquet"}, kinds)
    done("again", clone_table(world, "turned", "--prefer_file_format", "parquet"), "0 copied (0.0 MB), 4 there already")
    # A partition in another format than its table's is copied as it is.
    rows = with_parquet_partition(world, source, "turned")
    done("one more", clone_table(world, "turned", "--prefer_file_format", "parquet"), "1 copied")
    same("Java reads all", rows, java_rows(world, "turned"))
    call(world, "database => 'db', `table` => 'turned', target_database => 'db', target_table => 'both'")
    same("Java reads both formats", rows, java_rows(world, "both"))


# Files that Paimon for Java cannot read as they are, in tables of Hive: they are written anew. P-62: columns without names are
# found by their place, and one that was added later is NULL.
WILD = [
    ("capitals", "capitals.parquet", [["id", "int"], ["name", "string"]], [[1, "one"]]),
    ("unnamed", "unnamed.orc", [["id", "bigint"], ["name", "string"], ["amount", "double"], ["later", "int"]],
     [[1, "ann", 1.5, None], [2, "bo", None, None]]),
    ("nulls_last", "nulls_last.avro", [["id", "int"], ["v", "string"]], [[1, "a"], [2, None]]),
    ("fixed", "fixed.avro", [["id", "int"], ["amount", "decimal(12,3)"]], [[1, "-9.125"], [2, None]]),
    ("lists", "impala.parquet", [["id", "int"], ["people", "array<struct<name:string,age:int>>"]], [[1, [["Ann", 30], ["Bo", None]]], [2, None]]),
]


def clone_of_wild_files(world):
    for name, file, columns, rows in WILD:
        file_format = file.rsplit(".", 1)[1]
        root = world.warehouse / "db.db" / ("wild_" + name)
        root.mkdir()
        shutil.copy(FOREIGN / file, root / "000000_0")
        world.metastore.ask("create-table", db="db", table="wild_" + name, columns=columns, location="file:%s" % root,
                            **hive_side.FORMATS[file_format])
        done(name, clone_table(world, "wild_" + name), "1 of them written anew")
        same("Java reads " + name, rows, java_rows(world, "wild_" + name))


def clone_kills(world):
    """Ended at any change of the storage, before or after it: the next run ends the work, and copies nothing twice."""
    for kind, format_arguments in (("kill-writes", ()), ("kill-after-writes", ()), ("kill-writes", ("--prefer_file_format", "parquet")),
                                   ("fail", ()), ("unknown-after-writes", ())):
        source = None
        for at in range(0, 1000, 9 if kind == "fail" else 2):
            name = "k_%s_%d_%d" % (kind.replace("-", "_"), len(format_arguments), at)
            source = Source(world, name, "orc", True)
            result = clone_table(world, name, *format_arguments, "--target_catalog_conf", "test.fault=%s:%d" % (kind, at),
                                 "--parallelism", "1")
            source.check_untouched()
            if result.returncode == 0 and kind != "unknown-after-writes":
                same("Java reads", source.rows(), java_rows(world, name))
                break
            if at > 100:
                break
            done("%s at %d: the next run" % (kind, at), clone_table(world, name, *format_arguments), "has 4 files")
            same("%s at %d: Java reads" % (kind, at), source.rows(), java_rows(world, name))
            files = [p for p in (far(world) / "db.db" / name).rglob("data-*") if not p.name.startswith(".")]
            same("%s at %d: no file is there twice" % (kind, at), 4, len(files))


CASES = [clone_matrix, clone_of_partitions, clone_scopes, clone_refusals, clone_into_existing, clone_in_another_format,
         clone_of_wild_files, clone_kills]
