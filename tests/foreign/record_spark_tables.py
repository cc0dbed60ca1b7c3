#!/usr/bin/env python3
"""Makes `spark_tables.tar.xz`: tables of Hive that Spark wrote, by its own writers and by Hive's, and `spark_tables.json`: what
the metastore has to know of them, and the rows that Spark reads. Needs pyspark 3.5 (with a Java), which the tests do not.
"""
import datetime
import decimal
import json
import pathlib
import shutil
import tarfile
import tempfile
import urllib.parse

from pyspark.sql import Row, SparkSession

HERE = pathlib.Path(__file__).resolve().parent
scratch = pathlib.Path(tempfile.mkdtemp())
spark = (SparkSession.builder.master("local[1]").enableHiveSupport().config("spark.sql.session.timeZone", "UTC")
         .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "1").config("spark.sql.warehouse.dir", str(scratch / "wh"))
         .config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC -Dderby.system.home=%s" % scratch)
         .config("spark.hadoop.javax.jdo.option.ConnectionURL", "jdbc:derby:;databaseName=%s/db;create=true" % scratch)
         .config("spark.hadoop.hive.exec.dynamic.partition.mode", "nonstrict").getOrCreate())

COLUMNS = [["id", "bigint"], ["c", "char(5)"], ["v", "varchar(5)"], ["s", "string"], ["amount", "decimal(12,3)"], ["wide", "decimal(30,10)"],
           ["at", "timestamp"], ["day", "date"], ["list", "array<int>"], ["map", "map<string,int>"], ["r", "struct<x:double,y:string>"],
           ["raw", "binary"], ["f", "float"], ["ok", "boolean"], ["tiny", "tinyint"], ["small", "smallint"]]
KEYS = [["dt", "string"], ["hh", "int"]]
FULL = ("'ab', 'cd ', 'Gr\u00fc\u00dfe', 1.5, -12345678901234567890.1234567891, TIMESTAMP '2024-01-01 10:00:00.123456', DATE '2024-02-29', "
        "array(1, NULL, 3), map('k', 7), named_struct('x', 0.5D, 'y', 'z'), X'00ff', CAST(1.25 AS FLOAT), true, CAST(-1 AS TINYINT), "
        "CAST(300 AS SMALLINT)")
OLD = ("'abcde', '', '', -0.001, 0.0000000001, TIMESTAMP '1969-12-31 23:59:59.999999', DATE '1969-12-31', array(), map(), "
       "named_struct('x', NULL, 'y', ''), X'', CAST('NaN' AS FLOAT), false, CAST(127 AS TINYINT), CAST(-32768 AS SMALLINT)")
EMPTY = ", ".join(["NULL"] * 15)
ROWS = [("1, " + FULL, "'2024-01-01'", "1"), ("2, " + EMPTY, "'2024-01-01'", "1"), ("3, " + OLD, "'007'", "7"), ("4, " + FULL, "NULL", "NULL"),
        ("5, " + OLD, "'a b/c=d%'", "-1")]


def plain(value):
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.%f")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return "0x" + bytes(value).hex()
    if isinstance(value, dict):
        return [[plain(k), plain(v)] for k, v in sorted(value.items())]
    if isinstance(value, (Row, list)):
        return [plain(v) for v in value]
    if isinstance(value, float) and value != value:
        return "NaN"
    return value


def record(name, file_format, partitioned, settings=(), columns=COLUMNS, added=None):
    """A table of five rows; `added`: a column that comes when the files are there, and a row with it."""
    for key, value in settings:
        spark.conf.set(key, value)
    words = ", ".join("`%s` %s" % tuple(c) for c in columns)
    spark.sql("CREATE TABLE %s (%s) %s STORED AS %s" % (
        name, words, "PARTITIONED BY (dt string, hh int)" if partitioned else "", file_format))
    kept = [i for i, c in enumerate(COLUMNS) if c in columns]
    selects = []
    for row, dt, hh in ROWS:
        cells = ", ".join("CAST(x.c%d AS %s)" % (i, COLUMNS[i][1]) for i in kept)
        selects.append("SELECT %s%s FROM (SELECT * FROM VALUES (%s)) AS x(%s)" % (
            cells, ", CAST(%s AS STRING), CAST(%s AS INT)" % (dt, hh) if partitioned else "", row,
            ", ".join("c%d" % i for i in range(len(COLUMNS)))))
    spark.sql("INSERT INTO %s %s %s" % (name, "PARTITION (dt, hh)" if partitioned else "", " UNION ALL ".join(selects)))
    if added:
        spark.sql("ALTER TABLE %s ADD COLUMNS (%s %s)" % (name, *added[0]))
        spark.sql("INSERT INTO %s SELECT %s" % (name, added[1]))
        columns = columns + [added[0]]
    for key, _ in settings:
        spark.conf.unset(key)
    root = scratch / "wh" / name
    for crc in list(root.rglob("*.crc")) + list(root.rglob("_SUCCESS")):
        crc.unlink()
    for staging in root.glob(".hive-staging*"):
        shutil.rmtree(staging)
    folders = sorted({p.parent.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}) if partitioned else []
    parts = [{"folder": f, "values": [urllib.parse.unquote(level.split("=", 1)[1]) for level in f.split("/")]} for f in folders]
    rows = [[plain(v) for v in row] for row in spark.sql("SELECT * FROM %s ORDER BY id" % name).collect()]
    return {"name": name, "format": file_format.lower(), "columns": columns, "keys": KEYS if partitioned else [], "partitions": parts,
            "rows": rows}


# Hive's own writers, which Spark takes where it does not convert.
HIVES = (("spark.sql.hive.convertMetastoreParquet", "false"), ("spark.sql.hive.convertMetastoreOrc", "false"))
LEGACY = (("spark.sql.parquet.writeLegacyFormat", "true"), ("spark.sql.parquet.outputTimestampType", "INT96"))
OF_AVRO = [c for c in COLUMNS if c[0] not in ("at", "wide")]  # Hive's Avro cuts timestamps and such decimals
tables = [
    record("orc_of_spark", "ORC", True), record("orc_of_hive", "ORC", True, HIVES), record("parquet_of_spark", "PARQUET", True),
    record("parquet_legacy", "PARQUET", True, LEGACY), record("parquet_of_hive", "PARQUET", True, HIVES),
    record("avro_of_hive", "AVRO", True, columns=OF_AVRO), record("flat_orc", "ORC", False, HIVES),
    record("flat_parquet", "PARQUET", False, added=(["later", "int"], "6, " + FULL + ", 66")),
]
spark.stop()
(HERE / "spark_tables.json").write_text("[\n" + ",\n".join(json.dumps(t, ensure_ascii=False) for t in tables) + "\n]\n")
with tarfile.open(HERE / "spark_tables.tar.xz", "w:xz") as tar:
    for table in tables:
        tar.add(scratch / "wh" / table["name"], table["name"])
shutil.rmtree(scratch)
