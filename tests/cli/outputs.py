"""What one run prints, and the code it ends with."""
import subprocess

from program import expect

ROWS = "SELECT * FROM (VALUES (1, 'a,b'), (2, NULL), (3, 'say \"hi\" | ä')) AS t(id, name) ORDER BY id"


def test_results_end_with_zero(mica):
    mica.sql("-c", "SELECT 1 AS one", "--format", "csv").expect(0, "one\n1\n")
    mica.run("version").expect(0)
    mica.run("help").expect(0)


def test_failures_end_with_one_and_name_the_table(mica):
    done = mica.sql("-c", "SELECT * FROM nowhere").expect(1, "")
    expect("nowhere" in done.err, "the error does not name the table", done.err)
    mica.sql("-f", str(mica.folder / "missing.sql")).expect(1, "")


def test_wrong_usage_ends_with_two(mica):
    for arguments in (["sql", "--nonsense"], ["nonsense"], [], ["sql", "--format", "nonsense", "-c", "SELECT 1"],
                      ["help", "nonsense"], ["sql", "--catalog_conf", "nothing", "-c", "SELECT 1"]):
        done = mica.run(*arguments)
        expect(done.code == 2, "exit code 2 expected of %r" % arguments, done.code, done.out, done.err)


def test_unknown_words_are_told_with_the_nearest_one(mica):
    done = mica.run("versoin").expect(2, "")
    expect("'version'" in done.err, "the nearest command is not named", done.err)


def test_csv(mica):
    mica.sql("-c", ROWS, "--format", "csv").expect(0, 'id,name\n1,"a,b"\n2,\n3,"say ""hi"" | ä"\n')


def test_json(mica):
    import json
    done = mica.sql("-c", ROWS, "--format", "json").expect(0)
    expect(json.loads(done.out) == [{"id": 1, "name": "a,b"}, {"id": 2, "name": None},
                                    {"id": 3, "name": 'say "hi" | ä'}], "other rows", done.out)


def test_jsonl(mica):
    import json
    done = mica.sql("-c", ROWS, "--format", "jsonl").expect(0)
    expect([json.loads(line)["id"] for line in done.out.splitlines()] == [1, 2, 3], "other rows", done.out)


def test_markdown(mica):
    lines = mica.sql("-c", ROWS, "--format", "markdown").expect(0).out.splitlines()
    expect([c.strip() for c in lines[0].strip("|").split("|")] == ["id", "name"], "other head", lines)
    expect(set(lines[1]) <= set("|-: "), "no line below the head", lines)
    expect(len(lines) == 5 and "\\|" in lines[4], "a bar in a value has to be escaped", lines)


def test_tables_show_every_row_on_a_pipe(mica):
    done = mica.sql("-c", "SELECT i FROM range(200) t(i)").expect(0)
    for i in range(200):
        expect(any(word == str(i) for line in done.out.splitlines() for word in line.split()), "row %d is missing" % i)
    expect("\x1b" not in done.out + done.err, "colours on a pipe", done.out)


def test_messages_do_not_mix_with_results(mica):
    done = mica.sql("--continue", "-c", "SELECT 1 AS a; SELECT * FROM nowhere; SELECT 2 AS b", "--format", "csv")
    done.expect(1, "a\n1\nb\n2\n")
    expect(done.err.startswith("Error: "), "the error is not on standard error", done.err)


def test_output_that_cannot_be_written_is_a_failure_with_its_cause(mica):
    sql = mica.sql_arguments("-c", "CREATE TABLE IF NOT EXISTS t (id INT); INSERT INTO t VALUES (7); SELECT * FROM t")
    for words in (sql, ["help"], ["version"]):
        for shell, cause in (('exec "$@" > /dev/full', "No space left on device"), ('exec "$@" >&-', "Bad file descriptor")):
            done = subprocess.run(["sh", "-c", shell, "sh", mica.path, *words], capture_output=True, text=True, env=mica.env)
            expect(done.returncode == 1 and cause in done.stderr, "%r with %s" % (words, shell), done.returncode, done.stderr)
    # Nothing of the output went into a file that took the place of the closed one.
    mica.sql("-c", "SELECT * FROM t", "--format", "csv").expect(0, "id\n7\n7\n")


def test_a_folder_is_no_script(mica):
    done = mica.sql("-f", str(mica.folder)).expect(1, "")
    expect("it is a folder" in done.err, "the cause is not told", done.err)


def test_markdown_tables_are_apart(mica):
    mica.sql("-c", "SELECT 1 AS a; SELECT 2 AS b", "--format", "markdown").expect(
        0, "| a |\n|--:|\n| 1 |\n\n| b |\n|--:|\n| 2 |\n")


def test_secrets_are_masked_in_errors(mica):
    done = mica.sql("--catalog_conf", "s3.secret-key=hush", "-c", "SELECT hush FROM range(1)").expect(1)
    expect("hush" not in done.err.replace("****", ""), "the secret is shown", done.err)


def test_what_needs_no_sql_does_not_load_duckdb(mica):
    for arguments in (["version"], ["help"], ["help", "sql"]):
        done = mica.run(*arguments, LD_DEBUG="libs").expect(0)
        expect("libduckdb" not in done.err, "%r loads DuckDB" % arguments)
    expect("libduckdb" in mica.sql("-c", "SELECT 1", LD_DEBUG="libs").err, "the test cannot tell")


def test_catalog_options_from_the_environment(mica):
    # With one of the two keys only, the error shows that the variable became the option.
    for variable in ("MICA_CATALOG__PAIMON__S3_SECRET_KEY", "MICA_CATALOG__PAIMON__S3__SECRET_KEY"):
        done = mica.run("sql", "--catalog_conf", "warehouse=s3://bucket/w", "-c", "SHOW DATABASES", **{variable: "hush"})
        done.expect(1)
        expect("only one of access key and secret key" in done.err, "%s is not seen" % variable, done.err)
    done = mica.run("sql", "-c", "SHOW DATABASES", "--format", "csv",
                    MICA_CATALOG__PAIMON__WAREHOUSE=str(mica.warehouse)).expect(0)
    expect("default" in done.out, "the warehouse of the environment is not used", done.out)


def spark_catalogs(mica, *names):
    words = []
    for name in names:
        words += ["--conf", "spark.sql.catalog.%s=org.apache.paimon.spark.SparkCatalog" % name,
                  "--conf", "spark.sql.catalog.%s.warehouse=%s" % (name, mica.folder / name)]
    return words


def test_a_session_of_several_catalogs_begins_in_spark_s_own(mica):
    """M-0103, M-0105: names find nothing until a catalog is chosen, instead of hitting one by chance."""
    lakes = spark_catalogs(mica, "lake", "ice")
    run = lambda *words: mica.run("sql", "--format", "csv", *lakes, *words)
    run("-c", "CREATE TABLE lake.default.t (id INT); INSERT INTO lake.default.t VALUES (7); SELECT * FROM lake.default.t").expect(
        0, "id\n7\n")
    run("-c", "SHOW CURRENT CATALOG; SHOW CATALOGS; USE lake; SELECT * FROM t").expect(
        0, "catalog\nspark_catalog\ncatalog\nice\nlake\nspark_catalog\nid\n7\n")
    for sql in ("SELECT * FROM t", "CREATE TABLE t (id INT)", "DESCRIBE t", "INSERT INTO t VALUES (1)", "CREATE DATABASE d",
                "CALL sys.create_tag(table => 't', tag => 'x')", "CREATE VIEW v AS SELECT 1 AS x", "DROP TABLE t"):
        done = run("-c", sql).expect(1)
        expect("USE one of 'lake', 'ice' first" in done.err, "the error of %s does not tell what to do" % sql, done.err)
    run("--conf", "spark.sql.defaultCatalog=lake", "-c", "SELECT * FROM t").expect(0, "id\n7\n")
    run("--catalog", "lake", "-c", "SELECT * FROM t").expect(0, "id\n7\n")
    # One catalog alone needs no choice, and Spark's own can be one of Paimon.
    alone = spark_catalogs(mica, "lake")
    mica.run("sql", "--format", "csv", *alone, "-c", "SELECT * FROM t").expect(0, "id\n7\n")
    own = spark_catalogs(mica, "lake", "spark_catalog")
    mica.run("sql", "--format", "csv", *own, "-c", "SHOW CURRENT CATALOG; CREATE TABLE u (a INT); SHOW TABLES").expect(
        0, "catalog\nspark_catalog\nnamespace,tableName,isTemporary\ndefault,u,false\n")


def test_slips_in_options_are_told_as_warnings(mica):
    create = "CREATE TABLE slips (a INT) TBLPROPERTIES ('bukcet' = '2')"
    done = mica.sql("-c", create).expect(0, "")
    expect(done.err == "Warning: The option 'bukcet' is not known and has no effect. Did you mean 'bucket'?\n",
           "the slip is not told", done.err)
    done = mica.sql("-c", "SELECT * FROM slips /*+ OPTIONS('scan.snapshotid' = '1') */", "--format", "csv").expect(0, "a\n")
    expect("Did you mean 'scan.snapshot-id'?" in done.err, "the slip of the hint is not told", done.err)


def test_timestamps_do_not_depend_on_the_zone_of_the_process(mica):
    """P-68: one without a zone stays what was written, an hour that clocks leave out too; an instant stays that instant. Java's
    form of instants in ORC is right only in the writer's zone, so there they are looked at in that one alone.
    """
    for form in ("parquet", "orc", "orc', 'orc.timestamp-ltz.legacy.type' = 'false", "avro"):
        name = form[:3] + str(len(form))
        create = ("CREATE TABLE zone_%s (n INT, t TIMESTAMP(6), z TIMESTAMP(6) WITH LOCAL TIME ZONE) WITH ('file.format' = '%s'); "
                  "SET 'table.local-time-zone' = 'UTC'; INSERT INTO zone_%s VALUES "
                  "(1, TIMESTAMP '2024-03-10 02:30:00.123456', TO_TIMESTAMP_LTZ(1710066600123, 3)), "
                  "(2, TIMESTAMP '1969-12-31 23:59:58', TO_TIMESTAMP_LTZ(-1000, 3))" % (name, form, name))
        mica.sql("--dialect", "flink", "-c", create, TZ="America/Los_Angeles").expect(0)
        for zone in ("America/Los_Angeles", "UTC", "Asia/Kolkata"):
            ask = ("SET 'table.local-time-zone' = 'UTC'; SELECT CAST(t AS STRING) AS t, CAST(z AS STRING) AS z FROM zone_%s ORDER BY n" % name)
            done = mica.sql("--dialect", "flink", "--format", "jsonl", "-c", ask, TZ=zone).expect(0)
            instants = () if form == "orc" and zone != "America/Los_Angeles" else ("2024-03-10 10:30:00.123", "1969-12-31 23:59:59")
            for text in ("2024-03-10 02:30:00.123456", "1969-12-31 23:59:58") + instants:
                expect(text in done.out, "%s of %s in %s is not there" % (text, form, zone), done.out, done.err)


def test_keys_are_forgotten_by_their_age_in_any_zone(mica):
    create = ("CREATE TABLE young (id INT, day STRING, PRIMARY KEY (id) NOT ENFORCED) PARTITIONED BY (day) "
              "WITH ('bucket' = '-1', 'cross-partition-upsert.index-ttl' = '1 h')")
    insert = "INSERT INTO young VALUES (1, '%s')"
    mica.sql("--dialect", "flink", "-c", create + "; " + insert % "a", TZ="America/Los_Angeles").expect(0)
    mica.sql("--dialect", "flink", "-c", insert % "b", TZ="America/Los_Angeles").expect(0)
    done = mica.sql("--dialect", "flink", "--format", "jsonl", "-c", "SELECT * FROM young").expect(0)
    expect(done.out == '{"id":1,"day":"b"}\n', "the row is in two partitions", done.out, done.err)


def test_errors_that_show_a_statement_hide_its_secrets(mica):
    for statement in ("CALL sys.clone(database => 'd', target_catalog_conf => 'warehouse=/x;s3.secret-key=hush-hush;a=b' nonsense)",
                      "CREATE CATALOG c WITH ('type' = 'paimon', 's3.secret-key' = 'hush-hush', 'warehouse' = 's3://x/y' nonsense",
                      "CALL sys.clone(databaes => 'd', target_catalog_conf => 's3.access-key=hush-hush')"):
        done = mica.sql("--dialect", "flink", "-c", statement)
        expect(done.code != 0 and "hush" not in done.err + done.out, "the secret is shown", done.err, done.out)
    done = mica.run("clone", "--warehouse", str(mica.warehouse), "--target_catalog_conf", "warehouse=ftp://x/y", "--target_catalog_conf",
                    "s3.secret-key=hush-hush", "--database", "nothing")
    expect(done.code == 1 and "hush" not in done.err, "the secret is shown", done.err)
