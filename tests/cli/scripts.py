"""Statements one after another: on the command line, from files and pipes; conflicts and interruption."""
from program import cpu_ticks, expect, wait_until


def test_statements_run_in_order(mica):
    done = mica.sql("--format", "csv", "-c", "CREATE TABLE t (id INT); INSERT INTO t VALUES (1), (2); SELECT count(*) AS n FROM t",
                    "-c", "SELECT ';' AS semicolon -- ; not here\n; /* ; */ SELECT 3 AS three")
    expect(done.code == 0 and done.out.endswith("n\n2\nsemicolon\n;\nthree\n3\n"), "other output", done.out, done.err)


def test_a_failure_stops_the_run(mica):
    mica.sql("--format", "csv", "-c", "SELECT 1 AS a; SELECT * FROM nowhere; SELECT 2 AS b").expect(1, "a\n1\n")
    mica.sql("--format", "csv", stdin="SELECT 1 AS a;\nSELECT * FROM nowhere;\nSELECT 2 AS b;\n").expect(1, "a\n1\n")


def test_continue_goes_on_and_ends_with_one(mica):
    script = mica.folder / "script.sql"
    script.write_text("SELECT 1 AS a;\nSELECT * FROM nowhere;\nSELECT 2 AS b;\n")
    mica.sql("--format", "csv", "--continue", "-f", str(script)).expect(1, "a\n1\nb\n2\n")
    mica.sql("--format", "csv", "--continue", stdin=script.read_text()).expect(1, "a\n1\nb\n2\n")


def test_quit_ends_a_script(mica):
    script = mica.folder / "script.sql"
    script.write_text("SELECT 1 AS a; QUIT; SELECT 2 AS b;")
    mica.sql("--format", "csv", "-f", str(script)).expect(0, "a\n1\n")
    mica.sql("--format", "csv", "--dialect", "flink", stdin="SELECT 1 AS a;\nexit;\nSELECT 2 AS b;\n").expect(0, "a\n1\n")


def test_a_pipe_is_a_script_without_prompts(mica):
    done = mica.sql("--format", "csv", stdin="SELECT\n  'two\nlines' AS a;SELECT 2 AS b").expect(0)
    expect(done.out == 'a\n"two\nlines"\nb\n2\n', "other output", done.out)
    expect("mica>" not in done.out + done.err, "a prompt on a pipe", done.out, done.err)


def test_a_pipe_answers_statement_by_statement(mica):
    running = mica.start("--format", "csv")
    running.send("SELECT 41 + 1 AS n;\n")
    running.read_until("42")
    running.send("SELECT 2 AS m;\n")
    running.read_until("2")
    running.finish().expect(0)


def test_a_reader_that_leaves_ends_the_output_quietly(mica):
    import subprocess
    writer = subprocess.Popen([mica.path, *mica.sql_arguments("--format", "csv", "-c", "SELECT i FROM range(3000000) t(i)")],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=mica.env)
    writer.stdout.readline()
    writer.stdout.close()
    code = writer.wait(120)
    expect(code > 0, "ended by a signal", code)
    writer.stderr.close()


def test_conflicts_end_with_three(mica):
    mica.sql("-c", "CREATE TABLE t (k INT NOT NULL, v INT) TBLPROPERTIES ('primary-key' = 'k', 'bucket' = '-1')").expect(0)
    first = mica.start("--format", "csv")
    first.send("BEGIN; INSERT INTO t VALUES (1, 1); SELECT 7 AS ready;\n")
    first.read_until("7")
    mica.sql("-c", "INSERT INTO t VALUES (2, 2)").expect(0)
    first.send("COMMIT;\n")
    done = first.finish().expect(3)
    expect("another writer assigned keys" in done.err, "the error does not tell the conflict", done.err)
    mica.sql("--format", "csv", "-c", "SELECT * FROM t").expect(0, "k,v\n2,2\n")


def files_below(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_an_interrupted_statement_leaves_nothing(mica):
    mica.sql("-c", "CREATE TABLE t (id BIGINT, text STRING) TBLPROPERTIES ('target-file-size' = '1 mb')").expect(0)
    table = mica.warehouse / "default.db" / "t"
    before = files_below(table)
    running = mica.start("-c", "INSERT INTO t SELECT i, md5(i::VARCHAR) FROM range(100000000000) r(i)")
    wait_until(lambda: files_below(table) != before, "the statement writes files")
    running.interrupt()
    running.finish().expect(130)
    expect(files_below(table) == before, "files are left", files_below(table))
    mica.sql("--format", "csv", "-c", "SELECT count(*) AS n FROM t").expect(0, "n\n0\n")


def test_an_interrupted_script_does_not_go_on(mica):
    running = mica.start("--continue", "--format", "csv")
    running.send("SELECT 1 AS started;\n")
    running.read_until("1")
    running.send("SELECT count(*) FROM range(100000000000) a(i) WHERE md5(i::VARCHAR) = 'x'; SELECT 2 AS b;\n")
    # The statement runs as soon as the program uses time.
    wait_until(lambda: cpu_ticks(running.process.pid) > 50, "the statement runs")
    running.interrupt()
    done = running.finish().expect(130)
    expect("b" not in done.out.split(), "the next statement ran", done.out)
