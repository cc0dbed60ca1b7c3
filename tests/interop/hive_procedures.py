"""The procedures of seed 004 on tables of a metastore, as SQL and as actions: import_files (G-19), merge_into (G-20) and
migrate_database (G-16), which the metastore sees begin and end. Java reads what comes of them."""
import shutil

from hive_migrate import Source
from hive_side import refused, same

ORDERS = [[1, 10, "a"], [2, 20, "b"], [3, 30, "c"]]
MERGED = [[1, 10, "a"], [2, 40, "b"], [3, 30, "c"], [4, 400, "y"]]


def done(result, words=""):
    same("the action: " + result.stderr, 0, result.returncode)
    same("what it said: " + result.stdout, True, words in result.stdout)


def failed(result, words):
    same("the action's code", 1, result.returncode)
    same("refused with %r: %s" % (words, result.stderr), True, words in result.stderr)


def migrate_database_by_action(world):
    world.metastore.ask("create-database", db="moved", location="file:%s/moved.db" % world.warehouse)
    good = Source(world, "good", "orc", True, "moved")
    text = Source(world, "texts", "text", False, "moved")
    done(world.action("migrate_database", "--source_type", "hive", "--database", "moved", "--options", "file.format=orc"),
         "migrate database is finished, success cnt: 1 , failed cnt: 1")
    same("Java reads", good.rows(), world.rows("good", db="moved"))
    same("the files of the text table", text.inodes, text.files(text.root))
    same("the tables", ["good", "texts"], sorted(world.metastore.ask("tables", db="moved")["tables"]))
    for arguments in ("'hive', 'moved', 'file.format=orc', 2", "'hive', 'moved', 'file.format=orc'", "'hive', 'moved'"):
        same("by position", [{"result": "migrate database is finished, success cnt: 0 , failed cnt: 1"}],
             world.mica.run("CALL sys.migrate_database(%s)" % arguments))
    refused("'nowhere' does not exist", lambda: world.mica.run("CALL sys.migrate_database('hive', 'nowhere')"))


def folder_of_files(world, name):
    """Two files to import, and what is passed over."""
    folder = world.warehouse / name
    (folder / "more").mkdir(parents=True)
    for file, rows in (("one", "(1, 'a'), (2, NULL)"), ("two", "(30, 'z')"), ("more/three", "(4, 'below')")):
        world.mica.run("COPY (SELECT * FROM (VALUES %s) AS rows(id, v)) TO '%s/%s.parquet' (FORMAT PARQUET)" % (rows, folder, file))
    for passed in ("_SUCCESS", ".hidden", "x.orc"):
        (folder / passed).write_text("no rows")
    shutil.copy(folder / "one.parquet", folder / "_one.parquet")
    shutil.copy(folder / "one.parquet", folder / ".one.parquet")
    return folder


def call_import(world, table, folder, partition):
    return list(world.mica.run("CALL sys.import_files(`table` => 'db.%s', location => '%s', `partition` => '%s')"
                               % (table, folder, partition))[0].values())[0]


def run_import(world, table, folder, partition):
    result = world.action("import_files", "--table", "db." + table, "--location", str(folder), "--partition", partition,
                          "--format", "csv")
    if result.returncode:
        raise AssertionError(result.stderr)
    return int(result.stdout.split()[-1])


def import_into(world, how, take):
    name = "taken_" + how
    folder = folder_of_files(world, name + "_files")
    world.mica.run("CREATE TABLE db.%s (id INT, v STRING, dt STRING) PARTITIONED BY (dt) WITH ('file.format' = 'parquet', "
                   "'compaction.min.file-num' = '2', 'metastore.partitioned-table' = 'true')" % name)
    snapshots = lambda: len(world.mica.run("SELECT * FROM db.`%s$snapshots`" % name))
    (folder / "empty").mkdir()
    same("an empty folder", (0, 0), (take(world, name, folder / "empty", "dt=2026-10-08"), snapshots()))
    same("the number of files", (2, 1), (take(world, name, folder, "dt=2026-10-08"), snapshots()))
    # Again: refused before a file is opened, so what is no file of Parquet is not found out.
    (folder / "a_broken.parquet").write_text("no rows")
    again = ("import_files", "--table", "db." + name, "--location", str(folder), "--partition", "dt=2026-10-09")
    failed(world.action(*again), "in table 'db.%s' already" % name)
    refused("in table 'db.%s' already" % name, lambda: call_import(world, name, folder, "dt=2026-10-09"))
    third = folder / "third"
    third.mkdir()
    shutil.copy(folder / "more" / "three.parquet", third / "a.parquet")
    shutil.move(folder / "a_broken.parquet", third / "b.parquet")
    failed(world.action(*again[:3], "--location", str(third), "--partition", "dt=2026-10-09"), "b.parquet")
    refused("b.parquet", lambda: call_import(world, name, third, "dt=2026-10-09"))
    same("no snapshot of those that fail", 1, snapshots())
    rows = [[1, "a", "2026-10-08"], [2, None, "2026-10-08"], [30, "z", "2026-10-08"]]
    same("Java reads", rows, world.rows(name))
    same("the metastore knows the partition", [["2026-10-08"]],
         [p["values"] for p in world.metastore.ask("partitions", db="db", table=name)["partitions"]])
    same("Mica counts", [{"dt": "2026-10-08", "n": 3}], world.mica.run("SELECT dt, count(*) AS n FROM db.%s GROUP BY dt" % name))
    world.mica.run("ALTER TABLE db.%s ADD (more INT)" % name)
    world.mica.run("ANALYZE TABLE db.%s COMPUTE STATISTICS FOR ALL COLUMNS" % name)
    same("the analysed rows", 3, world.mica.run("SELECT mergedRecordCount AS n FROM db.`%s$statistics`" % name)[0]["n"])
    world.mica.run("CALL sys.compact('db.%s')" % name)
    same("the file before the expiry", True, (folder / "one.parquet").exists())
    world.mica.run("CALL sys.expire_snapshots(`table` => 'db.%s', retain_max => 1, retain_min => 1)" % name)
    same("the files after the expiry", [".one.parquet", "_one.parquet", "three.parquet"],
         sorted(f.name for f in folder.rglob("*.parquet") if f.parent != third))
    same("Java reads at the end", [[i, v, dt, None] for i, v, dt in rows], world.rows(name))


def imports(world):
    import_into(world, "by_sql", call_import)
    import_into(world, "by_action", run_import)


def orders(world, name):
    world.mica.run("CREATE TABLE db.%s (id INT, price INT, mark STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '1')" % name)
    world.ask("write", name, rows=ORDERS)


def merges(world):
    world.mica.run("CREATE TABLE db.s (order_id INT, price INT, mark STRING)")
    world.ask("write", "s", rows=[[2, 200, "x"], [4, 400, "y"]])
    on = "%s.id=s.order_id"
    for name in ("placed", "named", "acted"):
        orders(world, name)
    same("the result", [{"result": "Success"}], world.mica.run(
        "CALL sys.merge_into('db.placed','','','db.s','placed.id=s.order_id','','price=placed.price+20','','*','')"))
    world.mica.run("CALL sys.merge_into(target_table => 'db.named', source_table => 'db.s', merge_condition => 'named.id=s.order_id', "
                   "matched_upsert_setting => 'price=named.price+20', not_matched_insert_values => '*')")
    done(world.action("merge_into", "--table", "db.acted", "--source_table", "db.s", "--on", on % "acted",
                      "--merge_actions", "matched-upsert,not-matched-insert", "--matched_upsert_set", "price=acted.price+20",
                      "--not_matched_insert_values", "*"))
    for name in ("placed", "named", "acted"):
        same("Java reads " + name, MERGED, world.rows(name))
    # Those that match: some are changed and the others deleted; those of the target alone likewise.
    whole = {"matched_upsert_condition": "s.price < 300", "matched_upsert_set": "mark = s.mark",
             "matched_delete_condition": "s.price >= 300", "not_matched_by_source_upsert_condition": "%s.id = 1",
             "not_matched_by_source_upsert_set": "price = %s.price + 1", "not_matched_by_source_delete_condition": "%s.id = 3"}
    fill = lambda text, name: text.replace("%s", name)
    done(world.action("merge_into", "--table", "db.acted", "--source_table", "db.s", "--on", on % "acted",
                      *[w for k, v in whole.items() for w in ("--" + k, fill(v, "acted"))]))
    world.mica.run("CALL sys.merge_into(target_table => 'db.named', source_table => 'db.s', merge_condition => 'named.id=s.order_id', %s)"
                   % ", ".join("%s => '%s'" % (k.replace("upsert_set", "upsert_setting"), fill(v, "named")) for k, v in whole.items()))
    for name in ("named", "acted"):
        same("Java reads %s again" % name, [[1, 11, "a"], [2, 40, "x"]], world.rows(name))
    # Refused, and nothing is changed.
    for words, arguments in (("not_matched_by_source_upsert", {"not_matched_by_source_upsert_set": "*"}),
                             ("condition", {"matched_upsert_set": "*", "matched_delete_condition": "s.price > 1"}),
                             ("'nothing'", {"matched_upsert_set": "nothing = 1"})):
        failed(world.action("merge_into", "--table", "db.placed", "--source_table", "db.s", "--on", on % "placed",
                            *[w for k, v in arguments.items() for w in ("--" + k, v)]), words)
        refused(words, lambda: world.mica.run(
            "CALL sys.merge_into(target_table => 'db.placed', source_table => 'db.s', merge_condition => 'placed.id=s.order_id', %s)"
            % ", ".join("%s => '%s'" % (k.replace("upsert_set", "upsert_setting"), v) for k, v in arguments.items())))
    refused("data_evolution_merge_into", lambda: world.mica.run(
        "CALL sys.data_evolution_merge_into('db.placed', '', '', 'db.s', 'placed.id=s.order_id', 'price=s.price', 2)"))
    failed(world.action("data_evolution_merge_into", "--table", "db.placed", "--source_table", "db.s", "--on", on % "placed",
                        "--matched_update_set", "price=s.price", "--sink_parallelism", "2"), "data_evolution_merge_into")
    same("Java reads what was left alone", MERGED, world.rows("placed"))


CASES = [migrate_database_by_action, imports, merges]
