-- Append tables: several snapshots, fixed buckets by hash, overwrites, emptiness.
CREATE DATABASE append;
USE append;
CREATE TABLE plain (id INT, name STRING, v DOUBLE);
INSERT INTO plain VALUES (1, 'one', 1.5), (2, CAST(NULL AS STRING), CAST(NULL AS DOUBLE));
INSERT INTO plain VALUES (3, 'three', -0.25);
INSERT INTO plain VALUES (1, 'one again', 1.5), (4, '', 0.0);
-- expect plain
-- expect plain snapshot 1
-- expect plain snapshot 2
CREATE TABLE bucketed (id BIGINT, name STRING, d DATE) WITH ('bucket'='3', 'bucket-key'='id,name');
INSERT INTO bucketed VALUES (1, 'a', DATE '2024-01-01'), (2, 'b', CAST(NULL AS DATE)), (CAST(NULL AS BIGINT), 'null id', DATE '1969-12-31'),
  (9223372036854775807, 'ünï', DATE '2024-01-02'), (-1, CAST(NULL AS STRING), DATE '2024-01-03');
INSERT INTO bucketed VALUES (1, 'a', DATE '2024-02-01'), (6, 'f', DATE '2024-02-02');
-- expect bucketed
CREATE TABLE overwritten (id INT, p STRING) PARTITIONED BY (p);
INSERT INTO overwritten VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT OVERWRITE overwritten PARTITION (p='b') SELECT 20;
INSERT OVERWRITE overwritten VALUES (10, 'a'), (40, 'd');
-- expect overwritten
-- expect overwritten snapshot 1
-- expect overwritten snapshot 2
CREATE TABLE empty_table (id INT, s STRING);
-- expect empty_table
CREATE TABLE truncated (id INT, s STRING);
INSERT INTO truncated VALUES (1, 'a');
TRUNCATE TABLE truncated;
-- expect truncated
CREATE TABLE compacted (id INT, s STRING) WITH ('compaction.min.file-num'='2');
INSERT INTO compacted VALUES (1, 'a');
INSERT INTO compacted VALUES (2, 'b');
INSERT INTO compacted VALUES (3, 'c');
CALL sys.compact(`table` => 'append.compacted');
-- expect compacted
CREATE TABLE no_statistics (id INT, s STRING) WITH ('metadata.stats-mode'='none');
INSERT INTO no_statistics VALUES (1, 'a'), (2, CAST(NULL AS STRING));
-- expect no_statistics
CREATE TABLE counted (id INT, s STRING) WITH ('metadata.stats-mode'='counts');
INSERT INTO counted VALUES (1, 'a'), (2, CAST(NULL AS STRING));
-- expect counted
CREATE TABLE cut_statistics (id INT, s STRING) WITH ('metadata.stats-mode'='truncate(2)');
INSERT INTO cut_statistics VALUES (1, 'abcdef'), (2, 'zz￿￿zz'), (3, CAST(NULL AS STRING));
-- expect cut_statistics
