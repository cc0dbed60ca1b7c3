#include "catalog/schema_change.h"

#include "base/log.h"
#include "base/text.h"
#include "meta/immutable_options.h"
#include "meta/option_list.h"
#include "table/file_index_columns.h"
#include "types/cast.h"
#include "types/column_default.h"

namespace mica {

namespace {

std::string PathText(const std::vector<std::string>& path) { return Join(path, "."); }

std::vector<std::string> Names(const std::vector<DataField>& fields) {
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  return names;
}

size_t Position(const std::vector<DataField>& fields, const std::string& name, const std::vector<std::string>& path) {
  int at = FindField(fields, name);
  if (at < 0) throw NotFound("The column '{}' does not exist{}", PathText(path), DidYouMean(name, Names(fields)));
  return static_cast<size_t>(at);
}

Error NoSuchPath(const std::vector<std::string>& path, size_t at, const DataType& type) {
  return InvalidArgument("The path '{}' does not lead to a field: '{}' is of type {}. Use 'element' inside an ARRAY, 'key' "
                         "or 'value' inside a MAP", PathText(path), path[at - 1], type.ToString());
}

using EditFields = std::function<void(std::vector<DataField>&)>;

// Steps from a type down the rest of a path and edits the ROW's fields that hold its last name.
DataType EditNested(const DataType& type, const std::vector<std::string>& path, size_t at, const EditFields& edit) {
  switch (type.root()) {
    case TypeRoot::kRow: {
      std::vector<DataField> fields = type.fields();
      if (at + 1 == path.size()) {
        edit(fields);
      } else {
        DataField& field = fields[Position(fields, path[at], path)];
        field.type = EditNested(field.type, path, at + 1, edit);
      }
      return DataType::Row(std::move(fields)).WithNullable(type.nullable());
    }
    case TypeRoot::kArray:
    case TypeRoot::kMultiset: {
      if (path[at] != "element" || at + 1 == path.size()) break;
      DataType element = EditNested(type.element(), path, at + 1, edit);
      return (type.root() == TypeRoot::kArray ? DataType::Array(std::move(element)) : DataType::Multiset(std::move(element)))
          .WithNullable(type.nullable());
    }
    case TypeRoot::kMap: {
      if (at + 1 == path.size()) break;
      if (path[at] == "value") {
        return DataType::Map(type.key(), EditNested(type.value(), path, at + 1, edit)).WithNullable(type.nullable());
      }
      if (path[at] == "key") {
        return DataType::Map(EditNested(type.key(), path, at + 1, edit), type.value()).WithNullable(type.nullable());
      }
      break;
    }
    default: break;
  }
  throw NoSuchPath(path, at, type);
}

// Changes the type of what the path leads to: a column, a nested field, or an element, key or value of a collection.
using EditType = std::function<DataType(const DataType&)>;
DataType EditTypeWithin(const DataType& type, const std::vector<std::string>& path, size_t at, const EditType& edit) {
  if (at == path.size()) return edit(type);
  const std::string& step = path[at];
  auto inner = [&](const DataType& part) { return EditTypeWithin(part, path, at + 1, edit); };
  switch (type.root()) {
    case TypeRoot::kRow: {
      std::vector<DataField> fields = type.fields();
      DataField& field = fields[Position(fields, step, path)];
      field.type = inner(field.type);
      return DataType::Row(std::move(fields)).WithNullable(type.nullable());
    }
    case TypeRoot::kArray:
      if (step == "element") return DataType::Array(inner(type.element())).WithNullable(type.nullable());
      break;
    case TypeRoot::kMultiset:
      if (step == "element") return DataType::Multiset(inner(type.element())).WithNullable(type.nullable());
      break;
    case TypeRoot::kMap:
      if (step == "key") return DataType::Map(inner(type.key()), type.value()).WithNullable(type.nullable());
      if (step == "value") return DataType::Map(type.key(), inner(type.value())).WithNullable(type.nullable());
      break;
    default: break;
  }
  throw NoSuchPath(path, at, type);
}

void EditTypeAt(TableSchema& schema, const std::vector<std::string>& path, const EditType& edit) {
  if (path.empty()) throw InvalidArgument("A column change names no column");
  DataField& field = schema.fields[Position(schema.fields, path[0], path)];
  field.type = EditTypeWithin(field.type, path, 1, edit);
}

void EditAt(TableSchema& schema, const std::vector<std::string>& path, const EditFields& edit) {
  if (path.empty()) throw InvalidArgument("A column change names no column");
  if (path.size() == 1) return edit(schema.fields);
  DataField& field = schema.fields[Position(schema.fields, path[0], path)];
  field.type = EditNested(field.type, path, 1, edit);
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void RefuseKeyColumn(const TableSchema& schema, const std::vector<std::string>& path, std::string_view what) {
  if (path.size() != 1) return;
  if (Contains(schema.partition_keys, path[0])) {
    throw InvalidArgument("Cannot {} the partition column '{}'", what, path[0]);
  }
  if (Contains(schema.primary_keys, path[0])) {
    throw InvalidArgument("Cannot {} the primary key column '{}'", what, path[0]);
  }
}

void MoveField(std::vector<DataField>& fields, size_t from, const ColumnMove& move) {
  DataField field = fields[from];
  if (move.kind == ColumnMove::Kind::kAfter && move.reference == field.name) {
    throw InvalidArgument("Cannot move the column '{}' after itself", field.name);
  }
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(from));
  size_t to = fields.size();
  if (move.kind == ColumnMove::Kind::kFirst) to = 0;
  if (move.kind == ColumnMove::Kind::kAfter) to = Position(fields, move.reference, {move.reference}) + 1;
  fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(to), std::move(field));
}

// Replaces a column name in options that name columns (M-0319).
void RenameInOptions(Options& options, const std::string& from, const std::string& to) {
  auto in_list = [&](std::string_view list) {
    std::vector<std::string> names = SplitList(list, ',');
    for (std::string& name : names) {
      if (name == from) name = to;
    }
    return Join(names, ",");
  };
  static constexpr std::string_view kFields = "fields.";
  Options renamed;
  for (const auto& [old_key, old_value] : options) {
    std::string key = old_key, value = old_value;
    std::string prefix = std::string(kFields) + from + ".";
    // A group's key lists the columns that order it, its value those that it protects.
    std::string_view group;
    for (std::string_view suffix : {".sequence-group", ".nested-key"}) {
      if (key.starts_with(kFields) && key.ends_with(suffix)) group = suffix;
    }
    bool lists_columns = key == "bucket-key" || key == "sequence.field" || key == "rowkind.field" ||
                         key == "record-level.time-field" || key == "clustering.columns" ||
                         (key.starts_with("file-index.") && key.ends_with(".columns"));
    if (!group.empty()) {
      std::string_view columns = std::string_view(old_key).substr(kFields.size(), key.size() - kFields.size() - group.size());
      key = std::string(kFields) + in_list(columns) + std::string(group);
      value = in_list(value);
    } else if (key.starts_with(prefix)) {
      key = std::string(kFields) + to + "." + key.substr(prefix.size());
    } else if (lists_columns) {
      value = in_list(value);
    }
    renamed[key] = value;
  }
  options = std::move(renamed);
}

void CheckOptionChange(const TableSchema& schema, const std::string& key, const std::optional<std::string>& value,
                       bool has_snapshots) {
  if (key == "primary-key" || key == "partition" || key == "path") {
    throw InvalidArgument("Cannot change '{}' of a table after its creation", key);
  }
  auto stored = schema.options.find(key);
  if (value && stored != schema.options.end() && stored->second == *value) return;
  if (!value && stored == schema.options.end()) return;
  if (value) CheckOptionValue(key, *value);
  // Also on an empty table: other kinds of tables hold data without snapshots.
  if (key == "type") throw InvalidArgument("Cannot change 'type' of a table after its creation");
  if (!has_snapshots) return;
  if (IsImmutableOption(key)) {
    throw InvalidArgument("Cannot change the option '{}': the table has data already and it is fixed from then on", key);
  }
  if (key == "bucket") {
    int64_t old_count = TableOptions(schema.options).bucket();
    auto count = value ? ParseInteger(*value) : std::optional<int64_t>(-1);
    if (!value) throw InvalidArgument("Cannot reset the option 'bucket': the table has data already");
    if (count && (old_count == -1) != (*count == -1)) {
      throw InvalidArgument("Cannot change the option 'bucket' from {} to {}: a table with data cannot go between fixed and "
                            "dynamic buckets", old_count, *count);
    }
  }
  if (key == "deletion-vectors.enabled" && !TableOptions(schema.options).Bool("deletion-vectors.modifiable", false)) {
    bool before = TableOptions(schema.options).Bool(key, false);
    bool after = value && EqualsIgnoreCase(*value, "true");
    if (before != after) {
      throw InvalidArgument("Cannot change the option 'deletion-vectors.enabled': the table has data already. Set "
                            "'deletion-vectors.modifiable' first and compact the table fully before it is read");
    }
  }
  for (std::string_view ignore : {"ignore-delete", "ignore-update-before"}) {
    if (key != ignore || !TableOptions(schema.options).Bool(key, false)) continue;
    if (value && !EqualsIgnoreCase(*value, "true")) {
      throw InvalidArgument("Cannot change the option '{}' from true to {}: rows that were ignored do not come back", key, *value);
    }
  }
  if (key == "clustering.columns" && TableOptions(schema.options).Bool("pk-clustering-override", false)) {
    throw InvalidArgument("Cannot change the option '{}' while 'pk-clustering-override' is on: the table has data already", key);
  }
}

// 'daily' is short for tags by process time, one a day: the long form is what other engines read.
bool IsDailyTags(const std::string& key, const std::string& value) {
  return key == "tag.automatic-creation" && EqualsIgnoreCase(value, "daily");
}

void SetDailyTags(Options* options) {
  Log(LogLevel::kWarning, "'tag.automatic-creation' = 'daily' is stored as 'process-time' with 'tag.creation-period' = 'daily'");
  (*options)["tag.automatic-creation"] = "process-time";
  (*options)["tag.creation-period"] = "daily";
}

struct Applier {
  TableSchema& schema;
  bool has_snapshots;

  void operator()(const SetOption& change) {
    if (change.key == "comment") {
      schema.comment = change.value;
      return;
    }
    if (IsDailyTags(change.key, change.value)) return SetDailyTags(&schema.options);
    CheckOptionChange(schema, change.key, change.value, has_snapshots);
    schema.options[change.key] = change.value;
  }

  void operator()(const RemoveOption& change) {
    if (change.key == "comment") {
      schema.comment.reset();
      return;
    }
    CheckOptionChange(schema, change.key, std::nullopt, has_snapshots);
    schema.options.erase(change.key);
  }

  void operator()(const UpdateComment& change) { schema.comment = change.comment; }

  void operator()(const AddColumn& change) {
    if (!change.type.nullable()) {
      throw InvalidArgument("Cannot add the NOT NULL column '{}': older rows have no value for it", PathText(change.path));
    }
    EditAt(schema, change.path, [&](std::vector<DataField>& fields) {
      const std::string& name = change.path.back();
      if (FindField(fields, name) >= 0) throw AlreadyExists("The column '{}' exists already", PathText(change.path));
      DataField field;
      field.id = ++schema.highest_field_id;
      field.name = name;
      field.type = AssignNestedIds(change.type, &schema.highest_field_id);
      field.description = change.comment;
      fields.push_back(std::move(field));
      if (change.move) {
        MoveField(fields, fields.size() - 1, *change.move);
      } else if (change.path.size() == 1) {
        PutBeforePartition(fields);
      }
    });
  }

  // With add-column-before-partition, new columns come before the first partition column.
  void PutBeforePartition(std::vector<DataField>& fields) const {
    if (!TableOptions(schema.options).Bool("add-column-before-partition", false)) return;
    for (size_t i = 0; i + 1 < fields.size(); ++i) {
      if (!Contains(schema.partition_keys, fields[i].name)) continue;
      std::rotate(fields.begin() + static_cast<std::ptrdiff_t>(i), fields.end() - 1, fields.end());
      return;
    }
  }

  void operator()(const RenameColumn& change) {
    if (change.path.size() == 1 && Contains(schema.partition_keys, change.path[0])) {
      throw InvalidArgument("Cannot rename the partition column '{}'", change.path[0]);
    }
    EditAt(schema, change.path, [&](std::vector<DataField>& fields) {
      size_t at = Position(fields, change.path.back(), change.path);
      if (FindField(fields, change.new_name) >= 0) {
        throw AlreadyExists("Cannot rename '{}': the column '{}' exists already", PathText(change.path), change.new_name);
      }
      fields[at].name = change.new_name;
    });
    if (change.path.size() != 1) return;
    for (std::string& key : schema.primary_keys) {
      if (key == change.path[0]) key = change.new_name;
    }
    RenameInOptions(schema.options, change.path[0], change.new_name);
  }

  void operator()(const DropColumn& change) {
    RefuseKeyColumn(schema, change.path, "drop");
    EditAt(schema, change.path, [&](std::vector<DataField>& fields) {
      size_t at = Position(fields, change.path.back(), change.path);
      if (fields.size() == 1) throw InvalidArgument("Cannot drop '{}': it is the last column", PathText(change.path));
      fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at));
    });
  }

  void operator()(const UpdateColumnType& change) {
    RefuseKeyColumn(schema, change.path, "change the type of");
    bool allow_explicit = !TableOptions(schema.options).Bool("disable-explicit-type-casting", false);
    EditTypeAt(schema, change.path, [&](const DataType& from) {
      DataType type = KeepIds(from, change.type);
      if (change.keep_nullability) {
        type = type.WithNullable(from.nullable());
      } else {
        CheckNullability(change.path, from.nullable(), type.nullable());
      }
      if (!CanCast(from, type, allow_explicit)) {
        throw InvalidArgument("Cannot change the type of '{}' from {} to {}{}", PathText(change.path), from.ToString(),
                              type.ToString(),
                              CanCast(from, type, true) ? ": 'disable-explicit-type-casting' allows only types that hold every value"
                                                        : "");
      }
      return type;
    });
    // A default that the new type cannot read would be refused at creation as well.
    const DataField& column = schema.fields[Position(schema.fields, change.path[0], change.path)];
    if (column.default_value) CheckDefault(column.name, *column.default_value, column.type);
  }

  void CheckNullability(const std::vector<std::string>& path, bool before, bool after) const {
    if (!before || after || !TableOptions(schema.options).Bool("alter-column-null-to-not-null.disabled", true)) return;
    throw InvalidArgument("Cannot make '{}' NOT NULL: older rows may hold NULL. Set "
                          "'alter-column-null-to-not-null.disabled' to false to allow it", PathText(path));
  }

  // Nested fields that stay keep their ids; new ones get the next.
  DataType KeepIds(const DataType& from, const DataType& to) {
    if (to.root() == TypeRoot::kRow && from.root() == TypeRoot::kRow) {
      std::vector<DataField> fields = to.fields();
      for (DataField& field : fields) {
        int at = FindField(from.fields(), field.name);
        if (at >= 0) {
          const DataField& before = from.fields()[static_cast<size_t>(at)];
          field.id = before.id;
          field.type = KeepIds(before.type, field.type);
        } else {
          field.type = AssignNestedIds(field.type, &schema.highest_field_id);
          field.id = ++schema.highest_field_id;
        }
      }
      return DataType::Row(std::move(fields)).WithNullable(to.nullable());
    }
    if (to.root() == TypeRoot::kArray && from.root() == TypeRoot::kArray) {
      return DataType::Array(KeepIds(from.element(), to.element())).WithNullable(to.nullable());
    }
    if (to.root() == TypeRoot::kMap && from.root() == TypeRoot::kMap) {
      return DataType::Map(KeepIds(from.key(), to.key()), KeepIds(from.value(), to.value())).WithNullable(to.nullable());
    }
    return AssignNestedIds(to, &schema.highest_field_id);
  }

  void operator()(const UpdateColumnNullability& change) {
    if (change.nullable && change.path.size() == 1 && Contains(schema.primary_keys, change.path[0])) {
      throw InvalidArgument("Cannot make the primary key column '{}' nullable", change.path[0]);
    }
    EditTypeAt(schema, change.path, [&](const DataType& type) {
      CheckNullability(change.path, type.nullable(), change.nullable);
      return type.WithNullable(change.nullable);
    });
  }

  void operator()(const UpdateColumnComment& change) {
    EditAt(schema, change.path, [&](std::vector<DataField>& fields) {
      fields[Position(fields, change.path.back(), change.path)].description = change.comment;
    });
  }

  void operator()(const UpdateColumnDefault& change) {
    EditAt(schema, change.path, [&](std::vector<DataField>& fields) {
      DataField& field = fields[Position(fields, change.path.back(), change.path)];
      if (change.value) CheckDefault(PathText(change.path), *change.value, field.type);
      field.default_value = change.value;
    });
  }

  void operator()(const MoveColumn& change) {
    MoveField(schema.fields, Position(schema.fields, change.name, {change.name}), change.move);
  }
};

}  // namespace

TableSchema ApplyChanges(const TableSchema& schema, const std::vector<SchemaChange>& changes, bool has_snapshots) {
  TableSchema next = schema;
  for (const SchemaChange& change : changes) std::visit(Applier{next, has_snapshots}, change);
  bool same = next.fields == schema.fields && next.options == schema.options && next.comment == schema.comment &&
              next.primary_keys == schema.primary_keys && next.highest_field_id == schema.highest_field_id;
  if (same) return schema;
  next.version = 3;
  next.id = schema.id + 1;
  ValidateSchema(next);
  CheckFileIndexes(next);
  return next;
}

namespace {

TableSchema SchemaOf(const TableDefinition& definition, int32_t highest_field_id) {
  TableSchema schema;
  schema.options = definition.options;
  schema.comment = definition.comment;
  auto keys_of = [&](const std::vector<std::string>& clause, const char* option, std::string_view what) {
    auto it = schema.options.find(option);
    if (it == schema.options.end()) return clause;
    if (!clause.empty()) throw InvalidArgument("Give the {} as a clause or as the option '{}', not both", what, option);
    std::vector<std::string> names = SplitList(it->second, ',');
    schema.options.erase(it);
    return names;
  };
  schema.primary_keys = keys_of(definition.primary_keys, "primary-key", "primary key");
  schema.partition_keys = keys_of(definition.partition_keys, "partition", "partition columns");
  auto comment = schema.options.find("comment");
  if (comment != schema.options.end()) {
    schema.comment = comment->second;
    schema.options.erase(comment);
  }

  auto tags = schema.options.find("tag.automatic-creation");
  if (tags != schema.options.end() && IsDailyTags(tags->first, tags->second)) SetDailyTags(&schema.options);
  for (const auto& [key, value] : schema.options) CheckOptionValue(key, value);
  if (TableOptions(schema.options).Bool("auto-create", false)) {
    throw InvalidArgument("The value of auto-create property should be false.");
  }
  std::vector<std::string> known = Names(definition.fields);
  for (const auto* names : {&schema.primary_keys, &schema.partition_keys}) {
    for (const std::string& name : *names) {
      if (!Contains(known, name)) {
        throw InvalidArgument("The {} column '{}' is not a column of the table{}",
                              names == &schema.primary_keys ? "primary key" : "partition", name, DidYouMean(name, known));
      }
    }
  }
  std::vector<DataField> fields = definition.fields;
  for (DataField& field : fields) {
    if (field.default_value) CheckDefault(field.name, *field.default_value, field.type);
    if (Contains(schema.primary_keys, field.name)) field.type = field.type.WithNullable(false);
  }
  schema.highest_field_id = highest_field_id;
  schema.fields = AssignFieldIds(std::move(fields), &schema.highest_field_id);
  ValidateSchema(schema);
  CheckFileIndexes(schema);
  return schema;
}

}  // namespace

TableSchema FirstSchema(const TableDefinition& definition) { return SchemaOf(definition, -1); }

TableSchema NextDefinition(const TableSchema& before, const TableDefinition& definition) {
  TableSchema schema = SchemaOf(definition, before.highest_field_id);
  if (schema.partition_keys != before.partition_keys) {
    throw Unsupported("Cannot replace a table by one with other partition columns: '{}' instead of '{}'. Drop and create it",
                      Join(schema.partition_keys, ","), Join(before.partition_keys, ","));
  }
  schema.id = before.id + 1;
  return schema;
}

}  // namespace mica
