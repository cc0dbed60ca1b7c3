#!/usr/bin/env python3
"""Checks that each layer of src/ includes only itself and layers below, and that headers stay light.

Fails with one line for each fault: an include of a layer above, a quoted include that is not written from src/, a heavy
header (JSON, HTTP, command line, Arrow's whole API) in a header, a DuckDB header outside the layers made for it, a public
header that includes more than the standard library.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What each layer may include beside itself; what those may include follows.
USES = {
    "base": [],
    "io": ["base"],
    "types": ["base"],
    "predicate": ["types"],
    "hive": ["io", "types"],
    "format": ["io", "predicate"],
    "index": ["io", "predicate"],
    "meta": ["format"],
    "merge": ["meta", "index"],
    "table": ["merge"],
    "history": ["table"],
    "system": ["history"],
    "compaction": ["history"],
    "catalog": ["system", "compaction", "hive"],
    "ingest": ["catalog"],
    "clone": ["catalog"],
    "procedures": ["clone"],
    "privilege": ["catalog"],
    "dialect": ["predicate"],
    "api": ["catalog", "dialect"],
    "engine": ["dialect"],
    "functions": ["engine"],
    "sql": ["procedures", "privilege", "functions"],
    "cli": ["sql", "ingest"],
}
SOURCES_AT_MOST = 41
# Too slow to compile to be pulled into every file that includes a header.
HEAVY = re.compile(r"^(nlohmann/json\.hpp|httplib\.h|CLI/.*|yaml-cpp/.*|thrift/.*|arrow/api\.h|arrow/compute/api\.h"
                   r"|parquet/arrow/.*|spdlog/.*)$")
# Headers for .cc files only, which may be heavy themselves; precompiled headers are meant to be.
HEAVY_OURS = {"base/json.h"}
# The JSON of a type takes and gives a value of the JSON library, in whose place a forward declaration has to come.
KNOWN = {"src/types/data_type.h"}
SEES_DUCKDB = {"engine", "functions", "sql"}
DUCKDB = re.compile(r"^duckdb(\.h|\.hpp|/.*)$")
TEST = re.compile(r"_(test|bench|fuzz)\.cc$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def below(layer):
    """The layer and all it may include."""
    found = {layer}
    for used in USES[layer]:
        found |= below(used)
    return found


def includes(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def for_tests_only(sources):
    """Headers that only tests, benchmarks and other such headers include; how heavy they are matters to nobody else."""
    users = {}
    for path in sources:
        for _, quoted, name in includes(path):
            if quoted:
                users.setdefault(name, set()).add(str(path.relative_to(ROOT / "src")))
    found, before = set(), None
    while before != len(found):
        before = len(found)
        found |= {h for h, by in users.items() if all(TEST.search(u) or u in found for u in by)}
    return found


def source_faults(path, test_headers):
    inside = str(path.relative_to(ROOT / "src"))
    light = path.suffix == ".h" and path.name != "precompiled.h" and inside not in test_headers | HEAVY_OURS \
        and str(path.relative_to(ROOT)) not in KNOWN
    layer = path.relative_to(ROOT / "src").parts[0]
    allowed = below(layer)
    for number, quoted, name in includes(path):
        where = "%s:%d" % (path.relative_to(ROOT), number)
        top = name.split("/", 1)[0]
        if quoted and top in USES and top not in allowed:
            yield "%s: '%s' includes '%s', a layer that it may not use" % (where, layer, name)
        if quoted and top not in USES and top != "mica" and not DUCKDB.match(name):
            yield "%s: '%s' is not written from src/" % (where, name)
        if DUCKDB.match(name) and layer not in SEES_DUCKDB:
            yield "%s: '%s' outside src/%s" % (where, name, ", src/".join(sorted(SEES_DUCKDB)))
        if light and (HEAVY.match(name) or name in HEAVY_OURS):
            yield "%s: '%s' in a header; include it in the .cc" % (where, name)


def public_faults(path):
    for number, quoted, name in includes(path):
        where = "%s:%d" % (path.relative_to(ROOT), number)
        if quoted and not name.startswith("mica/"):
            yield "%s: a public header includes '%s'" % (where, name)
        if not quoted and ("/" in name or name.endswith(".h")) and not name.startswith("mica/"):
            yield "%s: a public header includes '%s'; only the standard library is allowed" % (where, name)


def main():
    faults = []
    sources = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in (".h", ".cc"))
    test_headers = for_tests_only(sources)
    for path in sources:
        parts = path.relative_to(ROOT / "src").parts
        if parts[0] not in USES:
            faults.append("%s: no layer '%s'" % (path.relative_to(ROOT), parts[0]))
        elif len(parts) != 2:
            faults.append("%s: a layer has no folders inside" % path.relative_to(ROOT))
        else:
            faults += source_faults(path, test_headers)
    for path in sorted((ROOT / "include").rglob("*.h")):
        faults += public_faults(path)
    for layer in USES:
        count = sum(1 for p in sources if p.suffix == ".cc" and not TEST.search(p.name)
                    and p.parent.name == layer)
        if count > SOURCES_AT_MOST:
            faults.append("src/%s: %d sources are too many: split it into two layers" % (layer, count))
    for fault in faults:
        print(fault)
    print("layers: %d files, %d faults" % (len(sources), len(faults)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
