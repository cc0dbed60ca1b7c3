#include <unordered_set>

#include "dialect/keywords.h"
#include "dialect/statement_parsers.h"

namespace mica::dialect {
namespace {

bool AcceptIfNotExists(Cursor& cursor) {
  return cursor.AcceptSequence({"IF", "NOT", "EXISTS"});
}
bool AcceptIfExists(Cursor& cursor) {
  return cursor.AcceptSequence({"IF", "EXISTS"});
}

// A clause that may stand once.
void Once(const Cursor& cursor, bool given, std::string_view clause) {
  if (given) throw SyntaxError(cursor.source(), cursor.Peek().range.begin, fmt::format("{} is given twice", clause));
}

void AddOptions(const Cursor& cursor, const Options& more, Options* options) {
  for (const auto& [key, value] : more) {
    auto [at, added] = options->emplace(key, value);
    if (!added && at->second != value) {
      throw SyntaxError(cursor.source(), cursor.Peek().range.begin, fmt::format("option '{}' is given twice", key));
    }
  }
}

class CreateTableParser {
 public:
  CreateTableParser(Cursor& cursor, const TypeRules& rules) : cursor_(cursor), rules_(rules) {}

  CreateTable Parse(CreateTable table) {
    table_ = std::move(table);
    table_.if_not_exists = AcceptIfNotExists(cursor_);
    table_.name = cursor_.ExpectPath("a table name");
    // CREATE TABLE t (SELECT ...) has no columns of its own.
    if (cursor_.Peek().IsOperator("(") && !cursor_.Peek(1).IsWord("SELECT")) Columns();
    while (Clause()) {
    }
    if (cursor_.Accept("AS") || cursor_.At("SELECT") || cursor_.Peek().IsOperator("("))
      table_.query = TakeQuery(cursor_);
    if (!cursor_.AtEnd()) throw cursor_.Expected("a clause such as PARTITIONED BY, TBLPROPERTIES or AS, or the end");
    CheckKinds();
    return std::move(table_);
  }

 private:
  // Where columns come from: one of a list, a query, another table.
  void CheckKinds() const {
    std::string_view source = cursor_.source();
    size_t at = table_.name.range.begin;
    if (table_.like && table_.query) throw SyntaxError(source, at, "LIKE and AS SELECT do not fit together");
    if (table_.like && !table_.columns.empty()) {
      throw UnsupportedAt(source, at, "CREATE TABLE LIKE with columns of its own. Add them with ALTER TABLE");
    }
    bool keys = !table_.primary_key.empty() || !table_.partition_keys.empty();
    if (table_.like && keys) throw UnsupportedAt(source, at, "CREATE TABLE LIKE with keys of its own");
    if (table_.or_replace && table_.if_not_exists) throw SyntaxError(source, at, "OR REPLACE does not fit IF NOT EXISTS");
    if (table_.replace && table_.if_not_exists) throw SyntaxError(source, at, "REPLACE TABLE does not fit IF NOT EXISTS");
    if (table_.replace && table_.query) {
      throw UnsupportedAt(source, at, "REPLACE TABLE with AS SELECT. Use CREATE OR REPLACE TABLE ... AS SELECT");
    }
  }

  void Columns() {
    cursor_.ExpectOperator("(");
    do {
      if (cursor_.Peek().IsOperator(")") && !table_.columns.empty()) break;  // a comma after the last one
      if (!TableConstraint()) AddColumn();
    } while (cursor_.AcceptOperator(","));
    if (!cursor_.AcceptOperator(")")) throw cursor_.Expected("',' or ')'");
  }

  void AddColumn() {
    size_t at = cursor_.Peek().range.begin;
    bool primary_key = false;
    Column column = ParseColumn(cursor_, rules_, &primary_key);
    if (!names_.insert(column.name).second) {
      throw SyntaxError(cursor_.source(), at, fmt::format("column '{}' is given twice", column.name));
    }
    if (primary_key) {
      if (!table_.primary_key.empty()) throw SyntaxError(cursor_.source(), at, "PRIMARY KEY is given twice");
      table_.primary_key.push_back(column.name);
    }
    table_.columns.push_back(std::move(column));
  }

  bool TableConstraint() {
    bool named = cursor_.At("CONSTRAINT") && cursor_.Peek(2).IsWord("PRIMARY");
    if (named) {
      cursor_.Next();
      cursor_.Next();
    }
    if (cursor_.AtSequence({"PRIMARY", "KEY"})) {
      Once(cursor_, !table_.primary_key.empty(), "PRIMARY KEY");
      cursor_.AcceptSequence({"PRIMARY", "KEY"});
      table_.primary_key = cursor_.ExpectNameList("a key column");
      cursor_.AcceptSequence({"NOT", "ENFORCED"});
      return true;
    }
    if (cursor_.AtSequence({"WATERMARK", "FOR"})) throw cursor_.UnsupportedHere("WATERMARK");
    bool foreign = cursor_.AtSequence({"FOREIGN", "KEY"}) ||
                   ((cursor_.At("UNIQUE") || cursor_.At("CHECK")) && cursor_.Peek(1).IsOperator("("));
    if (foreign) throw cursor_.UnsupportedHere(fmt::format("{} constraints", ToUpper(cursor_.Peek().text)));
    return false;
  }

  // One clause after the columns.
  bool Clause() {
    if (cursor_.At("USING")) {
      Once(cursor_, table_.provider.has_value(), "USING");
      cursor_.Next();
      table_.provider = cursor_.ExpectName("a table format");
    } else if (cursor_.At("COMMENT")) {
      Once(cursor_, table_.comment.has_value(), "COMMENT");
      cursor_.Next();
      table_.comment = cursor_.ExpectString("a comment");
    } else if (cursor_.At("LOCATION")) {
      Once(cursor_, table_.location.has_value(), "LOCATION");
      cursor_.Next();
      table_.location = cursor_.ExpectString("a path");
    } else if (cursor_.At("PARTITIONED")) {
      Once(cursor_, !table_.partition_keys.empty(), "PARTITIONED BY");
      cursor_.Next();
      cursor_.Expect("BY");
      PartitionKeys();
    } else if (cursor_.AcceptOneOf({"TBLPROPERTIES", "OPTIONS"}) || AcceptWith()) {
      AddOptions(cursor_, cursor_.ExpectOptions(), &table_.options);
    } else if (cursor_.AcceptOneOf({"DISTRIBUTED", "CLUSTERED"})) {
      Buckets();
    } else if (cursor_.At("LIKE")) {
      Once(cursor_, table_.like.has_value(), "LIKE");
      cursor_.Next();
      table_.like = cursor_.ExpectPath("the table to take the columns from");
      if (cursor_.Peek().IsOperator("(")) throw cursor_.UnsupportedHere("INCLUDING and EXCLUDING after LIKE");
    } else {
      for (std::string_view hive : {"STORED", "ROW", "SKEWED"}) {
        if (cursor_.At(hive)) throw cursor_.UnsupportedHere(fmt::format("{}: a clause of Hive tables", hive));
      }
      return false;
    }
    return true;
  }

  bool AcceptWith() {
    if (!cursor_.At("WITH") || !cursor_.Peek(1).IsOperator("(")) return false;
    cursor_.Next();
    return true;
  }

  // (dt, hh), or with types as Hive has it: those columns come after the others.
  void PartitionKeys() {
    cursor_.ExpectOperator("(");
    do {
      if (cursor_.Peek(1).IsOperator("(")) {
        throw cursor_.UnsupportedHere("partition transforms. Partition by a column, and set 'bucket' as an option");
      }
      bool name_only = cursor_.Peek(1).IsOperator(",") || cursor_.Peek(1).IsOperator(")");
      if (name_only) {
        table_.partition_keys.push_back(cursor_.ExpectName("a partition column"));
      } else {
        AddColumn();
        table_.partition_keys.push_back(table_.columns.back().name);
      }
    } while (cursor_.AcceptOperator(","));
    cursor_.ExpectOperator(")");
  }

  // DISTRIBUTED BY [HASH] (a) INTO 4 BUCKETS, DISTRIBUTED INTO 4 BUCKETS, CLUSTERED BY (a) INTO 4 BUCKETS
  void Buckets() {
    Options options;
    if (cursor_.Accept("BY")) {
      if (cursor_.At("RANGE")) throw cursor_.UnsupportedHere("DISTRIBUTED BY RANGE");
      cursor_.Accept("HASH");
      std::string keys;
      for (const std::string& name : cursor_.ExpectNameList("a bucket column"))
        keys += (keys.empty() ? "" : ",") + name;
      options.emplace("bucket-key", keys);
      if (cursor_.AtSequence({"SORTED", "BY"})) throw cursor_.UnsupportedHere("SORTED BY");
    }
    if (cursor_.Accept("INTO")) {
      options.emplace("bucket", std::to_string(cursor_.ExpectInteger("the number of buckets")));
      cursor_.Expect("BUCKETS");
    }
    AddOptions(cursor_, options, &table_.options);
  }

  Cursor& cursor_;
  TypeRules rules_;
  CreateTable table_;
  std::unordered_set<std::string> names_;
};

CreateView ParseCreateView(Cursor& cursor, bool or_replace, bool temporary) {
  CreateView view;
  view.or_replace = or_replace;
  view.temporary = temporary;
  view.if_not_exists = AcceptIfNotExists(cursor);
  view.name = cursor.ExpectPath("a view name");
  if (cursor.AcceptOperator("(")) {
    do {
      view.columns.push_back(cursor.ExpectName("a column name"));
      view.column_comments.emplace_back();
      if (cursor.Accept("COMMENT")) view.column_comments.back() = cursor.ExpectString("a comment");
    } while (cursor.AcceptOperator(","));
    cursor.ExpectOperator(")");
  }
  while (true) {
    if (cursor.Accept("COMMENT")) {
      view.comment = cursor.ExpectString("a comment");
    } else if (cursor.Accept("TBLPROPERTIES")) {
      AddOptions(cursor, cursor.ExpectOptions(), &view.properties);
    } else {
      break;
    }
  }
  cursor.Expect("AS");
  view.query = TakeQuery(cursor);
  return view;
}

CreateDatabase ParseCreateDatabase(Cursor& cursor) {
  CreateDatabase database;
  database.if_not_exists = AcceptIfNotExists(cursor);
  database.name = cursor.ExpectPath("a database name");
  while (true) {
    if (cursor.Accept("COMMENT")) {
      database.comment = cursor.ExpectString("a comment");
    } else if (cursor.Accept("LOCATION")) {
      database.location = cursor.ExpectString("a path");
    } else if (cursor.Accept("WITH")) {
      cursor.AcceptOneOf({"DBPROPERTIES", "PROPERTIES"});
      AddOptions(cursor, cursor.ExpectOptions(), &database.properties);
    } else {
      return database;
    }
  }
}

CreateCatalog ParseCreateCatalog(Cursor& cursor) {
  CreateCatalog catalog;
  catalog.if_not_exists = AcceptIfNotExists(cursor);
  catalog.name = cursor.ExpectName("a catalog name");
  if (cursor.Accept("COMMENT")) catalog.comment = cursor.ExpectString("a comment");
  if (!cursor.AtEnd()) {
    cursor.Expect("WITH");
    catalog.options = cursor.ExpectOptions();
  }
  return catalog;
}

// What CREATE and DROP can be followed by for the engine's own objects.
bool AtEngineObject(const Cursor& cursor) {
  for (std::string_view word : {"FUNCTION", "MACRO", "INDEX", "SEQUENCE", "TYPE", "SECRET", "PERSISTENT", "UNIQUE"}) {
    if (cursor.At(word)) return true;
  }
  return false;
}

}  // namespace

Column ParseColumn(Cursor& cursor, const TypeRules& rules, bool* primary_key) {
  Column column;
  column.name = cursor.ExpectName("a column name");
  ParseColumnRest(cursor, rules, &column, primary_key);
  return column;
}

void ParseColumnRest(Cursor& cursor, const TypeRules& rules, Column* column, bool* primary_key) {
  if (cursor.At("AS")) throw cursor.UnsupportedHere("computed columns");
  if (cursor.At("METADATA")) throw cursor.UnsupportedHere("METADATA columns");
  column->type = ParseType(cursor, rules);
  while (true) {
    if (cursor.AcceptSequence({"NOT", "NULL"})) {
      column->type = column->type.WithNullable(false);
    } else if (cursor.Accept("NULL")) {
      column->type = column->type.WithNullable(true);
    } else if (cursor.At("COMMENT")) {
      Once(cursor, column->comment.has_value(), "COMMENT");
      cursor.Next();
      column->comment = cursor.ExpectString("a comment");
    } else if (cursor.At("DEFAULT")) {
      Once(cursor, column->default_value.has_value(), "DEFAULT");
      cursor.Next();
      column->default_value = TakeExpression(cursor, {"COMMENT", "NOT", "PRIMARY", "FIRST", "AFTER", "CONSTRAINT"});
    } else if (cursor.AtSequence({"PRIMARY", "KEY"}) || (cursor.At("CONSTRAINT") && cursor.Peek(2).IsWord("PRIMARY"))) {
      if (cursor.Accept("CONSTRAINT")) cursor.Next();
      cursor.AcceptSequence({"PRIMARY", "KEY"});
      cursor.AcceptSequence({"NOT", "ENFORCED"});
      *primary_key = true;
    } else {
      for (std::string_view word : {"METADATA", "GENERATED", "UNIQUE", "CHECK", "REFERENCES", "COLLATE"}) {
        if (cursor.At(word)) throw cursor.UnsupportedHere(fmt::format("{} on a column", word));
      }
      return;
    }
  }
}

StatementBody ParseCreate(Cursor& cursor, const TypeRules& rules) {
  size_t begin = cursor.position();
  cursor.Expect("CREATE");
  bool or_replace = cursor.AcceptSequence({"OR", "REPLACE"});
  cursor.Accept("GLOBAL");
  bool temporary = cursor.AcceptOneOf({"TEMPORARY", "TEMP"}).has_value();
  // Only queries would find it.
  if (temporary && cursor.At("TABLE")) {
    throw cursor.UnsupportedHere("a TEMPORARY table. CREATE TEMPORARY VIEW keeps a query for the session");
  }
  if (AtEngineObject(cursor) || (temporary && cursor.At("SYSTEM"))) {
    cursor.Rewind(begin);
    return ParseEngineStatement(cursor, Query::Kind::kOther);
  }
  bool external = cursor.Accept("EXTERNAL");
  if (external && !cursor.At("TABLE")) throw cursor.Expected("TABLE");
  std::string_view what = cursor.ExpectOneOf({"TABLE", "VIEW", "DATABASE", "SCHEMA", "NAMESPACE", "CATALOG"});
  if (what == "TABLE") return CreateTableParser(cursor, rules).Parse({.or_replace = or_replace, .external = external});
  if (what == "VIEW") return ParseCreateView(cursor, or_replace, temporary);
  if (or_replace)
    throw SyntaxError(cursor.source(), cursor.Peek().range.begin, fmt::format("OR REPLACE does not fit {}", what));
  if (what == "CATALOG") return ParseCreateCatalog(cursor);
  return ParseCreateDatabase(cursor);
}

StatementBody ParseReplace(Cursor& cursor, const TypeRules& rules) {
  cursor.Expect("REPLACE");
  cursor.Expect("TABLE");
  return CreateTableParser(cursor, rules).Parse({.replace = true});
}

StatementBody ParseDrop(Cursor& cursor) {
  size_t begin = cursor.position();
  cursor.Expect("DROP");
  bool temporary = cursor.AcceptOneOf({"TEMPORARY", "TEMP"}).has_value();
  if (AtEngineObject(cursor) || (temporary && cursor.At("TABLE"))) {
    cursor.Rewind(begin);
    return ParseEngineStatement(cursor, Query::Kind::kOther);
  }
  std::string_view what = cursor.ExpectOneOf({"TABLE", "VIEW", "DATABASE", "SCHEMA", "NAMESPACE", "CATALOG"});
  bool if_exists = AcceptIfExists(cursor);
  if (what == "CATALOG") return DropCatalog{cursor.ExpectName("a catalog name"), if_exists};
  if (what == "VIEW") return DropView{cursor.ExpectPath("a view name"), if_exists, temporary};
  if (what == "TABLE") {
    DropTable table{cursor.ExpectPath("a table name"), if_exists};
    table.purge = cursor.Accept("PURGE");
    return table;
  }
  DropDatabase database{cursor.ExpectPath("a database name"), if_exists};
  if (auto behaviour = cursor.AcceptOneOf({"CASCADE", "RESTRICT"})) database.cascade = *behaviour == "CASCADE";
  return database;
}

}  // namespace mica::dialect
