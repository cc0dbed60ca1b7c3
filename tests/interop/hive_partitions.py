"""Partitions in the metastore: those of tables, those of tags (G-17), the marks of finished ones, and their repair."""
import datetime
import json

from hive_side import refused, same

NULL = "__DEFAULT_PARTITION__"


def values(world, table):
    return sorted(p["values"] for p in world.metastore.ask("partitions", db="db", table=table)["partitions"])


def mirrored_partitions(world):
    made = "(a INT, dt STRING, hh INT) PARTITIONED BY (dt, hh) WITH ('metastore.partitioned-table' = 'true')"
    world.mica.run("CREATE TABLE db.mirror %s" % made)
    world.mica.run("INSERT INTO db.mirror VALUES (1, '2024-01-01', 1), (2, '2024-01-02', 2), (3, CAST(NULL AS STRING), 3), (4, 'a=b/c', 4)")
    expected = [["2024-01-01", "1"], ["2024-01-02", "2"], [NULL, "3"], ["a=b/c", "4"]]
    same("after the first rows", sorted(expected), values(world, "mirror"))
    # The same by Java.
    world.ask("create", "mirror_j", columns=[{"name": "a", "type": "INT"}, {"name": "dt", "type": "STRING"}, {"name": "hh", "type": "INT"}],
              partition_keys=["dt", "hh"], options={"metastore.partitioned-table": "true"})
    world.ask("write", "mirror_j", rows=[[1, "2024-01-01", 1], [2, "2024-01-02", 2], [3, None, 3], [4, "a=b/c", 4]])
    places = lambda table: sorted(p["location"].replace("/" + table + "/", "/T/")
                                  for p in world.metastore.ask("partitions", db="db", table=table)["partitions"])
    same("where they lie", places("mirror_j"), places("mirror"))
    same("the entry", world.known("mirror_j"), world.known("mirror"))
    world.ask("write", "mirror", rows=[[5, "2024-01-05", 5]])
    same("Java's", True, ["2024-01-05", "5"] in values(world, "mirror"))
    world.mica.run("ALTER TABLE db.mirror DROP PARTITION (dt = '2024-01-05', hh = 5)")
    same("after the drop", sorted(expected), values(world, "mirror"))
    world.mica.run("INSERT OVERWRITE db.mirror PARTITION (dt = '2024-01-01', hh = 1) SELECT 7")
    same("after the overwrite", sorted(expected), values(world, "mirror"))
    world.mica.run("ALTER TABLE db.mirror ADD (more INT)")
    world.mica.run("INSERT INTO db.mirror VALUES (8, '2024-01-08', 8, 8)")
    same("after a new column", True, ["2024-01-08", "8"] in values(world, "mirror"))
    world.mica.run("TRUNCATE TABLE db.mirror")
    same("after TRUNCATE", [], values(world, "mirror"))


def repair(world):
    world.mica.run("CREATE TABLE db.lost (a INT, dt STRING) PARTITIONED BY (dt) WITH ('metastore.partitioned-table' = 'true')")
    world.mica.run("INSERT INTO db.lost VALUES (1, '2024-01-01'), (2, '2024-01-02')")
    before = world.known("lost")
    world.metastore.ask("drop-table", db="db", table="lost", keep=True)
    refused("does not exist", lambda: world.count("lost"))
    refused("procedure repair", lambda: world.mica.run("CREATE TABLE db.lost (a INT)"))
    world.mica.run("CALL sys.repair('db.lost')")
    same("the entry", before, world.known("lost"))
    same("the partitions", [["2024-01-01"], ["2024-01-02"]], values(world, "lost"))
    same("Java reads", 2, len(world.rows("lost")))
    world.metastore.ask("drop-partition", db="db", table="lost", values=["2024-01-01"])
    done = world.action("repair", "--identifier", "db.lost")
    same("the action", (0, ""), (done.returncode, done.stderr))
    same("the partitions again", [["2024-01-01"], ["2024-01-02"]], values(world, "lost"))
    # A whole database that the metastore has never seen.
    world.plain.run("CREATE DATABASE unseen")
    world.plain.run("CREATE TABLE unseen.one (a INT)")
    world.plain.run("INSERT INTO unseen.one VALUES (1)")
    world.spark.run("CALL sys.repair(database_or_table => 'unseen')")
    same("Java reads what was unseen", [[1]], world.rows("one", db="unseen"))
    refused("neither a database nor a table", lambda: world.mica.run("CALL sys.repair('a.b.c')"))
    refused("needs a Hive catalog", lambda: world.plain.run("CALL sys.repair('db')"))
    refused("There is no table", lambda: world.mica.run("CALL sys.repair('db.nothing')"))


def finished_partitions(world):
    """mark_partition_done with the actions of a metastore."""
    world.mica.run("CREATE TABLE db.finished (a INT, dt STRING) PARTITIONED BY (dt) WITH ('metastore.partitioned-table' = 'true', "
                   "'partition.mark-done-action' = 'done-partition,mark-event,success-file')")
    world.mica.run("INSERT INTO db.finished VALUES (1, '2024-01-01'), (2, '2024-01-02')")
    world.mica.run("CALL sys.mark_partition_done('db.finished', 'dt=2024-01-01')")
    marked = [["2024-01-01"], ["2024-01-01.done"], ["2024-01-02"]]
    same("the mark", marked, values(world, "finished"))
    world.mica.run("CALL sys.mark_partition_done('db.finished', 'dt=2024-01-01')")
    same("again", marked, values(world, "finished"))
    world.mica.run("CALL sys.repair('db.finished')")
    same("a repair leaves it", marked, values(world, "finished"))
    same("Java reads", 2, len(world.rows("finished")))
    world.mica.run("CREATE TABLE db.unknown (a INT, dt STRING) PARTITIONED BY (dt) WITH ('partition.mark-done-action' = 'done-partition')")
    world.mica.run("INSERT INTO db.unknown VALUES (1, '2024-01-01')")
    refused("metastore.partitioned-table", lambda: world.mica.run("CALL sys.mark_partition_done('db.unknown', 'dt=2024-01-01')"))


def shown(world, where="", table="t"):
    rows = world.mica.run("SELECT * FROM db.`%s$hive` %s ORDER BY dt, pk" % (table, where))
    return [list(r.values()) for r in rows]


def partitions_shown(world, table="t"):
    return [list(r.values())[0] for r in world.mica.run("SHOW PARTITIONS db.%s" % table)]


def tags(world):
    """The examples of M-0821 and M-0822, then other ways that tags come and go."""
    world.mica.run("CREATE TABLE db.t (pk INT, col1 STRING, col2 STRING, PRIMARY KEY (pk) NOT ENFORCED) "
                   "WITH ('bucket' = '2', 'metastore.tag-to-partition' = 'dt')")
    same("the partition column", [["dt", "string", None]], world.known("t")["partitioned"])
    same("nothing yet", ([], []), (shown(world), partitions_shown(world)))
    world.mica.run("INSERT INTO db.t VALUES (1, '10', '100'), (2, '20', '200')")
    world.mica.run("CALL sys.create_tag('db.t', '2023-10-16')")
    same("the partitions", ["dt=2023-10-16"], partitions_shown(world))
    first = [[1, "10", "100", "2023-10-16"], [2, "20", "200", "2023-10-16"]]
    same("the first day", first, shown(world, "WHERE dt = '2023-10-16'"))
    world.mica.run("INSERT INTO db.t VALUES (1, '11', '110'), (3, '30', '300')")
    world.mica.run("CALL sys.create_tag('db.t', '2023-10-17')")
    same("the first day again", first, shown(world, "WHERE dt = '2023-10-16'"))
    second = [[1, "11", "110", "2023-10-17"], [2, "20", "200", "2023-10-17"], [3, "30", "300", "2023-10-17"]]
    same("the second day", second, shown(world, "WHERE dt = '2023-10-17'"))
    same("both", first + second, shown(world))
    same("described as Hive shows it", [("pk", "INT"), ("col1", "STRING"), ("col2", "STRING"), ("dt", "STRING")],
         [(r["name"], r["type"].partition(" ")[0]) for r in world.mica.run("DESCRIBE db.`t$hive`")])
    same("the table itself has no dt", ["pk", "col1", "col2"], list(world.mica.run("SELECT * FROM db.t")[0]))
    same("Java reads a tag", [r[:3] for r in first], world.rows("t", options={"scan.tag-name": "2023-10-16"}))
    # By Java, by ALTER TABLE, with another name, no longer.
    world.ask("tag", "t", name="by-java", snapshot=2)
    same("Java's tag", True, "dt=by-java" in partitions_shown(world))
    world.mica.run("ALTER TABLE db.t CREATE TAG `by-alter`")
    world.mica.run("CALL sys.rename_tag('db.t', 'by-alter', 'renamed')")
    same("after the new name", ["dt=2023-10-16", "dt=2023-10-17", "dt=by-java", "dt=renamed"], partitions_shown(world))
    world.mica.run("CALL sys.delete_tag('db.t', 'renamed,by-java')")
    same("without them", [["2023-10-16"], ["2023-10-17"]], values(world, "t"))
    world.mica.run("ALTER TABLE db.t ADD (more INT)")
    world.mica.run("INSERT INTO db.t VALUES (4, '40', '400', 4)")
    world.mica.run("CALL sys.create_tag('db.t', '2023-10-18')")
    same("older tags lack the new column", [None, 4],
         [r["more"] for r in world.mica.run("SELECT more FROM db.`t$hive` WHERE pk IN (1, 4) AND dt = '2023-10-18' ORDER BY pk")])
    same("and read as NULL", [None], [r["more"] for r in world.mica.run("SELECT more FROM db.`t$hive` WHERE pk = 1 AND dt = '2023-10-16'")])
    world.metastore.ask("drop-partition", db="db", table="t", values=["2023-10-16"])
    world.mica.run("CALL sys.repair('db.t')")
    same("after a repair", 3, len(partitions_shown(world)))
    refused("tables without partitions", lambda: world.mica.run(
        "CREATE TABLE db.bad_t (a INT, p INT) PARTITIONED BY (p) WITH ('metastore.tag-to-partition' = 'dt')"))
    refused("name of a column", lambda: world.mica.run("CREATE TABLE db.bad_t (a INT) WITH ('metastore.tag-to-partition' = 'a')"))
    same("nothing was made", False, (world.warehouse / "db.db" / "bad_t").exists())


def tags_by_alter(world):
    world.mica.run("CREATE TABLE db.later (pk INT)")
    world.mica.run("INSERT INTO db.later VALUES (1)")
    world.mica.run("CALL sys.create_tag('db.later', 'before')")
    world.mica.run("ALTER TABLE db.later SET ('metastore.tag-to-partition' = 'dt')")
    same("tags of before", [["before"]], values(world, "later"))
    same("Java reads", [[1]], world.rows("later"))


def snapshot_file(world, table, n):
    return world.warehouse / "db.db" / table / "snapshot" / ("snapshot-%d" % n)


def at_time(world, table, n, day):
    """Moves a snapshot to noon of a day."""
    path = snapshot_file(world, table, n)
    content = json.loads(path.read_text())
    content["timeMillis"] = int(datetime.datetime.fromisoformat(day + "T12:00:00+00:00").timestamp() * 1000)
    path.write_text(json.dumps(content))


def preview(world):
    world.mica.run("CREATE TABLE db.pv (pk INT, v INT, PRIMARY KEY (pk) NOT ENFORCED) WITH ('bucket' = '1', "
                   "'metastore.tag-to-partition' = 'dt', 'metastore.tag-to-partition.preview' = 'process-time', "
                   "'sink.process-time-zone' = 'UTC')")
    world.mica.run("INSERT INTO db.pv VALUES (1, 10)")
    day = lambda n: datetime.datetime.fromtimestamp(json.loads(snapshot_file(world, "pv", n).read_text())["timeMillis"] / 1000,
                                                    datetime.timezone.utc).strftime("%Y-%m-%d")
    today = day(1)
    same("the period of the commit", [[today]], values(world, "pv"))
    same("what it shows", [[1, 10, today]], shown(world, table="pv"))
    world.mica.run("INSERT INTO db.pv VALUES (1, 11)")
    if day(2) == today:  # midnight comes between two commits once in a while
        same("a later commit changes it", [[1, 11, today]], shown(world, table="pv"))
    # From here on, time is what the snapshots say.
    at_time(world, "pv", 1, "2023-10-16")
    at_time(world, "pv", 2, "2023-10-17")
    world.metastore.ask("drop-partition", db="db", table="pv", values=[today])
    world.mica.run("CALL sys.create_tag('db.pv', '2023-10-16', 1)")
    world.mica.run("CALL sys.repair('db.pv')")
    world.reopen()
    same("a tag and a preview", [["2023-10-16"], ["2023-10-17"]], values(world, "pv"))
    same("each shows its own", [[1, 10, "2023-10-16"], [1, 11, "2023-10-17"]], shown(world, table="pv"))
    world.mica.run("CALL sys.create_tag('db.pv', '2023-10-17', 2)")
    world.mica.run("INSERT INTO db.pv VALUES (1, 12)")
    at_time(world, "pv", 3, "2023-10-17")
    world.reopen()
    same("a tag freezes it", [[1, 11, "2023-10-17"]], shown(world, "WHERE dt = '2023-10-17'", "pv"))
    world.mica.run("CALL sys.delete_tag('db.pv', '2023-10-17')")
    world.mica.run("CALL sys.repair('db.pv')")
    same("without it the newest snapshot counts", [[1, 12, "2023-10-17"]], shown(world, "WHERE dt = '2023-10-17'", "pv"))
    # Nothing is held by a preview.
    world.mica.run("CALL sys.expire_snapshots(`table` => 'db.pv', retain_max => 1, retain_min => 1)")
    at_time(world, "pv", 3, "2023-10-18")
    world.reopen()
    world.mica.run("CALL sys.repair('db.pv')")
    same("it falls back on the tag", True, [1, 10, "2023-10-16"] in shown(world, table="pv"))
    world.mica.run("CALL sys.delete_tag('db.pv', '2023-10-16')")
    world.metastore.ask("add-partitions", db="db", table="pv", partitions=[{"values": ["2023-10-17"], "location": "file:/nowhere"}])
    refused("neither a tag nor a snapshot", lambda: shown(world, table="pv"))


def automatic_tags(world):
    """The five options of one table (M-0827)."""
    world.mica.run("CREATE TABLE db.auto (pk INT, PRIMARY KEY (pk) NOT ENFORCED) WITH ('bucket' = '1', "
                   "'metastore.tag-to-partition' = 'dt', 'metastore.tag-to-partition.preview' = 'process-time', "
                   "'tag.automatic-creation' = 'process-time', 'tag.creation-period' = 'daily', 'tag.num-retained-max' = '90', "
                   "'sink.process-time-zone' = 'UTC')")
    world.mica.run("INSERT INTO db.auto VALUES (1)")
    at = datetime.datetime.fromtimestamp(json.loads(snapshot_file(world, "auto", 1).read_text())["timeMillis"] / 1000, datetime.timezone.utc)
    same("the tag of the day before and the preview", [[(at - datetime.timedelta(days=n)).strftime("%Y-%m-%d")] for n in (1, 0)],
         values(world, "auto"))


CASES = [mirrored_partitions, repair, finished_partitions, tags, tags_by_alter, preview, automatic_tags]
