#!/usr/bin/env python3
"""Makes the files of `files/`: what Spark, Impala, Hive and Avro writers of different ages leave in folders of tables.

Needs pyspark 3.5 (with a Java), pyarrow and fastavro, none of which the tests need: the files are kept. Run it in this folder.
"""
import datetime
import decimal
import pathlib
import shutil
import tempfile

import fastavro
import pyarrow
import pyarrow.orc
from pyspark.sql import SparkSession

FILES = pathlib.Path(__file__).resolve().parent / "files"
scratch = pathlib.Path(tempfile.mkdtemp())
spark = (SparkSession.builder.master("local[1]").config("spark.sql.session.timeZone", "UTC").config("spark.ui.enabled", "false")
         .config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC").config("spark.sql.warehouse.dir", str(scratch / "wh"))
         .config("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED").getOrCreate())


def keep(folder, name):
    """The one file that Spark wrote."""
    (found,) = [p for p in pathlib.Path(folder).iterdir() if p.name.startswith("part-")]
    shutil.copy(found, FILES / name)


def of_spark(name, sql, file_format, **options):
    for key, value in options.items():
        spark.conf.set("spark.sql.parquet." + key, value)
    folder = scratch / name
    spark.sql(sql).coalesce(1).write.format(file_format).option("compression", "zstd").save(str(folder))
    for key in options:
        spark.conf.unset("spark.sql.parquet." + key)
    keep(folder, name)


TIMES = """SELECT * FROM VALUES (1, TIMESTAMP '2024-01-01 10:00:00.123456', named_struct('at', TIMESTAMP '1999-12-31 23:59:59.5')),
  (2, TIMESTAMP '1969-12-31 23:59:59.999999', named_struct('at', TIMESTAMP '1970-01-01 00:00:00')),
  (3, TIMESTAMP '1900-01-01 00:00:00', NULL), (4, NULL, named_struct('at', NULL)) AS t(id, ts, r)"""
MIXED = """SELECT * FROM VALUES
  (1, CAST(1.50 AS DECIMAL(5, 2)), CAST(-123456789012.345 AS DECIMAL(18, 3)), CAST('12345678901234567890.1234567891' AS DECIMAL(30, 10)),
   array(1, NULL, 3), map('a', 1, 'b', NULL), DATE '1969-12-31'),
  (2, NULL, CAST(0.001 AS DECIMAL(18, 3)), CAST('-0.0000000001' AS DECIMAL(30, 10)), array(), map(), DATE '2024-02-29'),
  (3, CAST(-999.99 AS DECIMAL(5, 2)), NULL, NULL, NULL, NULL, NULL) AS t(id, d5, d18, d30, list, map, day)"""

of_spark("int96.parquet", TIMES, "parquet", outputTimestampType="INT96")
of_spark("instants.parquet", TIMES, "parquet", outputTimestampType="TIMESTAMP_MICROS")
of_spark("legacy.parquet", MIXED, "parquet", writeLegacyFormat="true")
of_spark("mixed.parquet", MIXED, "parquet")
of_spark("mixed.orc", MIXED, "orc")
of_spark("capitals.parquet", "SELECT 1 AS ID, 'one' AS Name", "parquet")
spark.sql("CREATE TABLE padded (id INT, c CHAR(5), v VARCHAR(5)) USING orc")
spark.sql("INSERT INTO padded SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'ab', 'ab'), (2, 'abcde', 'ab '), (3, NULL, NULL) AS t(id, c, v)")
keep(scratch / "wh" / "padded", "padded.orc")

# Parquet as Impala, Thrift and old versions of Avro wrote it, through the library that Spark brings.
jvm = spark.sparkContext._jvm
parquet = jvm.org.apache.parquet
schema = parquet.schema.MessageTypeParser.parseMessageType("""message impala {
  optional int32 id; optional binary text; optional binary amount (DECIMAL(9,2));
  optional fixed_len_byte_array(5) fixed (DECIMAL(11,4));
  optional group numbers (LIST) { repeated int32 element; }
  optional group people (LIST) { repeated group array { optional binary name (UTF8); optional int32 age; } }
  optional group counts (MAP) { repeated group map (MAP_KEY_VALUE) { required binary key (UTF8); optional int32 value; } }
}""")


def unscaled(number, size=None):
    number = int(number)
    return bytearray(number.to_bytes(size or max(1, (number.bit_length() + 8) // 8), "big", signed=True))


def binary(value):
    return parquet.io.api.Binary.fromConstantByteArray(bytearray(value))


path = jvm.org.apache.hadoop.fs.Path(str(scratch / "impala.parquet"))
writer = (parquet.hadoop.example.ExampleParquetWriter.builder(path).withType(schema)
          .withConf(spark.sparkContext._jsc.hadoopConfiguration()).build())
groups = parquet.example.data.simple.SimpleGroupFactory(schema)
one = groups.newGroup()
one.add("id", 1)
one.add("text", binary("Grüße".encode()))
one.add("amount", binary(unscaled(-150)))
one.add("fixed", binary(unscaled(12345678, 5)))
numbers = one.addGroup("numbers")
for number in (7, 8):
    numbers.add("element", number)
people = one.addGroup("people")
for name, age in (("Ann", 30), ("Bo", None)):
    person = people.addGroup("array")
    person.add("name", name)
    if age is not None:
        person.add("age", age)
counts = one.addGroup("counts")
pair = counts.addGroup("map")
pair.add("key", "x")
pair.add("value", 5)
writer.write(one)
two = groups.newGroup()
two.add("id", 2)
two.addGroup("numbers")
writer.write(two)
writer.close()
shutil.copy(scratch / "impala.parquet", FILES / "impala.parquet")
spark.stop()

# ORC as Hive 1 wrote it: columns without names.
pyarrow.orc.write_table(pyarrow.table({"_col0": [1, 2], "_col1": ["ann", "bo"], "_col2": [1.5, None]}), FILES / "unnamed.orc")

# Avro with logical types and a default that no reader needs; then what Paimon for Java does not read.
AVRO = {"type": "record", "name": "row", "fields": [
    {"name": "id", "type": "int"},
    {"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}]},
    {"name": "at_millis", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
    {"name": "at_micros", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}], "default": None},
    {"name": "amount", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 3}]},
    {"name": "list", "type": ["null", {"type": "array", "items": ["null", "long"]}]},
    {"name": "map", "type": ["null", {"type": "map", "values": ["null", "string"]}]}]}
UTC = datetime.timezone.utc
with open(FILES / "logical.avro", "wb") as out:
    fastavro.writer(out, AVRO, [
        {"id": 1, "day": datetime.date(1969, 12, 31), "at_millis": datetime.datetime(2024, 1, 1, 10, 0, 0, 123000, UTC),
         "at_micros": datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), "amount": decimal.Decimal("-9.125"), "list": [1, None],
         "map": {"a": "x", "b": None}},
        {"id": 2, "day": None, "at_millis": None, "at_micros": None, "amount": None, "list": None, "map": None}], codec="deflate")
with open(FILES / "nulls_last.avro", "wb") as out:
    fastavro.writer(out, {"type": "record", "name": "row", "fields": [{"name": "id", "type": "int"}, {"name": "v", "type": ["string", "null"]}]},
                    [{"id": 1, "v": "a"}, {"id": 2, "v": None}])
with open(FILES / "fixed.avro", "wb") as out:
    fastavro.writer(out, {"type": "record", "name": "row", "fields": [
        {"name": "id", "type": "int"},
        {"name": "amount", "type": ["null", {"type": "fixed", "name": "f", "size": 6, "logicalType": "decimal", "precision": 12,
                                             "scale": 3}]}]}, [{"id": 1, "amount": decimal.Decimal("-9.125")}, {"id": 2, "amount": None}])
shutil.rmtree(scratch)
