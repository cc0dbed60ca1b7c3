-- Primary-key tables with the deduplicate engine: updates, deletes, buckets, sequence fields, levels.
CREATE DATABASE pk;
USE pk;
CREATE TABLE one_bucket (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO one_bucket VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO one_bucket VALUES (2, 'b2'), (4, 'd');
UPDATE one_bucket SET v = 'updated' WHERE k = 1;
DELETE FROM one_bucket WHERE k = 3;
-- expect one_bucket
-- expect one_bucket snapshot 1
-- expect one_bucket snapshot 2
-- expect one_bucket snapshot 3
CREATE TABLE four_buckets (k1 STRING, k2 BIGINT, v INT, PRIMARY KEY (k1, k2) NOT ENFORCED) WITH ('bucket'='4');
INSERT INTO four_buckets VALUES ('a', 1, 1), ('a', 2, 2), ('b', 1, 3), ('a longer key', -1, 4), ('', 0, 5);
INSERT INTO four_buckets VALUES ('a', 1, 10), ('', 0, 50);
DELETE FROM four_buckets WHERE k1 = 'b';
-- expect four_buckets
CREATE TABLE dynamic_buckets (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='-1', 'dynamic-bucket.target-row-num'='3');
INSERT INTO dynamic_buckets VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
INSERT INTO dynamic_buckets VALUES (1, 'a2'), (6, 'f'), (7, 'g');
-- expect dynamic_buckets
CREATE TABLE partitioned (k INT, p STRING, v STRING, PRIMARY KEY (p, k) NOT ENFORCED) PARTITIONED BY (p) WITH ('bucket'='2');
INSERT INTO partitioned VALUES (1, 'x', 'a'), (2, 'x', 'b'), (1, 'y', 'c');
INSERT INTO partitioned VALUES (1, 'x', 'a2'), (3, 'y', 'd');
DELETE FROM partitioned WHERE p = 'y' AND k = 1;
INSERT OVERWRITE partitioned PARTITION (p='z') VALUES (9, 'new');
-- expect partitioned
CREATE TABLE sequenced (k INT, v STRING, seen BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1', 'sequence.field'='seen');
INSERT INTO sequenced VALUES (1, 'late', 10), (2, 'x', 5);
INSERT INTO sequenced VALUES (1, 'early', 3), (2, 'same', 5), (3, 'null', CAST(NULL AS BIGINT));
INSERT INTO sequenced VALUES (3, 'one', 1);
-- expect sequenced
CREATE TABLE sequenced_down (k INT, v STRING, a INT, b INT, PRIMARY KEY (k) NOT ENFORCED)
  WITH ('bucket'='1', 'sequence.field'='a,b', 'sequence.field.sort-order'='descending');
INSERT INTO sequenced_down VALUES (1, 'first', 10, 1);
INSERT INTO sequenced_down VALUES (1, 'second', 3, 1);
INSERT INTO sequenced_down VALUES (1, 'third', 3, 2);
-- expect sequenced_down
CREATE TABLE compacted (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO compacted VALUES (1, 'a'), (2, 'b');
INSERT INTO compacted VALUES (2, 'b2'), (3, 'c');
DELETE FROM compacted WHERE k = 1;
CALL sys.compact(`table` => 'pk.compacted');
INSERT INTO compacted VALUES (5, 'after');
-- expect compacted
-- expect compacted snapshot 3
CREATE TABLE mixed_levels (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED)
  WITH ('bucket'='1', 'num-sorted-run.compaction-trigger'='2', 'file.format.per.level'='0:avro,5:orc');
INSERT INTO mixed_levels VALUES (1, 'a'), (2, 'b');
INSERT INTO mixed_levels VALUES (2, 'b2'), (3, 'c');
INSERT INTO mixed_levels VALUES (3, 'c3'), (4, 'd');
INSERT INTO mixed_levels VALUES (5, 'e');
-- expect mixed_levels
CREATE TABLE thin (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1', 'data-file.thin-mode'='true');
INSERT INTO thin VALUES (1, 'a'), (2, 'b');
INSERT INTO thin VALUES (2, 'b2');
-- expect thin
CREATE TABLE all_deleted (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO all_deleted VALUES (1, 'a'), (2, 'b');
DELETE FROM all_deleted;
-- expect all_deleted
CREATE TABLE typed_keys (b BOOLEAN, t TINYINT, d DECIMAL(20,3), f DOUBLE, bin VARBINARY(8), dy DATE, ts TIMESTAMP(6), v INT,
  PRIMARY KEY (b, t, d, f, bin, dy, ts) NOT ENFORCED) WITH ('bucket'='5');
INSERT INTO typed_keys VALUES
  (TRUE, CAST(1 AS TINYINT), CAST(1.5 AS DECIMAL(20,3)), 1e0, CAST(x'80' AS VARBINARY(8)), DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00.000001', 1),
  (FALSE, CAST(-1 AS TINYINT), CAST(-1.5 AS DECIMAL(20,3)), -1e0, CAST(x'7e' AS VARBINARY(8)), DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999999', 2),
  (TRUE, CAST(1 AS TINYINT), CAST('12345678901234567.891' AS DECIMAL(20,3)), 1e-300, CAST(x'0102030405060708' AS VARBINARY(8)), DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00', 3);
INSERT INTO typed_keys SELECT b, t, d, f, bin, dy, ts, v * 10 FROM typed_keys WHERE v > 1;
-- expect typed_keys
