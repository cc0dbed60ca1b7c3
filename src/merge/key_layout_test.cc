#include "merge/key_layout.h"

#include <gtest/gtest.h>

#include "merge/model_rows.h"

namespace mica {
namespace {

TEST(KeyLayout, SmallColumnsShareAWord) {
  const std::vector<DataType> two_ints = {DataType::Int(), DataType(TypeRoot::kDate)};
  EXPECT_EQ(KeyLayout::ForKey(two_ints).word_count(), 1);
  const std::vector<DataType> three = {DataType::BigInt(), DataType::Int(), DataType(TypeRoot::kSmallInt)};
  EXPECT_EQ(KeyLayout::ForKey(three).word_count(), 2);
  const std::vector<DataType> text = {DataType::String()};
  EXPECT_FALSE(KeyLayout::ForKey(text).exact());
}

TEST(KeyLayout, RefusesTypesWithoutAnOrder) {
  const std::vector<DataType> types = {DataType::Array(DataType::Int())};
  EXPECT_THROW(KeyLayout::ForKey(types), Error);
}

TEST(KeyLayout, RefusesANullKey) {
  const std::vector<DataType> types = {DataType::Int()};
  const int column = 0;
  EncodedRows rows;
  EXPECT_THROW(KeyLayout::ForKey(types).Encode(*ModelBatch(types, {{Int128(1)}, {ModelValue()}}), {&column, 1}, &rows),
               Error);
}

// Compares all pairs of some rows by the layout and by the model.
void ExpectModelOrder(const KeyLayout& layout, const std::vector<DataType>& types, const std::vector<ModelRow>& rows,
                      int64_t slice, bool ascending) {
  const auto batch = ModelBatch(types, rows)->Slice(slice);
  std::vector<int> columns;
  for (size_t i = 0; i < types.size(); ++i) columns.push_back(static_cast<int>(i));
  EncodedRows encoded;
  layout.Encode(*batch, columns, &encoded);
  for (int64_t a = 0; a < batch->num_rows(); ++a) {
    for (int64_t b = 0; b < batch->num_rows(); ++b) {
      int expected = 0;
      for (size_t c = 0; c < types.size() && expected == 0; ++c) {
        const ModelValue& x = rows[static_cast<size_t>(a + slice)][c];
        const ModelValue& y = rows[static_cast<size_t>(b + slice)][c];
        expected = CompareModel(x, y);
        if (!ascending && x.index() != 0 && y.index() != 0) expected = -expected;
      }
      const int order = layout.Compare(encoded.rows(), a, encoded.rows(), b);
      ASSERT_EQ((order > 0) - (order < 0), expected) << types[0].ToString() << " rows " << a << " and " << b;
      WithOrder(layout, [&](auto by) {
        const KeyRows keys = encoded.rows();
        EXPECT_EQ(by.Less(by.At(keys, a), by.At(keys, b)), expected < 0);
        EXPECT_EQ(by.Equal(by.At(keys, a), by.At(keys, b)), expected == 0);
      });
    }
  }
}

TEST(KeyLayout, OrdersEveryTypeAndRandomCombinationsLikeTheirValues) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto all = ModelTypes();
  for (size_t round = 0; round < 200; ++round) {
    std::vector<DataType> types;
    if (round < all.size()) {
      types = {all[round]};
    } else {
      for (size_t count = 1 + random() % 5; count > 0; --count) types.push_back(all[random() % all.size()]);
    }
    for (const int mode : {0, 1, 2}) {  // key, ascending and descending sequence
      std::vector<ModelRow> rows;
      for (int i = 0; i < 60; ++i) {
        rows.emplace_back();
        for (const DataType& type : types) {
          const bool null = mode != 0 && random() % 4 == 0;
          rows.back().push_back(null ? ModelValue() : RandomModelValue(type, random, 1));
        }
      }
      const KeyLayout layout = mode == 0 ? KeyLayout::ForKey(types) : KeyLayout::ForSequence(types, mode == 1);
      ExpectModelOrder(layout, types, rows, static_cast<int64_t>(random() % 20), mode != 2);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(KeyLayout, TakesDecimalsOfEveryWidthAndBooleansAsBytes) {
  const std::vector<DataType> types = {DataType::Decimal(9, 0), DataType::Decimal(38, 0), DataType(TypeRoot::kBoolean)};
  const KeyLayout layout = KeyLayout::ForKey(types);
  const int32_t narrow[] = {-5, 7};
  const int64_t narrow8[] = {-5, 7};
  const Int128 wide[] = {-1, 1};
  const int16_t wide2[] = {-1, 1};
  const uint8_t flags[] = {0, 1};
  EncodedRows a, b;
  const std::vector<ColumnView> first = {
      {.values = narrow, .width = 4}, {.values = wide, .width = 16}, {.values = flags, .width = 1}};
  const std::vector<ColumnView> second = {
      {.values = narrow8, .width = 8}, {.values = wide2, .width = 2}, {.values = flags, .width = 1}};
  layout.Encode(first, 2, &a);
  layout.Encode(second, 2, &b);
  for (int64_t row : {0, 1}) EXPECT_EQ(layout.Compare(a.rows(), row, b.rows(), row), 0);
  EXPECT_LT(layout.Compare(a.rows(), 0, b.rows(), 1), 0);
}

}  // namespace
}  // namespace mica
