"""Talks to Apache Paimon's Java API: one JVM, started by java/build, that answers a JSON line for each JSON line."""
import json
import pathlib
import subprocess
import tempfile

BUILD = pathlib.Path(__file__).resolve().parent / "java" / "build"
MISSING = 4  # the exit code of `build` without Java or Maven


class JavaMissing(Exception):
    pass


class JavaError(Exception):
    """What the Java side answered with instead of a result."""


def command(part, scratch):
    """The words of the command line that runs a part ("paimon" or "flink") of the Java side; it leaves files in `scratch`."""
    built = subprocess.run([BUILD, part], stdout=subprocess.PIPE, text=True)
    if built.returncode == MISSING:
        raise JavaMissing("no Java or no Maven")
    if built.returncode:
        raise SystemExit("interop: the Java side could not be built")
    words = built.stdout.split("\n")[:-1]
    return words[:1] + ["-Djava.io.tmpdir=%s" % scratch] + words[1:]


class Java:
    """Each call names a table of one warehouse; a failed one raises JavaError."""

    part = "paimon"

    def __init__(self, zone="UTC"):
        self.scratch = tempfile.TemporaryDirectory(prefix="mica-interop-java-")
        words = command(self.part, self.scratch.name)
        self.process = subprocess.Popen(words[:1] + ["-Duser.timezone=" + zone if w.startswith("-Duser.timezone=") else w for w in words[1:]],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, verb, warehouse, db, table, **more):
        line = json.dumps(dict(more, do=verb, warehouse=str(warehouse), db=db, table=table))
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("interop: the Java process ended at: %s" % line[:500])
        answer = json.loads(answer)
        if "error" in answer:
            raise JavaError(answer["error"])
        return answer

    def rows(self, warehouse, db, table, **more):
        return self.ask("dump", warehouse, db, table, **more)["rows"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.scratch.cleanup()
