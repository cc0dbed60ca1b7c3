"""`mark_partition_done` tells a server (M-1010)."""
import http.server
import json
import threading

from program import expect


class Server:
    """Keeps what it is told, and answers with `answer`."""

    def __init__(self, status=200, answer='{"result": "success"}'):
        told = self.told = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                told.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(answer.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d/done?x=1" % self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def table(mica, url, actions="http-report,success-file"):
    mica.sql("-c", "CREATE TABLE t (id INT, dt STRING) PARTITIONED BY (dt) TBLPROPERTIES ('partition.mark-done-action' = '%s', "
             "'partition.mark-done-action.http.url' = '%s', 'partition.mark-done-action.http.params' = 'p'); "
             "INSERT INTO t VALUES (1, 'a'), (2, 'b')" % (actions, url)).expect(0)


def mark(mica):
    return mica.sql("-c", "CALL sys.mark_partition_done(table => 't', partitions => 'dt=a;dt=b')")


def done(mica):
    return sorted(str(f.parent.name) for f in (mica.warehouse / "default.db" / "t").glob("*/_SUCCESS"))


def test_a_server_is_told_of_partitions_that_are_done(mica):
    with Server() as server:
        table(mica, server.url)
        mark(mica).expect(0)
        root = str(mica.warehouse / "default.db" / "t")
        told = [dict(body, path=body["path"].replace("file:", "")) for path, body in server.told if path == "/done?x=1"]
        expect(told == [{"params": "p", "table": "default.t", "path": root, "partition": "dt=" + d} for d in "ab"],
               "the reports", server.told)
    expect(done(mica) == ["dt=a", "dt=b"], "the success files", done(mica))


def test_a_server_that_does_not_take_it_fails_the_call(mica):
    with Server(answer='{"result": "FAILED"}') as server:
        table(mica, server.url)
        mark(mica).expect(1)
    with Server(status=500) as server:
        mica.sql("-c", "ALTER TABLE t SET TBLPROPERTIES ('partition.mark-done-action.http.url' = '%s')" % server.url).expect(0)
        failed = mark(mica).expect(1)
        expect("500" in failed.err, "the status", failed.err)
    failed = mark(mica).expect(1)
    expect("cannot be reached" in failed.err, "nobody there", failed.err)
    expect(done(mica) == [], "a success file", done(mica))


def test_urls_that_cannot_be_told_are_refused(mica):
    table(mica, "https://127.0.0.1/")
    failed = mark(mica).expect(1)
    expect("https" in failed.err, "https", failed.err)
    for url, text in (("ftp://x", "no URL"), ("", "non-empty")):
        mica.sql("-c", "ALTER TABLE t SET TBLPROPERTIES ('partition.mark-done-action.http.url' = '%s')" % url).expect(0)
        failed = mark(mica).expect(1)
        expect(text in failed.err, url, failed.err)
    expect(done(mica) == [], "a success file", done(mica))
