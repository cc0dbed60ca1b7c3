"""`mica tail`: the table and its changes as lines of JSON."""
import contextlib
import json
import signal
import subprocess

from program import LONGEST, expect


def tail(mica, *arguments):
    return mica.run("tail", "default.t", "--warehouse", str(mica.warehouse), *arguments)


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_tail_prints_the_table_then_its_changes(mica):
    mica.sql("-c", "CREATE TABLE t (k INT, v STRING, d DOUBLE) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '1', "
             "'changelog-producer' = 'lookup'); INSERT INTO t VALUES (1, 'a \"b\"', 1.5); INSERT INTO t VALUES (1, NULL, 2)").expect(0)
    done = tail(mica, "--bounded", "true").expect(0)
    expect(lines(done.out) == [{"rowkind": "+I", "k": 1, "v": None, "d": 2.0}], "the state", done.out)
    done = tail(mica, "--bounded", "true", "--options", "scan.snapshot-id=1").expect(0)
    expect([r["rowkind"] for r in lines(done.out)] == ["+I", "-U", "+U"], "the changes", done.out)
    done = tail(mica, "--limit", "2", "--options", "scan.snapshot-id=1").expect(0)
    expect(len(done.out.splitlines()) == 2, "the limit", done.out)


@contextlib.contextmanager
def following(mica, *words):
    """A process that follows a table; gives a function that waits for its next row. At the end it is interrupted."""
    process = subprocess.Popen([mica.path, *words, "--warehouse", str(mica.warehouse)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=mica.env)
    try:
        yield lambda: json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        expect(process.wait(LONGEST) == 130, "the exit code")
    finally:
        process.kill()
        process.wait()


def test_tail_follows_until_it_is_interrupted(mica):
    mica.sql("-c", "CREATE TABLE t (id INT); INSERT INTO t VALUES (1)").expect(0)
    with following(mica, "tail", "default.t", "--options", "continuous.discovery-interval=20 ms") as read:
        expect(read()["id"] == 1, "the first row")
        for i in (2, 3):
            mica.sql("-c", "INSERT INTO t VALUES (%d)" % i).expect(0)
            expect(read()["id"] == i, "row %d" % i)


def test_a_streaming_select_follows_until_it_is_interrupted(mica):
    mica.sql("-c", "CREATE TABLE t (id INT, v STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'changelog-producer' = "
             "'lookup'); INSERT INTO t VALUES (1, 'a'), (2, 'b')").expect(0)
    with following(mica, "sql", "--format", "json", "-c",
                   "SELECT id, upper(v) AS v FROM t /*+ OPTIONS('streaming' = 'true', 'continuous.discovery-interval' = '20 ms') */ "
                   "WHERE id > 1") as read:
        expect(read() == {"rowkind": "+I", "id": 2, "v": "B"}, "the state")
        mica.sql("-c", "INSERT INTO t VALUES (1, 'hidden'); INSERT INTO t VALUES (2, 'c')").expect(0)
        expect(read() == {"rowkind": "-U", "id": 2, "v": "B"}, "the row before")
        expect(read() == {"rowkind": "+U", "id": 2, "v": "C"}, "the row after")


def test_a_streaming_select_has_one_header(mica):
    mica.sql("-c", "CREATE TABLE t (id INT); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)").expect(0)
    select = "SELECT * FROM t /*+ OPTIONS('streaming' = 'true', 'scan.snapshot-id' = '1') */ LIMIT 2"
    done = mica.sql("--format", "csv", "-c", select).expect(0)
    expect(done.out == "rowkind,id\n+I,1\n+I,2\n", "csv", done.out)
    done = mica.sql("--format", "table", "-c", select).expect(0)
    expect(done.out.count("rowkind") == 2, "a frame for each step", done.out)


def test_tail_says_what_it_does_not_know(mica):
    mica.run("tail", "--warehouse", str(mica.warehouse)).expect(2)
    done = tail(mica).expect(1)
    expect("does not exist" in done.err, "the message", done.err)
