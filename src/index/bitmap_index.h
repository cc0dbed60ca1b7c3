// Bitmap indexes (Format 11): the rows of each distinct value of a column, in the versions 1 and 2.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "index/row_set.h"
#include "types/data_type.h"
#include "types/value.h"

namespace mica {

class BitmapIndexBuilder {
 public:
  // `block_bytes`: of a block of entries (version 2).
  BitmapIndexBuilder(DataType type, int32_t version, int64_t block_bytes);

  // The next row; `value` is the value's form in the index (AppendIndexValue), looked at during the call only.
  void Add(std::string_view value);
  void AddNull() { nulls_.push_back(row_count_++); }

  std::string Serialize() const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  DataType type_;
  int32_t version_;
  int64_t block_bytes_;
  uint32_t row_count_ = 0;
  std::vector<uint32_t> nulls_;
  std::unordered_map<std::string, std::vector<uint32_t>, Hash, std::equal_to<>> rows_;
};

}  // namespace mica
