"""The columns of every system table, of a table and of all tables: Mica's have the names and types of Paimon for Java, in its order."""
from random_tables import Mismatch

DATABASE = "system_tables"
OF_TABLE = ("manifests", "snapshots", "options", "schemas", "partitions", "buckets", "audit_log", "files", "file_key_ranges", "tags",
            "branches", "consumers", "ro", "aggregation_fields", "statistics", "binlog", "table_indexes")
OF_ALL = ("tables", "partitions", "all_table_options", "catalog_options")
COLUMNS = [("k", "BIGINT NOT NULL"), ("v", "STRING"), ("d", "DECIMAL(12, 3)"), ("t", "TIMESTAMP(3)"), ("z", "TIMESTAMP_LTZ(6)"),
           ("c", "CHAR(3)"), ("a", "ARRAY<BIGINT>"), ("m", "MAP<STRING, DOUBLE>"), ("r", "ROW<x INT, y STRING>"), ("dt", "STRING NOT NULL")]
TABLES = {"keyed": ("PRIMARY KEY (dt, k) NOT ENFORCED", "PARTITIONED BY (dt) WITH ('bucket' = '1')"),
          "numbered": ("PRIMARY KEY (dt, k) NOT ENFORCED", "PARTITIONED BY (dt) WITH ('bucket' = '1', 'table-read.sequence-number.enabled' = 'true')"),
          "append": (None, ""), "tracked": (None, "WITH ('row-tracking.enabled' = 'true')")}


def columns_of_java(java, warehouse, db, table):
    # Java writes this type in two ways.
    return [[n, t.replace("TIMESTAMP_LTZ(6)", "TIMESTAMP(6) WITH LOCAL TIME ZONE")]
            for n, t in java.ask("columns", warehouse, db, table)["columns"]]


def columns_of_mica(mica, name):
    return [[r["name"], r["type"] + ("" if str(r["null"]).upper() == "TRUE" else " NOT NULL")] for r in mica.run("DESCRIBE " + name)]


def compared(java, mica, db, table):
    expected = columns_of_java(java, mica.warehouse, db, table)
    got = columns_of_mica(mica, "`%s`.`%s`" % (db, table))
    if expected != got:
        raise Mismatch("%s.%s: %s" % (db, table, [(e, g) for e, g in zip(expected + [None] * len(got), got + [None] * len(expected))
                                                  if e != g and (e or g)]))


def run(java, mica, report):
    mica.run("CREATE DATABASE " + DATABASE)
    cases = [("sys", name) for name in OF_ALL]
    for table, (key, more) in TABLES.items():
        mica.run("CREATE TABLE %s.%s (%s) %s" % (DATABASE, table, ", ".join(["%s %s" % c for c in COLUMNS] + ([key] if key else [])), more))
        cases += [(DATABASE, "%s$%s" % (table, name)) for name in OF_TABLE + (("row_tracking",) if table == "tracked" else ())]
    for db, table in cases:
        report("system_tables:%s.%s" % (db, table), lambda: compared(java, mica, db, table))
    return len(cases)
