// A set of row positions of one data file, as index files tell them. Copies share nothing. Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct roaring_bitmap_s;

namespace mica {

class RowSet {
 public:
  RowSet();
  RowSet(const RowSet& other);
  RowSet(RowSet&&) noexcept = default;
  RowSet& operator=(RowSet other) noexcept;
  ~RowSet() = default;

  // Positions [0, count).
  static RowSet All(uint32_t count);
  static RowSet Of(const std::vector<uint32_t>& positions);
  // The portable form of 32-bit roaring bitmaps at the start of `bytes`. Throws Corrupt.
  static RowSet Parse(std::string_view bytes);
  // The same, and takes its bytes off the front.
  static RowSet Take(std::string_view* bytes);
  std::string Serialize() const;

  void Add(uint32_t position);
  RowSet& operator|=(const RowSet& other);
  RowSet& operator&=(const RowSet& other);
  RowSet& operator-=(const RowSet& other);

  bool empty() const;
  int64_t count() const;
  bool Contains(uint32_t position) const;
  // Ascending.
  std::vector<int64_t> positions() const;

 private:
  struct Free {
    void operator()(roaring_bitmap_s* bitmap) const;
  };
  explicit RowSet(roaring_bitmap_s* bitmap) : bitmap_(bitmap) {}
  std::unique_ptr<roaring_bitmap_s, Free> bitmap_;
};

}  // namespace mica
