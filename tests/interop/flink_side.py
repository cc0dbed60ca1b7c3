"""Talks to Flink SQL with Paimon's connector: one JVM, started by java/build, that answers queries of one warehouse."""
import json
import subprocess
import tempfile

from java_side import command


class FlinkError(Exception):
    """The message of a refused query."""


class Flink:
    def __init__(self, warehouse):
        self.scratch = tempfile.TemporaryDirectory(prefix="mica-interop-flink-")
        self.process = subprocess.Popen(command("queries", self.scratch.name) + [str(warehouse)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def run(self, sql):
        self.process.stdin.write(json.dumps({"sql": sql}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("interop: the Flink process ended at: %s" % sql[:2000])
        answer = json.loads(answer)
        if "error" in answer:
            raise FlinkError(answer["error"])
        return answer["rows"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.scratch.cleanup()
