"""Talks to `mica sql`: one process per warehouse kept on a pipe, statements in, JSON lines out.

A marker query after each statement ends its answer; what came on standard error before the marker is its error.
"""
import decimal
import json
import os
import pathlib
import selectors
import subprocess
import tempfile

MARK = "mica_interop_mark"


class MicaError(Exception):
    """The message of a refused statement."""


class Mica:
    def __init__(self, program, warehouse, dialect="flink", more=(), zone="UTC"):
        self.program, self.warehouse = program, pathlib.Path(warehouse)
        self.errors = tempfile.TemporaryFile("w+b")
        self.read_errors = 0
        args = [program, "sql", "--warehouse", self.warehouse, "--dialect", dialect, "--format", "jsonl", "--continue"]
        self.process = subprocess.Popen(args + list(more), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        env=dict(os.environ, TZ=zone))
        self.count = 0
        self.buffer = b""

    def run(self, sql, patience=120):
        """The rows of a statement (dicts), or MicaError."""
        self.count += 1
        mark = "%s_%d" % (MARK, self.count)
        text = "%s;\nSELECT '%s' AS mark;\n" % (sql.rstrip().rstrip(";"), mark)
        try:
            self.process.stdin.write(text.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise SystemExit("interop: mica has ended (code %s): %s" % (self.process.wait(), self.error_text()))
        rows = []
        while True:
            line = self.line(sql, patience)
            row = json.loads(line, parse_float=decimal.Decimal)
            if row == {"mark": mark}:
                break
            rows.append(row)
        error = self.error_text()
        if error:
            raise MicaError(error)
        return rows

    def line(self, sql, patience):
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.buffer:
                if not ready.select(patience):
                    self.process.kill()
                    raise SystemExit("interop: mica gave no answer in %d s to: %s" % (patience, sql[:2000]))
                chunk = os.read(self.process.stdout.fileno(), 1 << 20)
                if not chunk:
                    raise SystemExit("interop: mica ended (code %s) at: %s\n%s" % (self.process.wait(), sql[:2000],
                                                                                   self.error_text()))
                self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode("utf-8", "surrogatepass")

    def error_text(self):
        self.errors.seek(self.read_errors)
        text = self.errors.read()
        self.read_errors += len(text)
        lines = text.decode("utf-8", "replace").strip().split("\n")
        return "\n".join(x for x in lines if not x.lower().startswith("warning")).strip()

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def quoted(*names):
    return ".".join("`%s`" % n.replace("`", "``") for n in names)
