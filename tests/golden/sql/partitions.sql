-- Partition values: special characters, NULL and empty text, every type, both ways of naming.
CREATE DATABASE partitions;
USE partitions;
CREATE TABLE special (id INT, p STRING) PARTITIONED BY (p);
INSERT INTO special VALUES (1, 'plain'), (2, 'a/b'), (3, 'a=b'), (4, 'sp ace'), (5, '100%'), (6, '07:08'), (7, '日本'),
  (8, 'q?*"<>|'), (9, '[]{}^'), (10, 'back\slash'), (11, '#'), (12, 'it''s'), (13, '20%0A'), (14, '.hidden');
-- expect special
CREATE TABLE nulls (id INT, p STRING) PARTITIONED BY (p);
INSERT INTO nulls VALUES (1, 'a'), (2, CAST(NULL AS STRING)), (3, ''), (4, '  ');
-- expect nulls
CREATE TABLE named_null (id INT, p STRING) PARTITIONED BY (p) WITH ('partition.default-name'='NOTHING');
INSERT INTO named_null VALUES (1, 'a'), (2, CAST(NULL AS STRING));
-- expect named_null
CREATE TABLE null_date (id INT, d DATE) PARTITIONED BY (d);
INSERT INTO null_date VALUES (1, DATE '2026-05-01'), (2, CAST(NULL AS DATE)), (3, DATE '1969-12-31');
-- expect null_date
CREATE TABLE typed (id INT, b BOOLEAN, t TINYINT, i INT, l BIGINT, d DATE, n DECIMAL(10,2), ts TIMESTAMP(3), c CHAR(3)) PARTITIONED BY (b, t, i, l, d, n, ts, c);
INSERT INTO typed VALUES (1, TRUE, CAST(1 AS TINYINT), -5, 10000000000, DATE '2024-01-02', CAST(1.5 AS DECIMAL(10,2)), TIMESTAMP '2024-01-02 03:04:05.678', 'ab');
INSERT INTO typed (id) VALUES (2);
-- expect typed
CREATE TABLE new_names (id INT, d DATE, ts TIMESTAMP(3)) PARTITIONED BY (d, ts) WITH ('partition.legacy-name'='false');
INSERT INTO new_names VALUES (1, DATE '1969-12-31', TIMESTAMP '2024-01-01 00:00:00'), (2, DATE '2024-02-29', TIMESTAMP '2024-01-01 00:00:00.001');
-- expect new_names
CREATE TABLE floats (id INT, f FLOAT, d DOUBLE) PARTITIONED BY (f, d);
INSERT INTO floats VALUES (1, CAST(1.5 AS FLOAT), 1E10), (2, CAST(-0.1 AS FLOAT), 0.1);
-- expect floats
