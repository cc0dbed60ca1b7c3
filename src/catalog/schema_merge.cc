#include "catalog/schema_merge.h"

#include <algorithm>

#include "base/text.h"
#include "types/cast.h"

namespace mica {

namespace {

bool IsLeaf(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kMultiset:
    case TypeRoot::kRow: return false;
    default: return true;
  }
}

class Merger {
 public:
  explicit Merger(const SchemaMerge& merge) : merge_(merge) {}

  std::vector<SchemaChange> Take() { return std::move(changes_); }

  void Fields(const std::vector<DataField>& base, const std::vector<DataField>& incoming, const std::vector<std::string>& path) {
    for (const DataField& field : incoming) {
      auto known = std::find_if(base.begin(), base.end(), [&](const DataField& item) { return EqualsIgnoreCase(item.name, field.name); });
      if (known == base.end()) {
        changes_.push_back(AddColumn{Below(path, field.name), field.type.WithNullable(true), field.description, std::nullopt});
      } else {
        Types(known->type, field.type, Below(path, known->name));
      }
    }
  }

 private:
  static std::vector<std::string> Below(std::vector<std::string> path, const std::string& step) {
    path.push_back(step);
    return path;
  }

  void Types(const DataType& base, const DataType& incoming, const std::vector<std::string>& path) {
    if (base.root() == incoming.root()) {
      switch (base.root()) {
        case TypeRoot::kRow: return Fields(base.fields(), incoming.fields(), path);
        case TypeRoot::kArray:
        case TypeRoot::kMultiset: return Types(base.element(), incoming.element(), Below(path, "element"));
        case TypeRoot::kMap:
          Types(base.key(), incoming.key(), Below(path, "key"));
          return Types(base.value(), incoming.value(), Below(path, "value"));
        default: break;
      }
    }
    if (!merge_.type_widening || !IsLeaf(base) || !IsLeaf(incoming)) return;
    DataType from = base.WithNullable(true), to = incoming.WithNullable(true);
    if (from == to) return;
    if (from.root() == TypeRoot::kDecimal && to.root() == TypeRoot::kDecimal && from.scale() == to.scale()) {
      to = DataType::Decimal(std::max(from.precision(), to.precision()), from.scale());
      if (from == to) return;
    }
    // What fits already stays as it is.
    if (CanCast(to, from, false) && !Shrinks(to, from) && !merge_.explicit_cast) return;
    bool other_scale = from.root() == TypeRoot::kDecimal && to.root() == TypeRoot::kDecimal && from.scale() != to.scale();
    bool refused = other_scale || !CanCast(from, to, merge_.explicit_cast) || (!merge_.explicit_cast && Shrinks(from, to));
    if (refused) {
      throw Unsupported("Cannot merge the schema: '{}' is of type {}, and the rows bring {}", Join(path, "."), base.ToString(),
                        incoming.ToString());
    }
    changes_.push_back(UpdateColumnType{path, to, true});
  }

  // Two types of one kind, the second of which does not hold all of the first.
  static bool Shrinks(const DataType& from, const DataType& to) {
    if (from.root() != to.root()) return false;
    if (from.root() == TypeRoot::kDecimal) {
      return to.precision() - to.scale() < from.precision() - from.scale() || to.scale() < from.scale();
    }
    bool has_length = from.IsString() || from.IsBinary();
    return has_length ? to.length() < from.length() : to.precision() < from.precision();
  }

  const SchemaMerge& merge_;
  std::vector<SchemaChange> changes_;
};

}  // namespace

std::vector<SchemaChange> MergeChanges(const std::vector<DataField>& fields, const std::vector<DataField>& incoming,
                                       const SchemaMerge& merge) {
  Merger merger(merge);
  merger.Fields(fields, incoming, {});
  return merger.Take();
}

}  // namespace mica
