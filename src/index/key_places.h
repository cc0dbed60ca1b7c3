// Where the keys of rows that are about to be written lie already, for tables whose keys may move between partitions
// (Engine 6): 16 bytes a distinct key, whatever the key. Keys are told apart by 104 bits of their hash. Not thread
// safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica {

class KeyPlaces {
 public:
  // A key's slot; valid until the next call of Note.
  struct Slot {
    uint32_t part = 0;
    uint32_t index = 0;
  };
  static constexpr uint32_t kNowhere =
      1;  // a key that was noted, and is nowhere as far as is known; places count from 2

  // `columns` of the batches that come are the key.
  KeyPlaces(std::vector<int> columns, std::vector<DataType> types);

  // Remembers the keys of a batch.
  void Note(const arrow::RecordBatch& batch);
  // The slots of all rows of a batch whose key columns are at `columns`; `found` is false where a key was not noted.
  struct Found {
    Slot slot;
    bool found = false;
  };
  void Find(const arrow::RecordBatch& batch, const std::vector<int>& columns, std::vector<Found>* out) const;

  uint32_t place(Slot slot) const { return parts_[slot.part].entries[slot.index].place; }
  // Different slots may be set by several threads at once.
  void set_place(Slot slot, uint32_t place) { parts_[slot.part].entries[slot.index].place = place; }

  int64_t key_count() const { return key_count_; }
  int64_t memory_bytes() const;
  void Clear();

 private:
  struct Entry {
    std::array<uint32_t, 3> hash{};
    uint32_t place = 0;  // 0: free
  };
  // Open addressing with linear probing, never more than nine tenths full.
  struct Part {
    std::vector<Entry> entries;
    size_t used = 0;
  };
  struct Hash {
    uint64_t high, low;
  };
  void HashKeys(const arrow::RecordBatch& batch, const std::vector<int>& columns, std::vector<Hash>* hashes) const;
  static size_t StartOf(const std::array<uint32_t, 3>& hash, size_t size);
  static void Grow(Part* part);

  std::vector<int> columns_;
  std::vector<DataType> types_;
  std::vector<Part> parts_;
  std::vector<Hash> hashes_;  // of a batch
  int64_t key_count_ = 0;
};

}  // namespace mica
