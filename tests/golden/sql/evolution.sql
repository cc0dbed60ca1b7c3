-- Schemas that changed after data was written.
CREATE DATABASE evolution;
USE evolution;
CREATE TABLE added (k INT, v STRING);
INSERT INTO added VALUES (1, 'a');
ALTER TABLE added ADD (n INT, f STRING FIRST);
INSERT INTO added VALUES ('f', 2, 'b', 20);
ALTER TABLE added ADD (m DOUBLE AFTER k);
INSERT INTO added VALUES ('g', 3, 1.5, 'c', 30);
-- expect added
-- expect added snapshot 1
CREATE TABLE dropped_and_added (k INT, a INT);
INSERT INTO dropped_and_added VALUES (1, 11);
ALTER TABLE dropped_and_added DROP a;
ALTER TABLE dropped_and_added ADD a INT;
INSERT INTO dropped_and_added VALUES (2, 22);
-- expect dropped_and_added
CREATE TABLE dropped_and_added_pk (k INT, a INT, b STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO dropped_and_added_pk VALUES (1, 11, 'x'), (2, 12, 'y');
ALTER TABLE dropped_and_added_pk DROP a;
ALTER TABLE dropped_and_added_pk ADD a INT;
INSERT INTO dropped_and_added_pk VALUES (2, 'y2', 22), (3, 'z', 33);
-- expect dropped_and_added_pk
CREATE TABLE renamed (id INT, score INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO renamed VALUES (1, 50), (2, 70);
ALTER TABLE renamed RENAME score TO grade;
INSERT INTO renamed VALUES (3, 40);
-- expect renamed
CREATE TABLE swapped (k INT, a STRING, b STRING);
INSERT INTO swapped VALUES (1, 'was a', 'was b');
ALTER TABLE swapped RENAME a TO t;
ALTER TABLE swapped RENAME b TO a;
ALTER TABLE swapped RENAME t TO b;
INSERT INTO swapped VALUES (2, 'new b', 'new a');
-- expect swapped
CREATE TABLE widened_parquet (k INT, a TINYINT, b INT, c FLOAT, d DECIMAL(5,2), e INT, f VARCHAR(3));
INSERT INTO widened_parquet VALUES (1, CAST(1 AS TINYINT), 2, CAST(1.5 AS FLOAT), 1.25, 7, 'abc');
INSERT INTO widened_parquet (k) VALUES (2);
ALTER TABLE widened_parquet MODIFY (a INT, b BIGINT, c DOUBLE, d DECIMAL(10,4), e STRING, f STRING);
INSERT INTO widened_parquet VALUES (3, 100000, 10000000000, 1.25, 1.2345, 'text', 'longer');
-- expect widened_parquet
CREATE TABLE widened_orc (k INT, a TINYINT, b INT, c FLOAT, d DECIMAL(5,2), e INT) WITH ('file.format'='orc');
INSERT INTO widened_orc VALUES (1, CAST(1 AS TINYINT), 2, CAST(1.5 AS FLOAT), 1.25, 7);
ALTER TABLE widened_orc MODIFY (a INT, b BIGINT, c DOUBLE, d DECIMAL(10,4), e STRING);
INSERT INTO widened_orc VALUES (3, 100000, 10000000000, 1.25, 1.2345, 'text');
-- expect widened_orc
CREATE TABLE widened_avro (k INT, a TINYINT, b INT, c FLOAT, d DECIMAL(5,2), e INT) WITH ('file.format'='avro');
INSERT INTO widened_avro VALUES (1, CAST(1 AS TINYINT), 2, CAST(1.5 AS FLOAT), 1.25, 7);
ALTER TABLE widened_avro MODIFY (a INT, b BIGINT, c DOUBLE, d DECIMAL(10,4), e STRING);
INSERT INTO widened_avro VALUES (3, 100000, 10000000000, 1.25, 1.2345, 'text');
-- expect widened_avro
CREATE TABLE nested (k INT, r ROW<a INT, b STRING>, m MAP<STRING, ROW<x INT>>, l ARRAY<ROW<y INT>>);
INSERT INTO nested SELECT 1, CAST(ROW(1, 'x') AS ROW<a INT, b STRING>), MAP['k', ROW(1)], ARRAY[ROW(1)];
ALTER TABLE nested MODIFY (r ROW<a BIGINT, b STRING, c DOUBLE>, m MAP<STRING, ROW<x INT, z STRING>>, l ARRAY<ROW<y BIGINT>>);
INSERT INTO nested SELECT 2, CAST(ROW(2, 'y', 2.5) AS ROW<a BIGINT, b STRING, c DOUBLE>), MAP['k', ROW(2, 'z')], ARRAY[ROW(CAST(2 AS BIGINT))];
-- expect nested
CREATE TABLE rebucketed (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO rebucketed VALUES (1, 'a'), (2, 'b'), (3, 'c');
ALTER TABLE rebucketed SET ('bucket'='3');
INSERT OVERWRITE rebucketed SELECT * FROM rebucketed;
INSERT INTO rebucketed VALUES (4, 'd');
-- expect rebucketed
