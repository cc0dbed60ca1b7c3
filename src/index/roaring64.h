// A set of 64-bit numbers in the serialised form of Java's Roaring64Bitmap (RoaringBitmap 1.x): a radix tree of the upper
// 48 bits, then the containers of the lower 16. The form is that library's own, not the portable one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

struct roaring_bitmap_s;

namespace mica {

class Roaring64 {
 public:
  // Throws Corrupt for bytes that are no such bitmap.
  static Roaring64 Deserialize(std::string_view bytes);
  std::string Serialize() const;

  void Add(uint64_t value);
  void UnionWith(const Roaring64& other);
  uint64_t cardinality() const;

 private:
  struct Free {
    void operator()(roaring_bitmap_s* bitmap) const;
  };
  using Bitmap = std::unique_ptr<roaring_bitmap_s, Free>;

  roaring_bitmap_s* PartOf(uint32_t high);

  std::map<uint32_t, Bitmap> parts_;  // by the upper 32 bits
};

}  // namespace mica
