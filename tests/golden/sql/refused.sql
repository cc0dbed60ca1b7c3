-- Tables that need, or once needed, more than reading and merging by key. A "refused" line names the option that the refusal
-- of a SELECT must name; "refused-write" that of an INSERT, while reading must work.
CREATE DATABASE refused;
USE refused;
CREATE TABLE partial (k INT, a INT, b INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1', 'merge-engine'='partial-update');
INSERT INTO partial VALUES (1, 1, CAST(NULL AS INT));
INSERT INTO partial VALUES (1, CAST(NULL AS INT), 2);
-- expect partial
CREATE TABLE summed (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1', 'merge-engine'='aggregation', 'fields.v.aggregate-function'='sum');
INSERT INTO summed VALUES (1, 1);
INSERT INTO summed VALUES (1, 2);
-- expect summed
CREATE TABLE first_row (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1', 'merge-engine'='first-row');
INSERT INTO first_row VALUES (1, 1);
INSERT INTO first_row VALUES (1, 2);
-- expect first_row
CREATE TABLE vectors (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1', 'deletion-vectors.enabled'='true');
INSERT INTO vectors VALUES (1, 1), (2, 2);
INSERT INTO vectors VALUES (2, 3);
-- expect vectors
CREATE TABLE changes (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket'='1', 'changelog-producer'='input');
INSERT INTO changes VALUES (1, 1), (2, 2);
INSERT INTO changes VALUES (2, 3);
-- expect changes
CREATE TABLE cross_partition (k INT, p STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) PARTITIONED BY (p);
INSERT INTO cross_partition VALUES (1, 'x', 1), (2, 'x', 2);
INSERT INTO cross_partition VALUES (1, 'y', 3);
-- expect cross_partition
CREATE TABLE row_ids (k INT, v INT) WITH ('row-tracking.enabled'='true', 'data-evolution.enabled'='true');
INSERT INTO row_ids VALUES (1, 1), (2, 2);
-- refused row_ids data-evolution.enabled
-- expect row_ids
CREATE TABLE indexed (k INT, v INT) WITH ('file-index.bloom-filter.columns'='k', 'file-index.bloom-filter.k.items'='100');
INSERT INTO indexed VALUES (1, 1), (2, 2);
-- expect indexed
