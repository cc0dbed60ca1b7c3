"""Tables of Hive that real Spark wrote (tests/foreign/record_spark_tables.py made them): cloned and migrated, Mica and Java
read what Spark reads. P-59: Hive's NULL partition. P-61: microseconds of timestamps."""
import decimal
import json
import pathlib
import tarfile

import hive_side
from hive_clones import done, far, java_rows
from hive_migrate import NULL, Source
from hive_side import refused, same
from java_side import Java

HERE = pathlib.Path(__file__).resolve().parent.parent / "foreign"


class SparkTable:
    def __init__(self, world, recorded, name):
        self.name, self.columns = name, recorded["columns"] + recorded["keys"]
        self.format, self.keys = recorded["format"], recorded["keys"]
        # Where Spark reads through Hive's code, NULL in a partition column of text is the name of that partition.
        self.rows = [[None if v == NULL else v for v in row] for row in recorded["rows"]]
        self.root = world.warehouse / "db.db" / name
        with tarfile.open(HERE / "spark_tables.tar.xz") as tar:
            for member in tar.getmembers():
                if member.isfile() and member.name.startswith(recorded["name"] + "/"):
                    path = self.root / member.name.partition("/")[2]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(tar.extractfile(member).read())
        world.metastore.ask("create-table", db="db", table=name, columns=recorded["columns"], partitioned=self.keys,
                            location="file:%s" % self.root, **hive_side.FORMATS[self.format])
        if self.keys:
            world.metastore.ask("add-partitions", db="db", table=name, partitions=[
                {"values": p["values"], "location": "file:%s/%s" % (self.root, p["folder"])} for p in recorded["partitions"]])

    def check(self, what, mica, java):
        """`mica` runs SQL on the table `t`; `java` gives its rows."""
        same(what + ": Java reads", sorted(map(self.plain, self.rows)), sorted(map(self.plain, java())))
        for key, kind in self.keys:
            place = [n for n, _ in self.columns].index(key)
            nulls = sum(r[place] is None for r in self.rows)
            count = lambda where: mica("SELECT count(*) AS n FROM t WHERE " + where)[0]["n"]
            same(what + ": NULL", nulls, count("%s IS NULL" % key))
            same(what + ": the others", len(self.rows) - nulls, count("%s IS NOT NULL" % key))
        if "at" in [n for n, _ in self.columns]:
            wanted = sum("2024-01-01 10:00:00.123456" in r for r in self.rows)
            same(what + ": microseconds", wanted, mica("SELECT count(*) AS n FROM t WHERE `at` = TIMESTAMP '2024-01-01 10:00:00.123456'")[0]["n"])
        same(what + ": Mica reads CHAR padded", sum("ab   " in r for r in self.rows), mica("SELECT count(*) AS n FROM t WHERE c = CAST('ab' AS CHAR(5))")[0]["n"])

    def plain(self, row):
        """Text of a row in which values that are equal look the same: decimals without zeros at their end, and CHAR with blanks,
        which Java leaves out where it reads ORC."""
        values = []
        for value, (_, kind) in zip(row, self.columns):
            if value is not None and kind.startswith("decimal"):
                value = decimal.Decimal(value).normalize()
            values.append(value.ljust(5) if value is not None and kind == "char(5)" else value)
        return repr(values)


def recorded():
    return json.loads((HERE / "spark_tables.json").read_text())


def spark_tables(world):
    mica = world.open_plain(far(world))
    mica.run("CREATE DATABASE IF NOT EXISTS spark")
    for table in recorded():
        source = SparkTable(world, table, "s_" + table["name"])
        call = "database => 'db', `table` => '%s', target_database => 'spark', target_table => '%s'" % (source.name, table["name"])
        world.mica.run("CALL sys.clone(%s, target_catalog_conf => 'warehouse=%s')" % (call, far(world)))
        on = lambda name, run: lambda sql: run(sql.replace(" t ", " %s " % name))
        source.check("clone of " + table["name"], on("spark." + table["name"], mica.run), lambda: java_rows(world, table["name"], db="spark"))
        # Another format: every row is written anew.
        other = "avro" if source.format == "parquet" else "parquet"
        name = table["name"] + "_anew"
        world.mica.run("CALL sys.clone(%s, prefer_file_format => '%s', target_catalog_conf => 'warehouse=%s')" % (
            call.replace("target_table => '%s'" % table["name"], "target_table => '%s'" % name), other, far(world)))
        source.check("rewritten clone of " + table["name"], on("spark." + name, mica.run), lambda: java_rows(world, name, db="spark"))
        world.mica.run("CALL sys.migrate_table('hive', 'db.%s')" % source.name)
        source.check("migrated " + table["name"], on("db." + source.name, world.mica.run), lambda: world.rows(source.name))
        if source.keys:
            # P-59: new rows without a value go where the old ones are.
            folder = source.root / ("dt=" + NULL) / ("hh=" + NULL)
            before = len(list(folder.rglob("*.*")))
            world.mica.run("INSERT INTO db.%s (id, dt, hh) VALUES (99, NULL, NULL)" % source.name)
            same("a file more in " + NULL, before + 1, len(list(folder.rglob("*.*"))))
    mica.close()


def empty_partitioned_table(world):
    """P-60: a table with partition columns and no partition."""
    root = world.warehouse / "db.db" / "p60"
    for name in ("p60", "p60_c"):
        (world.warehouse / "db.db" / name).mkdir()
        world.metastore.ask("create-table", db="db", table=name, columns=[["id", "string"], ["name", "string"]], partitioned=[["pt", "string"]],
                            location="file:%s" % (world.warehouse / "db.db" / name), **hive_side.FORMATS["orc"])
    world.mica.run("CALL sys.migrate_table('hive', 'db.p60')")
    same("no rows", [], world.rows("p60"))
    world.mica.run("INSERT INTO db.p60 VALUES ('1', 'one', 'a')")
    same("Java reads", [["1", "one", "a"]], world.rows("p60"))
    same("the partitions", [{"partition name": "pt=a"}], world.mica.run("SHOW PARTITIONS db.p60"))
    result = world.action("clone", "--clone_from", "hive", "--database", "db", "--table", "p60_c", "--target_database", "db",
                          "--target_table", "p60_c", "--target_catalog_conf", "warehouse=%s" % far(world))
    done("the clone", result, "nothing to copy")
    same("no rows in the clone", [], java_rows(world, "p60_c"))
    Java.ask(world.java, "write", far(world), "db", "p60_c", rows=[["1", "one", "a"]])
    same("Java reads the clone", [["1", "one", "a"]], java_rows(world, "p60_c"))
    same("the folder", True, root.exists())


def no_truncate_of_hive(world):
    """P-28: rows of a table that is a folder of files go, or the statement is refused; they never stay behind an OK."""
    source = Source(world, "p28", "orc", True)
    for dialect in (world.mica, world.spark):
        for sql in ("TRUNCATE TABLE db.p28", "ALTER TABLE db.p28 DROP PARTITION (dt = '2024-01-01', hh = 1)", "DELETE FROM db.p28",
                    "DELETE FROM db.p28 WHERE dt = '2024-01-01'"):
            refused("table of Hive", lambda: dialect.run(sql))
    refused("table of Hive", lambda: world.spark.run("TRUNCATE TABLE db.p28 PARTITION (dt = '2024-01-01')"))
    source.check_untouched()


CASES = [spark_tables, empty_partitioned_table, no_truncate_of_hive]
