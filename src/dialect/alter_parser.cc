#include "base/text.h"
#include "dialect/statement_parsers.h"

namespace mica::dialect {
namespace {

class AlterTableParser {
 public:
  AlterTableParser(Cursor& cursor, const TypeRules& rules) : cursor_(cursor), rules_(rules) {}

  StatementBody Parse() {
    table_.if_exists = cursor_.AcceptSequence({"IF", "EXISTS"});
    table_.name = cursor_.ExpectPath("a table name");
    bool tag = cursor_.At("CREATE") || cursor_.At("DELETE") || cursor_.AtSequence({"REPLACE", "TAG"}) ||
               cursor_.AtSequence({"RENAME", "TAG"});
    if (tag) return Tag();
    std::string_view action = cursor_.ExpectOneOf({"SET", "UNSET", "RESET", "ADD", "DROP", "RENAME", "ALTER", "CHANGE",
                                                   "MODIFY", "RECOVER", "REPLACE", "CREATE", "DELETE"});
    if (action == "SET") Set();
    if (action == "UNSET") Unset();
    if (action == "RESET") Add(UnsetOptions{cursor_.ExpectOptionKeys()});
    if (action == "ADD") AddSomething();
    if (action == "DROP") DropSomething();
    if (action == "RENAME") Rename();
    if (action == "ALTER" || action == "CHANGE") Alter(action);
    if (action == "MODIFY") Modify();
    if (action == "RECOVER") throw cursor_.UnsupportedHere("RECOVER PARTITIONS. Partitions are found by themselves");
    if (action == "REPLACE") throw cursor_.UnsupportedHere("REPLACE COLUMNS. Add, drop or alter the columns");
    return std::move(table_);
  }

 private:
  void Add(AlterAction action) { table_.actions.push_back(std::move(action)); }

  ColumnPath Path() { return cursor_.ExpectPath("a column name").parts; }

  std::optional<Position> AcceptPosition() {
    if (cursor_.Accept("FIRST")) return Position{Position::Kind::kFirst, ""};
    if (cursor_.Accept("AFTER")) return Position{Position::Kind::kAfter, cursor_.ExpectName("a column name")};
    return std::nullopt;
  }

  void Set() {
    if (cursor_.At("LOCATION")) throw cursor_.UnsupportedHere("moving a table with SET LOCATION");
    if (cursor_.At("SERDE") || cursor_.At("SERDEPROPERTIES"))
      throw cursor_.UnsupportedHere("SERDE: a property of Hive tables");
    cursor_.Accept("TBLPROPERTIES");
    Add(SetOptions{cursor_.ExpectOptions()});
  }

  void Unset() {
    cursor_.Expect("TBLPROPERTIES");
    UnsetOptions unset;
    unset.if_exists = cursor_.AcceptSequence({"IF", "EXISTS"});
    unset.keys = cursor_.ExpectOptionKeys();
    Add(std::move(unset));
  }

  // ADD COLUMN[S] ..., Flink's ADD (...), ADD PARTITION
  void AddSomething() {
    bool if_not_exists = cursor_.AcceptSequence({"IF", "NOT", "EXISTS"});
    if (cursor_.At("PARTITION")) return AddPartition(if_not_exists);
    RefuseConstraint("ADD");
    cursor_.AcceptOneOf({"COLUMNS", "COLUMN"});
    if_not_exists = cursor_.AcceptSequence({"IF", "NOT", "EXISTS"}) || if_not_exists;
    bool list = cursor_.AcceptOperator("(");
    do {
      RefuseConstraint("ADD");
      Add(NewColumn(if_not_exists));
    } while (cursor_.AcceptOperator(","));
    if (list) cursor_.ExpectOperator(")");
  }

  void RefuseConstraint(std::string_view action) {
    bool constraint = cursor_.AtSequence({"PRIMARY", "KEY"}) || cursor_.AtSequence({"WATERMARK", "FOR"}) ||
                      (cursor_.At("CONSTRAINT") && cursor_.Peek(1).IsName()) || cursor_.At("DISTRIBUTION");
    if (constraint) {
      throw cursor_.UnsupportedHere(fmt::format("ALTER TABLE {} with {}", action, cursor_.Peek().text));
    }
  }

  AddColumn NewColumn(bool if_not_exists) {
    AddColumn add;
    add.if_not_exists = if_not_exists;
    add.path = Path();
    add.column.name = add.path.back();
    bool primary_key = false;
    ParseColumnRest(cursor_, rules_, &add.column, &primary_key);
    if (primary_key) throw cursor_.UnsupportedHere("a new column as PRIMARY KEY");
    add.position = AcceptPosition();
    // Spark allows the comment after the position.
    if (cursor_.Accept("COMMENT")) add.column.comment = cursor_.ExpectString("a comment");
    return add;
  }

  void AddPartition(bool if_not_exists) {
    AddPartitions add;
    add.if_not_exists = if_not_exists;
    add.partitions = Partitions();
    Add(std::move(add));
  }

  // PARTITION (...) [,] PARTITION (...)
  std::vector<PartitionSpec> Partitions() {
    std::vector<PartitionSpec> partitions;
    cursor_.Expect("PARTITION");
    do {
      size_t at = cursor_.Peek().range.begin;
      partitions.push_back(cursor_.ExpectPartitionSpec());
      for (const PartitionValue& part : partitions.back()) {
        if (!part.value) {
          throw SyntaxError(cursor_.source(), at, fmt::format("partition column '{}' needs a value here", part.column));
        }
      }
      cursor_.AcceptOperator(",");
    } while (cursor_.Accept("PARTITION"));
    return partitions;
  }

  // DROP COLUMN[S] ..., Flink's DROP (...) and DROP c, DROP PARTITION
  void DropSomething() {
    bool if_exists = cursor_.AcceptSequence({"IF", "EXISTS"});
    if (cursor_.At("PARTITION")) {
      Add(DropPartitions{Partitions(), if_exists});
      cursor_.Accept("PURGE");
      return;
    }
    RefuseConstraint("DROP");
    cursor_.AcceptOneOf({"COLUMNS", "COLUMN"});
    if_exists = cursor_.AcceptSequence({"IF", "EXISTS"}) || if_exists;
    bool list = cursor_.AcceptOperator("(");
    do {
      Add(DropColumn{Path(), if_exists});
    } while (cursor_.AcceptOperator(","));
    if (list) cursor_.ExpectOperator(")");
  }

  void Rename() {
    if (cursor_.Accept("TO")) return Add(RenameTable{cursor_.ExpectPath("the new table name")});
    if (cursor_.At("PARTITION")) throw cursor_.UnsupportedHere("renaming a partition");
    // Flink leaves out COLUMN, so a column may have that name.
    if (!cursor_.Peek(1).IsWord("TO")) cursor_.Accept("COLUMN");
    ColumnPath path = Path();
    cursor_.Expect("TO");
    Add(RenameColumn{std::move(path), cursor_.ExpectName("the new column name")});
  }

  void Alter(std::string_view word) {
    cursor_.Accept("COLUMN");
    AlterColumn alter;
    alter.path = Path();
    // Hive: CHANGE [COLUMN] old new TYPE.
    bool hive = word == "CHANGE" && cursor_.AtName() && (cursor_.Peek(1).kind == TokenKind::kWord);
    for (std::string_view clause : {"TYPE", "COMMENT", "FIRST", "AFTER", "SET", "DROP"})
      hive = hive && !cursor_.At(clause);
    if (hive) return Change(std::move(alter));
    size_t begin = cursor_.position();
    while (AlterClause(&alter)) {
    }
    if (cursor_.position() == begin) throw cursor_.Expected("TYPE, COMMENT, FIRST, AFTER, SET or DROP");
    Add(std::move(alter));
  }

  bool AlterClause(AlterColumn* alter) {
    if (cursor_.Accept("TYPE") || cursor_.AcceptSequence({"SET", "DATA", "TYPE"})) {
      alter->type = ParseType(cursor_, rules_);
    } else if (cursor_.Accept("COMMENT")) {
      alter->comment = cursor_.ExpectString("a comment");
    } else if (cursor_.AcceptSequence({"SET", "NOT", "NULL"})) {
      alter->nullable = false;
    } else if (cursor_.AcceptSequence({"DROP", "NOT", "NULL"})) {
      alter->nullable = true;
    } else if (cursor_.AcceptSequence({"SET", "DEFAULT"})) {
      alter->set_default = TakeExpression(cursor_, {"COMMENT", "FIRST", "AFTER"});
    } else if (cursor_.AcceptSequence({"DROP", "DEFAULT"})) {
      alter->drop_default = true;
    } else if (auto position = AcceptPosition()) {
      alter->position = std::move(position);
    } else {
      return false;
    }
    return true;
  }

  void Change(AlterColumn alter) {
    std::string new_name = cursor_.ExpectName("the new column name");
    bool renamed = new_name != alter.path.back();
    alter.type = ParseType(cursor_, rules_);
    while (AlterClause(&alter)) {
    }
    ColumnPath old_path = alter.path;
    Add(std::move(alter));
    if (renamed) Add(RenameColumn{std::move(old_path), std::move(new_name)});
  }

  // Flink: MODIFY c TYPE [NOT NULL] [COMMENT 'x'] [FIRST | AFTER d], or a list of those: the whole column is given
  // anew.
  void Modify() {
    bool list = cursor_.AcceptOperator("(");
    do {
      RefuseConstraint("MODIFY");
      AlterColumn alter;
      alter.path = Path();
      Column column;
      bool primary_key = false;
      ParseColumnRest(cursor_, rules_, &column, &primary_key);
      if (primary_key) throw cursor_.UnsupportedHere("changing the PRIMARY KEY");
      alter.type = column.type;
      alter.nullable = column.type.nullable();
      alter.comment = column.comment;
      alter.set_default = column.default_value;
      alter.position = AcceptPosition();
      Add(std::move(alter));
    } while (cursor_.AcceptOperator(","));
    if (list) cursor_.ExpectOperator(")");
  }

  AlterTag Tag() {
    AlterTag tag;
    tag.table = table_.name;
    std::string_view word = cursor_.ExpectOneOf({"CREATE", "REPLACE", "DELETE", "RENAME"});
    bool or_replace = word == "CREATE" && cursor_.AcceptSequence({"OR", "REPLACE"});
    if (word == "CREATE") tag.action = or_replace ? AlterTag::Action::kCreateOrReplace : AlterTag::Action::kCreate;
    if (word == "REPLACE") tag.action = AlterTag::Action::kReplace;
    if (word == "DELETE") tag.action = AlterTag::Action::kDelete;
    if (word == "RENAME") tag.action = AlterTag::Action::kRename;
    cursor_.Expect("TAG");
    if (tag.action == AlterTag::Action::kCreate) tag.if_not_exists = cursor_.AcceptSequence({"IF", "NOT", "EXISTS"});
    if (word == "DELETE" || word == "RENAME") tag.if_exists = cursor_.AcceptSequence({"IF", "EXISTS"});
    tag.tag = TagName();
    if (word == "RENAME") {
      cursor_.Expect("TO");
      tag.new_tag = TagName();
    } else if (word != "DELETE") {
      TagTarget(&tag);
    }
    return tag;
  }

  std::string TagName() {
    return cursor_.Peek().kind == TokenKind::kString ? cursor_.ExpectString("a tag name")
                                                     : cursor_.ExpectName("a tag name");
  }

  // [AS OF VERSION n] [RETAIN n DAYS]
  void TagTarget(AlterTag* tag) {
    if (cursor_.AcceptSequence({"AS", "OF"})) {
      cursor_.Expect("VERSION");
      tag->snapshot_id = cursor_.ExpectInteger("a snapshot id");
    }
    if (cursor_.Accept("RETAIN")) {
      int64_t count = cursor_.ExpectInteger("a number of days, hours or minutes");
      std::string_view unit = cursor_.ExpectOneOf({"DAYS", "HOURS", "MINUTES", "DAY", "HOUR", "MINUTE"});
      tag->retention = fmt::format("{} {}", count, ToLower(unit));
    }
  }

  Cursor& cursor_;
  TypeRules rules_;
  AlterTable table_;
};

StatementBody ParseAlterDatabase(Cursor& cursor) {
  AlterDatabase database;
  database.name = cursor.ExpectPath("a database name");
  cursor.Expect("SET");
  if (cursor.Accept("LOCATION")) {
    database.location = cursor.ExpectString("a path");
  } else {
    cursor.AcceptOneOf({"DBPROPERTIES", "PROPERTIES"});
    database.set = cursor.ExpectOptions();
  }
  return database;
}

}  // namespace

StatementBody ParseAlter(Cursor& cursor, const TypeRules& rules) {
  cursor.Expect("ALTER");
  if (cursor.At("VIEW") || cursor.At("CATALOG") || cursor.At("FUNCTION")) {
    throw cursor.UnsupportedHere(fmt::format("ALTER {}", cursor.Peek().text));
  }
  std::string_view what = cursor.ExpectOneOf({"TABLE", "DATABASE", "SCHEMA", "NAMESPACE"});
  if (what == "TABLE") return AlterTableParser(cursor, rules).Parse();
  return ParseAlterDatabase(cursor);
}

// COMMENT ON {TABLE t | COLUMN t.c | DATABASE d} IS {'text' | NULL}
StatementBody ParseComment(Cursor& cursor) {
  cursor.Expect("COMMENT");
  cursor.Expect("ON");
  const std::string_view what = cursor.ExpectOneOf({"TABLE", "COLUMN", "DATABASE", "SCHEMA", "NAMESPACE"});
  Name name = cursor.ExpectPath("a name");
  cursor.Expect("IS");
  std::optional<std::string> comment;
  if (!cursor.Accept("NULL")) comment = cursor.ExpectString("a comment or NULL");
  if (what != "TABLE" && what != "COLUMN") {
    AlterDatabase database;
    database.name = std::move(name);
    database.set = {{"comment", comment.value_or("")}};
    return database;
  }
  AlterTable alter;
  if (what == "COLUMN") {
    if (name.parts.size() < 2) throw cursor.Expected("a column with its table, as in t.c");
    AlterColumn column;
    column.path = {name.parts.back()};
    column.comment = comment.value_or("");
    name.parts.pop_back();
    alter.actions.push_back(std::move(column));
  } else if (comment) {
    alter.actions.push_back(SetOptions{{{"comment", *comment}}});
  } else {
    alter.actions.push_back(UnsetOptions{{"comment"}, true});
  }
  alter.name = std::move(name);
  return alter;
}

}  // namespace mica::dialect
