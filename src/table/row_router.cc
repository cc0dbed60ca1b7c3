#include "table/row_router.h"

#include <arrow/api.h>

#include "merge/row_selection.h"
#include "types/arrow_types.h"

namespace mica {

PartitionNumbers::PartitionNumbers(const TableSchema& schema) {
  for (const DataField& field : schema.PartitionFields()) {
    columns_.push_back(FindField(schema.fields, field.name));
    types_.push_back(field.type);
  }
  dictionaries_.resize(columns_.size());
  pairs_.resize(columns_.size());
  if (columns_.empty()) partitions_.push_back(BinaryRow().Serialize());
}

namespace {

// Calls f(row, is_null, bytes) for each row: equal values have equal bytes.
template <typename F>
void VisitBytes(const arrow::Array& array, F&& f) {
  int64_t rows = array.length();
  if (array.type_id() == arrow::Type::STRING || array.type_id() == arrow::Type::BINARY) {
    const auto& text = static_cast<const arrow::BinaryArray&>(array);
    for (int64_t i = 0; i < rows; ++i) f(i, text.IsNull(i), text.GetView(i));
    return;
  }
  if (array.type_id() == arrow::Type::BOOL) {
    const auto& flags = static_cast<const arrow::BooleanArray&>(array);
    for (int64_t i = 0; i < rows; ++i) f(i, flags.IsNull(i), flags.Value(i) ? std::string_view("1") : std::string_view("0"));
    return;
  }
  const auto& type = static_cast<const arrow::FixedWidthType&>(*array.type());
  size_t width = static_cast<size_t>(type.bit_width()) / 8;
  const char* values = reinterpret_cast<const char*>(array.data()->buffers[1]->data()) +
                       static_cast<size_t>(array.data()->offset) * width;
  for (int64_t i = 0; i < rows; ++i) f(i, array.IsNull(i), std::string_view(values + static_cast<size_t>(i) * width, width));
}

}  // namespace

void PartitionNumbers::Number(const arrow::RecordBatch& batch, std::vector<uint32_t>* numbers) {
  size_t rows = static_cast<size_t>(batch.num_rows());
  numbers->assign(rows, 0);
  if (columns_.empty()) return;
  std::vector<uint32_t>& out = *numbers;
  for (size_t c = 0; c < columns_.size(); ++c) {
    Dictionary& dictionary = dictionaries_[c];
    auto& pairs = pairs_[c];
    std::string_view last;
    uint32_t last_value = 0;
    bool has_last = false;
    uint64_t last_pair = UINT64_MAX;
    uint32_t last_number = 0;
    VisitBytes(*batch.column(columns_[c]), [&](int64_t row, bool is_null, std::string_view bytes) {
      uint32_t value = 0;  // NULL
      if (!is_null) {
        if (!has_last || bytes != last) {
          auto it = dictionary.find(bytes);
          if (it == dictionary.end()) it = dictionary.emplace(std::string(bytes), static_cast<uint32_t>(dictionary.size()) + 1).first;
          last = bytes;
          last_value = it->second;
          has_last = true;
        }
        value = last_value;
      }
      uint32_t& number = out[static_cast<size_t>(row)];
      if (c == 0) {
        number = value;
        return;
      }
      uint64_t pair = static_cast<uint64_t>(number) << 32 | value;
      if (pair != last_pair) {
        last_number = pairs.emplace(pair, static_cast<uint32_t>(pairs.size())).first->second;
        last_pair = pair;
      }
      number = last_number;
    });
  }
  uint32_t last = UINT32_MAX, last_dense = 0;
  for (size_t row = 0; row < rows; ++row) {
    if (out[row] != last) {
      last = out[row];
      auto [it, is_new] = dense_.emplace(last, static_cast<uint32_t>(partitions_.size()));
      if (is_new) partitions_.push_back(RowAt(batch, static_cast<int64_t>(row), columns_, types_).Serialize());
      last_dense = it->second;
    }
    out[row] = last_dense;
  }
}

RoutedBatch GroupRows(const std::shared_ptr<arrow::RecordBatch>& batch, const std::vector<uint32_t>& targets,
                      uint32_t target_count) {
  RoutedBatch routed;
  size_t rows = targets.size();
  bool grouped = true;
  for (size_t i = 1; i < rows && grouped; ++i) grouped = targets[i] >= targets[i - 1];
  std::vector<int64_t> begin(target_count + 1, 0);
  for (uint32_t target : targets) ++begin[target + 1];
  for (uint32_t t = 0; t < target_count; ++t) begin[t + 1] += begin[t];
  for (uint32_t t = 0; t < target_count; ++t) {
    if (begin[t + 1] > begin[t]) routed.parts.push_back({t, begin[t], begin[t + 1]});
  }
  if (grouped) {
    routed.batch = batch;
    return routed;
  }
  std::vector<int32_t> order(rows);
  std::vector<int64_t> next(begin.begin(), begin.end() - 1);
  for (size_t i = 0; i < rows; ++i) order[static_cast<size_t>(next[targets[i]]++)] = static_cast<int32_t>(i);
  routed.batch = SelectRows(batch, order);
  return routed;
}

}  // namespace mica
