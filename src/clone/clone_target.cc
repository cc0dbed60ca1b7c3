#include "clone/clone_target.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "catalog/filesystem_catalog.h"
#include "catalog/hive_catalog.h"
#include "catalog/schema_change.h"
#include "clone/table_layout.h"

namespace mica {

namespace {

// The folder itself, whichever spelling or link leads to it.
std::string Location(const std::string& root) {
  const std::string scheme = SchemeOf(root);
  if (!scheme.empty() && scheme != "file") return root.ends_with('/') ? root.substr(0, root.size() - 1) : root;
  const std::string path = scheme.empty() ? root : root.substr(scheme.size() + 1);
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error);
  return error ? path : real.string();
}

bool SameNames(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

}  // namespace

TableDefinition DefinitionLike(const TableSchema& schema, const TargetWishes& wishes) {
  TableDefinition definition;
  definition.fields = schema.fields;
  definition.partition_keys = schema.partition_keys;
  definition.primary_keys = schema.primary_keys;
  definition.comment = schema.comment;
  definition.options = schema.options;
  for (const char* own : {"path", "branch"}) definition.options.erase(own);
  for (const auto& [key, value] : wishes.options) {
    for (const char* fixed : {"path", "primary-key", "partition"}) {
      if (key == fixed) throw InvalidArgument("The option '{}' cannot be among 'target_table_conf': a clone keeps it or decides it", key);
    }
    definition.options[key] = value;
  }
  if (wishes.file_format) {
    definition.options["file.format"] = *wishes.file_format;
    definition.options.erase("file.format.per.level");
  }
  CheckWritable(FirstSchema(definition));
  return definition;
}

void CheckCloneTarget(const TableName& name, const TableSchema& from, const Table& target, const TargetWishes& wishes) {
  const TableSchema& to = target.schema();
  auto refuse = [&](const std::string& why, std::string_view way_out) {
    throw InvalidArgument("The table '{}' cannot take the rows of '{}': {}. {}", target.name().ToString(),
                          name.ToString(), why, way_out);
  };
  const std::string other = "Clone into another table";
  if (!SameNames(from.primary_keys, to.primary_keys)) {
    refuse(fmt::format("its primary key is [{}], not [{}]", Join(to.primary_keys, ", "), Join(from.primary_keys, ", ")), other);
  }
  if (!SameNames(from.partition_keys, to.partition_keys)) {
    refuse(fmt::format("its partition columns are [{}], not [{}]", Join(to.partition_keys, ", "),
                       Join(from.partition_keys, ", ")), other);
  }
  for (const DataField& field : from.fields) {
    const int at = FindField(to.fields, field.name);
    if (at < 0) refuse(fmt::format("it has no column '{}'", field.name), "Add the column, or clone into another table");
    const DataField& own = to.fields[static_cast<size_t>(at)];
    if (!SameValues(field.type, own.type)) {
      refuse(fmt::format("its column '{}' is {}, not {}", field.name, own.type.ToString(), field.type.ToString()),
             "Change the type, or clone into another table");
    }
  }
  for (const DataField& field : to.fields) {
    if (FindField(from.fields, field.name) < 0 && !field.type.nullable()) {
      refuse(fmt::format("its column '{}' is NOT NULL, and the source has no such column", field.name),
             "Let it be NULL, or clone into another table");
    }
  }
  if (wishes.file_format && !EqualsIgnoreCase(target.options().file_format(), *wishes.file_format)) {
    refuse(fmt::format("its 'file.format' is '{}', not '{}'", target.options().file_format(), *wishes.file_format),
           "Leave out 'prefer_file_format', or change the option of the table");
  }
  CheckWritable(to);
}

void CheckLocations(const std::string& source, const std::string& target) {
  if (Location(source) != Location(target)) return;
  throw InvalidArgument("The source and the target are the same table: both lie in '{}'. Give another target", source);
}

void CheckApart(const std::string& source, const std::string& target) {
  CheckLocations(source, target);
  const std::string from = Location(source) + "/", to = Location(target) + "/";
  if (!from.starts_with(to) && !to.starts_with(from)) return;
  throw InvalidArgument("The source lies in '{}' and the target in '{}', one within the other: each would take the other's "
                        "files for its own. Give another target", source, target);
}

std::optional<std::string> PlaceOf(Catalog& catalog, const TableName& name) {
  if (auto* folder = dynamic_cast<FileSystemCatalog*>(&catalog)) return folder->TablePath(name);
  auto* hive = dynamic_cast<HiveCatalog*>(&catalog);
  if (hive == nullptr || !hive->DatabaseExists(name.database)) return std::nullopt;
  return HiveCatalog::PlainLocation(hive->NewTableLocation(name));
}

}  // namespace mica
