// Statements that change a table, and CALL.
#include "base/text.h"
#include "engine/duck_types.h"
#include "meta/option_list.h"
#include "sql/column_default.h"
#include "sql/errors.h"
#include "sql/insert.h"
#include "sql/partition_literal.h"
#include "sql/session.h"
#include "sql/system_name.h"
#include "types/column_default.h"
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

// The field that a path leads to; nullptr for none, also when the path ends inside a collection.
const DataField* FieldAt(const std::vector<DataField>& fields, const std::vector<std::string>& path) {
  const std::vector<DataField>* level = &fields;
  for (size_t i = 0; i < path.size(); ++i) {
    int at = FindField(*level, path[i]);
    if (at < 0) return nullptr;
    const DataField& field = (*level)[static_cast<size_t>(at)];
    if (i + 1 == path.size()) return &field;
    const DataType* type = &field.type;
    // "element", "key" and "value" step into collections.
    for (; i + 1 < path.size() && type->root() != TypeRoot::kRow; ++i) {
      bool is_map = type->root() == TypeRoot::kMap;
      if (!is_map && type->root() != TypeRoot::kArray && type->root() != TypeRoot::kMultiset) return nullptr;
      if (path[i + 1] != "element" && path[i + 1] != "key" && path[i + 1] != "value") return nullptr;
      type = !is_map ? &type->element() : path[i + 1] == "key" ? &type->key() : &type->value();
    }
    if (type->root() != TypeRoot::kRow) return nullptr;
    level = &type->fields();
  }
  return nullptr;
}

// SQL does not tell names apart by case.
void RefuseNameOfOtherCase(const std::vector<DataField>& fields, const std::string& name) {
  for (const DataField& field : fields) {
    if (field.name == name || !EqualsIgnoreCase(field.name, name)) continue;
    throw AlreadyExists("The column '{}' exists already: SQL does not tell it apart from '{}'", field.name, name);
  }
}

// ALTER COLUMN and MODIFY, which names the whole column anew: what stays as it is, is no change.
void TakeColumnChange(const dialect::AlterColumn& column, const TableSchema& schema, std::vector<SchemaChange>* changes) {
  const DataField* field = FieldAt(schema.fields, column.path);
  bool is_key = column.path.size() == 1 &&
                std::find(schema.primary_keys.begin(), schema.primary_keys.end(), column.path[0]) != schema.primary_keys.end();
  bool modify = column.type && column.nullable;
  bool same_type = column.type && field != nullptr &&
                   column.type->WithNullable(true).ToString() == field->type.WithNullable(true).ToString();
  if (column.type && !same_type) changes->push_back(UpdateColumnType{column.path, *column.type, true});
  // MODIFY of a key column says nothing about NULL, which the key forbids anyhow.
  if (column.nullable && !(modify && is_key)) changes->push_back(UpdateColumnNullability{column.path, *column.nullable});
  if (column.comment) changes->push_back(UpdateColumnComment{column.path, *column.comment});
  if (column.drop_default) changes->push_back(UpdateColumnDefault{column.path, std::nullopt});
  if (!column.position) return;
  if (column.path.size() != 1) throw Unsupported("A nested column cannot be moved: '{}'", Join(column.path, "."));
  changes->push_back(MoveColumn{column.path[0], MoveOf(*column.position)});
}

}  // namespace

Session::ResultPtr Session::Execute(const dialect::AlterTable& alter) {
  RefuseInTransaction("ALTER TABLE");
  TableAddress address = Resolve(alter.name);
  RefuseSystemTable(address);
  if (alter.if_exists && !address.Exists()) return NoResult();
  Catalog& catalog = *address.catalog;
  TableName name = address.name;
  TablePtr table = address.Open();
  const TableSchema& schema = table->schema();
  std::vector<SchemaChange> changes;
  for (const dialect::AlterAction& action : alter.actions) {
    if (const auto* set = std::get_if<dialect::SetOptions>(&action)) {
      WarnOfSlips(set->options);
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
      if (add->if_not_exists && FieldAt(schema.fields, add->path) != nullptr) continue;
      if (add->path.size() == 1) RefuseNameOfOtherCase(schema.fields, add->path[0]);
      if (add->column.default_value) {
        throw Unsupported("ADD COLUMN with DEFAULT is not supported: add the column, then ALTER COLUMN '{}' SET DEFAULT",
                          add->path.back());
      }
      mica::AddColumn change{add->path, add->column.type, add->column.comment, std::nullopt};
      if (add->position) change.move = MoveOf(*add->position);
      changes.push_back(std::move(change));
    } else if (const auto* drop = std::get_if<dialect::DropColumn>(&action)) {
      if (drop->if_exists && FieldAt(schema.fields, drop->path) == nullptr) continue;
      changes.push_back(mica::DropColumn{drop->path});
    } else if (const auto* rename = std::get_if<dialect::RenameColumn>(&action)) {
      if (rename->path.size() == 1 && !EqualsIgnoreCase(rename->path[0], rename->new_name)) {
        RefuseNameOfOtherCase(schema.fields, rename->new_name);
      }
      changes.push_back(mica::RenameColumn{rename->path, rename->new_name});
    } else if (const auto* column = std::get_if<dialect::AlterColumn>(&action)) {
      TakeColumnChange(*column, schema, &changes);
      if (column->set_default) {
        const DataField* field = FieldAt(schema.fields, column->path);
        if (field == nullptr) {
          std::vector<std::string> known;
          for (const DataField& item : schema.fields) known.push_back(item.name);
          throw NotFound("The table '{}' has no column '{}'{}", name.ToString(), Join(column->path, "."),
                         DidYouMean(column->path.back(), known));
        }
        changes.push_back(UpdateColumnDefault{column->path, DefaultText(*column->set_default, *field)});
      }
    } else if (const auto* rename_table = std::get_if<dialect::RenameTable>(&action)) {
      const auto& parts = rename_table->new_name.parts;
      if (parts.size() > 2) throw InvalidArgument("A table stays in its catalog: RENAME TO takes 'database.table', not '{}'", Join(parts, "."));
      TableName to{parts.size() == 1 ? name.database : parts[0], parts.back()};
      if (!changes.empty()) catalog.AlterTable(name, changes);
      changes.clear();
      catalog.RenameTable(name, to);
      name = to;
    } else if (const auto* drop_partitions = std::get_if<dialect::DropPartitions>(&action)) {
      std::vector<std::map<std::string, Value>> specs;
      for (const dialect::PartitionSpec& spec : drop_partitions->partitions) {
        specs.push_back(PartitionValues(*table, InUtc(*connection_->context, spec, table->schema())));
      }
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
      TableCommit(table, NewCommitSettings(catalog)).DropPartitions(specs);
    } else if (std::get_if<dialect::AddPartitions>(&action) != nullptr) {
      throw Unsupported("ADD PARTITION is not supported: partitions of '{}' exist as soon as rows do", name.ToString());
    }
  }
  if (!changes.empty()) catalog.AlterTable(name, changes);
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::Truncate& truncate) {
  RefuseInTransaction("TRUNCATE");
  TableAddress address = Resolve(truncate.name);
  RefuseSystemTable(address);
  TablePtr table = address.Open();
  TableCommit commit(table, NewCommitSettings(*address.catalog));
  if (truncate.partition.empty()) {
    commit.Truncate();
  } else {
    commit.DropPartitions({PartitionValues(*table, InUtc(*connection_->context, truncate.partition, table->schema()))});
  }
  return NoResult();
}

// Nothing is cached between statements.
Session::ResultPtr Session::Execute(const dialect::Refresh& refresh) {
  Resolve(refresh.name).Open();
  return NoResult();
}

// For the same reason there is nothing to keep and nothing to forget; the query of CACHE TABLE is a temporary view, as in
// Spark.
Session::ResultPtr Session::Execute(const dialect::Cache& cache) {
  if (cache.query) {
    dialect::CreateView view;
    view.name = cache.name;
    view.query = *cache.query;
    view.temporary = true;
    return Execute(view);
  }
  if (cache.action == dialect::Cache::Action::kClear) return NoResult();
  const bool temporary = cache.name.parts.size() == 1 && IsTemporaryView(cache.name.parts[0]);
  if (temporary) return NoResult();
  const TableAddress address = Resolve(cache.name);
  const bool known = address.Exists() || address.catalog->FindView(address.name);
  if (!known && !cache.if_exists) address.Open();
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
