"""Options of a Hive catalog: hive-conf-dir, location-in-properties, and what is refused by name."""
from hive_side import HiveJava, refused, same
from mica_side import Mica

SITE = """<?xml version="1.0"?>
<configuration>
  <property><name>hive.metastore.uris</name><value>%s</value></property>
  <property><name>hive.metastore.warehouse.dir</name><value>%s</value></property>%s
</configuration>
"""


def conf(*options):
    return [word for option in options for word in ("--catalog_conf", option)]


def site_of_hive(world):
    folder = world.warehouse / "conf"
    folder.mkdir()
    (folder / "hive-site.xml").write_text(SITE % (world.metastore.uri, world.warehouse, ""))
    world.mica.run("CREATE DATABASE sited")
    mica = Mica(world.program, world.warehouse, "flink", conf("metastore=hive", "hive-conf-dir=%s" % folder))
    mica.run("CREATE TABLE sited.t (a INT)")
    mica.run("INSERT INTO sited.t VALUES (1)")
    mica.close()
    same("Java reads", [[1]], world.rows("t", db="sited"))
    secured = "\n  <property><name>hive.metastore.sasl.enabled</name><value>true</value></property>"
    (folder / "hive-site.xml").write_text(SITE % (world.metastore.uri, world.warehouse, secured))
    plain = Mica(world.program, world.warehouse)
    catalog = ("CREATE CATALOG c WITH ('type' = 'paimon', 'metastore' = 'hive', 'uri' = '%s', 'warehouse' = '%s', '%%s' = '%%s')"
               % (world.metastore.uri, world.warehouse))
    for key, value, words in (("hive-conf-dir", folder, "'hive.metastore.sasl.enabled' = 'true' is not supported"),
                              ("hive.metastore.use.SSL", "true", "'hive.metastore.use.SSL' = 'true' is not supported"),
                              ("hive.metastore.thrift.framed.transport.enabled", "true", "framed"),
                              ("hive.metastore.thrift.compact.protocol.enabled", "true", "compact"),
                              ("hive-conf-dir", world.warehouse / "nowhere", "hive-conf-dir"),
                              ("metastore.client.class", "org.example.Client", "metastore.client.class")):
        refused(words, lambda: plain.run(catalog % (key, value)))
    plain.close()


class PropertyJava(HiveJava):
    def __init__(self, metastore):
        super().__init__(metastore)
        self.options = dict(self.options, **{"location-in-properties": "true"})


def locations_in_properties(world):
    mica = world.open_mica(**{"location-in-properties": "true"})
    java = PropertyJava(world.metastore)
    place = world.warehouse / "propped.db"
    mica.run("CREATE DATABASE propped")
    same("the database", True, world.metastore.ask("database", db="propped")["parameters"]["paimon_location"].endswith("propped.db"))
    mica.run("CREATE TABLE propped.of_mica (a INT, p INT) PARTITIONED BY (p) WITH ('metastore.partitioned-table' = 'true')")
    same("the table", "%s/of_mica" % place, world.metastore.ask("table", db="propped", table="of_mica")["parameters"]["paimon_location"])
    java.ask("write", world.warehouse, "propped", "of_mica", rows=[[1, 5]])
    same("Mica counts", [{"n": 1}], mica.run("SELECT count(*) AS n FROM propped.of_mica"))
    java.ask("create", world.warehouse, "propped", "of_java", columns=[{"name": "a", "type": "INT"}], primary_keys=[], partition_keys=[],
             options={})
    mica.run("INSERT INTO propped.of_java VALUES (7)")
    same("Java reads", [[7]], java.rows(world.warehouse, "propped", "of_java"))
    mica.run("ALTER TABLE propped.of_java ADD (b INT)")
    mica.run("ALTER TABLE propped.of_java RENAME TO renamed")
    same("Java reads under the new name", [[7, None]], java.rows(world.warehouse, "propped", "renamed"))
    same("the place", True, (place / "renamed" / "schema").exists())
    mica.run("DROP TABLE propped.renamed")
    same("the folder is gone", False, (place / "renamed").exists())
    mica.run("DROP DATABASE propped CASCADE")
    same("that of the database too", False, place.exists())
    java.close()
    mica.close()


CASES = [site_of_hive, locations_in_properties]
