-- A small shop, as a stream of orders would have left it: events partitioned by day, orders that changed and were
-- deleted, and customers whose table grew columns.
CREATE DATABASE shop;
USE shop;
CREATE TABLE events (
  id BIGINT, customer INT, kind STRING, amount DECIMAL(10,2), happened TIMESTAMP(3), details MAP<STRING, STRING>, dt STRING
) PARTITIONED BY (dt);
INSERT INTO events
  SELECT x, CAST(MOD(x * 7, 20) + 1 AS INT),
    CASE MOD(x, 5) WHEN 0 THEN 'buy' WHEN 1 THEN 'view' WHEN 2 THEN 'view' WHEN 3 THEN 'search' ELSE 'view' END,
    CASE WHEN MOD(x, 5) = 0 THEN CAST(MOD(x * 1379, 50000) / 100.0 AS DECIMAL(10,2)) END,
    TIMESTAMPADD(SECOND, CAST(MOD(x * 7919, 86400) AS INT), TIMESTAMP '2025-03-01 00:00:00.000'),
    MAP['page', CONCAT('/item/', CAST(MOD(x, 50) AS STRING))], '2025-03-01'
  FROM (SELECT h * 100 + t * 10 + u AS x FROM (VALUES 0, 1, 2, 3, 4) AS a(h), (VALUES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) AS b(t), (VALUES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) AS c(u));
INSERT INTO events
  SELECT x, CAST(MOD(x * 11, 20) + 1 AS INT), CASE MOD(x, 4) WHEN 0 THEN 'buy' ELSE 'view' END,
    CASE WHEN MOD(x, 4) = 0 THEN CAST(MOD(x * 977, 30000) / 100.0 AS DECIMAL(10,2)) END,
    TIMESTAMPADD(SECOND, CAST(MOD(x * 6133, 86400) AS INT), TIMESTAMP '2025-03-02 00:00:00.000'),
    MAP['page', CONCAT('/item/', CAST(MOD(x, 50) AS STRING)), 'from', 'mail'], '2025-03-02'
  FROM (SELECT 500 + h * 100 + t * 10 + u AS x FROM (VALUES 0, 1, 2) AS a(h), (VALUES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) AS b(t), (VALUES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) AS c(u));
INSERT INTO events VALUES
  (800, 3, 'view', CAST(NULL AS DECIMAL(10,2)), TIMESTAMP '2025-03-03 08:00:00.000', MAP['page', '/'], '2025-03-03'),
  (801, 3, 'buy', CAST(19.90 AS DECIMAL(10,2)), TIMESTAMP '2025-03-03 08:01:30.500', MAP['page', '/item/7'], '2025-03-03');
CREATE TABLE orders (
  order_id BIGINT, customer INT, status STRING, total DECIMAL(12,2), ordered DATE, PRIMARY KEY (order_id) NOT ENFORCED
) WITH ('bucket'='2');
INSERT INTO orders
  SELECT x, CAST(MOD(x * 3, 20) + 1 AS INT), 'new', CAST(MOD(x * 4637, 90000) / 100.0 AS DECIMAL(12,2)), DATE '2025-03-01'
  FROM (SELECT h * 10 + u + 1 AS x FROM (VALUES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) AS a(h), (VALUES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) AS b(u));
CALL sys.create_tag('shop.orders', 'first-day', 1);
INSERT INTO orders SELECT order_id, customer, 'paid', total, ordered FROM orders WHERE MOD(order_id, 3) = 0;
INSERT INTO orders VALUES (101, 7, 'new', 250.00, DATE '2025-03-02'), (102, 8, 'new', 12.50, DATE '2025-03-02');
DELETE FROM orders WHERE order_id = 13;
CREATE TABLE customers (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket'='1');
INSERT INTO customers
  SELECT x, CASE MOD(x, 5) WHEN 1 THEN 'Ada' WHEN 2 THEN 'Grace' WHEN 3 THEN 'Alan' WHEN 4 THEN 'Edsger' ELSE 'Barbara' END || ' ' || CAST(x AS STRING)
  FROM (VALUES 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18) AS t(x);
ALTER TABLE customers ADD (country STRING, since DATE);
INSERT INTO customers VALUES (19, 'Kurt 19', 'AT', DATE '2025-03-02'), (20, 'Emmy 20', 'DE', DATE '2025-03-03'),
  (1, 'Ada 1', 'GB', DATE '2020-12-10');
