// Files by the keys that they can hold, against a model: whatever is left out holds no key that matches.
#include "table/key_prefix.h"

#include <gtest/gtest.h>

#include <random>

#include "types/binary_row.h"

namespace mica {
namespace {

TableSchema KeySchema() {
  TableSchema schema;
  auto add = [&](const std::string& name, DataType type) {
    DataField field;
    field.id = static_cast<int32_t>(schema.fields.size());
    field.name = name;
    field.type = type.WithNullable(false);
    schema.fields.push_back(field);
  };
  add("a", DataType::BigInt());
  add("b", DataType::Int());
  add("c", DataType::String());
  schema.primary_keys = {"a", "b", "c"};
  return schema;
}

using Key = std::vector<Value>;

DataFileMeta FileOf(const std::vector<Key>& keys, const std::vector<DataType>& types) {
  DataFileMeta file;
  file.row_count = static_cast<int64_t>(keys.size());
  file.min_key = BinaryRow::Of(keys.front(), types).Serialize();
  file.max_key = BinaryRow::Of(keys.back(), types).Serialize();
  file.key_stats = file.value_stats = SimpleStats::Empty();
  return file;
}

Value Number(int64_t value) { return value; }

Key Make(int64_t a, int64_t b, const char* c) { return {Number(a), Number(b), std::string(c)}; }

class KeyPrefix : public testing::Test {
 protected:
  PredicatePtr Equal(const std::string& column, Value value) const {
    return Predicate::Compare(PredicateOp::kEqual, column, schema_.Field(column).type, std::move(value));
  }
  PredicatePtr Greater(const std::string& column, Value value) const {
    return Predicate::Compare(PredicateOp::kGreater, column, schema_.Field(column).type, std::move(value));
  }
  bool Holds(const PredicatePtr& predicate, const std::vector<Key>& keys) const {
    return KeyPrefixFilter(schema_, predicate).MayHold(FileOf(keys, types_));
  }

  TableSchema schema_ = KeySchema();
  std::vector<DataType> types_ = {schema_.fields[0].type, schema_.fields[1].type, schema_.fields[2].type};
  // Two keys of the leading column lie in it, each with a part of the next column.
  std::vector<Key> file_ = {Make(24, 500, "x"), Make(25, 100, "x")};
};

TEST_F(KeyPrefix, ComparesLeadingColumnsAsAWhole) {
  EXPECT_TRUE(Holds(Predicate::And({Equal("a", Number(25)), Equal("b", Number(50))}), file_));
  EXPECT_FALSE(Holds(Predicate::And({Equal("a", Number(25)), Equal("b", Number(300))}), file_));
  EXPECT_FALSE(Holds(Predicate::And({Equal("a", Number(24)), Equal("b", Number(300))}), file_));
  EXPECT_TRUE(Holds(Predicate::And({Equal("a", Number(24)), Equal("b", Number(500)), Equal("c", std::string("y"))}), file_));
  EXPECT_FALSE(Holds(Predicate::And({Equal("a", Number(24)), Equal("b", Number(500)), Equal("c", std::string("w"))}), file_));
  auto one_of = Predicate::In("a", types_[0], {Number(1), Number(24), Number(99)});
  EXPECT_TRUE(Holds(one_of, file_));
  EXPECT_FALSE(Holds(Predicate::And({one_of, Equal("b", Number(400))}), file_));
}

TEST_F(KeyPrefix, NarrowsTheColumnAfterTheLeadingOnes) {
  EXPECT_TRUE(Holds(Predicate::And({Equal("a", Number(25)), Greater("b", Number(50))}), file_));
  EXPECT_FALSE(Holds(Predicate::And({Equal("a", Number(25)), Greater("b", Number(100))}), file_));
  EXPECT_TRUE(Holds(Predicate::And({Equal("a", Number(24)), Greater("b", Number(100))}), file_));
}

TEST_F(KeyPrefix, KeepsFilesWithoutALeadingColumnInThePredicate) {
  EXPECT_TRUE(Holds(Equal("b", Number(300)), file_));
  EXPECT_TRUE(Holds(Predicate::Or({Equal("a", Number(1)), Equal("b", Number(300))}), file_));
  EXPECT_TRUE(Holds(nullptr, file_));
}

TEST_F(KeyPrefix, LeavesOutNoFileThatHoldsAMatch) {
  std::random_device device;
  const uint32_t seed = device();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  auto value = [&](size_t column) -> Value {
    const auto n = static_cast<int64_t>(random() % 5);
    if (column < 2) return n;
    return std::string(1, static_cast<char>('a' + n));
  };
  auto less = [](const Key& a, const Key& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      auto order = CompareValues(a[i], b[i]);
      if (order != 0) return order < 0;
    }
    return false;
  };
  int64_t left_out = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Key> keys;
    for (uint32_t i = 0; i <= random() % 3; ++i) keys.push_back({value(0), value(1), value(2)});
    std::sort(keys.begin(), keys.end(), less);
    std::vector<PredicatePtr> parts;
    for (size_t column = 0; column < 3; ++column) {
      const std::string& name = schema_.fields[column].name;
      switch (random() % 4) {
        case 0: break;
        case 1: parts.push_back(Equal(name, value(column))); break;
        case 2: parts.push_back(Greater(name, value(column))); break;
        default: parts.push_back(Predicate::In(name, types_[column], {value(column), value(column)})); break;
      }
    }
    PredicatePtr predicate = Predicate::And(std::move(parts));
    if (Holds(predicate, keys)) continue;
    ++left_out;
    for (const Key& key : keys) {
      bool matches = Matches(*predicate, [&](const std::string& name) {
        return key[static_cast<size_t>(FindField(schema_.fields, name))];
      });
      ASSERT_FALSE(matches) << predicate->ToString();
    }
  }
  EXPECT_GT(left_out, 1000);
}

}  // namespace
}  // namespace mica
