// Deletion vectors (Format 10): the positions of deleted rows of one data file, as blocks of index files of the type
// DELETION_VECTORS. Reads both forms, with 32-bit and with 64-bit positions, and checks the checksum.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_system.h"

namespace mica {

inline constexpr std::string_view kDeletionVectorsType = "DELETION_VECTORS";

// Immutable; thread safe.
class DeletionVector {
 public:
  // `positions` are ascending and distinct.
  explicit DeletionVector(std::vector<int64_t> positions) : positions_(std::move(positions)) {}

  // One block: size, magic, bitmap, CRC. Throws Corrupt.
  static DeletionVector Parse(std::string_view block);

  // One block as Parse takes it, with 64-bit positions (`deletion-vectors.bitmap64`) or 32-bit ones. Throws Unsupported
  // for a position beyond 32 bits without `bits64`.
  std::string Serialize(bool bits64) const;

  // Ascending row positions in the data file.
  const std::vector<int64_t>& positions() const { return positions_; }
  int64_t cardinality() const { return static_cast<int64_t>(positions_.size()); }
  bool Contains(int64_t position) const;
  // With further positions, in any order, also known ones.
  DeletionVector With(std::vector<int64_t> positions) const;

 private:
  std::vector<int64_t> positions_;
};

// The vector at `offset` (`f1`) of an index file. `length` (`f2`) counts differently in the two forms, so it is only a
// hint of how much to read; the block says its own size.
DeletionVector ReadDeletionVector(FileSystem& fs, const std::string& path, int64_t offset, int64_t length);

// Where a block lies in an index file, as the index manifest says it (`f1`, `f2`).
struct DeletionVectorPlace {
  int32_t offset = 0;
  int32_t length = 0;
};
struct DeletionVectorFile {
  int64_t file_bytes = 0;
  std::vector<DeletionVectorPlace> places;  // one a vector, in order
};
// Writes an index file of these vectors.
DeletionVectorFile WriteDeletionVectors(FileSystem& fs, const std::string& path,
                                        std::span<const DeletionVector* const> vectors, bool bits64);

}  // namespace mica
