// Statements that change databases and tables.
#include "base/text.h"
#include "sql/duck_types.h"
#include "sql/errors.h"
#include "sql/insert.h"
#include "sql/session.h"
#include "types/partition_path.h"

namespace mica::sql {

namespace {

ColumnMove MoveOf(const dialect::Position& position) {
  switch (position.kind) {
    case dialect::Position::Kind::kFirst: return ColumnMove{ColumnMove::Kind::kFirst, ""};
    case dialect::Position::Kind::kAfter: return ColumnMove{ColumnMove::Kind::kAfter, position.after};
    case dialect::Position::Kind::kLast: return ColumnMove{};
  }
  return ColumnMove{};
}

std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names = mica::SplitList(text, ',');
  std::erase_if(names, [](const std::string& name) { return name.empty(); });
  return names;
}

// A list that may stand in a clause or in an option, not in both.
std::vector<std::string> ClauseOrOption(std::vector<std::string> clause, Options& options, const std::string& key,
                                        std::string_view what) {
  auto option = options.find(key);
  if (option == options.end()) return clause;
  if (!clause.empty()) throw InvalidArgument("{} is given twice: in the statement and as the option '{}'", what, key);
  std::vector<std::string> names = SplitNames(option->second);
  options.erase(option);
  return names;
}

bool HasColumn(const std::vector<DataField>& fields, const std::vector<std::string>& path) {
  const std::vector<DataField>* level = &fields;
  for (size_t i = 0; i < path.size(); ++i) {
    int at = FindField(*level, path[i]);
    if (at < 0) return false;
    const DataType* type = &(*level)[static_cast<size_t>(at)].type;
    // "element", "key" and "value" step into collections.
    while (i + 1 < path.size() && type->root() != TypeRoot::kRow) {
      if (type->root() == TypeRoot::kArray && path[i + 1] == "element") {
        type = &type->element();
      } else if (type->root() == TypeRoot::kMap && path[i + 1] == "value") {
        type = &type->value();
      } else if (type->root() == TypeRoot::kMap && path[i + 1] == "key") {
        type = &type->key();
      } else {
        return false;
      }
      ++i;
    }
    if (i + 1 >= path.size()) return true;
    level = &type->fields();
  }
  return true;
}

}  // namespace

std::string Session::DefaultText(const dialect::Expression& expression, const DataType& type) {
  std::string text;
  if (expression.literal) {
    if (expression.literal->kind == dialect::Literal::Kind::kNull) return "null";
    text = expression.literal->text;
  } else {
    auto result = connection_->Query("SELECT CAST((" + expression.sql + ") AS VARCHAR)");
    if (result->HasError()) throw FromDuck(result->GetErrorObject());
    duckdb::Value value = result->GetValue(0, 0);
    if (value.IsNull()) return "null";
    text = value.GetValue<std::string>();
  }
  if (type.IsPrimitive()) ValueFromString(text, type);
  return text;
}

TableDefinition Session::DefinitionOf(const dialect::CreateTable& create) {
  TableDefinition definition;
  definition.options = create.options;
  definition.comment = create.comment;
  definition.primary_keys = ClauseOrOption(create.primary_key, definition.options, "primary-key", "The primary key");
  definition.partition_keys = ClauseOrOption(create.partition_keys, definition.options, "partition", "Partitioning");
  auto comment = definition.options.find("comment");
  if (comment != definition.options.end()) {
    if (!definition.comment) definition.comment = comment->second;
    definition.options.erase(comment);
  }
  for (const dialect::Column& column : create.columns) {
    DataField field;
    field.name = column.name;
    field.type = column.type;
    field.description = column.comment;
    if (column.default_value) field.default_value = DefaultText(*column.default_value, column.type);
    definition.fields.push_back(std::move(field));
  }
  return definition;
}

void Session::CreateFromDefinition(const dialect::CreateTable& create, const TableName& name,
                                   const TableDefinition& definition) {
  state_->catalog->CreateTable(name, definition, create.if_not_exists);
}

Session::ResultPtr Session::Execute(const dialect::CreateTable& create) {
  RefuseInTransaction("CREATE TABLE");
  TableName name = Resolve(create.name);
  if (create.provider && !EqualsIgnoreCase(*create.provider, "paimon")) {
    throw Unsupported("CREATE TABLE ... USING {} is not supported: tables are of Paimon's format", *create.provider);
  }
  if (create.location) throw Unsupported("CREATE TABLE ... LOCATION is not supported by a filesystem catalog");
  if (create.or_replace || create.replace) throw Unsupported("REPLACE TABLE is not supported yet: '{}' is unchanged", name.ToString());
  if (name.table.find('$') != std::string::npos) throw InvalidArgument("A table cannot be named '{}': '$' is reserved", name.table);
  if (!state_->catalog->DatabaseExists(name.database)) throw NotFound("The database '{}' does not exist", name.database);
  if (state_->catalog->TableExists(name)) {
    if (create.if_not_exists) return NoResult();
    throw AlreadyExists("The table '{}' exists already", name.ToString());
  }
  TableDefinition definition = DefinitionOf(create);
  if (!create.query) {
    CreateFromDefinition(create, name, definition);
    return NoResult();
  }
  // AS SELECT: the query is bound first, so that a wrong one leaves nothing behind.
  if (!definition.fields.empty()) throw InvalidArgument("CREATE TABLE ... AS takes its columns from the query: leave the column list out");
  auto prepared = connection_->Prepare(create.query->sql);
  if (prepared->HasError()) throw FromDuck(prepared->error);
  const auto& names = prepared->GetNames();
  const auto& types = prepared->GetTypes();
  for (size_t i = 0; i < names.size(); ++i) {
    DataField field;
    field.name = names[i];
    field.type = FromDuckType(types[i], names[i]);
    definition.fields.push_back(std::move(field));
  }
  prepared.reset();
  state_->catalog->CreateTable(name, definition, false);
  try {
    return RunText(fmt::format("INSERT INTO {}.{}.{} {}", dialect::QuoteName(state_->catalog_name),
                               dialect::QuoteName(name.database), dialect::QuoteName(name.table), create.query->sql), false);
  } catch (const Error& error) {
    // After an unknown outcome the rows may be there.
    if (error.kind() != ErrorKind::kOutcomeUnknown) state_->catalog->DropTable(name, true);
    throw;
  }
}

Session::ResultPtr Session::Execute(const dialect::DropTable& drop) {
  RefuseInTransaction("DROP TABLE");
  state_->catalog->DropTable(Resolve(drop.name), drop.if_exists);
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::AlterTable& alter) {
  RefuseInTransaction("ALTER TABLE");
  TableName name = Resolve(alter.name);
  if (alter.if_exists && !state_->catalog->TableExists(name)) return NoResult();
  TablePtr table = state_->catalog->GetTable(name);
  const TableSchema& schema = table->schema();
  std::vector<SchemaChange> changes;
  for (const dialect::AlterAction& action : alter.actions) {
    if (const auto* set = std::get_if<dialect::SetOptions>(&action)) {
      for (const auto& [key, value] : set->options) {
        if (key == "comment") {
          changes.push_back(UpdateComment{value});
        } else {
          changes.push_back(SetOption{key, value});
        }
      }
    } else if (const auto* unset = std::get_if<dialect::UnsetOptions>(&action)) {
      for (const std::string& key : unset->keys) {
        if (key == "comment") {
          changes.push_back(UpdateComment{std::nullopt});
        } else {
          changes.push_back(RemoveOption{key});
        }
      }
    } else if (const auto* add = std::get_if<dialect::AddColumn>(&action)) {
      if (add->if_not_exists && HasColumn(schema.fields, add->path)) continue;
      if (add->column.default_value) {
        throw Unsupported("ADD COLUMN with DEFAULT is not supported: add the column, then ALTER COLUMN '{}' SET DEFAULT",
                          add->path.back());
      }
      mica::AddColumn change{add->path, add->column.type, add->column.comment, std::nullopt};
      if (add->position) change.move = MoveOf(*add->position);
      changes.push_back(std::move(change));
    } else if (const auto* drop = std::get_if<dialect::DropColumn>(&action)) {
      if (drop->if_exists && !HasColumn(schema.fields, drop->path)) continue;
      changes.push_back(mica::DropColumn{drop->path});
    } else if (const auto* rename = std::get_if<dialect::RenameColumn>(&action)) {
      changes.push_back(mica::RenameColumn{rename->path, rename->new_name});
    } else if (const auto* column = std::get_if<dialect::AlterColumn>(&action)) {
      if (column->type) changes.push_back(UpdateColumnType{column->path, *column->type, !column->nullable.has_value()});
      if (column->nullable) changes.push_back(UpdateColumnNullability{column->path, *column->nullable});
      if (column->comment) changes.push_back(UpdateColumnComment{column->path, *column->comment});
      if (column->set_default) {
        const DataField* field = nullptr;
        for (const DataField& item : schema.fields) {
          if (column->path.size() == 1 && item.name == column->path[0]) field = &item;
        }
        if (field == nullptr) throw NotFound("The table '{}' has no column '{}'", name.ToString(), Join(column->path, "."));
        changes.push_back(UpdateColumnDefault{column->path, DefaultText(*column->set_default, field->type)});
      }
      if (column->drop_default) changes.push_back(UpdateColumnDefault{column->path, std::nullopt});
      if (column->position) {
        if (column->path.size() != 1) throw Unsupported("A nested column cannot be moved: '{}'", Join(column->path, "."));
        changes.push_back(MoveColumn{column->path[0], MoveOf(*column->position)});
      }
    } else if (const auto* rename_table = std::get_if<dialect::RenameTable>(&action)) {
      TableName to = Resolve(rename_table->new_name);
      if (rename_table->new_name.parts.size() == 1) to.database = name.database;
      if (!changes.empty()) state_->catalog->AlterTable(name, changes);
      changes.clear();
      state_->catalog->RenameTable(name, to);
      name = to;
    } else if (const auto* drop_partitions = std::get_if<dialect::DropPartitions>(&action)) {
      std::vector<std::map<std::string, Value>> specs;
      for (const dialect::PartitionSpec& spec : drop_partitions->partitions) specs.push_back(PartitionValues(*table, spec));
      // A spec that matches nothing is a slip of the pen, unless it was said that it may.
      if (!drop_partitions->if_exists) {
        auto snapshot = table->snapshots().Latest();
        for (const auto& spec : specs) {
          bool found = false;
          if (snapshot) {
            std::vector<PredicatePtr> parts;
            for (const auto& [column, value] : spec) {
              const DataType& type = schema.Field(column).type;
              parts.push_back(IsNull(value) ? Predicate::IsNull(column, type)
                                            : Predicate::Compare(PredicateOp::kEqual, column, type, value));
            }
            ScanRequest request;
            request.snapshot = snapshot;
            request.predicate = Predicate::And(parts);
            found = !PlanScan(*table, request).splits.empty();
          }
          if (!found) {
            std::string text;
            for (const auto& [column, value] : spec) {
              text += (text.empty() ? "" : "/") + column + "=" +
                      (IsNull(value) ? "NULL" : ValueToString(value, schema.Field(column).type));
            }
            throw NotFound("The table '{}' has no partition '{}'. Use DROP IF EXISTS PARTITION to tolerate that",
                           name.ToString(), text);
          }
        }
      }
      TableCommit(table, NewCommitSettings()).DropPartitions(specs);
    } else if (std::get_if<dialect::AddPartitions>(&action) != nullptr) {
      throw Unsupported("ADD PARTITION is not supported: partitions of '{}' exist as soon as rows do", name.ToString());
    }
  }
  if (!changes.empty()) state_->catalog->AlterTable(name, changes);
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::CreateView& create) {
  if (create.temporary) {
    std::string sql = create.or_replace ? "CREATE OR REPLACE TEMP VIEW " : "CREATE TEMP VIEW ";
    if (create.if_not_exists) sql += "IF NOT EXISTS ";
    sql += dialect::QuoteName(create.name.parts.back());
    if (!create.columns.empty()) {
      sql += " (";
      for (size_t i = 0; i < create.columns.size(); ++i) sql += (i > 0 ? ", " : "") + dialect::QuoteName(create.columns[i]);
      sql += ")";
    }
    return RunText(sql + " AS " + create.query.sql, false);
  }
  throw Unsupported("CREATE VIEW is not supported yet: '{}'. CREATE TEMPORARY VIEW is", Join(create.name.parts, "."));
}

Session::ResultPtr Session::Execute(const dialect::DropView& drop) {
  return RunText(std::string("DROP VIEW ") + (drop.if_exists ? "IF EXISTS " : "") + "temp.main." +
                     dialect::QuoteName(drop.name.parts.back()), false);
}

Session::ResultPtr Session::Execute(const dialect::CreateDatabase& create) {
  RefuseInTransaction("CREATE DATABASE");
  if (create.location) throw Unsupported("CREATE DATABASE ... LOCATION is not supported by a filesystem catalog");
  state_->catalog->CreateDatabase(ResolveDatabase(create.name), create.if_not_exists, create.properties);
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::DropDatabase& drop) {
  RefuseInTransaction("DROP DATABASE");
  state_->catalog->DropDatabase(ResolveDatabase(drop.name), drop.if_exists, drop.cascade);
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::AlterDatabase& alter) {
  throw Unsupported("A filesystem catalog keeps no properties of databases: '{}' is unchanged", Join(alter.name.parts, "."));
}

Session::ResultPtr Session::Execute(const dialect::CreateCatalog& create) {
  throw Unsupported("CREATE CATALOG is not supported yet: give the catalog '{}' with --catalog_conf", create.name);
}

Session::ResultPtr Session::Execute(const dialect::DropCatalog& drop) {
  throw Unsupported("DROP CATALOG is not supported yet: '{}'", drop.name);
}

Session::ResultPtr Session::Execute(const dialect::Truncate& truncate) {
  RefuseInTransaction("TRUNCATE");
  TablePtr table = state_->catalog->GetTable(Resolve(truncate.name));
  TableCommit commit(table, NewCommitSettings());
  if (truncate.partition.empty()) {
    commit.Truncate();
  } else {
    commit.DropPartitions({PartitionValues(*table, truncate.partition)});
  }
  return NoResult();
}

// Nothing is cached between statements.
Session::ResultPtr Session::Execute(const dialect::Refresh& refresh) {
  state_->catalog->GetTable(Resolve(refresh.name));
  return NoResult();
}

std::map<std::string, Value> PartitionValues(const Table& table, const dialect::PartitionSpec& spec) {
  const TableSchema& schema = table.schema();
  if (schema.partition_keys.empty()) throw InvalidArgument("The table '{}' has no partitions", table.name().ToString());
  std::map<std::string, Value> values;
  for (const auto& item : spec) {
    if (std::find(schema.partition_keys.begin(), schema.partition_keys.end(), item.column) == schema.partition_keys.end()) {
      throw InvalidArgument("The column '{}' is not a partition column of '{}'{}", item.column, table.name().ToString(),
                            DidYouMean(item.column, schema.partition_keys));
    }
    if (!item.value) throw InvalidArgument("The partition column '{}' needs a value", item.column);
    if (values.contains(item.column)) throw InvalidArgument("The partition column '{}' is given twice", item.column);
    if (item.value->kind == dialect::Literal::Kind::kNull) {
      values[item.column] = Value{};
    } else {
      values[item.column] =
          ParsePartitionValue(item.value->text, schema.Field(item.column).type, table.options().partition_naming());
    }
  }
  if (values.empty()) throw InvalidArgument("A partition of '{}' needs at least one value", table.name().ToString());
  return values;
}

}  // namespace mica::sql
