"""Tables of Hive with many files, and metastores with many tables: bounded memory, progress, `kill -9` in the middle and a rerun
that ends the work. MICA_SCALE says how many files and tables; what it took is printed."""
import os
import shutil
import signal
import subprocess
import time

import hive_side
from hive_clones import far, java_rows
from hive_migrate import COLUMNS, data_file, rows_of
from hive_side import same

FILES = int(os.environ.get("MICA_SCALE", "1000"))
PER_PARTITION = 50
PEAK_MB = 250  # the Java that reads along is not in it


def make(world, name):
    """A table with FILES copies of one file."""
    root = world.warehouse / "db.db" / name
    file = data_file(world, "orc", 0)
    days = ["%04d" % n for n in range((FILES + PER_PARTITION - 1) // PER_PARTITION)]
    for n in range(FILES):
        folder = root / ("dt=" + days[n // PER_PARTITION])
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder / ("%06d_0" % n))
    world.metastore.ask("create-table", db="db", table=name, columns=COLUMNS, partitioned=[["dt", "string"]], location="file:%s" % root,
                        **hive_side.FORMATS["orc"])
    world.metastore.ask("add-partitions", db="db", table=name,
                        partitions=[{"values": [day], "location": "file:%s/dt=%s" % (root, day)} for day in days])
    return root


def command(world, *arguments):
    conf = [w for o in world.metastore.catalog_options(warehouse=str(world.warehouse)).items() for w in ("--catalog_conf", "%s=%s" % o)]
    return [world.program, arguments[0]] + conf + list(arguments[1:])


def measured(what, words):
    """Runs it: what it said. Its time, CPU time and peak memory are printed."""
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    same(what + ": " + said[-500:], 0, process.returncode)
    peak = used.ru_maxrss / 1024
    print("scale: %s: %.1f s, %.1f s of CPU, %.0f MB" % (what, time.monotonic() - start, used.ru_utime + used.ru_stime, peak), flush=True)
    if peak > PEAK_MB:
        same(what + ": peak memory in MB", PEAK_MB, peak)
    return said


def killed_when(words, reached):
    """Starts it and ends it as soon as `reached()`; False when it was done before."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not reached():
        pass
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def count(folder, pattern):
    return sum(1 for p in folder.rglob(pattern) if not p.name.startswith("."))


def clone_in_two_runs(world, name, what, clone):
    """The first is ended when it has made a fourth of the files; the second finds and keeps them."""
    place = far(world) / "db.db" / name
    same("ended while it made files", True, killed_when(clone, lambda: place.exists() and count(place, "data-*") >= FILES // 4))
    there = count(place, "data-*")
    said = measured("%s, %d there" % (what, there), clone)
    same("what it said: " + said[-300:], True, "%d there already" % there in said)
    same("every file once", FILES, count(place, "data-*"))
    same("the rows", FILES, sum(r[0] == rows_of(0)[0][0] for r in java_rows(world, name)))


def many_files(world):
    root = make(world, "big")
    clone = command(world, "clone", "--clone_from", "hive", "--database", "db", "--table", "big", "--target_database", "db",
                    "--target_table", "big", "--target_catalog_conf", "warehouse=%s" % far(world))
    clone_in_two_runs(world, "big", "clone of %d files" % FILES, clone)
    said = measured("clone of %d files again" % FILES, clone)
    same("what it said: " + said[-300:], True, "0 copied" in said)
    anew = clone[:]
    anew[anew.index("--target_table") + 1] = "anew"
    anew += ["--prefer_file_format", "parquet"]
    clone_in_two_runs(world, "anew", "clone of %d files into Parquet" % FILES, anew)
    # The same files move.
    target = world.warehouse / "db.db" / "big_paimon_"
    migrate = command(world, "migrate_table", "--source_type", "hive", "--table", "db.big")
    same("ended while it moved", True, killed_when(migrate, lambda: target.exists() and count(target, "0*_0.orc") >= FILES // 4))
    same("none is lost", FILES, count(root, "0*_0") + count(target, "0*_0.orc"))
    measured("migration of %d files after an interrupted one" % FILES, migrate)
    same("every file once", FILES, count(root, "0*_0.orc"))
    same("the rows", 2 * FILES, world.count("big"))


def many_tables_listed(world):
    world.metastore.ask("create-database", db="crowd", location="file:%s/crowd.db" % world.warehouse)
    world.metastore.ask("create-tables", db="crowd", table="hive_", count=FILES, columns=[["a", "int"]], **hive_side.FORMATS["orc"])
    world.mica.run("CREATE TABLE crowd.last (a INT)")
    conf = [w for o in world.metastore.catalog_options(warehouse=str(world.warehouse)).items() for w in ("--catalog_conf", "%s=%s" % o)]
    said = measured("SHOW TABLES among %d of Hive" % FILES, [world.program, "sql"] + conf + ["--format", "csv", "-c", "SHOW TABLES IN crowd"])
    same("only Paimon's are listed", True, "last" in said and "hive_" not in said)


CASES = [many_files, many_tables_listed]
