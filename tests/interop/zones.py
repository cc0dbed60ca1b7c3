"""Times in zones other than UTC: what Mica and Paimon for Java write there each reads there, and in UTC."""
import datetime

from java_side import Java
from mica_side import Mica
from random_tables import Mismatch

DATABASE = "zones"
ZONES = ("America/New_York", "Asia/Kolkata")
FORMS = {"orc": "'file.format' = 'orc'", "orc_instants": "'file.format' = 'orc', 'orc.timestamp-ltz.legacy.type' = 'false'",
         "parquet": "'file.format' = 'parquet'", "avro": "'file.format' = 'avro'"}
# A key, a local time, and an instant: usual ones; around the hour that New York's summer leaves out (a local time within it comes
# back from Java's ORC an hour off), and within the one that its end gives twice; before 1970.
ROWS = [[1, "2024-07-01 12:34:56.123456", "2024-07-01T12:34:56.123456Z", 1719837296123456],
        [2, "2024-03-10 01:59:59.999999", "2024-03-10T06:59:59.999999Z", 1710053999999999],
        [3, "2024-03-10 03:00:00.000000", "2024-03-10T07:00:00.000001Z", 1710054000000001],
        [4, "2024-11-03 01:30:00.000000", "2024-11-03T06:30:00.000000Z", 1730615400000000],
        [5, "1965-05-05 05:05:05.000000", "1965-05-05T05:05:05.000000Z", -147034495000000],
        [6, None, None, None]]


def same(what, expected, got):
    if expected != got:
        raise Mismatch("%s: expected %r, got %r" % (what, expected, got))


def micros(text):
    since = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ") - datetime.datetime(1970, 1, 1)
    return since // datetime.timedelta(microseconds=1)


def read_by_java(java, warehouse, name):
    return sorted([k, m, micros(z) if z else None] for k, m, z in java.rows(warehouse, DATABASE, name))


def read_by_mica(mica, name):
    return [list(r.values()) for r in mica.run("SELECT k, strftime(m, '%%Y-%%m-%%d %%H:%%M:%%S.%%f') AS m, epoch_us(z) AS z FROM %s.%s ORDER BY k" % (DATABASE, name))]


def written(there, utc, name, options):
    java, mica = there
    mica.run("CREATE TABLE %s.%s (k INT, m TIMESTAMP(6), z TIMESTAMP_LTZ(6)) WITH (%s)" % (DATABASE, name, options))
    for side in ("mica", "java"):
        if side == "java":
            java.ask("write", mica.warehouse, DATABASE, name, rows=[[k + 10, m, z] for k, m, z, _ in ROWS])
        else:
            mica.run("INSERT INTO %s.%s SELECT k, CAST(m AS TIMESTAMP(6)), make_timestamptz(z) FROM (VALUES %s) AS rows(k, m, z)" % (
                DATABASE, name, ", ".join("(%d, %s, %s)" % (k, "'%s'" % m if m else "NULL", "NULL" if e is None else e)
                                          for k, m, _, e in ROWS)))
    expected = [[k + n, m, e] for n in (0, 10) for k, m, _, e in ROWS]
    for place, (java, mica) in (("there", there), ("in UTC", utc)):
        by_java = read_by_java(java, mica.warehouse, name)
        # The old form of instants in ORC is that of the zone in which they are written.
        if place == "there" or not name.endswith("_orc"):
            same("Java reads " + place, expected, by_java)
        same("Mica reads as Java " + place, by_java, read_by_mica(mica, name))


def run(java, mica, report):
    mica.run("CREATE DATABASE " + DATABASE)
    for zone in ZONES:
        there = Java(zone), Mica(mica.program, mica.warehouse, zone=zone)
        for form, options in FORMS.items():
            name = "%s_%s" % (zone.split("/")[1].lower(), form)
            report("zones:" + name, lambda: written(there, (java, mica), name, options))
        for side in there:
            side.close()
    return len(ZONES) * len(FORMS)
