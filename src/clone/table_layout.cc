#include "clone/table_layout.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text.h"

namespace mica {

namespace {

// Options, or families of them, that change what is written from now on, or when something is done, but not how files read.
constexpr std::array<std::string_view, 38> kOfWritersOnly = {
    "auto-create", "async-", "branch", "cache-", "changelog-file.", "changelog-producer", "changelog.",
    "commit.", "compaction.", "consumer", "continuous.", "comment", "delete-file.", "dynamic-partition-overwrite",
    "end-input.", "file.block-size", "file.compression", "file.format", "file-operation.", "full-compaction.",
    "local-merge-", "manifest.", "metadata.stats-mode", "num-levels", "num-sorted-run.", "orc.", "page-",
    "parquet.", "partition.", "read.", "scan.", "sink.", "snapshot.", "source.", "spill-", "tag.",
    "target-file-size", "write-"};

bool OfWritersOnly(std::string_view key) {
  return std::any_of(kOfWritersOnly.begin(), kOfWritersOnly.end(), [&](std::string_view name) {
    return key == name || (key.starts_with(name) && (name.ends_with('.') || name.ends_with('-') || key[name.size()] == '.' ||
                                                     key[name.size()] == '-'));
  });
}

std::string ValueOf(const Options& options, const std::string& key) {
  const auto found = options.find(key);
  return found == options.end() ? std::string() : found->second;
}

}  // namespace

bool SameValues(const DataType& a, const DataType& b, bool with_ids) {
  if (a.root() != b.root()) return false;
  switch (a.root()) {
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
      return SameValues(a.element(), b.element(), with_ids);
    case TypeRoot::kMap:
      return SameValues(a.key(), b.key(), with_ids) && SameValues(a.value(), b.value(), with_ids);
    case TypeRoot::kRow:
      return SameColumns(a.fields(), b.fields(), with_ids);
    default:
      return a.length() == b.length() && a.scale() == b.scale();
  }
}

bool SameColumns(const std::vector<DataField>& a, const std::vector<DataField>& b, bool with_ids) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const DataField& left, const DataField& right) {
    return left.name == right.name && (!with_ids || left.id == right.id) && SameValues(left.type, right.type, with_ids);
  });
}

std::optional<std::string> DifferentLayout(const Table& source, const Table& target) {
  const TableSchema &from = source.schema(), &to = target.schema();
  if (!SameColumns(from.fields, to.fields)) return "the columns differ";
  if (from.primary_keys != to.primary_keys) return "the primary keys differ in order";
  if (from.partition_keys != to.partition_keys) return "the partition columns differ in order";
  std::set<std::string> keys;
  for (const Options* options : {&from.options, &to.options}) {
    for (const auto& [key, value] : *options) keys.insert(key);
  }
  for (const std::string& key : keys) {
    if (OfWritersOnly(key) || ValueOf(from.options, key) == ValueOf(to.options, key)) continue;
    // A default that is written out is no difference.
    if (key == "bucket" && source.options().bucket() == target.options().bucket()) continue;
    return fmt::format("the option '{}' differs", key);
  }
  return std::nullopt;
}

}  // namespace mica
