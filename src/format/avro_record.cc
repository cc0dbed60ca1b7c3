#include "format/avro_record.h"

#include <map>
#include <set>

#include "base/json.h"

namespace mica {

void AvroCursor::Fail(std::string_view what) {
  throw Corrupt("The Avro data is malformed: {}", what);
}

int64_t AvroCursor::LongerLong() {
  uint64_t raw = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ == end_) Fail("the block ends too early");
    uint64_t byte = static_cast<uint8_t>(*at_++);
    if (shift == 63 && byte > 1) break;
    raw |= (byte & 0x7f) << shift;
    if (!(byte & 0x80)) return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  }
  Fail("an integer is too long");
}

class AvroSchemaParser {
 public:
  explicit AvroSchemaParser(AvroSchema* schema) : schema_(schema) {}

  const AvroNode* Parse(const Json& json, const std::string& space) {
    if (++depth_ > kMaxDepth) throw Corrupt("The Avro schema is nested too deeply");
    const AvroNode* node = ParseNode(json, space);
    --depth_;
    return node;
  }

 private:
  static constexpr int kMaxDepth = 64;

  AvroNode* New(AvroKind kind) {
    schema_->nodes_.push_back(std::make_unique<AvroNode>());
    schema_->nodes_.back()->kind = kind;
    return schema_->nodes_.back().get();
  }

  const AvroNode* ParseNode(const Json& json, const std::string& space) {
    if (json.is_string()) return Named(json.get<std::string>(), space);
    if (json.is_array()) {
      AvroNode* node = New(AvroKind::kUnion);
      for (const Json& branch : json) node->children.push_back(Parse(branch, space));
      if (node->children.empty()) throw Corrupt("The Avro schema has an empty union");
      return node;
    }
    const Json* type = FindKey(json, "type");
    if (!type) throw Corrupt("The Avro schema has a type without 'type'");
    if (!type->is_string()) return Parse(*type, space);
    std::string kind = type->get<std::string>();
    if (kind == "record" || kind == "error") return Record(json, space);
    if (kind == "array" || kind == "map") {
      const Json* child = FindKey(json, kind == "array" ? "items" : "values");
      if (!child) throw Corrupt("The Avro schema has an array or map without its item type");
      AvroNode* node = New(kind == "array" ? AvroKind::kArray : AvroKind::kMap);
      node->children.push_back(Parse(*child, space));
      return node;
    }
    if (kind == "enum") return Define(json, space, New(AvroKind::kEnum));
    if (kind == "fixed") {
      AvroNode* node = New(AvroKind::kFixed);
      node->size = GetKey<int64_t>(json, "size");
      return Define(json, space, node);
    }
    return Named(kind, space);
  }

  const AvroNode* Record(const Json& json, const std::string& space) {
    AvroNode* node = New(AvroKind::kRecord);
    Define(json, space, node);
    std::string inner = space;
    if (auto given = GetOptional<std::string>(json, "namespace")) inner = *given;
    const Json* fields = FindKey(json, "fields");
    if (!fields || !fields->is_array()) throw Corrupt("The Avro schema has a record without fields");
    open_.insert(node);
    for (const Json& field : *fields) {
      node->names.push_back(GetKey<std::string>(field, "name"));
      const Json* type = FindKey(field, "type");
      if (!type) throw Corrupt("The Avro schema has the field '{}' without a type", node->names.back());
      node->children.push_back(Parse(*type, inner));
    }
    open_.erase(node);
    return node;
  }

  const AvroNode* Define(const Json& json, const std::string& space, const AvroNode* node) {
    std::string name = GetKey<std::string>(json, "name");
    std::string inner = GetOptional<std::string>(json, "namespace").value_or(space);
    named_[name.find('.') != std::string::npos || inner.empty() ? name : inner + "." + name] = node;
    return node;
  }

  const AvroNode* Named(const std::string& name, const std::string& space) {
    static const std::map<std::string, AvroKind, std::less<>> kPrimitive = {
        {"null", AvroKind::kNull},   {"boolean", AvroKind::kBoolean}, {"int", AvroKind::kInt},
        {"long", AvroKind::kLong},   {"float", AvroKind::kFloat},     {"double", AvroKind::kDouble},
        {"bytes", AvroKind::kBytes}, {"string", AvroKind::kString},
    };
    if (auto primitive = kPrimitive.find(name); primitive != kPrimitive.end()) return New(primitive->second);
    auto found = named_.find(name);
    if (found == named_.end() && !space.empty()) found = named_.find(space + "." + name);
    if (found == named_.end()) throw Corrupt("The Avro schema names the unknown type '{}'", name);
    if (open_.count(found->second)) throw Unsupported("The Avro schema has the recursive type '{}'", name);
    return found->second;
  }

  AvroSchema* schema_;
  std::map<std::string, const AvroNode*> named_;
  std::set<const AvroNode*> open_;
  int depth_ = 0;
};

AvroSchema AvroSchema::Parse(std::string_view json) {
  AvroSchema schema;
  schema.root_ = AvroSchemaParser(&schema).Parse(ParseJson(json, "avro.schema"), "");
  return schema;
}

namespace {

bool Fits(const AvroNode& type, AvroWant want) {
  switch (want) {
    case AvroWant::kInteger:
      return type.kind == AvroKind::kInt || type.kind == AvroKind::kLong;
    case AvroWant::kText:
      return type.kind == AvroKind::kBytes || type.kind == AvroKind::kString;
    case AvroWant::kArray:
      return type.kind == AvroKind::kArray;
    case AvroWant::kRecord:
      return type.kind == AvroKind::kRecord;
  }
  return false;
}

AvroField CompileField(std::string_view name, const AvroNode& type, const AvroRule& rule) {
  AvroField field;
  field.target = rule.target;
  field.required = rule.required;
  field.type = &type;
  if (type.kind == AvroKind::kUnion) {
    bool first_null = type.children[0]->kind == AvroKind::kNull;
    bool fits = type.children.size() == 2 && (first_null || type.children[1]->kind == AvroKind::kNull);
    if (!fits) throw Corrupt("The field '{}' has a union that is not 'null' and a type", name);
    field.null_branch = first_null ? 0 : 1;
    field.type = type.children[first_null ? 1 : 0];
  }
  if (!Fits(*field.type, rule.want)) throw Corrupt("The field '{}' has another type than it must have", name);
  if (rule.want == AvroWant::kRecord) field.nested = CompileRecord(*field.type, rule.nested);
  if (rule.want == AvroWant::kArray) field.nested = {CompileField(name, *field.type->children[0], rule.nested[0])};
  return field;
}

}  // namespace

std::vector<AvroField> CompileRecord(const AvroNode& record, std::span<const AvroRule> rules) {
  if (record.kind != AvroKind::kRecord) throw Corrupt("The Avro schema is not a record");
  std::vector<AvroField> fields;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < record.names.size(); ++i) {
    const std::string& name = record.names[i];
    if (!seen.insert(name).second) throw Corrupt("The field '{}' is there twice", name);
    auto rule = std::find_if(rules.begin(), rules.end(), [&](const AvroRule& r) { return r.name == name; });
    if (rule == rules.end()) {
      AvroField skipped;
      skipped.type = record.children[i];
      fields.push_back(std::move(skipped));
    } else {
      fields.push_back(CompileField(name, *record.children[i], *rule));
    }
  }
  for (const AvroRule& rule : rules) {
    if (rule.required && !seen.count(rule.name)) throw Corrupt("The field '{}' is missing", rule.name);
  }
  return fields;
}

namespace {

// Blocks of an array or map; those that tell their size in bytes are passed over whole.
void SkipItems(const AvroNode& type, AvroCursor& cursor) {
  while (true) {
    int64_t count = cursor.Long();
    if (count == 0) return;
    if (count < 0) {
      cursor.Skip(cursor.Long());
      continue;
    }
    // Items without bytes (nulls) need no loop, so that a huge count costs nothing.
    for (; count > 0; --count) {
      size_t before = cursor.remaining();
      if (type.kind == AvroKind::kMap) cursor.Bytes();
      SkipAvro(*type.children[0], cursor);
      if (cursor.remaining() == before) break;
    }
  }
}

}  // namespace

void SkipAvro(const AvroNode& type, AvroCursor& cursor) {
  switch (type.kind) {
    case AvroKind::kNull:
      return;
    case AvroKind::kBoolean:
      return cursor.Skip(1);
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kEnum:
      cursor.Long();
      return;
    case AvroKind::kFloat:
      return cursor.Skip(4);
    case AvroKind::kDouble:
      return cursor.Skip(8);
    case AvroKind::kBytes:
    case AvroKind::kString:
      cursor.Bytes();
      return;
    case AvroKind::kFixed:
      return cursor.Skip(type.size);
    case AvroKind::kArray:
    case AvroKind::kMap:
      return SkipItems(type, cursor);
    case AvroKind::kUnion: {
      int64_t branch = cursor.Long();
      if (branch < 0 || static_cast<uint64_t>(branch) >= type.children.size())
        AvroCursor::Fail("a union has no such branch");
      return SkipAvro(*type.children[static_cast<size_t>(branch)], cursor);
    }
    case AvroKind::kRecord:
      for (const AvroNode* child : type.children) SkipAvro(*child, cursor);
      return;
  }
}

void AppendAvroLong(std::string& out, int64_t value) {
  uint64_t raw = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  char buffer[10];
  size_t size = 0;
  while (raw > 0x7f) {
    buffer[size++] = static_cast<char>(raw | 0x80);
    raw >>= 7;
  }
  buffer[size++] = static_cast<char>(raw);
  out.append(buffer, size);
}

void AppendAvroBytes(std::string& out, std::string_view bytes) {
  AppendAvroLong(out, static_cast<int64_t>(bytes.size()));
  out.append(bytes);
}

}  // namespace mica
