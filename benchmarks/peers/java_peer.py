#!/usr/bin/env python3
"""The peer of Paimon's Java API for the upkeep of long histories (MICA_BENCH_PEERS="java=benchmarks/peers/java_peer.py"):

    java_peer.py expire|rollback|clean|list --wh=WAREHOUSE --table=NAME [--tmp=...] [--repeat=N]

Prints ITER with the time of the call alone. What the other workloads ask for ends with CANNOT. The JVM's start and its memory
are those of the process that it starts.
"""
import pathlib
import resource
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "interop"))
from java_side import Java  # noqa: E402

ASK = {"expire": ("expire", dict(keep=1, limit=100000)), "rollback": ("rollback", dict(snapshot=500)),
       "clean": ("clean", {}), "list": ("dump", dict(count=True))}


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    named = dict(w[2:].partition("=")[::2] for w in sys.argv[1:] if w.startswith("--"))
    if words[0] not in ASK:
        print("CANNOT %s is not there" % words[0])
        sys.exit(77)
    verb, more = ASK[words[0]]
    table = named["table"] + ("$files" if words[0] == "list" else "")
    java = Java()
    java.ask("list", named["wh"], "default", table)  # the JVM is there
    started = time.perf_counter()
    answer = java.ask(verb, named["wh"], "default", table, **more)
    print("ITER %.3f" % ((time.perf_counter() - started) * 1e3))
    java.close()
    print("RESULT %s, %d MB" % (answer.get("count", ""), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))


main()
