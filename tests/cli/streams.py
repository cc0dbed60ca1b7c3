"""`mica ingest`: a stream of records becomes commits, and the same stream again becomes nothing."""
import signal
import subprocess

from program import LONGEST, expect, wait_until


def ingest(mica, *arguments, stdin=""):
    return mica.run("ingest", "--warehouse", str(mica.warehouse), "--table", "default.t", *arguments, stdin=stdin)


def rows(mica):
    return mica.sql("--format", "csv", "-c", "SELECT * FROM t ORDER BY 1").expect(0).out


def commits(mica):
    return len(list((mica.warehouse / "default.db" / "t" / "snapshot").glob("snapshot-*")))


def test_a_stream_of_json_becomes_commits(mica):
    mica.sql("-c", "CREATE TABLE t (id INT, name STRING)").expect(0)
    lines = "".join('{"id": %d, "name": "n%d"}\n' % (i, i) for i in range(5))
    done = ingest(mica, "--commit_rows", "2", "--user", "me", stdin=lines).expect(0)
    expect(done.out == "5 rows in 3 commits\n", "other output", done.out, done.err)
    expect(rows(mica) == "id,name\n" + "".join("%d,n%d\n" % (i, i) for i in range(5)), "other rows", rows(mica))


def test_the_same_stream_again_goes_on_where_it_ended(mica):
    mica.sql("-c", "CREATE TABLE t (id INT, name STRING)").expect(0)
    good = '{"id": 1}\n{"id": 2}\n'
    done = ingest(mica, "--commit_rows", "2", "--user", "me", stdin=good + '{"id": 3}\n{"id": "x"}\n').expect(1)
    expect("line 4" in done.err and "'id'" in done.err, "the line and the column are not told", done.err)
    expect(rows(mica) == "id,name\n1,\n2,\n" or rows(mica) == "id,name\n1,NULL\n2,NULL\n", "other rows", rows(mica))
    done = ingest(mica, "--user", "me", stdin=good + '{"id": 3}\n').expect(0)
    expect(done.out == "1 row in 1 commit, 2 skipped\n", "other output", done.out)
    ingest(mica, "--user", "me", stdin=good + '{"id": 3}\n').expect(0, "0 rows in 0 commits, 3 skipped\n")


def test_kinds_and_csv_of_a_file(mica):
    mica.sql("-c", "CREATE TABLE t (id INT NOT NULL, name STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1')").expect(0)
    stream = mica.folder / "in.csv"
    stream.write_text('op,name,id\n+I,"a, b",1\n+I,c,2\n-D,,2\n')
    ingest(mica, "--file", str(stream), "--input_format", "csv", "--kind_field", "op").expect(0, "3 rows in 1 commit\n")
    expect(rows(mica) == 'id,name\n1,"a, b"\n', "other rows", rows(mica))


def test_rows_wait_no_longer_than_they_may_and_an_interrupt_commits_the_rest(mica):
    mica.sql("-c", "CREATE TABLE t (id INT)").expect(0)
    process = subprocess.Popen([mica.path, "ingest", "--warehouse", str(mica.warehouse), "--table", "default.t",
                                "--commit_interval", "100 ms"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=mica.env)
    process.stdin.write('{"id": 1}\n')
    process.stdin.flush()
    wait_until(lambda: commits(mica) == 1, "the row is committed by time")
    process.stdin.write('{"id": 2}\n')
    process.stdin.flush()
    wait_until(lambda: commits(mica) == 2, "the second row is committed too")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LONGEST)
    expect(process.returncode == 130 and out == "2 rows in 2 commits\n", "other end", process.returncode, out, err)


def test_what_cannot_be_ingested_is_told(mica):
    mica.sql("-c", "CREATE TABLE t (id INT)").expect(0)
    done = ingest(mica, "--input_format", "xml").expect(1)
    expect("json or csv" in done.err and "'xml'" in done.err, "another message", done.err)
    done = ingest(mica, "--file", str(mica.folder / "nowhere")).expect(1)
    expect("nowhere" in done.err, "another message", done.err)
    done = ingest(mica, stdin='{"other": 1}\n').expect(1)
    expect("'other'" in done.err and commits(mica) == 0, "another message", done.err)
