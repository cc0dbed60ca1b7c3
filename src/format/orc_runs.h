// The run-length encodings of ORC's streams (ORC specification, "Run Length Encoding"): bytes, bits and integers of
// both versions. Each hands out values in order, any number at a time.
#pragma once

#include <array>
#include <cstdint>

#include "format/orc_chunks.h"

namespace mica {

class OrcByteRuns {
 public:
  explicit OrcByteRuns(OrcInput in) : in_(std::move(in)) {}
  void Next(uint8_t* out, int64_t count);

 private:
  OrcInput in_;
  int64_t left_ = 0;  // in the run
  bool repeats_ = false;
  uint8_t value_ = 0;  // of a run that repeats
};

class OrcBitRuns {
 public:
  explicit OrcBitRuns(OrcInput in) : bytes_(std::move(in)) {}
  // One byte a bit, 0 or 1.
  void Next(uint8_t* out, int64_t count);

 private:
  OrcByteRuns bytes_;
  uint8_t byte_ = 0;
  int bits_left_ = 0;
};

class OrcIntegerRuns {
 public:
  enum class Version { kOne, kTwo };
  OrcIntegerRuns(OrcInput in, Version version, bool is_signed)
      : in_(std::move(in)), version_(version), signed_(is_signed) {}
  void Next(int64_t* out, int64_t count);

 private:
  void ReadRun();
  void ReadRunOfVersionOne();
  void ReadShortRepeat(uint8_t header);
  void ReadDirect(uint8_t header);
  void ReadPatched(uint8_t header);
  void ReadDelta(uint8_t header);
  int64_t FromRaw(uint64_t raw) const;
  uint64_t BigEndian(int bytes);
  // `count` numbers of `width` bits, from whole bytes.
  void Unpack(int width, int64_t count, int64_t* out);

  static constexpr int64_t kLongestRun = 512;

  OrcInput in_;
  Version version_;
  bool signed_;
  int64_t begin_ = 0, end_ = 0;  // what is left of run_
  std::array<int64_t, kLongestRun> run_;
};

}  // namespace mica
