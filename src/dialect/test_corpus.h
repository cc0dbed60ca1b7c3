// Statements as users write them, in both dialects: what the parser has to know. Test data of this layer.
#pragma once

#include <string_view>

namespace mica::dialect {

// A tour through tags, branches and time travel in Flink SQL.
inline constexpr std::string_view kFlinkCorpus = R"sql(
SELECT * FROM orders$snapshots;
ALTER TABLE orders SET (
  'snapshot.num-retained.min' = '10',      -- always keep last 10
  'snapshot.num-retained.max' = '5000',    -- never more than 5000
  'snapshot.time-retained' = '7 d',        -- TTL 7 days
  'snapshot.expire.execution-mode' = 'sync' -- note
);
CALL sys.create_tag(
  table => 'orders',
  tag => 'before-promotion-launch',
  snapshot_id => 12345
);
CALL sys.create_tag(
  table => 'orders',
  tag => 'eod-2026-05-19'
);
SELECT * FROM orders$tags;
CALL sys.create_tag(
  table => 'orders',
  tag => CONCAT('eod-', DATE_FORMAT(CURRENT_TIMESTAMP, 'yyyy-MM-dd'))
);
ALTER TABLE orders SET (
  'tag.automatic-creation' = 'daily',           -- auto-create daily tags
  'tag.creation-period' = 'daily',
  'tag.creation-delay' = '10 min',              -- note
  'tag.num-retained-max' = '365',               -- keep 1 year of daily tags
  'tag.default-time-retained' = '365 d'         -- note
);
SELECT * FROM orders /*+ OPTIONS('scan.tag-name'='eod-2026-04-30') */;
SELECT * FROM orders /*+ OPTIONS('scan.timestamp-millis'='1714521600000') */;
SELECT * FROM orders /*+ OPTIONS('scan.snapshot-id'='12345') */;
SELECT * FROM orders$tags WHERE tag_name = 'eod-2026-05-18';
CALL sys.rollback_to(
  table => 'orders',
  snapshot_id => 12345
);
CALL sys.rollback_to(
  table => 'orders',
  tag => 'eod-2026-05-18'
);
CALL sys.create_tag(
  table => 'orders',
  tag => 'pre-rollback-backup',
  snapshot_id => 14500  -- current latest
);
CALL sys.rollback_to(table => 'orders', tag => 'eod-2026-05-18');
CALL sys.create_branch(
  table => 'orders',
  branch => 'feature-new-pricing'
);
CALL sys.create_branch(
  table => 'orders',
  branch => 'experiment-2026-Q2',
  tag => 'eod-2026-05-19'
);
SET 'table.exec.sink.upsert-materialize' = 'NONE';
INSERT INTO orders /*+ OPTIONS('branch'='feature-new-pricing') */
SELECT id, name, new_pricing(amount) AS amount
FROM source;
SELECT
  m.id,
  m.amount AS main_amount,
  b.amount AS branch_amount
FROM orders m
JOIN orders /*+ OPTIONS('branch'='feature-new-pricing') */ b
  ON m.id = b.id
WHERE m.amount != b.amount;
INSERT OVERWRITE orders
SELECT * FROM orders /*+ OPTIONS('branch'='feature-new-pricing') */;
CALL sys.delete_branch(
  table => 'orders',
  branch => 'feature-new-pricing'
);
CALL sys.delete_branch(
  table => 'orders',
  branch => 'experiment-failed'
);
SELECT * FROM orders /*+ OPTIONS('scan.snapshot-id'='12345') */;
SELECT * FROM orders /*+ OPTIONS('scan.tag-name'='eod-2026-05-19') */;
SELECT * FROM orders /*+ OPTIONS('scan.timestamp-millis'='1716067200000') */;
SELECT * FROM orders FOR SYSTEM_TIME AS OF TIMESTAMP '2026-05-19 09:00:00';
SELECT * FROM orders /*+ OPTIONS('branch'='feature-new-pricing') */;
ALTER TABLE orders SET ('changelog-producer' = 'input');
SELECT * FROM orders /*+ OPTIONS('streaming'='true', 'changelog-producer'='input') */;
SELECT * FROM orders$snapshots;
SELECT * FROM orders$tags;
SELECT * FROM orders$branches;
SELECT * FROM orders$files;
SELECT * FROM orders$schemas;
SELECT * FROM orders$manifests;
SELECT * FROM orders$audit_log;
EXPLAIN SELECT * FROM orders WHERE id = 12345;
ALTER TABLE orders SET (
  -- Snapshot retention: keep last 24 hours + at least 50
  'snapshot.time-retained' = '24 h',
  'snapshot.num-retained.min' = '50',
  'snapshot.num-retained.max' = '5000',

  -- Daily tags: keep 90 days
  'tag.automatic-creation' = 'daily',
  'tag.creation-period' = 'daily',
  'tag.creation-delay' = '5 min',
  'tag.num-retained-max' = '90',
  'tag.default-time-retained' = '90 d',

  -- Weekly tags: keep 1 year (configure separately)
  -- note
);
USE CATALOG paimon;
CREATE DATABASE IF NOT EXISTS mydb;
USE mydb;
CREATE CATALOG paimon_hive WITH (
    'type' = 'paimon',
    'metastore' = 'hive',
    -- 'uri' = 'thrift://<host>:<port>', from the site file
    'warehouse' = 'hdfs:///warehouse'
);
SHOW CATALOGS;
SHOW CURRENT CATALOG;
DROP CATALOG IF EXISTS paimon_hive;
CREATE TABLE mydb.t_preview (
    pk INT,
    col1 STRING,
    col2 STRING,
    PRIMARY KEY (pk) NOT ENFORCED
) WITH (
    'bucket' = '2',
    'metastore.tag-to-partition' = 'dt',
    'tag.creation-period' = 'daily'
);
CREATE TABLE types (
    a BOOLEAN, b TINYINT, c SMALLINT, d INT NOT NULL, e BIGINT, f FLOAT, g DOUBLE PRECISION, h DECIMAL(38, 18),
    i CHAR(3), j VARCHAR(10), k STRING, l BINARY(4), m VARBINARY(8), n BYTES, o DATE, p TIME(3), q TIMESTAMP(3),
    r TIMESTAMP(9) WITH LOCAL TIME ZONE, s TIMESTAMP_LTZ(3), t ARRAY<INT NOT NULL>,
    u MAP<STRING, ARRAY<ROW<x INT, y STRING>>>,
    v MULTISET<STRING>, w ROW<a INT 'first', b ROW(c STRING, d DECIMAL)>, x INT ARRAY,
    CONSTRAINT pk PRIMARY KEY (d) NOT ENFORCED
) COMMENT 'all types' DISTRIBUTED BY HASH (d) INTO 4 BUCKETS;
CREATE TABLE copy WITH ('primary-key' = 'dt,hh', 'partition' = 'dt') AS SELECT * FROM orders;
INSERT OVERWRITE t /*+ OPTIONS('dynamic-partition-overwrite'='false') */ PARTITION (k = 0) SELECT a FROM s WHERE false;
INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'it''s');
ALTER TABLE t RESET ('write-buffer-size');
ALTER TABLE t ADD (c1 INT, c2 STRING COMMENT 'second');
ALTER TABLE t ADD c3 INT AFTER b;
ALTER TABLE t MODIFY (a DOUBLE COMMENT 'wider' FIRST, b ROW<x INT, y BIGINT>);
ALTER TABLE t MODIFY c FLOAT NOT NULL;
ALTER TABLE t DROP (c1, c2);
ALTER TABLE t DROP c3;
ALTER TABLE t RENAME c0 TO c1;
ALTER TABLE t RENAME TO db2.t2;
ALTER TABLE t DROP PARTITION (id = 1), PARTITION (id = 2);
ALTER DATABASE d SET ('k' = 'v');
SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2026-05-19 09:00:00' + INTERVAL '1' DAY AS x WHERE a = 1;
EXPLAIN PLAN FOR SELECT 1;
)sql";

// Tables, writes, reads, alterations and settings in Spark SQL.
inline constexpr std::string_view kSparkCorpus = R"sql(
USE paimon;
USE paimon.db;
CREATE TABLE my_table (
    user_id BIGINT,
    item_id BIGINT,
    behavior STRING,
    dt STRING,
    hh STRING
) TBLPROPERTIES (
    'primary-key' = 'dt,hh,user_id'
);
CREATE TABLE my_table (
    user_id BIGINT,
    item_id BIGINT,
    behavior STRING,
    dt STRING,
    hh STRING
) PARTITIONED BY (dt, hh) TBLPROPERTIES (
    'primary-key' = 'dt,hh,user_id'
);
CREATE TABLE my_table (
    user_id BIGINT,
    item_id BIGINT,
    behavior STRING,
    dt STRING,
    hh STRING
) PARTITIONED BY (dt, hh) TBLPROPERTIES (
    'primary-key' = 'dt,hh,user_id'
) LOCATION '/path/to/table';
CREATE TABLE my_table (
     user_id BIGINT,
     item_id BIGINT
);
CREATE TABLE my_table_as AS SELECT * FROM my_table;
CREATE TABLE my_table_partition (
      user_id BIGINT,
      item_id BIGINT,
      behavior STRING,
      dt STRING,
      hh STRING
) PARTITIONED BY (dt, hh);
CREATE TABLE my_table_partition_as PARTITIONED BY (dt) AS SELECT * FROM my_table_partition;
CREATE TABLE my_table_options (
       user_id BIGINT,
       item_id BIGINT
) TBLPROPERTIES ('file.format' = 'orc');
CREATE TABLE my_table_options_as TBLPROPERTIES ('file.format' = 'parquet') AS SELECT * FROM my_table_options;
CREATE TABLE my_table_pk (
     user_id BIGINT,
     item_id BIGINT,
     behavior STRING,
     dt STRING,
     hh STRING
) TBLPROPERTIES (
    'primary-key' = 'dt,hh,user_id'
);
CREATE TABLE my_table_pk_as TBLPROPERTIES ('primary-key' = 'dt') AS SELECT * FROM my_table_pk;
CREATE TABLE my_table_all (
    user_id BIGINT,
    item_id BIGINT,
    behavior STRING,
    dt STRING,
    hh STRING
) PARTITIONED BY (dt, hh) TBLPROPERTIES (
    'primary-key' = 'dt,hh,user_id'
);
CREATE TABLE my_table_all_as PARTITIONED BY (dt) TBLPROPERTIES ('primary-key' = 'dt,hh') AS SELECT * FROM my_table_all;
CREATE VIEW v1 AS SELECT * FROM t1;
CREATE OR REPLACE VIEW v1 AS SELECT * FROM t1;
DROP VIEW v1;
ALTER TABLE T CREATE TAG `TAG-1`;
ALTER TABLE T CREATE TAG IF NOT EXISTS `TAG-1`;
ALTER TABLE T CREATE TAG `TAG-2` RETAIN 7 DAYS;
ALTER TABLE T CREATE TAG `TAG-3` AS OF VERSION 1;
ALTER TABLE T CREATE TAG `TAG-4` AS OF VERSION 2 RETAIN 12 HOURS;
ALTER TABLE T REPLACE TAG `TAG-4` AS OF VERSION 2 RETAIN 24 HOURS;
ALTER TABLE T CREATE OR REPLACE TAG `TAG-5` AS OF VERSION 2 RETAIN 24 HOURS;
ALTER TABLE T DELETE TAG `TAG-1`;
ALTER TABLE T DELETE TAG IF EXISTS `TAG-1`;
ALTER TABLE T DELETE TAG `TAG-1,TAG-2`;
ALTER TABLE T RENAME TAG `TAG-1` TO `TAG-2`;
SHOW TAGS T;
CREATE TABLE my_table (id INT, pt STRING) PARTITIONED BY (pt);
INSERT INTO my_table VALUES (1, 'p1'), (2, 'p2');
INSERT OVERWRITE my_table VALUES (3, 'p1');
INSERT OVERWRITE my_table PARTITION (pt) VALUES (3, 'p1');
SELECT * FROM my_table;
INSERT OVERWRITE my_table PARTITION (pt='p1') VALUES (3);
SELECT * FROM my_table;
SET spark.sql.sources.partitionOverwriteMode=dynamic;
INSERT OVERWRITE my_table VALUES (3, 'p1');
SELECT * FROM my_table;
TRUNCATE TABLE my_table;
CREATE TABLE t (
  id INT,
  s STRUCT<c1: INT, c2: STRING>,
  name STRING)
TBLPROPERTIES (
  'primary-key' = 'id',
  'merge-engine' = 'deduplicate'
);
UPDATE t SET name = 'a_new' WHERE id = 1;
UPDATE t SET s.c2 = 'a_new' WHERE s.c1 = 1;
DELETE FROM my_table WHERE currency = 'UNKNOWN';
MERGE INTO target
USING source
ON target.a = source.a
WHEN MATCHED THEN
UPDATE SET *
WHEN NOT MATCHED
THEN INSERT *;
SELECT * FROM t;
SELECT *, __paimon_file_path, __paimon_partition, __paimon_bucket, __paimon_row_index FROM t;
desc `my_table$snapshots`;
SELECT * FROM `my_table$snapshots`;
SELECT * FROM t VERSION AS OF 1;
SELECT * FROM t TIMESTAMP AS OF '2023-06-01 00:00:00.123';
SELECT * FROM t TIMESTAMP AS OF 1678883047;
SELECT * FROM t VERSION AS OF 'my-tag';
SELECT * FROM t VERSION AS OF 'watermark-1678883047356';
SELECT * FROM paimon_incremental_query('tableName', 12, 20);
SELECT * FROM paimon_incremental_between_timestamp('tableName', '1692169000000', '1692169900000');
SELECT * FROM paimon_incremental_between_timestamp('tableName', '2025-03-12 00:00:00', '2025-03-12 00:08:00');
SELECT * FROM paimon_incremental_to_auto_tag('tableName', '2024-12-04');
CREATE TABLE orders (
    catalog_id BIGINT,
    order_id BIGINT,
) TBLPROPERTIES (
    'primary-key' = 'catalog_id,order_id'
);
SELECT * FROM orders WHERE catalog_id=1025;
SELECT * FROM orders WHERE catalog_id=1025 AND order_id=29495;
SELECT * FROM orders
  WHERE catalog_id=1025
  AND order_id>2035 AND order_id<6000;
SELECT * FROM orders WHERE order_id=29495;
SELECT * FROM orders WHERE catalog_id=1025 OR order_id=29495;
ALTER TABLE my_table SET TBLPROPERTIES (
    'write-buffer-size' = '256 MB'
);
ALTER TABLE my_table UNSET TBLPROPERTIES ('write-buffer-size');
ALTER TABLE my_table SET TBLPROPERTIES (
    'comment' = 'table comment'
    );
ALTER TABLE my_table UNSET TBLPROPERTIES ('comment');
ALTER TABLE my_table RENAME TO my_table_new;
ALTER TABLE my_table ADD COLUMNS (
    c1 INT,
    c2 STRING
);
ALTER TABLE my_table ADD COLUMN v.f3 STRING;
ALTER TABLE my_table ADD COLUMN v.element.f3 STRING;
ALTER TABLE my_table ADD COLUMN v.value.f3 STRING;
ALTER TABLE my_table RENAME COLUMN c0 TO c1;
ALTER TABLE my_table RENAME COLUMN v.f1 to f100;
ALTER TABLE my_table RENAME COLUMN v.element.f1 to f100;
ALTER TABLE my_table RENAME COLUMN v.value.f1 to f100;
ALTER TABLE my_table DROP COLUMNS (c1, c2);
ALTER TABLE my_table DROP COLUMN v.f2;
ALTER TABLE my_table DROP COLUMN v.element.f2;
ALTER TABLE my_table DROP COLUMN v.value.f2;
ALTER TABLE my_table DROP PARTITION (`id` = 1, `name` = 'paimon');
ALTER TABLE my_table ALTER COLUMN buy_count COMMENT 'buy count';
ALTER TABLE my_table ADD COLUMN c INT FIRST;
ALTER TABLE my_table ADD COLUMN c INT AFTER b;
ALTER TABLE my_table ALTER COLUMN col_a FIRST;
ALTER TABLE my_table ALTER COLUMN col_a AFTER col_b;
ALTER TABLE my_table ALTER COLUMN col_a TYPE DOUBLE;
SET spark.sql.sources.partitionOverwriteMode=dynamic;
SET spark.paimon.file.block-size=512M;
RESET spark.paimon.file.block-size;
SET spark.paimon.*.default.T.scan.snapshot-id=1;
SELECT * FROM default.T;
SET spark.paimon.*.*.T.scan.snapshot-id=1;
SELECT * FROM default.T;
SET spark.paimon.scan.snapshot-id=1;
SET spark.paimon.*.default.T1.scan.snapshot-id=2;
SELECT * FROM default.T1 JOIN default.T2 ON xxxx;
ALTER DATABASE my_database SET DBPROPERTIES ('k' = 'v', k2 = 3);
ALTER NAMESPACE my_database SET PROPERTIES ('k' = 'v');
ALTER DATABASE my_database SET LOCATION '/path/to/place';
SHOW DATABASES LIKE 'a*';
SHOW TABLES IN db LIKE 'pat*';
SHOW PARTITIONS t PARTITION (dt = '2024');
SHOW CREATE TABLE db.t;
SHOW COLUMNS FROM t;
SHOW TBLPROPERTIES t;
SHOW TABLE EXTENDED IN db LIKE 'pat*' PARTITION (pt = '2024');
SHOW VIEWS;
DESCRIBE EXTENDED t;
DESCRIBE DATABASE db;
DESCRIBE TABLE t;
ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS a, b;
ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS;
REFRESH TABLE t;
INSERT INTO t PARTITION (dt = '2024', hh) SELECT a, hh FROM s;
INSERT INTO t BY NAME SELECT 1 AS a;
TRUNCATE TABLE t PARTITION (dt = '2024');
CREATE TABLE d (a INT NOT NULL COMMENT 'key', b STRING DEFAULT 'x', c INT DEFAULT 5,
    tags ARRAY<STRING> DEFAULT ARRAY('a'),
    s STRUCT<x: INT, y: STRING COMMENT 'why'>) USING paimon COMMENT "a table" PARTITIONED BY (p STRING);
ALTER TABLE d ALTER COLUMN b SET DEFAULT 3;
ALTER TABLE d DROP IF EXISTS PARTITION (p = 'a');
CALL sys.import_files('default.unpartitioned_table', 'oss://bucket/external-files/');
CALL sys.merge_into('default.T','','','default.S','T.id=S.order_id','','price=T.price+20','','*','');
CALL sys.migrate_database('hive', 'db01', 'file.format=parquet', 6);
CALL sys.alter_column_default_value(`table` => 'default.T', `column` => 'status', default_value => 'active');
CALL paimon.sys.drop_partition('default.T', 'dt=2024-07-01');
BEGIN;
COMMIT;
ROLLBACK;
RESET;
SET;
)sql";

}  // namespace mica::dialect
