"""The Hive catalog on a real metastore: what Mica makes there Paimon for Java reads, changes and drops, and the other way
round; what both write down of one table is the same."""
import subprocess

import hive_clones
import hive_faults
import hive_guides
import hive_migrate
import hive_options
import hive_partitions
import hive_procedures
import hive_scale
import hive_side
import hive_spark
from hive_side import refused, same
from mica_side import Mica

COLUMNS = [("k", "BIGINT NOT NULL"), ("v", "STRING"), ("d", "DECIMAL(12, 3)"), ("t", "DATE"), ("m", "TIMESTAMP(3)"),
           ("z", "TIMESTAMP_LTZ(6)"), ("c", "CHAR(3)"), ("w", "VARCHAR(20)"), ("h", "TIME(0)"), ("b", "BYTES"), ("a", "ARRAY<BIGINT>"),
           ("s", "MAP<STRING, DOUBLE>"), ("r", "ROW<x INT, y STRING>"), ("dt", "STRING NOT NULL")]
ROWS = [[1, "a", "1.500", "2024-02-29", "2024-01-01 10:00:00.123", "2024-01-01T10:00:00.123456Z", "abc", "w", "10:11:12", "0x00ff",
         [1, None], [["p", 0.5]], [7, "y"], "2024-01-01"],
        [2] + [None] * 12 + ["2024-01-02"]]


class World:
    """A metastore, Mica and Java on it, one warehouse."""

    def __init__(self, program, folder, metastore):
        self.program, self.warehouse, self.metastore = program, folder, metastore
        self.java = hive_side.HiveJava(metastore)
        self.mica = self.open_mica()
        self.spark = self.open_mica("spark")
        self.plain = Mica(program, folder)  # on a catalog that is a folder

    def open_mica(self, dialect="flink", **options):
        more = []
        for option in dict(self.metastore.catalog_options(), **options).items():
            more += ["--catalog_conf", "%s=%s" % option]
        return Mica(self.program, self.warehouse, dialect, more)

    def open_plain(self, warehouse):
        """On another folder."""
        return Mica(self.program, warehouse)

    def reopen(self):
        """A new session, which has seen nothing of the files."""
        self.mica.close()
        self.mica = self.open_mica()

    def ask(self, verb, table="", db="db", **more):
        return self.java.ask(verb, self.warehouse, db, table, **more)

    def rows(self, table, db="db", **more):
        return sorted(self.java.rows(self.warehouse, db, table, **more), key=repr)

    def action(self, *arguments):
        """A run of `mica <action>`: its exit code and output."""
        conf = [w for o in self.metastore.catalog_options(warehouse=str(self.warehouse)).items() for w in ("--catalog_conf", "%s=%s" % o)]
        return subprocess.run([self.program, arguments[0]] + conf + list(arguments[1:]), capture_output=True, text=True, timeout=120)

    def count(self, table):
        return self.mica.run("SELECT count(*) AS n FROM db.%s" % table)[0]["n"]

    def known(self, table, db="db"):
        """What the metastore knows of a table, without what depends on its name and time."""
        entry = self.metastore.ask("table", db=db, table=table)
        entry["location"] = entry["location"].replace("/" + table, "/T")
        for key in ("transient_lastDdlTime", "last_modified_time", "last_modified_by", "bucketing_version"):
            entry["parameters"].pop(key, None)
        return entry

    def close(self):
        for mica in (self.mica, self.spark, self.plain):
            mica.close()
        self.java.close()


def create_by_mica(world, name, more="", keys="PRIMARY KEY (dt, k) NOT ENFORCED"):
    world.mica.run("CREATE TABLE db.%s (%s, %s) COMMENT 'a table' PARTITIONED BY (dt) WITH ('bucket' = '1', 'file.format' = 'orc'%s)"
                   % (name, ", ".join("%s %s" % c for c in COLUMNS), keys, more))


def create_by_java(world, name, **more):
    fields = [{"name": n, "type": java_type(t)} for n, t in COLUMNS]
    world.ask("create", name, columns=fields, primary_keys=["dt", "k"], partition_keys=["dt"], comment="a table",
              options=dict({"bucket": "1", "file.format": "orc"}, **more))


def java_type(text):
    """The type as schema files have it."""
    atomic, _, null = text.partition(" NOT NULL")
    if atomic.startswith("ARRAY"):
        return {"type": "ARRAY", "element": "BIGINT"}
    if atomic.startswith("MAP"):
        return {"type": "MAP", "key": "STRING", "value": "DOUBLE"}
    if atomic.startswith("ROW"):
        return {"type": "ROW", "fields": [{"id": 1, "name": "x", "type": "INT"}, {"id": 2, "name": "y", "type": "STRING"}]}
    return atomic.replace("TIMESTAMP_LTZ(6)", "TIMESTAMP(6) WITH LOCAL TIME ZONE") + (" NOT NULL" if " NOT NULL" in text else "")


def tables_of_mica(world):
    create_by_mica(world, "of_mica")
    same("Java lists", True, "of_mica" in world.ask("list")["tables"])
    world.ask("write", "of_mica", rows=ROWS)
    same("Mica reads what Java wrote", 2, world.count("of_mica"))
    world.mica.run("INSERT INTO db.of_mica (k, v, dt) VALUES (3, 'three', '2024-01-01')")
    same("Java reads", 3, len(world.rows("of_mica")))


def tables_of_java(world):
    create_by_java(world, "of_java")
    same("Mica lists", True, {"table name": "of_java"} in world.mica.run("SHOW TABLES IN db"))
    world.mica.run("INSERT INTO db.of_java (k, v, dt) VALUES (3, 'three', '2024-01-01')")
    same("Java reads", [3, "three"], world.rows("of_java")[0][:2])


def entries_are_equal(world):
    for name, options in (("plain", {}), ("parts", {"metastore.partitioned-table": "true"}), ("hive_key", {"hive.x": "1"})):
        create_by_mica(world, name + "_m", "".join(", '%s' = '%s'" % o for o in options.items()))
        create_by_java(world, name + "_j", **options)
        same("the entry of '%s'" % name, world.known(name + "_j"), world.known(name + "_m"))


def changes_of_mica(world):
    create_by_mica(world, "changed")
    world.mica.run("ALTER TABLE db.changed ADD (extra INT COMMENT 'more')")
    world.mica.run("ALTER TABLE db.changed SET ('snapshot.num-retained.max' = '20')")
    entry = world.known("changed")
    same("the column", ["extra", "int", "more"], entry["columns"][-1])
    same("the property", "20", entry["parameters"].get("snapshot.num-retained.max"))
    world.mica.run("ALTER TABLE db.changed RESET ('snapshot.num-retained.max')")
    same("the property that was removed", None, world.known("changed")["parameters"].get("snapshot.num-retained.max"))
    world.ask("write", "changed", rows=[r + [5] for r in ROWS])
    world.mica.run("ALTER TABLE db.changed RENAME TO renamed")
    same("the location", True, world.known("renamed")["location"].endswith("/db.db/T"))
    same("Java reads under the new name", 2, len(world.rows("renamed")))
    refused("TableNotExist", lambda: world.rows("changed"))
    world.mica.run("DROP TABLE db.renamed")
    same("the folder is gone", False, (world.warehouse / "db.db" / "renamed").exists())
    refused("NoSuchObject", lambda: world.known("renamed"))


def changes_of_java(world):
    create_by_java(world, "of_j")
    world.ask("write", "of_j", rows=ROWS)
    world.ask("rename", "of_j", to="of_j2")
    same("Mica reads under the new name", 2, world.count("of_j2"))
    world.ask("drop", "of_j2")
    refused("does not exist", lambda: world.count("of_j2"))


def external_tables(world):
    place = world.warehouse / "elsewhere"
    world.mica.run("CREATE TABLE db.ext (a INT) WITH ('path' = '%s')" % place)
    same("the type", "EXTERNAL_TABLE", world.known("ext")["type"])
    world.mica.run("INSERT INTO db.ext VALUES (1)")
    same("Java reads", [[1]], world.rows("ext"))
    shown = world.spark.run("SHOW CREATE TABLE db.ext")[0]["createtab_stmt"]
    same("the statement has the place", True, "\nLOCATION '%s'" % place in shown)
    flink = world.mica.run("SHOW CREATE TABLE db.ext")[0]["result"]
    same("in Flink too", True, "'path' = '%s'" % place in flink)
    same("its kind", ["EXTERNAL"], [row["data_type"] for row in world.spark.run("DESCRIBE EXTENDED db.ext") if row["col_name"] == "Type"])
    world.mica.run("DROP TABLE db.ext")
    world.spark.run(shown)
    same("the statement makes it again", [[1]], world.rows("ext"))
    same("with the same text", shown, world.spark.run("SHOW CREATE TABLE db.ext")[0]["createtab_stmt"])
    world.mica.run("DROP TABLE db.ext")
    same("the files stay", True, (place / "schema" / "schema-0").exists())
    refused("other columns", lambda: world.mica.run("CREATE TABLE db.ext (a STRING) WITH ('path' = '%s')" % place))
    world.mica.run("CREATE TABLE db.ext (a INT) WITH ('path' = '%s')" % place)
    same("Mica reads them again", 1, world.count("ext"))


def changed_and_declared_again(world):
    """A table declared over files whose columns were changed meanwhile (P-21)."""
    place = world.warehouse / "alone.db" / "changed"
    for statement in ("CREATE DATABASE alone", "CREATE TABLE alone.changed (a INT, b STRING, c ROW<f1 INT, f2 STRING>)",
                      "INSERT INTO alone.changed VALUES (1, 'x', ROW(2, 'y'))", "ALTER TABLE alone.changed ADD COLUMN c.f3 BIGINT AFTER f1",
                      "ALTER TABLE alone.changed ALTER COLUMN c AFTER a", "INSERT INTO alone.changed VALUES (3, ROW(4, 5, 'z'), 'w')"):
        world.plain.run(statement)
    columns = "a, c.f1, c.f3, c.f2, b"
    declare = lambda columns: world.spark.run("CREATE TABLE db.changed (%s) LOCATION '%s'" % (columns, place))
    read = lambda: world.spark.run("SELECT %s FROM db.changed ORDER BY a" % columns)
    before = world.plain.run("SELECT %s FROM alone.changed ORDER BY a" % columns)
    for wrong in ("a INT, b STRING, c STRUCT<f1: INT, f3: BIGINT, f2: STRING>",  # in another order
                  "a INT, c STRUCT<f1: INT, f2: STRING, f3: BIGINT>, b STRING",
                  "a BIGINT, c STRUCT<f1: INT, f3: BIGINT, f2: STRING>, b STRING",  # of another type
                  "a INT, c STRUCT<f1: INT, f2: STRING>, b STRING"):
        refused("other columns", lambda: declare(wrong))
    declare("a INT, c STRUCT<f1: INT, f3: BIGINT, f2: STRING>, b STRING")
    same("the rows", before, read())
    same("how many Java reads", 2, len(world.rows("changed")))
    world.spark.run("DROP TABLE db.changed")
    world.spark.run("CREATE TABLE db.changed LOCATION '%s'" % place)  # its columns are those of what lies there
    same("the rows without columns given", before, read())
    refused("holds no table", lambda: world.spark.run("CREATE TABLE db.nothing LOCATION '%s-nowhere'" % place))
    refused("needs its LOCATION", lambda: world.spark.run("CREATE EXTERNAL TABLE db.nothing (a INT)"))


def databases(world):
    world.mica.run("CREATE DATABASE made COMMENT 'a database'")
    entry = world.metastore.ask("database", db="made")
    same("the place", True, entry["location"].endswith("%s/made.db" % world.warehouse))
    same("the comment", "a database", entry["description"])
    world.mica.run("ALTER DATABASE made SET ('owner-team' = 'x')")
    same("the property", {"owner-team": "x"}, world.metastore.ask("database", db="made")["parameters"])
    shown = world.spark.run("SHOW CREATE DATABASE made")[0]["createdb_stmt"]
    same("the statement", "CREATE DATABASE `made`\nCOMMENT 'a database'\nLOCATION '%s'\n"
         "WITH DBPROPERTIES ('owner-team' = 'x')" % entry["location"], shown)
    same("its parts", [["Comment", "a database"], ["Location", entry["location"]], ["Properties", "((owner-team,x))"]],
         [list(row.values()) for row in world.mica.run("DESCRIBE DATABASE EXTENDED made")
          if row["info_name"] in ("Comment", "Location", "Properties")])
    world.mica.run("CREATE TABLE made.t (a INT)")
    refused("holds 1 tables", lambda: world.mica.run("DROP DATABASE made RESTRICT"))
    world.metastore.ask("create-table", db="made", table="hive_t", columns=[["a", "int"]], **hive_side.FORMATS["orc"])
    refused("only Hive drops", lambda: world.mica.run("DROP DATABASE made CASCADE"))
    same("Java lists", True, "t" in world.ask("list", db="made")["tables"])
    world.metastore.ask("drop-table", db="made", table="hive_t")
    world.mica.run("DROP DATABASE made CASCADE")
    same("it is gone", False, "made" in world.metastore.ask("databases")["databases"])
    same("its folder too", False, (world.warehouse / "made.db").exists())
    world.ask("create-database", db="of_java")
    world.mica.run("CREATE TABLE of_java.t (a INT)")
    same("Java lists it", ["t"], world.ask("list", db="of_java")["tables"])
    world.mica.run("DROP DATABASE of_java CASCADE")


def views(world):
    world.mica.run("CREATE TABLE db.base (a INT, b STRING)")
    world.mica.run("INSERT INTO db.base VALUES (1, 'x'), (2, 'y')")
    world.mica.run("CREATE VIEW db.v COMMENT 'c' AS SELECT a FROM db.base WHERE a > 1")
    same("Java lists it", True, "v" in world.ask("views")["views"])
    same("Java reads it", True, "a > 1" in world.ask("view", "v")["query"])
    same("Mica reads it", [{"a": 2}], world.mica.run("SELECT * FROM db.v"))
    same("it is no table", False, "v" in world.ask("list")["tables"])
    world.mica.run("DROP VIEW db.v")
    same("it is gone", False, "v" in world.ask("views")["views"])


def refusals(world):
    refused("upper-case", lambda: world.mica.run("CREATE TABLE db.Upper (a INT)"))
    refused("upper-case", lambda: world.mica.run("CREATE TABLE db.upper (A INT)"))
    world.metastore.ask("create-table", db="db", table="hive_orc", columns=[["a", "int"]], **hive_side.FORMATS["orc"])
    refused("migrate_table", lambda: world.mica.run("SELECT * FROM db.hive_orc"))
    refused("exists already", lambda: world.mica.run("CREATE TABLE db.hive_orc (a INT)"))
    refused("does not exist", lambda: world.mica.run("SELECT * FROM db.hive_ork"))
    same("nothing was made", False, (world.warehouse / "db.db" / "upper").exists())


def locks(world):
    create_by_mica(world, "locked")
    mica = world.open_mica(**{"lock.enabled": "true"})
    mica.run("INSERT INTO db.locked (k, v, dt) VALUES (3, 'three', '2024-01-01')")
    mica.run("ALTER TABLE db.locked ADD (extra INT)")
    world.metastore.ask("lock", db="db", table="locked")
    mica.close()
    mica = world.open_mica(**{"lock.enabled": "true", "lock-acquire-timeout": "1 ms", "lock-check-max-sleep": "1 ms"})
    refused("somebody else holds it", lambda: mica.run("INSERT INTO db.locked (k, dt) VALUES (4, '2024-01-01')"))
    world.metastore.ask("unlock")
    mica.run("INSERT INTO db.locked (k, dt) VALUES (4, '2024-01-01')")
    mica.close()
    same("Java reads", 2, len(world.rows("locked")))


def many_tables(world):
    world.metastore.ask("create-database", db="many", location="file:%s/many.db" % world.warehouse)
    world.metastore.ask("create-tables", db="many", table="hive_", count=350, columns=[["a", "int"]], **hive_side.FORMATS["orc"])
    world.mica.run("CREATE TABLE many.last (a INT)")
    same("only Paimon's are listed", [{"table name": "last"}], world.mica.run("SHOW TABLES IN many"))


def several_servers(world):
    mica = Mica(world.program, world.warehouse, "flink",
                ["--catalog_conf", "metastore=hive", "--catalog_conf", "uri=thrift://127.0.0.1:%d,%s" % (hive_side.free_port(), world.metastore.uri)])
    same("the second one answers", True, len(mica.run("SHOW DATABASES")) > 1)
    mica.close()


def catalogs_in_sql(world):
    mica = Mica(world.program, world.warehouse)
    mica.run("CREATE CATALOG h WITH ('type' = 'paimon', 'metastore' = 'hive', 'uri' = '%s', 'warehouse' = '%s')"
             % (world.metastore.uri, world.warehouse))
    mica.run("USE CATALOG h")
    mica.run("CREATE TABLE db.by_catalog (a INT)")
    mica.run("INSERT INTO db.by_catalog VALUES (7)")
    same("Java reads", [[7]], world.rows("by_catalog"))
    mica.close()
    conf = []
    for key, value in world.metastore.catalog_options(warehouse=str(world.warehouse)).items():
        conf += ["--conf", "spark.sql.catalog.x.%s=%s" % (key, value)]
    spark = Mica(world.program, world.warehouse, "spark", ["--conf", "spark.sql.catalog.x=org.apache.paimon.spark.SparkCatalog"] + conf)
    same("Spark's options", [{"a": 7}], spark.run("SELECT * FROM x.db.by_catalog"))
    spark.close()


CASES = [tables_of_mica, tables_of_java, entries_are_equal, changes_of_mica, changes_of_java, external_tables, changed_and_declared_again, databases, views,
         refusals, locks, many_tables, several_servers, catalogs_in_sql]
ALL_CASES = CASES + hive_options.CASES + hive_partitions.CASES + hive_procedures.CASES + hive_migrate.CASES + hive_clones.CASES + hive_spark.CASES + hive_faults.CASES + \
    hive_scale.CASES + hive_guides.CASES


def run(program, folder, report, only=None):
    metastore = hive_side.Metastore()
    world = World(program, folder, metastore)
    world.mica.run("CREATE DATABASE db")
    cases = [c for c in ALL_CASES if not only or c.__name__ in only.split(",")]
    for case in cases:
        report("hive:%s" % case.__name__, lambda: case(world))
    world.close()
    metastore.close()
    return len(cases)
