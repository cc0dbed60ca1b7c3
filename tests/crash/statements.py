"""The statements that the crash suite breaks, each with the database before it and what running it again means."""
from dataclasses import dataclass, field


@dataclass
class Statement:
    name: str
    before: list  # statements that prepare the database
    sql: str
    table: str = "t"
    again: list = None  # the statements of a second run; the same statement unless given
    between: list = field(default_factory=list)  # states allowed besides the old and the new one

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

STATEMENTS = [
    Statement("create-table", [], "CREATE TABLE IF NOT EXISTS `{db}`.t (id INT, s STRING)"),
    Statement("insert-append", [APPEND, "INSERT INTO `{db}`.t VALUES (1, 'a'), (2, 'b')"],
              "INSERT INTO `{db}`.t VALUES (3, 'c'), (4, 'd')"),
    Statement("insert-first", [APPEND], "INSERT INTO `{db}`.t VALUES (3, 'c'), (4, 'd')"),
    Statement("insert-keyed", [KEYED, KEYED_ROWS],
              "INSERT INTO `{db}`.t VALUES (1, 'x', 'new'), (5, 'x', 'e'), (3, 'y', 'new'), (6, 'z', 'f')"),
    Statement("insert-overwrite", [KEYED, KEYED_ROWS], "INSERT OVERWRITE `{db}`.t PARTITION (p = 'x') VALUES (9, 'only')"),
    # Creation and rows are two steps; a process that ends between them leaves the empty table.
    Statement("create-table-as", [APPEND.replace(".t ", ".source "), "INSERT INTO `{db}`.source VALUES (1, 'a'), (2, 'b')"],
              "CREATE TABLE `{db}`.t AS SELECT * FROM `{db}`.source",
              again=["DROP TABLE `{db}`.t", "CREATE TABLE `{db}`.t AS SELECT * FROM `{db}`.source"], between=[[]]),
]
