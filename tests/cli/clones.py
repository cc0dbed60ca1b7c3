"""Clones that end before they are done."""
import subprocess

from program import expect, wait_until


def test_a_clone_that_is_killed_goes_on_where_it_was(mica):
    mica.sql("-c", "CREATE TABLE many (id INT, p INT) PARTITIONED BY (p); INSERT INTO many SELECT i, i % 200 FROM range(2000) r(i); "
                   "INSERT INTO many SELECT i, i % 200 FROM range(2000) r(i)").expect(0)
    target = mica.folder / "target"
    words = ["clone", "--warehouse", str(mica.warehouse), "--database", "default", "--table", "many", "--target_database", "d",
             "--target_table", "t", "--target_warehouse", str(target), "--parallelism", "1"]
    copies = lambda: len(list(target.glob("d.db/t/p=*/bucket-0/data-*")))
    running = subprocess.Popen([mica.path, *words], env=mica.env, stderr=subprocess.DEVNULL)
    wait_until(lambda: copies() > 20, "some files are copied")
    running.kill()
    running.wait()
    left = copies()
    expect(not (target / "d.db/t/snapshot").exists(), "the clone ended before it was killed")
    count = ["sql", "--warehouse", str(target), "--format", "csv", "-c", "SELECT count(*) AS n, sum(id) AS s FROM d.t"]
    mica.run(*count).expect(0, "n,s\n0,\n")
    done = mica.run(*words).expect(0)
    expect("has 400 files: %d copied" % (400 - left) in done.err, "files are copied again", left, done.err)
    mica.run(*count).expect(0, "n,s\n4000,3998000\n")
    # What was being copied when the run ended lies there under another name, for remove_orphan_files to find.
    expect(copies() == 400 and len(list(target.glob("d.db/t/p=*/bucket-0/.*"))) <= 1, "other files are left", copies())


def test_a_clone_by_rows_that_is_killed_leaves_no_files_once_it_is_run_again(mica):
    mica.sql("-c", "CREATE TABLE wide (id INT, p INT) PARTITIONED BY (p); INSERT INTO wide SELECT i, i % 300 FROM range(30000) r(i)").expect(0)
    target = mica.folder / "target"
    words = ["clone", "--warehouse", str(mica.warehouse), "--database", "default", "--table", "wide", "--target_database", "d",
             "--target_table", "t", "--target_warehouse", str(target), "--parallelism", "1", "--prefer_file_format", "orc"]
    table = target / "d.db/t"
    files = lambda: list(table.glob("p=*/bucket-0/data-*"))
    running = subprocess.Popen([mica.path, *words], env=mica.env, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(files()) > 20, "some files are written")
    running.kill()
    running.wait()
    left = set(files())
    expect(not (table / "snapshot").exists(), "the clone ended before it was killed")
    expect(len(list(table.glob("_clone-*.json"))) == 1, "the run has not written down who it is")
    mica.run(*words).expect(0)
    expect(not left & set(files()), "files of the run that was killed are left", left)
    expect(not list(table.glob("_clone-*.json")), "a run that is done is still written down")
    count = ["sql", "--warehouse", str(target), "--format", "csv", "-c", "SELECT count(*) AS n, sum(id) AS s FROM d.t"]
    mica.run(*count).expect(0, "n,s\n30000,449985000\n")
    listed = mica.run("sql", "--warehouse", str(target), "--format", "csv", "-c", "SELECT count(*) AS n FROM d.`t$files`")
    listed.expect(0, "n\n%d\n" % len(files()))
