#include "predicate/predicate.h"

#include <limits>
#include <map>
#include <random>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "types/random_values.h"

namespace mica {
namespace {

using Op = PredicateOp;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const DataType kInt = DataType::Int();
const DataType kText = DataType::String();
const DataType kDouble(TypeRoot::kDouble);

Value Integer(int64_t value) {
  return value;
}
Value Text(std::string value) {
  return value;
}

PredicatePtr Is(Op op, Value literal, DataType type = kInt) {
  return Predicate::Compare(op, "c", std::move(type), std::move(literal));
}

bool MatchesValue(const PredicatePtr& predicate, const Value& value) {
  return Matches(*predicate, [&](const std::string&) { return value; });
}

RangeOf Range(std::optional<Value> min, std::optional<Value> max, std::optional<int64_t> null_count) {
  return [=](const std::string&) { return ColumnRange{min, max, null_count}; };
}

const RangeOf kUnknownColumn = [](const std::string&) { return std::optional<ColumnRange>(); };

TEST(Predicate, ComparisonsWithNullAreNoMatch) {
  for (Op op : {Op::kEqual, Op::kNotEqual, Op::kLess, Op::kLessOrEqual, Op::kGreater, Op::kGreaterOrEqual}) {
    EXPECT_FALSE(MatchesValue(Is(op, Integer(1)), Value()));
    EXPECT_FALSE(MatchesValue(Is(op, Value()), Integer(1)));
    EXPECT_FALSE(MatchesValue(Predicate::Not(Is(op, Integer(1))), Value()));
    EXPECT_FALSE(MatchesValue(Predicate::Not(Is(op, Value())), Integer(1)));
    EXPECT_FALSE(MayMatch(*Is(op, Value()), Range({}, {}, {}), 3));
  }
  EXPECT_TRUE(MatchesValue(Predicate::IsNull("c", kInt), Value()));
  EXPECT_FALSE(MatchesValue(Predicate::Not(Predicate::IsNull("c", kInt)), Value()));
}

TEST(Predicate, ListsWithNullFollowSql) {
  const auto in = Predicate::In("c", kInt, {Integer(3), Value(), Integer(1), Integer(3)});
  EXPECT_TRUE(MatchesValue(in, Integer(1)));
  EXPECT_FALSE(MatchesValue(in, Integer(2)));
  EXPECT_FALSE(MatchesValue(in, Value()));
  EXPECT_FALSE(MatchesValue(Predicate::Not(in), Integer(2)));
  EXPECT_FALSE(MatchesValue(Predicate::Not(in), Integer(1)));
  EXPECT_TRUE(MatchesValue(Predicate::NotIn("c", kInt, {Integer(1)}), Integer(2)));
  EXPECT_FALSE(MatchesValue(Predicate::NotIn("c", kInt, {Integer(1)}), Value()));
  EXPECT_EQ(Predicate::In("c", kInt, {})->op(), Op::kFalse);
  EXPECT_EQ(Predicate::NotIn("c", kInt, {})->op(), Op::kTrue);
}

TEST(Predicate, NanAndZerosFollowTheOrderOfValues) {
  EXPECT_TRUE(MatchesValue(Is(Op::kEqual, 0.0, kDouble), -0.0));
  EXPECT_TRUE(MatchesValue(Is(Op::kGreater, 1.0, kDouble), kNan));
  EXPECT_TRUE(MatchesValue(Is(Op::kEqual, kNan, kDouble), kNan));
  EXPECT_FALSE(MatchesValue(Is(Op::kLess, kNan, kDouble), kNan));
  EXPECT_TRUE(MatchesValue(Predicate::In("c", kDouble, {kNan, 0.0}), -0.0));
}

// P-10
TEST(Predicate, BinaryComparesUnsigned) {
  const DataType bytes = DataType::Bytes();
  EXPECT_TRUE(MatchesValue(Is(Op::kGreater, Text("\x7f"), bytes), Text("\x80")));
  EXPECT_FALSE(MatchesValue(Is(Op::kLess, Text("\x80"), bytes), Text("\xff")));
  const auto between =
      Predicate::And({Is(Op::kGreaterOrEqual, Text("\x70"), bytes), Is(Op::kLessOrEqual, Text("\x90"), bytes)});
  EXPECT_TRUE(MatchesValue(between, Text("\x80")));
  EXPECT_FALSE(MatchesValue(between, Text("\x60")));
  EXPECT_FALSE(MayMatch(*Is(Op::kGreater, Text("\x80"), bytes), Range(Text("\x01"), Text("\x7f"), 0), 2));
  EXPECT_TRUE(MayMatch(*Is(Op::kGreater, Text("\x7f"), bytes), Range(Text("\x01"), Text("\x80"), 0), 2));
}

TEST(Predicate, TreesAreFlattenedAndNotMovesInwards) {
  const auto a = Is(Op::kLess, Integer(1));
  const auto b = Predicate::Compare(Op::kStartsWith, "s", kText, Text("x"));
  EXPECT_EQ(Predicate::And({a, Predicate::And({b, Predicate::True()})})->ToString(), "(c < 1 AND s STARTS WITH 'x')");
  EXPECT_EQ(Predicate::And({a, Predicate::False()})->op(), Op::kFalse);
  EXPECT_EQ(Predicate::Or({a, Predicate::True()})->op(), Op::kTrue);
  EXPECT_EQ(Predicate::And({})->op(), Op::kTrue);
  EXPECT_EQ(Predicate::Or({})->op(), Op::kFalse);
  EXPECT_EQ(Predicate::Or({Predicate::False(), a}), a);
  EXPECT_EQ(Predicate::Not(Predicate::And({a, b}))->ToString(), "(c >= 1 OR NOT s STARTS WITH 'x')");
  EXPECT_EQ(Predicate::Not(Predicate::Not(b)), b);
  EXPECT_FALSE(MatchesValue(Predicate::Not(b), Value()));
  EXPECT_TRUE(MatchesValue(Predicate::Not(b), Text("y")));
  EXPECT_EQ(Predicate::In("c", DataType::Bytes(), {Text("\x80"), Value()})->ToString(), "c IN (NULL, X'80')");
}

TEST(Predicate, ColumnsAreKeptAndRenamed) {
  auto less = [](const char* column) { return Predicate::Compare(Op::kLess, column, kInt, Integer(1)); };
  const auto predicate =
      Predicate::And({less("a"), Predicate::Or({less("b"), Predicate::And({less("a"), less("c")})}), less("d")});
  EXPECT_EQ(predicate->Columns(), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(SplitAnd(predicate).size(), 3u);
  EXPECT_TRUE(SplitAnd(Predicate::True()).empty());
  EXPECT_EQ(KeepColumns(predicate, [](const std::string& name) { return name == "a" || name == "d"; })->ToString(),
            "(a < 1 AND d < 1)");
  EXPECT_EQ(KeepColumns(predicate, [](const std::string&) { return false; }), nullptr);

  auto without = [&](const std::string& gone) {
    const auto renamed = RenameColumns(predicate, [&](const std::string& name) -> std::optional<std::string> {
      if (name == gone) return std::nullopt;
      return "x" + name;
    });
    return renamed ? renamed->ToString() : "";
  };
  EXPECT_EQ(without(""), "(xa < 1 AND (xb < 1 OR (xa < 1 AND xc < 1)) AND xd < 1)");
  EXPECT_EQ(without("c"), "(xa < 1 AND (xb < 1 OR xa < 1) AND xd < 1)");
  EXPECT_EQ(without("b"), "(xa < 1 AND xd < 1)");
  EXPECT_EQ(RenameColumns(less("a"), [](const std::string&) { return std::nullopt; }), nullptr);
}

// P-15
TEST(Predicate, MissingStatisticsNeverSkip) {
  const std::vector<PredicatePtr> predicates = {Predicate::IsNull("c", kInt),
                                                Predicate::IsNotNull("c", kInt),
                                                Is(Op::kEqual, Integer(30)),
                                                Is(Op::kGreater, Integer(5)),
                                                Is(Op::kNotEqual, Integer(5)),
                                                Predicate::In("c", kInt, {Integer(5)}),
                                                Predicate::NotIn("c", kInt, {Integer(5)}),
                                                Predicate::Compare(Op::kStartsWith, "c", kText, Text("x"))};
  for (const auto& predicate : predicates) {
    for (const RangeOf& range : {kUnknownColumn, Range({}, {}, {})}) {
      EXPECT_TRUE(MayMatch(*predicate, range, 3)) << predicate->ToString();
      EXPECT_FALSE(AllMatch(*predicate, range, 3)) << predicate->ToString();
    }
  }
  // Counts alone tell about NULL only.
  EXPECT_TRUE(MayMatch(*Is(Op::kEqual, Integer(30)), Range({}, {}, 1), 3));
  EXPECT_TRUE(MayMatch(*Predicate::IsNull("c", kInt), Range({}, {}, 1), 3));
  EXPECT_FALSE(MayMatch(*Predicate::IsNull("c", kInt), Range({}, {}, 0), 3));
  EXPECT_FALSE(MayMatch(*Predicate::IsNotNull("c", kInt), Range({}, {}, 3), 3));
  EXPECT_FALSE(MayMatch(*Is(Op::kNotEqual, Integer(30)), Range({}, {}, 3), 3));
  EXPECT_TRUE(AllMatch(*Predicate::IsNull("c", kInt), Range({}, {}, 3), 3));
  // One bound is enough for one side.
  EXPECT_FALSE(MayMatch(*Is(Op::kLess, Integer(10)), Range(Integer(10), {}, {}), 3));
  EXPECT_TRUE(MayMatch(*Is(Op::kGreater, Integer(10)), Range(Integer(10), {}, {}), 3));
}

TEST(Predicate, BoundsOfAnotherTypeAreUnknown) {
  EXPECT_TRUE(MayMatch(*Is(Op::kEqual, Integer(30)), Range(Text("a"), Text("b"), 0), 3));
  EXPECT_FALSE(AllMatch(*Is(Op::kNotEqual, Integer(30)), Range(Text("a"), Text("b"), 0), 3));
}

TEST(Predicate, NanBesideTheBoundsIsNeverPruned) {
  const RangeOf finite = Range(1.0, 5.0, 0);
  EXPECT_TRUE(MayMatch(*Is(Op::kGreater, 7.0, kDouble), finite, 3));
  EXPECT_TRUE(MayMatch(*Is(Op::kGreaterOrEqual, 7.0, kDouble), finite, 3));
  EXPECT_TRUE(MayMatch(*Is(Op::kEqual, kNan, kDouble), finite, 3));
  EXPECT_FALSE(MayMatch(*Is(Op::kEqual, 7.0, kDouble), finite, 3));
  EXPECT_FALSE(MayMatch(*Is(Op::kLess, 1.0, kDouble), finite, 3));
  EXPECT_TRUE(MayMatch(*Is(Op::kNotEqual, 1.0, kDouble), Range(1.0, 1.0, 0), 3));
  EXPECT_FALSE(AllMatch(*Is(Op::kLess, 7.0, kDouble), finite, 3));
  EXPECT_TRUE(AllMatch(*Is(Op::kGreater, 0.5, kDouble), finite, 3));
  EXPECT_FALSE(AllMatch(*Is(Op::kNotEqual, kNan, kDouble), finite, 3));
  for (const RangeOf& unknown : {Range(kNan, kNan, 0), Range(1.0, kNan, 0), Range(kNan, 5.0, 0)}) {
    EXPECT_TRUE(MayMatch(*Is(Op::kLess, 0.0, kDouble), unknown, 3));
    EXPECT_TRUE(MayMatch(*Is(Op::kEqual, 9.0, kDouble), unknown, 3));
  }
}

TEST(Predicate, PrefixesArePrunedByBounds) {
  const RangeOf range = Range(Text("bb"), Text("bd"), 0);
  auto starts = [](const char* prefix) { return Predicate::Compare(Op::kStartsWith, "c", kText, Text(prefix)); };
  EXPECT_TRUE(MayMatch(*starts("b"), range, 2));
  EXPECT_TRUE(MayMatch(*starts("bc"), range, 2));
  EXPECT_TRUE(MayMatch(*starts("bdx"), Range(Text("bb"), Text("be"), 0), 2));
  EXPECT_FALSE(MayMatch(*starts("a"), range, 2));
  EXPECT_FALSE(MayMatch(*starts("be"), range, 2));
  EXPECT_TRUE(AllMatch(*starts("b"), range, 2));
  EXPECT_FALSE(MayMatch(*Predicate::Not(starts("b")), range, 2));
  EXPECT_TRUE(AllMatch(*Predicate::Not(starts("c")), range, 2));
}

TEST(Predicate, PossibleValuesComeFromEqualityAndLists) {
  auto possible = [](const PredicatePtr& predicate) -> std::string {
    auto values = PossibleValues(predicate, "c");
    if (!values) return "any";
    std::string text;
    for (const Value& value : *values) text += ValueToString(value, kInt) + " ";
    return text;
  };
  const auto one = Is(Op::kEqual, Integer(1));
  const auto list = Predicate::In("c", kInt, {Integer(3), Integer(1), Value(), Integer(2)});
  const auto other = Predicate::Compare(Op::kEqual, "d", kInt, Integer(9));
  EXPECT_EQ(possible(one), "1 ");
  EXPECT_EQ(possible(list), "1 2 3 ");
  EXPECT_EQ(possible(other), "any");
  EXPECT_EQ(possible(Predicate::And({other, list})), "1 2 3 ");
  EXPECT_EQ(possible(Predicate::And({list, one})), "1 ");
  EXPECT_EQ(possible(Predicate::And({Is(Op::kEqual, Integer(5)), one})), "");
  EXPECT_EQ(possible(Predicate::Or({one, Is(Op::kEqual, Integer(5)), list})), "1 2 3 5 ");
  EXPECT_EQ(possible(Predicate::Or({one, other})), "any");
  EXPECT_EQ(possible(Is(Op::kLess, Integer(5))), "any");
  EXPECT_EQ(possible(Is(Op::kEqual, Value())), "");
  EXPECT_EQ(possible(Predicate::False()), "");
  EXPECT_EQ(possible(nullptr), "any");
}

TEST(Predicate, AColumnThatIsNotThereIsNamed) {
  const auto array = RepeatValue(Integer(1), kInt, 2);
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", array->type())}), 2, {array});
  EXPECT_ERROR(MatchingRows(*Is(Op::kEqual, Integer(1)), *batch), InvalidArgument, "'c'");
}

TEST(Predicate, TimestampsAreComparedBetweenAndBeyondTheUnitsOfTheColumn) {
  const DataType type = DataType::Timestamp(9);
  const DataType column_type = DataType::Timestamp(3);
  const std::vector<Value> values = {TimestampValue{-1, 0}, TimestampValue{0, 0}, TimestampValue{1, 0}};
  const auto array = ToArray(values, column_type);
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("c", array->type())}), 3, {array});
  for (const TimestampValue& literal : {TimestampValue{0, 0}, TimestampValue{0, 5}, TimestampValue{-1, 999'999},
                                        TimestampValue{INT64_MAX / 1000, 0}, TimestampValue{INT64_MIN / 1000, 0}}) {
    for (Op op : {Op::kEqual, Op::kNotEqual, Op::kLess, Op::kLessOrEqual, Op::kGreater, Op::kGreaterOrEqual}) {
      std::vector<int32_t> expected;
      for (int32_t i = 0; i < 3; ++i) {
        if (MatchesValue(Is(op, literal, type), values[static_cast<size_t>(i)])) expected.push_back(i);
      }
      EXPECT_EQ(MatchingRows(*Is(op, literal, type), *batch), expected) << Is(op, literal, type)->ToString();
    }
  }
  const DataType nanos = DataType::Timestamp(9);
  const auto fine = ToArray(values, nanos);
  const auto fine_batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("c", fine->type())}), 3, {fine});
  EXPECT_EQ(MatchingRows(*Is(Op::kLess, TimestampValue{253402300799999, 0}, nanos), *fine_batch).size(), 3u);
  EXPECT_EQ(MatchingRows(*Is(Op::kLess, TimestampValue{-62135596800000, 0}, nanos), *fine_batch).size(), 0u);
  EXPECT_EQ(MatchingRows(*Is(Op::kNotEqual, TimestampValue{-62135596800000, 0}, nanos), *fine_batch).size(), 3u);
  EXPECT_EQ(MatchingRows(*Is(Op::kEqual, TimestampValue{253402300799999, 0}, nanos), *fine_batch).size(), 0u);
}

// Random trees over random batches: the three ways to test a predicate agree.
class RandomPredicates {
 public:
  explicit RandomPredicates(uint32_t seed) : random(seed) {
    for (const char* text :
         {"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(9,2)", "DECIMAL(38,5)", "DATE",
          "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP_LTZ(9)", "STRING", "BYTES"}) {
      types.push_back(DataType::Parse(text));
    }
    const size_t rows = random.Next() % 80;
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (size_t i = 0; i < types.size(); ++i) {
      columns.push_back(random.Some(types[i], rows + 5, random.OneIn(2)));
      if (random.OneIn(10)) std::fill(columns[i].begin(), columns[i].end(), Value());
      arrays.push_back(ToArray(columns[i], types[i])->Slice(5));
      columns[i].erase(columns[i].begin(), columns[i].begin() + 5);
      fields.push_back(arrow::field(std::to_string(i), arrays.back()->type()));
    }
    batch = arrow::RecordBatch::Make(arrow::schema(fields), static_cast<int64_t>(rows), arrays);
  }

  PredicatePtr Tree(int depth) {
    if (depth == 0 || random.OneIn(4)) return Leaf();
    std::vector<PredicatePtr> children;
    for (uint64_t i = 0, count = random.Next() % 4; i < count; ++i) children.push_back(Tree(depth - 1));
    PredicatePtr tree = random.OneIn(2) ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
    return random.OneIn(3) ? Predicate::Not(std::move(tree)) : tree;
  }

  Value ValueOf(const std::string& column, size_t row) const { return columns[std::stoul(column)][row]; }

  // True bounds, each of which may be missing.
  std::optional<ColumnRange> RangeOfColumn(const std::string& column) {
    if (random.OneIn(10)) return std::nullopt;
    ColumnRange range{.null_count = 0};
    for (const Value& value : columns[std::stoul(column)]) {
      if (IsNull(value)) {
        ++*range.null_count;
        continue;
      }
      if (CompareValues(value, Value(kNan)) == 0 || CompareValues(value, Value(static_cast<float>(kNan))) == 0)
        continue;
      if (!range.min || CompareValues(value, *range.min) < 0) range.min = value;
      if (!range.max || CompareValues(value, *range.max) > 0) range.max = value;
    }
    if (random.OneIn(6)) range.min.reset();
    if (random.OneIn(6)) range.max.reset();
    if (random.OneIn(6)) range.null_count.reset();
    return range;
  }

  RandomValues random;
  std::vector<DataType> types;
  std::vector<std::vector<Value>> columns;
  std::shared_ptr<arrow::RecordBatch> batch;

 private:
  Value Literal(size_t column) {
    if (random.OneIn(15)) return {};
    const auto& values = columns[column];
    if (!values.empty() && random.OneIn(2)) {
      const Value& value = values[random.Next() % values.size()];
      if (!IsNull(value)) return value;
    }
    return random.One(types[column]);
  }

  PredicatePtr Leaf() {
    const size_t column = random.Next() % types.size();
    const std::string name = std::to_string(column);
    const DataType& type = types[column];
    const bool is_text = type.IsString() || type.IsBinary();
    switch (random.Next() % 10) {
      case 0: return Predicate::IsNull(name, type);
      case 1: return Predicate::IsNotNull(name, type);
      case 2:
      case 3: {
        std::vector<Value> literals;
        for (uint64_t i = 0, count = random.Next() % 9; i < count; ++i) literals.push_back(Literal(column));
        return random.OneIn(2) ? Predicate::In(name, type, literals) : Predicate::NotIn(name, type, literals);
      }
      case 4:
      case 5:
        if (is_text) {
          const Op ops[] = {Op::kStartsWith, Op::kEndsWith, Op::kContains};
          Value literal = Literal(column);
          if (!IsNull(literal)) literal = std::get<std::string>(literal).substr(0, random.Next() % 3);
          PredicatePtr leaf = Predicate::Compare(ops[random.Next() % 3], name, type, literal);
          return random.OneIn(2) ? Predicate::Not(leaf) : leaf;
        }
        [[fallthrough]];
      default: {
        const Op ops[] = {Op::kEqual, Op::kNotEqual, Op::kLess, Op::kLessOrEqual, Op::kGreater, Op::kGreaterOrEqual};
        return Predicate::Compare(ops[random.Next() % 6], name, type, Literal(column));
      }
    }
  }
};

TEST(Predicate, BatchesRowsAndStatisticsAgree) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  for (uint32_t round = 0; round < 400; ++round) {
    RandomPredicates world(seed + round);
    const auto rows = static_cast<size_t>(world.batch->num_rows());
    for (int i = 0; i < 25; ++i) {
      const PredicatePtr predicate = world.Tree(static_cast<int>(i % 3));
      std::vector<int32_t> expected;
      for (size_t row = 0; row < rows; ++row) {
        auto value_of = [&](const std::string& column) { return world.ValueOf(column, row); };
        const bool matches = Matches(*predicate, value_of);
        if (matches) expected.push_back(static_cast<int32_t>(row));
        // A row matches a predicate, its opposite, or neither, but never both.
        ASSERT_FALSE(matches && Matches(*Predicate::Not(predicate), value_of)) << predicate->ToString();
      }
      ASSERT_EQ(MatchingRows(*predicate, *world.batch), expected) << "round " << round << ": " << predicate->ToString();

      auto range_of = [&](const std::string& column) { return world.RangeOfColumn(column); };
      if (!MayMatch(*predicate, range_of, static_cast<int64_t>(rows))) {
        ASSERT_TRUE(expected.empty()) << "round " << round << ": " << predicate->ToString();
      }
      if (AllMatch(*predicate, range_of, static_cast<int64_t>(rows))) {
        ASSERT_EQ(expected.size(), rows) << "round " << round << ": " << predicate->ToString();
      }
      for (size_t column = 0; column < world.types.size(); ++column) {
        auto possible = PossibleValues(predicate, std::to_string(column));
        if (!possible) continue;
        for (int32_t row : expected) {
          const Value& value = world.columns[column][static_cast<size_t>(row)];
          ASSERT_TRUE(std::any_of(possible->begin(), possible->end(),
                                  [&](const Value& v) { return CompareValues(v, value) == 0; }));
        }
      }
    }
  }
}

}  // namespace
}  // namespace mica
