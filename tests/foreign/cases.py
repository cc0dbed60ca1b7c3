"""What the files of `files/` hold, as a table with these columns has to show it; or the texts of the refusal."""
from dataclasses import dataclass


@dataclass
class Case:
    name: str
    file: str
    columns: str
    rows: list = None
    refused: tuple = ()
    java: list = None  # what Paimon for Java reads, where it is known to be something else


TIMES = [[1, "2024-01-01 10:00:00.123456", ["1999-12-31 23:59:59.500000"]],
         [2, "1969-12-31 23:59:59.999999", ["1970-01-01 00:00:00.000000"]],
         [3, "1900-01-01 00:00:00.000000", None], [4, None, [None]]]
MIXED = [[1, "1.50", "-123456789012.345", "12345678901234567890.1234567891", [1, None, 3], [["a", 1], ["b", None]], "1969-12-31"],
         [2, None, "0.001", "-0.0000000001", [], [], "2024-02-29"],
         [3, "-999.99", None, None, None, None, None]]
MIXED_COLUMNS = ("id INT, d5 DECIMAL(5, 2), d18 DECIMAL(18, 3), d30 DECIMAL(30, 10), list ARRAY<INT>, map MAP<STRING, INT>, "
                 "day DATE")

CASES = [
    # P-61: Hive's and Spark's timestamps keep their microseconds.
    Case("int96", "int96.parquet", "id INT, ts TIMESTAMP(6), r ROW<`at` TIMESTAMP(6)>", TIMES),
    Case("instants", "instants.parquet", "id INT, ts TIMESTAMP(6) WITH LOCAL TIME ZONE", [
        [1, "2024-01-01T10:00:00.123456Z"], [2, "1969-12-31T23:59:59.999999Z"], [3, "1900-01-01T00:00:00.000000Z"], [4, None]]),
    Case("legacy", "legacy.parquet", MIXED_COLUMNS, MIXED),
    Case("mixed", "mixed.parquet", MIXED_COLUMNS, MIXED),
    Case("mixed_orc", "mixed.orc", MIXED_COLUMNS, MIXED),
    Case("decimal_narrow", "mixed.parquet", "id INT, d18 DECIMAL(9, 3)", refused=("mixed.parquet", "'d18'")),
    Case("impala", "impala.parquet", "id INT, text STRING, amount DECIMAL(9, 2), fixed DECIMAL(11, 4)",
         [[1, "Grüße", "-1.50", "1234.5678"], [2, None, None, None]]),
    Case("two_level_lists", "impala.parquet", "id INT, numbers ARRAY<INT>", [[1, [7, 8]], [2, []]]),
    Case("two_level_rows", "impala.parquet", "id INT, people ARRAY<ROW<name STRING, age INT>>",
         refused=("impala.parquet", "'people'", "two levels")),
    Case("old_maps", "impala.parquet", "id INT, counts MAP<STRING, INT>", [[1, [["x", 5]]], [2, None]]),
    # Paimon for Java gives CHAR of ORC files without the blanks at its end.
    Case("padded", "padded.orc", "id INT, c CHAR(5), v VARCHAR(5)", [[1, "ab   ", "ab"], [2, "abcde", "ab "], [3, None, None]],
         java=[[1, "ab", "ab"], [2, "abcde", "ab "], [3, None, None]]),
    Case("padded_as_text", "padded.orc", "id INT, c STRING, v STRING", [[1, "ab   ", "ab"], [2, "abcde", "ab "], [3, None, None]]),
    Case("capitals", "capitals.parquet", "id INT, name STRING", refused=("capitals.parquet", "'id'", "'ID'", "case")),
    Case("capitals_kept", "capitals.parquet", "ID INT, Name STRING", [[1, "one"]]),
    Case("unnamed", "unnamed.orc", "id BIGINT, name STRING, amount DOUBLE", refused=("unnamed.orc", "'id'", "'_col0', '_col1', '_col2'")),
    Case("logical", "logical.avro", "id INT, day DATE, at_millis TIMESTAMP(3) WITH LOCAL TIME ZONE, "
         "at_micros TIMESTAMP(6) WITH LOCAL TIME ZONE, amount DECIMAL(12, 3), list ARRAY<BIGINT>, map MAP<STRING, STRING>",
         [[1, "1969-12-31", "2024-01-01T10:00:00.123Z", "1969-12-31T23:59:59.999999Z", "-9.125", [1, None], [["a", "x"], ["b", None]]],
          [2, None, None, None, None, None, None]]),
    Case("logical_local", "logical.avro", "id INT, at_millis TIMESTAMP(3), at_micros TIMESTAMP(6)",
         [[1, "2024-01-01 10:00:00.123", "1969-12-31 23:59:59.999999"], [2, None, None]]),
    Case("nulls_last", "nulls_last.avro", "id INT, v STRING", refused=("nulls_last.avro", "'v'", "null")),
    Case("fixed", "fixed.avro", "id INT, amount DECIMAL(12, 3)", refused=("fixed.avro", "'amount'", "fixed size")),
]
