// Databases and tables by name (M-0101). A catalog also decides how snapshots and schemas are published.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "catalog/view.h"
#include "table/commit.h"
#include "table/table.h"

namespace mica {

// The database that every catalog has.
inline constexpr std::string_view kDefaultDatabase = "default";

// ---- changes of a table (ALTER TABLE) ----
struct SetOption { std::string key, value; };
struct RemoveOption { std::string key; };
struct UpdateComment { std::optional<std::string> comment; };
struct ColumnMove {
  enum class Kind { kFirst, kAfter, kLast } kind = Kind::kLast;
  std::string reference;  // kAfter
};
// Paths name nested fields; "element", "key", "value" step into arrays and maps (M-0318).
struct AddColumn { std::vector<std::string> path; DataType type; std::optional<std::string> comment; std::optional<ColumnMove> move; };
struct RenameColumn { std::vector<std::string> path; std::string new_name; };
struct DropColumn { std::vector<std::string> path; };
struct UpdateColumnType { std::vector<std::string> path; DataType type; bool keep_nullability = true; };
struct UpdateColumnNullability { std::vector<std::string> path; bool nullable; };
struct UpdateColumnComment { std::vector<std::string> path; std::optional<std::string> comment; };
struct UpdateColumnDefault { std::vector<std::string> path; std::optional<std::string> value; };
struct MoveColumn { std::string name; ColumnMove move; };
using SchemaChange = std::variant<SetOption, RemoveOption, UpdateComment, AddColumn, RenameColumn, DropColumn, UpdateColumnType,
                                  UpdateColumnNullability, UpdateColumnComment, UpdateColumnDefault, MoveColumn>;

// What CREATE TABLE asks for; ids are assigned at creation.
struct TableDefinition {
  std::vector<DataField> fields;
  std::vector<std::string> partition_keys;
  std::vector<std::string> primary_keys;
  Options options;
  std::optional<std::string> comment;
};

class Catalog {
 public:
  virtual ~Catalog() = default;

  virtual std::vector<std::string> ListDatabases() = 0;  // ascending
  virtual bool DatabaseExists(const std::string& database) = 0;
  virtual void CreateDatabase(const std::string& database, bool ignore_if_exists, const Options& properties) = 0;
  virtual void DropDatabase(const std::string& database, bool ignore_if_missing, bool cascade) = 0;

  virtual std::vector<std::string> ListTables(const std::string& database) = 0;  // ascending
  virtual bool TableExists(const TableName& name) = 0;
  virtual TablePtr GetTable(const TableName& name) = 0;  // NotFound with the nearest name
  // The table as created; when it exists and ignore_if_exists is set, nullptr.
  virtual TablePtr CreateTable(const TableName& name, const TableDefinition& definition, bool ignore_if_exists) = 0;
  // The table as the definition makes it, its older snapshots kept; nothing is published yet. The new columns have ids of
  // their own, so files of before show none of their values. Throws Unsupported when the partition columns differ (M-0309).
  virtual TablePtr Replacement(const TableName& name, const TableDefinition& definition) = 0;
  // Throws Conflict when others changed the table since.
  virtual void PublishReplacement(const Table& replacement) = 0;
  virtual void DropTable(const TableName& name, bool ignore_if_missing) = 0;
  virtual void RenameTable(const TableName& from, const TableName& to) = 0;
  virtual void AlterTable(const TableName& name, const std::vector<SchemaChange>& changes) = 0;

  virtual std::vector<std::string> ListViews(const std::string& database) = 0;  // ascending
  virtual std::optional<View> FindView(const TableName& name) = 0;
  // One name is either a table's or a view's. Throws AlreadyExists, for a view only when nothing says otherwise.
  virtual void CreateView(const TableName& name, const View& view, bool ignore_if_exists, bool replace) = 0;
  virtual void DropView(const TableName& name, bool ignore_if_missing) = 0;

  virtual std::shared_ptr<SnapshotPublisher> publisher() = 0;
  virtual const Options& options() const = 0;
};

// `options`: warehouse (required), metastore (only "filesystem" yet; others are Unsupported by name), table-default.*,
// and those of the file system. Throws InvalidArgument naming the option.
std::shared_ptr<Catalog> OpenCatalog(const Options& options);

}  // namespace mica
