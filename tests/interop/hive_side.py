"""A Hive metastore of the test's own (java/metastore) and what a user of Hive does with it: each call is one JSON command."""
import json
import socket
import subprocess
import tempfile

from java_side import Java, JavaError, command
from mica_side import MicaError
from random_tables import Mismatch

# How Hive writes down a table of files of a format.
FORMATS = {
    "orc": {"serde": "org.apache.hadoop.hive.ql.io.orc.OrcSerde", "input": "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat",
            "output": "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat"},
    "parquet": {"serde": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
                "input": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
                "output": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"},
    "avro": {"serde": "org.apache.hadoop.hive.serde2.avro.AvroSerDe",
             "input": "org.apache.hadoop.hive.ql.io.avro.AvroContainerInputFormat",
             "output": "org.apache.hadoop.hive.ql.io.avro.AvroContainerOutputFormat"},
    "text": {"serde": "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe", "input": "org.apache.hadoop.mapred.TextInputFormat",
             "output": "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat"},
}


def same(what, expected, got):
    if expected != got:
        raise Mismatch("%s: expected %r, got %r" % (what, expected, got))


def refused(words, do):
    try:
        do()
    except (MicaError, JavaError) as e:
        if words not in str(e):
            raise Mismatch("refused with %r, not with %r" % (str(e), words))
        return
    raise Mismatch("was not refused with %r" % words)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Metastore:
    """Starts with the object, answers before the constructor returns, ends with close()."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mica-interop-metastore-")
        self.port = free_port()
        self.uri = "thrift://127.0.0.1:%d" % self.port
        self.process = subprocess.Popen(command("metastore", self.folder.name) + [self.folder.name, str(self.port)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                                        cwd=self.folder.name)
        if not self.process.stdout.readline():
            raise SystemExit("interop: the metastore did not start")

    def ask(self, verb, **more):
        self.process.stdin.write(json.dumps(dict(more, do=verb)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("interop: the metastore ended at: %s" % more)
        answer = json.loads(answer)
        if "error" in answer:
            raise JavaError(answer["error"])
        return answer

    def catalog_options(self, **more):
        return dict(more, metastore="hive", uri=self.uri)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


class HiveJava(Java):
    """Paimon's Java API on a Hive catalog of that metastore."""

    part = "hive"

    def __init__(self, metastore):
        self.options = metastore.catalog_options()
        super().__init__()

    def ask(self, verb, warehouse, db, table, **more):
        return super().ask(verb, warehouse, db, table, catalog=self.options, **more)
