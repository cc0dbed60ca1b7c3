#include "index/deletion_vector.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <roaring/roaring.h>
#include <zlib.h>

#include <algorithm>

#include "base/arrow.h"
#include "base/bytes.h"
#include "base/error.h"

namespace mica {

namespace {

constexpr uint32_t kMagic32 = 1581511376;  // big-endian
constexpr uint32_t kMagic64 = 1681511377;  // little-endian
constexpr size_t kFrameBytes = 8;          // size before, CRC after

struct FreeBitmap {
  void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
};

// Appends the positions of one portable 32-bit bitmap; returns the bytes it took.
size_t AppendBitmap(std::string_view bytes, int64_t base, std::vector<int64_t>* positions) {
  size_t size = roaring_bitmap_portable_deserialize_size(bytes.data(), bytes.size());
  std::unique_ptr<roaring_bitmap_t, FreeBitmap> bitmap(
      size == 0 ? nullptr : roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size()));
  if (!bitmap) throw Corrupt("A deletion vector holds a bitmap that cannot be read");
  std::vector<uint32_t> values(roaring_bitmap_get_cardinality(bitmap.get()));
  roaring_bitmap_to_uint32_array(bitmap.get(), values.data());
  for (uint32_t value : values) positions->push_back(base + value);
  return size;
}

void Append64(std::string_view bytes, std::vector<int64_t>* positions) {
  if (bytes.size() < 8) throw Corrupt("A deletion vector is cut off");
  auto count = LoadLittle<int64_t>(bytes.data());
  bytes.remove_prefix(8);
  int64_t previous = -1;
  for (int64_t i = 0; i < count; ++i) {
    if (bytes.size() < 4) throw Corrupt("A deletion vector is cut off");
    int64_t key = LoadLittle<uint32_t>(bytes.data());
    if (key <= previous || key > INT32_MAX) throw Corrupt("The keys of a deletion vector are not ascending");
    previous = key;
    bytes.remove_prefix(4);
    bytes.remove_prefix(AppendBitmap(bytes, key << 32, positions));
  }
}

using Bitmap = std::unique_ptr<roaring_bitmap_t, FreeBitmap>;

// Appends the portable form of the positions' low 32 bits.
void PutBitmap(std::span<const int64_t> positions, std::string* out) {
  Bitmap bitmap(roaring_bitmap_create());
  std::vector<uint32_t> low(positions.begin(), positions.end());
  roaring_bitmap_add_many(bitmap.get(), low.size(), low.data());
  roaring_bitmap_run_optimize(bitmap.get());
  const size_t at = out->size();
  out->resize(at + roaring_bitmap_portable_size_in_bytes(bitmap.get()));
  roaring_bitmap_portable_serialize(bitmap.get(), out->data() + at);
}

template <typename T>
void PutLittle(T value, std::string* out) {
  out->resize(out->size() + sizeof(T));
  StoreLittle(out->data() + out->size() - sizeof(T), value);
}

template <typename T>
void PutBig(T value, std::string* out) {
  out->resize(out->size() + sizeof(T));
  StoreBig(out->data() + out->size() - sizeof(T), value);
}

}  // namespace

std::string DeletionVector::Serialize(bool bits64) const {
  std::string body;
  if (bits64) {
    PutLittle(kMagic64, &body);
    // Every key up to the greatest, also those without positions.
    const int64_t keys = positions_.empty() ? 0 : (positions_.back() >> 32) + 1;
    PutLittle(keys, &body);
    size_t begin = 0;
    for (int64_t key = 0; key < keys; ++key) {
      size_t end = begin;
      while (end < positions_.size() && positions_[end] >> 32 == key) ++end;
      PutLittle(static_cast<int32_t>(key), &body);
      PutBitmap(std::span(positions_).subspan(begin, end - begin), &body);
      begin = end;
    }
  } else {
    if (!positions_.empty() && positions_.back() > INT32_MAX) {
      throw Unsupported("The row position '{}' does not fit a deletion vector. Set 'deletion-vectors.bitmap64' = 'true'",
                        positions_.back());
    }
    PutBig(kMagic32, &body);
    PutBitmap(positions_, &body);
  }
  std::string block;
  PutBig(static_cast<uint32_t>(body.size()), &block);
  block += body;
  PutBig(static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))),
         &block);
  return block;
}

DeletionVector DeletionVector::With(std::vector<int64_t> positions) const {
  positions.insert(positions.end(), positions_.begin(), positions_.end());
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return DeletionVector(std::move(positions));
}

DeletionVector DeletionVector::Parse(std::string_view block) {
  if (block.size() < kFrameBytes + 4) throw Corrupt("A deletion vector is cut off");
  auto size = LoadBig<uint32_t>(block.data());
  if (size < 4 || size > block.size() - kFrameBytes)
    throw Corrupt("A deletion vector has the impossible size '{}'", size);
  std::string_view body = block.substr(4, size);
  uint64_t crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  if (crc != LoadBig<uint32_t>(block.data() + 4 + size)) throw Corrupt("A deletion vector has a wrong checksum");
  std::vector<int64_t> positions;
  std::string_view bitmap = body.substr(4);
  if (LoadBig<uint32_t>(body.data()) == kMagic32) {
    AppendBitmap(bitmap, 0, &positions);
  } else if (LoadLittle<uint32_t>(body.data()) == kMagic64) {
    Append64(bitmap, &positions);
  } else {
    throw Corrupt("A deletion vector begins with the unknown magic '{:08x}'", LoadBig<uint32_t>(body.data()));
  }
  return DeletionVector(std::move(positions));
}

bool DeletionVector::Contains(int64_t position) const {
  return std::binary_search(positions_.begin(), positions_.end(), position);
}

DeletionVector ReadDeletionVector(FileSystem& fs, const std::string& path, int64_t offset, int64_t length) {
  auto file = fs.OpenInput(path, std::nullopt);
  try {
    if (offset < 1 || length < 4) throw Corrupt("A deletion vector has offset '{}' and length '{}'", offset, length);
    const int64_t rest = Take(file->GetSize()) - offset;
    if (rest < length) throw Corrupt("A deletion vector is cut off");
    std::shared_ptr<arrow::Buffer> block =
        Take(file->ReadAt(offset, std::min(rest, length + static_cast<int64_t>(kFrameBytes))));
    return DeletionVector::Parse({reinterpret_cast<const char*>(block->data()), static_cast<size_t>(block->size())});
  } catch (Error& error) {
    error.Add(fmt::format("deletion vectors '{}' at '{}'", path, offset));
    throw;
  }
}

DeletionVectorFile WriteDeletionVectors(FileSystem& fs, const std::string& path,
                                        std::span<const DeletionVector* const> vectors, bool bits64) {
  DeletionVectorFile written;
  std::string content(1, '\x01');  // version
  for (const DeletionVector* vector : vectors) {
    const std::string block = vector->Serialize(bits64);
    DeletionVectorPlace& place = written.places.emplace_back();
    place.offset = static_cast<int32_t>(content.size());
    // The two forms count differently (Format 10).
    place.length = static_cast<int32_t>(bits64 ? block.size() : block.size() - kFrameBytes);
    content += block;
    if (content.size() > INT32_MAX) throw Unsupported("The deletion vectors of '{}' exceed 2 GB", path);
  }
  auto stream = fs.OpenOutput(path);
  Check(stream->Write(content.data(), static_cast<int64_t>(content.size())));
  Check(stream->Close());
  written.file_bytes = static_cast<int64_t>(content.size());
  return written;
}

}  // namespace mica
