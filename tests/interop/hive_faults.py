"""Calls to the metastore that break, before the server got them or after it has answered: migrate_table and clone leave the
source and the target as they were, or the same call ends the work."""
from hive_clones import far, java_rows
from hive_migrate import Source, check_migrated
from hive_side import same
from metastore_proxy import Proxy

# One round over the servers, so that a metastore that stays away is known to at once.
ONE_TRY = ["--catalog_conf", "hive.metastore.connect.retries=1"]


class Broken:
    """A world whose actions go through the proxy."""

    def __init__(self, world):
        self.world, self.proxy = world, Proxy(world.metastore.port)

    def action(self, *arguments):
        return self.world.action(*arguments, *ONE_TRY, "--catalog_conf", "uri=" + self.proxy.uri)


def kinds():
    """(name, how the proxy breaks)"""
    return (("before", {}), ("after", {"after": True}), ("lasting", {"lasting": True}))


def migrate_without_metastore(world):
    broken = Broken(world)
    for kind, how in kinds():
        for partitioned in (False, True):
            for at in range(0, 100, 3 if kind == "lasting" else 1):
                name = "m_%s_%d_%d" % (kind, partitioned, at)
                source = Source(world, name, "orc", partitioned)
                call = ["migrate_table", "--source_type", "hive", "--table", "db." + name]
                broken.proxy.arm(at, **how)
                done = broken.action(*call)
                calls = broken.proxy.calls
                broken.proxy.arm(None)
                if done.returncode == 0:
                    check_migrated(source, name)
                    if calls <= at:
                        break
                    continue
                what = "%s, broken %s call %d" % ("migrate", kind, at)
                told = "Call migrate_table again" in done.stderr
                if not told:
                    source.check_untouched()
                done = world.action(*call)
                if "is a table of Paimon already" not in done.stderr:
                    same(what + ": the next call", (0, ""), (done.returncode, done.stderr))
                else:
                    same(what + ": had said that it may have been done", True, told)
                check_migrated(source, name)
                same(what + ": nothing else is left", False, name + "_paimon_" in world.metastore.ask("tables", db="db")["tables"])
                same(what + ": nor a folder", False, (world.warehouse / "db.db" / (name + "_paimon_")).exists())
    broken.proxy.close()


def clone_without_metastore(world):
    broken = Broken(world)
    source = Source(world, "c_source", "orc", True)
    for kind, how in kinds():
        for at in range(0, 100, 3 if kind == "lasting" else 1):
            # Into a folder, where only the source has a metastore, and into the metastore itself.
            name = "c_%s_%d" % (kind, at)
            whole = ["--clone_from", "hive", "--database", "db", "--table", "c_source", "--target_database", "db", "--target_table", name]
            passed = 0
            for target in ([["--target_catalog_conf", "warehouse=%s" % far(world)]] +
                           [["--target_catalog_conf", "metastore=hive", "--target_catalog_conf", "uri=" + broken.proxy.uri,
                             "--target_catalog_conf", "warehouse=%s" % world.warehouse]]):
                broken.proxy.arm(at, **how)
                done = broken.action("clone", *whole, *target)
                passed += done.returncode == 0 and broken.proxy.calls <= at
                broken.proxy.arm(None)
                source.check_untouched()
                if done.returncode:
                    done = broken.action("clone", *whole, *target)
                    same("clone, broken %s call %d: the next one: %s" % (kind, at, done.stderr), 0, done.returncode)
            same("Java reads the folder", source.rows(), java_rows(world, name))
            same("Java reads the metastore's", source.rows(), world.rows(name))
            if passed == 2:
                break
    broken.proxy.close()


CASES = [migrate_without_metastore, clone_without_metastore]
