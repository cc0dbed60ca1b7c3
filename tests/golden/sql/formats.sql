-- File formats, compressions, file names, formats of manifests; tags and branches at the end.
CREATE DATABASE formats;
USE formats;
CREATE TABLE parquet_snappy (k INT, s STRING, n DECIMAL(20,4)) WITH ('file.compression'='snappy');
INSERT INTO parquet_snappy VALUES (1, 'a', 1.5), (2, 'b', CAST(NULL AS DECIMAL(20,4)));
-- expect parquet_snappy
CREATE TABLE parquet_plain (k INT, s STRING) WITH ('file.compression'='uncompressed');
INSERT INTO parquet_plain VALUES (1, 'a'), (2, 'b');
-- expect parquet_plain
CREATE TABLE orc_lz4 (k INT, s STRING, t TIMESTAMP(3)) WITH ('file.format'='orc', 'file.compression'='lz4');
INSERT INTO orc_lz4 VALUES (1, 'a', TIMESTAMP '2024-01-01 00:00:00.123'), (2, 'b', TIMESTAMP '1969-12-31 23:59:58.999'), (3, 'c', TIMESTAMP '1960-01-01 00:00:00.001');
-- expect orc_lz4
CREATE TABLE orc_plain (k INT, s STRING) WITH ('file.format'='orc', 'file.compression'='none');
INSERT INTO orc_plain VALUES (1, 'a'), (2, 'b');
-- expect orc_plain
CREATE TABLE avro_snappy (k INT, s STRING) WITH ('file.format'='avro', 'file.compression'='snappy');
INSERT INTO avro_snappy VALUES (1, 'a'), (2, 'b');
-- expect avro_snappy
CREATE TABLE orc_manifests (k INT, s STRING) WITH ('manifest.format'='orc', 'manifest.compression'='lz4');
INSERT INTO orc_manifests VALUES (1, 'a'), (2, 'b');
-- expect orc_manifests
CREATE TABLE other_names (k INT, s STRING, PRIMARY KEY (k) NOT ENFORCED)
  WITH ('bucket'='1', 'data-file.prefix'='mine-', 'data-file.path-directory'='data');
INSERT INTO other_names VALUES (1, 'a'), (2, 'b');
-- expect other_names
CREATE TABLE tagged (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO tagged VALUES (1, 'a');
CALL sys.create_tag('formats.tagged', 'v1', 1);
INSERT INTO tagged VALUES (2, 'b');
CALL sys.create_tag(`table` => 'formats.tagged', tag => 'v2', time_retained => '365 d');
INSERT INTO tagged VALUES (1, 'a2');
CALL sys.expire_snapshots(`table` => 'formats.tagged', retain_max => 1, retain_min => 1);
-- expect tagged
-- expect tagged tag v1
-- expect tagged tag v2
CREATE TABLE branched (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO branched VALUES (1, 'main');
CALL sys.create_tag('formats.branched', 't', 1);
CALL sys.create_branch('formats.branched', 'b', 't');
INSERT INTO branched$branch_b VALUES (1, 'branch'), (2, 'only in branch');
INSERT INTO branched VALUES (3, 'only in main');
-- expect branched
-- expect branched$branch_b
