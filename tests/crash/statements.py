"""The statements that the crash suite breaks, each with the database before it and what running it again means."""
from dataclasses import dataclass, field


@dataclass
class Statement:
    name: str
    before: list  # statements that prepare the database
    sql: str
    table: str = "t"
    again: list = None  # the statements of a second run over what the first one made; the same statement unless given
    between: list = field(default_factory=list)  # states allowed besides the old and the new one
    versions: bool = False  # every snapshot and tag that is listed has to read as it did before
    cleans: bool = False  # run again, as many files are left as without the fault

    def __post_init__(self):
        if self.again is None:
            self.again = [self.sql]

    def java_row(self, row):
        """A row as the Java side writes it: the statements use only types that both write alike."""
        return row


APPEND = "CREATE TABLE `{db}`.t (id INT, s STRING)"
KEYED = ("CREATE TABLE `{db}`.t (k INT, p STRING, v STRING, PRIMARY KEY (p, k) NOT ENFORCED) PARTITIONED BY (p) "
         "WITH ('bucket' = '2')")
KEYED_ROWS = "INSERT INTO `{db}`.t VALUES (1, 'x', 'a'), (2, 'x', 'b'), (3, 'y', 'c'), (4, 'y', 'd')"
# Keys that move between partitions.
MOVING = [KEYED.replace("PRIMARY KEY (p, k)", "PRIMARY KEY (k)").replace("'bucket' = '2'", "'bucket' = '-1'"), KEYED_ROWS]

# Three states of two keys: a tag holds the first, expiry and rollback work on the rest.
OVERWRITTEN = [KEYED, "INSERT INTO `{db}`.t VALUES (1, 'x', 'a'), (2, 'y', 'b')",
               "CALL sys.create_tag('{db}.t', 'first')",
               "INSERT OVERWRITE `{db}`.t PARTITION (p = 'x') VALUES (1, 'second')",
               "CALL sys.create_tag('{db}.t', 'second')",
               "INSERT OVERWRITE `{db}`.t PARTITION (p = 'x') VALUES (1, 'third')"]
# A branch that begins with the second state, and both lines go on.
BRANCHED = OVERWRITTEN + ["CALL sys.create_branch('{db}.t', 'b', 'second')",
                          "INSERT INTO `{db}`.`t$branch_b` VALUES (3, 'y', 'branch')",
                          "INSERT OVERWRITE `{db}`.`t$branch_b` PARTITION (p = 'x') VALUES (1, 'fourth')"]
CREATE_BRANCH = "CALL sys.create_branch(`table` => '{db}.t', branch => 'b', `ignoreIfExists` => true)"
EXPIRE = "CALL sys.expire_snapshots('{db}.t', 1, 1)"
COMPACTED = ("CREATE TABLE `{db}`.t (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) "
             "WITH ('bucket' = '1', 'num-sorted-run.compaction-trigger' = '2')")
COMPACTED_ROWS = ["INSERT INTO `{db}`.t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f')",
                  "INSERT INTO `{db}`.t VALUES (3, 'C')"]

# Two files with rows that change and one without.
CHANGED = [APPEND, "INSERT INTO `{db}`.t VALUES (1, 'a'), (2, 'b')", "INSERT INTO `{db}`.t VALUES (3, 'c'), (4, 'd')",
           "INSERT INTO `{db}`.t VALUES (5, 'e')"]
VECTORS = [APPEND + " WITH ('deletion-vectors.enabled' = 'true')"] + CHANGED[1:] + ["DELETE FROM `{db}`.t WHERE id = 2"]
MERGE = ("MERGE INTO `{db}`.t USING (VALUES (1, 'new'), (3, 'gone'), (9, 'i')) AS n(id, s) ON t.id = n.id "
         "WHEN MATCHED AND n.s = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET s = n.s WHEN NOT MATCHED THEN INSERT *")

# Three files in two partitions, one of them with an older value of a key.
SOURCE = [KEYED.replace("`{db}`.t ", "`{db}`.source "), KEYED_ROWS.replace(".t ", ".source "),
          "INSERT INTO `{db}`.source VALUES (2, 'x', 'B')"]
CLONE = ("CALL sys.clone(database => '{db}', `table` => 'source', target_database => '{db}', target_table => 't', "
         "parallelism => 1%s)")

STATEMENTS = [
    Statement("create-table", [], "CREATE TABLE IF NOT EXISTS `{db}`.t (id INT, s STRING)"),
    Statement("insert-append", [APPEND, "INSERT INTO `{db}`.t VALUES (1, 'a'), (2, 'b')"],
              "INSERT INTO `{db}`.t VALUES (3, 'c'), (4, 'd')"),
    Statement("insert-first", [APPEND], "INSERT INTO `{db}`.t VALUES (3, 'c'), (4, 'd')"),
    Statement("insert-keyed", [KEYED, KEYED_ROWS],
              "INSERT INTO `{db}`.t VALUES (1, 'x', 'new'), (5, 'x', 'e'), (3, 'y', 'new'), (6, 'z', 'f')"),
    Statement("insert-overwrite", [KEYED, KEYED_ROWS], "INSERT OVERWRITE `{db}`.t PARTITION (p = 'x') VALUES (9, 'only')"),
    Statement("update-append", CHANGED, "UPDATE `{db}`.t SET s = 'new' WHERE id IN (1, 3)"),
    Statement("delete-append", CHANGED, "DELETE FROM `{db}`.t WHERE id IN (1, 3)"),
    Statement("merge-append", CHANGED, MERGE),
    Statement("update-vectors", VECTORS, "UPDATE `{db}`.t SET s = 'new' WHERE id IN (1, 3)"),
    Statement("delete-vectors", VECTORS, "DELETE FROM `{db}`.t WHERE id IN (1, 3)"),
    Statement("merge-vectors", VECTORS, MERGE),
    Statement("update-keyed", [KEYED, KEYED_ROWS], "UPDATE `{db}`.t SET v = 'new' WHERE k IN (1, 3)"),
    Statement("delete-keyed", [KEYED, KEYED_ROWS], "DELETE FROM `{db}`.t WHERE k IN (1, 3)"),
    Statement("merge-keyed", [KEYED, KEYED_ROWS],
              "MERGE INTO `{db}`.t USING (VALUES (1, 'x', 'new'), (9, 'z', 'i')) AS n(k, p, v) ON t.k = n.k AND t.p = n.p "
              "WHEN MATCHED THEN UPDATE SET v = n.v WHEN NOT MATCHED THEN INSERT *"),
    Statement("insert-moving", MOVING, "INSERT INTO `{db}`.t VALUES (1, 'y', 'moved'), (3, 'z', 'moved'), (9, 'x', 'i')"),
    Statement("merge-moving", MOVING,
              "MERGE INTO `{db}`.t USING (VALUES (1, 'y', 'gone'), (3, 'z', 'new'), (9, 'x', 'i')) AS n(k, p, v) ON t.k = n.k "
              "WHEN MATCHED AND n.v = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET v = n.v "
              "WHEN NOT MATCHED THEN INSERT *",
              # What is run again finds key 1 gone, and puts it in.
              again=["DELETE FROM `{db}`.t WHERE k = 1"]),
    Statement("delete-partitions", [KEYED, KEYED_ROWS], "DELETE FROM `{db}`.t WHERE p = 'x'"),
    Statement("drop-partition", [KEYED, KEYED_ROWS], "ALTER TABLE `{db}`.t DROP IF EXISTS PARTITION (p = 'x')"),
    Statement("alter-table", [APPEND, "INSERT INTO `{db}`.t VALUES (1, 'a'), (2, 'b')"],
              "ALTER TABLE `{db}`.t ADD COLUMN x INT",
              again=["ALTER TABLE `{db}`.t DROP COLUMN x", "ALTER TABLE `{db}`.t ADD COLUMN x INT"]),
    # The rows are at one of the two names, and can be renamed back and forth from there.
    Statement("rename-table", [APPEND, "INSERT INTO `{db}`.t VALUES (1, 'a'), (2, 'b')"],
              "ALTER TABLE `{db}`.t RENAME TO `{db}`.renamed",
              again=["ALTER TABLE `{db}`.renamed RENAME TO `{db}`.t", "ALTER TABLE `{db}`.t RENAME TO `{db}`.renamed"]),
    Statement("insert-compacts", [COMPACTED] + COMPACTED_ROWS, "INSERT INTO `{db}`.t VALUES (2, 'new'), (9, 'i')"),
    Statement("insert-deletion-vectors", [COMPACTED.replace("'bucket'", "'deletion-vectors.enabled' = 'true', 'bucket'")] +
              COMPACTED_ROWS, "INSERT INTO `{db}`.t VALUES (2, 'new'), (9, 'i')"),
    Statement("insert-changelog", [COMPACTED.replace("'bucket'", "'changelog-producer' = 'lookup', 'bucket'")] +
              COMPACTED_ROWS, "INSERT INTO `{db}`.t VALUES (2, 'new'), (9, 'i')"),
    Statement("compact", [KEYED, KEYED_ROWS, KEYED_ROWS.replace("'a'", "'z'")], "CALL sys.compact('{db}.t')"),
    # Creation and rows are two steps; a process that ends between them leaves the empty table.
    Statement("create-table-as", [APPEND.replace(".t ", ".source "), "INSERT INTO `{db}`.source VALUES (1, 'a'), (2, 'b')"],
              "CREATE TABLE `{db}`.t AS SELECT * FROM `{db}`.source",
              again=["DROP TABLE `{db}`.t", "CREATE TABLE `{db}`.t AS SELECT * FROM `{db}`.source"], between=[[]]),
    # The table is made before it is filled.
    Statement("clone", SOURCE, CLONE % "", between=[[]]),
    Statement("clone-over", SOURCE + [KEYED, KEYED_ROWS.replace("'d'", "'old'"), CLONE % "",
                                      "INSERT INTO `{db}`.t VALUES (9, 'x', 'own'), (9, 'z', 'own')",
                                      "INSERT INTO `{db}`.source VALUES (7, 'x', 'late')"], CLONE % "", versions=True),
    Statement("clone-rows", SOURCE, CLONE % ", target_table_conf => 'bucket=1'", between=[[]]),
    Statement("create-tag", OVERWRITTEN, "ALTER TABLE `{db}`.t CREATE TAG IF NOT EXISTS `third`", versions=True),
    Statement("replace-tag", OVERWRITTEN + [EXPIRE], "CALL sys.replace_tag('{db}.t', 'first')", versions=True),
    Statement("delete-tag", OVERWRITTEN + [EXPIRE], "CALL sys.delete_tag('{db}.t', 'first,second')", versions=True,
              cleans=True),
    Statement("expire-snapshots", OVERWRITTEN, EXPIRE, versions=True, cleans=True),
    Statement("rollback", OVERWRITTEN, "CALL sys.rollback_to(`table` => '{db}.t', snapshot_id => 1)", versions=True),
    Statement("rollback-deleting", OVERWRITTEN + [EXPIRE],
              "CALL sys.rollback_to(`table` => '{db}.t', tag => 'first', delete_later => true)", versions=True),
    Statement("create-branch", OVERWRITTEN, CREATE_BRANCH, versions=True),
    # What is run again has to find a branch.
    Statement("delete-branch", BRANCHED + [EXPIRE], CREATE_BRANCH + "; CALL sys.delete_branch('{db}.t', 'b')", versions=True,
              cleans=True),
    Statement("fast-forward", BRANCHED, "CALL sys.fast_forward('{db}.t', 'b')", versions=True,
              # Where the branch began, and what it did first.
              between=[[[1, "x", "second"], [2, "y", "b"]], [[1, "x", "second"], [2, "y", "b"], [3, "y", "branch"]]]),
    # Both lines have their history from its first snapshot on.
    Statement("merge-branch", CHANGED[:2] + ["CALL sys.create_branch('{db}.t', 'b')"] + CHANGED[2:] +
              ["INSERT INTO `{db}`.`t$branch_b` VALUES (7, 'b'), (8, 'b')"],
              "CALL sys.merge_branch('{db}.t', 'b')", versions=True),
    # Files that were written before the statement began.
    Statement("remove-orphans", BRANCHED + ["CALL sys.rollback_to(`table` => '{db}.t', snapshot_id => 2, delete_later => true)"],
              "CALL sys.remove_orphan_files(`table` => '{db}.t', older_than => CAST(date_trunc('millisecond', LOCALTIMESTAMP) - INTERVAL '1' MILLISECOND AS STRING))", versions=True,
              cleans=True),
    Statement("expire-branch", BRANCHED, "CALL sys.expire_snapshots('{db}.t$branch_b', 1, 1)", versions=True, cleans=True),
    Statement("analyze", OVERWRITTEN, "ANALYZE TABLE `{db}`.t COMPUTE STATISTICS FOR ALL COLUMNS", versions=True),
]
