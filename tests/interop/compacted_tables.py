"""Tables under compaction, deletion vectors and changelog producers, written and compacted by both sides in turn. After each
turn both read what the model holds, and the changelog so far adds up to it."""
import values
from mica_side import quoted
from random_tables import Pair, require
from table_model import Model


def options_for(rng, model):
    options = {"write-only": "false", "num-sorted-run.compaction-trigger": str(rng.randint(1, 4))}
    if rng.random() < 0.3:
        options["target-file-size"] = "1 b"
    if rng.random() < 0.3:
        options["compaction.force-up-level-0"] = "true"
    if rng.random() < 0.2:
        options["data-file.thin-mode"] = "true"
    # Java's lookup files cannot compare keys of bytes.
    if any(t.root in ("BYTES", "VARBINARY", "BINARY") for n, t in model.columns if n in model.keys):
        return options
    if rng.random() < 0.4:
        options["deletion-vectors.enabled"] = "true"
        options["deletion-vectors.bitmap64"] = rng.choice(["true", "false"])
    producers = ["none", "lookup"] + ([] if "deletion-vectors.enabled" in options else ["full-compaction"])
    options["changelog-producer"] = rng.choice(producers)
    # Java's lookup files have the partition's text in their names, where it cannot be a path.
    model.slash_in_partitions = options["changelog-producer"] != "lookup" and "deletion-vectors.enabled" not in options
    if options["changelog-producer"] != "none":
        options["changelog-producer.row-deduplicate"] = rng.choice(["true", "false"])
        if rng.random() < 0.3 and "file.compression" not in model.options:  # one compression for all, which not each format has
            options["changelog-file.format"] = rng.choice(["avro" if model.format == "avro" else "orc", "parquet"])  # names Avro has
            if options["changelog-file.format"] == "orc":
                model.value_format = "orc"
    return options


def changes_add_up(pair, when):
    """Every row of the changelog, read by Java: what was added less what was taken back is the table."""
    model = pair.model
    latest = pair.java.ask("schema", *pair.place)["snapshot"]
    warehouse, db, name = pair.place
    rows = pair.java.rows(warehouse, db, name + "$audit_log", options={
        "incremental-between": "0,%d" % latest, "incremental-between-scan-mode": "changelog"})
    added = values.multiset([r[1:] for r in rows if r[0] in ("+I", "+U")], model.types)
    taken = values.multiset([r[1:] for r in rows if r[0] in ("-U", "-D")], model.types)
    added.subtract(taken)
    require("the changelog, " + when, model.expected(), added)


def compacted(java, mica, seed, number):
    model = Model(seed, number * 6 + 3 + number % 3, "compacted")  # keyed tables of each format
    model.name = "t%03d" % number
    rng = model.rng
    model.options.update(options_for(rng, model))
    if model.dynamic:
        model.options["bucket"], model.dynamic = "1", False
    pair = Pair(java, mica, model)
    producer = model.options.get("changelog-producer", "none")
    pair.created_by_either()
    for turn in range(8):
        by_java = rng.random() < 0.5
        if by_java and model.merged and rng.random() < 0.4:
            what = "Java's deletes"
            gone = rng.sample(list(model.merged.values()), max(1, len(model.merged) // 4))
            pair.java_writes(gone, kind="-D")
            model.delete(gone)
        elif rng.random() < 0.25:
            what = "a compaction by %s" % ("Java" if by_java else "Mica")
            if by_java:
                java.ask("compact", *pair.place)
            else:
                mica.run("CALL sys.compact(%s)" % values.text_literal("%s.%s" % (model.db, model.name)))
        else:
            rows = model.random_rows(rng.choice([1, 4, 12]))
            what = "rows by %s" % ("Java" if by_java else "Mica")
            if by_java:
                pair.java_writes(rows)
                if producer == "full-compaction":
                    java.ask("compact", *pair.place)
            else:
                mica.run(model.insert_sql(rows))
            model.write(rows)
        if by_java and producer == "full-compaction":
            java.ask("compact", *pair.place)
        when = "after turn %d, %s" % (turn + 1, what)
        pair.both_hold(when)
        if producer != "none":
            changes_add_up(pair, when)
    check_old_states(pair)


def check_old_states(pair):
    latest = pair.java.ask("schema", *pair.place)["snapshot"]
    for i in {1, latest // 2 or 1, latest}:
        require("snapshot %d" % i, pair.java_rows(options={"scan.snapshot-id": str(i)}),
                pair.mica_rows(suffix=" VERSION AS OF %d" % i))
