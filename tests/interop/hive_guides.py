"""The guides on Hive: every block is run, with the test's own metastore and warehouse in the places of the guide's."""
import os
import pathlib
import re
import subprocess

from hive_migrate import Source
from hive_side import same
from java_side import Java

GUIDES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guides"


def run_guide(world, name, quiet=True):
    """The output of all its blocks; `quiet` ones tell nothing of their work."""
    text = (GUIDES / (name + ".md")).read_text()
    text = text.replace("thrift://metastore:9083", world.metastore.uri).replace("/data/warehouse", str(world.warehouse))
    path = dict(os.environ, PATH=os.path.dirname(world.program) + ":" + os.environ["PATH"], TZ="UTC")
    output, sql = [], ""
    for language, block in re.findall(r"```(sql|bash)\n(.*?)```", text, re.S):
        if language == "sql":
            sql += block
            continue
        done = subprocess.run(["bash", "-ec", block], env=path, capture_output=True, text=True, timeout=120)
        same("the commands of '%s'" % name, (0, ""), (done.returncode, done.stderr * (quiet or done.returncode != 0)))
    done = subprocess.run([world.program, "sql", "--warehouse", str(world.warehouse), "--dialect", "flink", "--format", "csv"],
                          input=sql, env=path, capture_output=True, text=True, timeout=120)
    same("the statements of '%s'" % name, (0, ""), (done.returncode, done.stderr * (quiet or done.returncode != 0)))
    return done.stdout


def guide_to_migrate(world):
    for database in ("sales", "archive"):
        world.metastore.ask("create-database", db=database, location="file:%s/%s.db" % (world.warehouse, database))
    orders = Source(world, "orders", "orc", True, "sales")
    Source(world, "clicks", "parquet", False, "sales")
    Source(world, "events", "avro", False, "sales")
    for name in ("one", "two"):
        Source(world, name, "orc", False, "archive")
    output = run_guide(world, "migrate-from-hive")
    same("the database", True, "migrate database is finished, success cnt: 2 , failed cnt: 0" in output)
    same("the last count", str(len(orders.rows())), output.strip().split("\n")[-1])
    same("Java reads the one of the action", 2, len(world.rows("clicks", db="sales")))
    same("Java reads the named target", 2, len(world.rows("events_paimon", db="sales")))


def guide_to_clone(world):
    world.metastore.ask("drop-database", db="sales")
    world.metastore.ask("create-database", db="sales", location="file:%s/sales.db" % world.warehouse)
    orders = Source(world, "orders", "orc", True, "sales")
    Source(world, "events", "avro", False, "sales")
    output = run_guide(world, "clone-from-hive", quiet=False)
    same("the count", str(len(orders.rows())), output.strip().split("\n")[-1])
    same("Java reads one day of the other warehouse", [r for r in orders.rows() if r[-2] == "2024-01-01"],
         sorted(Java.ask(world.java, "dump", world.warehouse / "lake", "sales", "orders")["rows"], key=repr))
    same("what was left out", ["orders"], world.ask("list", db="sales_paimon")["tables"])


def guide_to_tags(world):
    output = run_guide(world, "tags-as-hive-partitions")
    same("partitions", True, "dt=2023-10-16\ndt=2023-10-17\n" in output)
    same("rows", True, "1,10,100,2023-10-16\n2,20,200,2023-10-16\n" in output)


def guide_to_the_catalog(world):
    run_guide(world, "hive")
    same("Java lists", ["orders"], world.ask("list", db="shop")["tables"])


CASES = [guide_to_the_catalog, guide_to_migrate, guide_to_clone, guide_to_tags]
