// The statements of Spark SQL and Flink SQL that Mica runs itself, as plain structs, and the queries it hands on as
// text. A parser fills them (parser.h); nothing here knows an engine, a catalog or a table.
//
// Query text (`sql` fields) is rewritten by query_rewriter.h into what the SQL engine reads; `source` fields keep the
// words of the user, for what is stored (views) or shown.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dialect/tokenizer.h"
#include "types/data_type.h"

namespace mica::dialect {

using Options = std::map<std::string, std::string>;

// catalog.database.table, as many parts as were written; the last one may be `t$snapshots`.
struct Name {
  std::vector<std::string> parts;
  SourceRange range;
};

// A constant of the text. Numbers keep their digits, so that 007 and 1.10 stay what was written.
struct Literal {
  enum class Kind { kNull, kBoolean, kNumber, kString };
  Kind kind = Kind::kNull;
  std::string text;  // "true", "-12.5", the text without quotes; a typed literal (DATE '...') is its text
  bool operator==(const Literal&) const = default;
};

// A constant expression: always its rewritten text, and its value where it is a bare literal.
struct Expression {
  std::string sql;
  std::string source;
  std::optional<Literal> literal;
};

// PARTITION (dt = '2024', hh): no value means dynamic.
struct PartitionValue {
  std::string column;
  std::optional<Literal> value;
};
using PartitionSpec = std::vector<PartitionValue>;

struct Column {
  std::string name;
  DataType type;  // nullability included
  std::optional<std::string> comment;
  std::optional<Expression> default_value;
};

// A query that the statement holds.
struct QueryText {
  std::string sql;
  std::string source;
};

// --- catalogs, databases, sessions

struct CreateCatalog {
  std::string name;
  bool if_not_exists = false;
  std::optional<std::string> comment;
  Options options;
};
struct DropCatalog {
  std::string name;
  bool if_exists = false;
};
struct CreateDatabase {
  Name name;
  bool if_not_exists = false;
  std::optional<std::string> comment;
  std::optional<std::string> location;
  Options properties;
};
struct DropDatabase {
  Name name;
  bool if_exists = false;
  bool cascade = false;
};
struct AlterDatabase {
  Name name;
  Options set;
  std::optional<std::string> location;
};
// USE db, USE catalog.db, USE CATALOG c. For a bare USE x the catalog of that name comes before the database.
struct Use {
  Name name;
  bool catalog = false;
};
// SET, SET key, SET key = value. `value` has its quotes taken off when it is one quoted text.
struct Set {
  std::optional<std::string> key;
  std::optional<std::string> value;
};
struct Reset {
  std::optional<std::string> key;
};

// --- tables and views

struct CreateTable {
  Name name;
  bool if_not_exists = false;
  bool or_replace = false;
  bool replace = false;  // REPLACE TABLE: the table must exist
  bool external = false;
  std::vector<Column> columns;
  std::vector<std::string> primary_key;     // from PRIMARY KEY clauses; the option 'primary-key' stays in `options`
  std::vector<std::string> partition_keys;  // typed ones (Hive form) are in `columns` as well
  std::optional<std::string> provider;      // USING x
  std::optional<std::string> comment;
  std::optional<std::string> location;
  Options options;                 // TBLPROPERTIES, OPTIONS and WITH; buckets of DISTRIBUTED BY / CLUSTERED BY
  std::optional<QueryText> query;  // AS SELECT
  std::optional<Name> like;        // columns, keys, comment and options of this table, under those given here
};
struct DropTable {
  Name name;
  bool if_exists = false;
  bool purge = false;
};
struct CreateView {
  Name name;
  bool if_not_exists = false;
  bool or_replace = false;
  bool temporary = false;
  std::vector<std::string> columns;
  std::vector<std::optional<std::string>> column_comments;
  std::optional<std::string> comment;
  Options properties;
  QueryText query;
};
struct DropView {
  Name name;
  bool if_exists = false;
  bool temporary = false;
};

// --- ALTER TABLE: each action is one change, in the order written

// A column inside nested types: {"v", "element", "f3"}.
using ColumnPath = std::vector<std::string>;

struct Position {
  enum class Kind { kLast, kFirst, kAfter };
  Kind kind = Kind::kLast;
  std::string after;
};

struct SetOptions {
  Options options;
};
struct UnsetOptions {
  std::vector<std::string> keys;
  bool if_exists = false;
};
struct AddColumn {
  ColumnPath path;
  Column column;
  std::optional<Position> position;
  bool if_not_exists = false;
};
struct DropColumn {
  ColumnPath path;
  bool if_exists = false;
};
struct RenameColumn {
  ColumnPath path;
  std::string new_name;
};
// Only what is set changes.
struct AlterColumn {
  ColumnPath path;
  std::optional<DataType> type;
  std::optional<bool> nullable;
  std::optional<std::string> comment;
  std::optional<Position> position;
  std::optional<Expression> set_default;
  bool drop_default = false;
};
struct RenameTable {
  Name new_name;
};
struct AddPartitions {
  std::vector<PartitionSpec> partitions;
  bool if_not_exists = false;
};
struct DropPartitions {
  std::vector<PartitionSpec> partitions;
  bool if_exists = false;
};

using AlterAction = std::variant<SetOptions, UnsetOptions, AddColumn, DropColumn, RenameColumn, AlterColumn,
                                 RenameTable, AddPartitions, DropPartitions>;
struct AlterTable {
  Name name;
  bool if_exists = false;
  std::vector<AlterAction> actions;
};

// ALTER TABLE t {CREATE | REPLACE | DELETE | RENAME} TAG
struct AlterTag {
  enum class Action { kCreate, kReplace, kCreateOrReplace, kDelete, kRename };
  Name table;
  Action action = Action::kCreate;
  std::string tag;  // DELETE TAG takes a comma list, as written
  bool if_not_exists = false;
  bool if_exists = false;
  std::optional<int64_t> snapshot_id;    // AS OF VERSION n
  std::optional<std::string> retention;  // RETAIN 7 DAYS, as "7 days"
  std::string new_tag;                   // RENAME
};

// --- writes

struct Insert {
  Name target;
  Options options;  // hint after the target
  bool overwrite = false;
  bool by_name = false;
  bool has_partition_clause = false;
  PartitionSpec partition;
  std::vector<std::string> columns;
  QueryText query;  // SELECT, VALUES, WITH ...
};
// What a column, or a field inside of it, is set to. The name of the changed table is taken off the path.
struct Assignment {
  ColumnPath path;
  Expression value;
};
struct Update {
  Name target;
  std::optional<std::string> alias;
  std::string with;  // WITH a AS (...) in front of the statement
  std::vector<Assignment> assignments;
  std::optional<Expression> where;
};
struct Delete {
  Name target;
  std::optional<std::string> alias;
  std::string with;
  std::optional<Expression> where;
};
struct MergeClause {
  enum class When { kMatched, kNotMatched, kNotMatchedBySource };
  enum class Action { kUpdate, kUpdateAll, kDelete, kInsert, kInsertAll };
  When when = When::kMatched;
  std::optional<Expression> condition;
  Action action = Action::kDelete;
  std::vector<Assignment> assignments;  // of kUpdate
  std::vector<std::string> columns;     // of kInsert; empty: all, in the order of the table
  std::vector<Expression> values;       // of kInsert
};
struct Merge {
  Name target;
  std::optional<std::string> alias;
  std::string with;
  QueryText source;  // what can stand after FROM, its alias included
  Expression on;
  std::vector<MergeClause> clauses;
};
struct Truncate {
  Name name;
  PartitionSpec partition;
};

struct CallArgument {
  std::string name;
  Expression value;
};  // no name: positional
struct Call {
  Name procedure;
  std::vector<CallArgument> arguments;
};

// --- looking

struct Show {
  enum class What {
    kCatalogs,
    kDatabases,
    kTables,
    kTableExtended,
    kViews,
    kColumns,
    kPartitions,
    kCreateTable,
    kCreateView,
    kCreateDatabase,
    kCreateCatalog,
    kTableProperties,
    kTags,
    kBranches,
    kFunctions,
    kProcedures,
    kCurrentCatalog,
    kCurrentDatabase,
  };
  What what = What::kTables;
  std::optional<Name> name;            // the table, or the database to look in
  std::optional<std::string> pattern;  // LIKE 'pat*', or the key of SHOW TBLPROPERTIES
  PartitionSpec partition;
};
struct Describe {
  enum class What { kTable, kDatabase, kCatalog, kFunction, kQuery };
  What what = What::kTable;
  Name name;
  QueryText query;  // of kQuery
  bool extended = false;
  ColumnPath column;  // DESCRIBE t col
  PartitionSpec partition;
};
struct Analyze {
  Name name;
  PartitionSpec partition;
  bool no_scan = false;
  bool all_columns = false;
  std::vector<std::string> columns;
};
struct Refresh {
  Name name;
};
// CACHE TABLE, UNCACHE TABLE, CLEAR CACHE.
struct Cache {
  enum class Action { kCache, kUncache, kClear };
  Action action = Action::kClear;
  Name name;
  bool if_exists = false;
  std::optional<QueryText> query;  // CACHE TABLE v AS query
};

struct Transaction {
  enum class Action { kBegin, kCommit, kRollback };
  Action action = Action::kBegin;
};

// Everything that goes to the SQL engine as text.
struct Query {
  enum class Kind { kSelect, kOther };
  Kind kind = Kind::kSelect;
  QueryText query;
};

struct Statement;
struct Explain {
  enum class Mode { kPlain, kExtended, kAnalyze };
  Mode mode = Mode::kPlain;
  std::shared_ptr<const Statement> statement;
};

using StatementBody =
    std::variant<Query, Insert, Update, Delete, Merge, Truncate, Call, CreateTable, DropTable, AlterTable, AlterTag, CreateView, DropView,
                 CreateDatabase, DropDatabase, AlterDatabase, CreateCatalog, DropCatalog, Use, Set, Reset, Show,
                 Describe, Explain, Analyze, Refresh, Cache, Transaction>;

struct Statement {
  StatementBody body;
  SourceRange range;   // in the parsed text, without the semicolon
  std::string source;  // that text
};

}  // namespace mica::dialect
