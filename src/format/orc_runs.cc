#include "format/orc_runs.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/error.h"
#include "format/protobuf.h"

namespace mica {

namespace {

// Widths that five bits of a header stand for.
int WidthOf(int code) {
  constexpr int kWide[] = {26, 28, 30, 32, 40, 48, 56, 64};
  return code < 24 ? code + 1 : kWide[code - 24];
}

// The next width that has a code.
int RoundWidth(int bits) {
  if (bits <= 24) return std::max(bits, 1);
  if (bits <= 32) return (bits + 1) / 2 * 2;
  return (bits + 7) / 8 * 8;
}

}  // namespace

void OrcByteRuns::Next(uint8_t* out, int64_t count) {
  while (count > 0) {
    if (left_ == 0) {
      const uint8_t header = in_.Byte();
      repeats_ = header < 128;
      left_ = repeats_ ? header + 3 : 256 - header;
      if (repeats_) value_ = in_.Byte();
    }
    const int64_t some = std::min(count, left_);
    if (repeats_) {
      std::memset(out, value_, static_cast<size_t>(some));
    } else {
      in_.Copy(out, some);
    }
    out += some;
    count -= some;
    left_ -= some;
  }
}

void OrcBitRuns::Next(uint8_t* out, int64_t count) {
  auto take = [&](int bits) {
    for (int i = 0; i < bits; ++i, byte_ = static_cast<uint8_t>(byte_ << 1)) *out++ = byte_ >> 7;
    bits_left_ -= bits;
    count -= bits;
  };
  take(static_cast<int>(std::min<int64_t>(count, bits_left_)));
  std::array<uint8_t, 512> block;
  while (count >= 8) {
    const int64_t bytes = std::min<int64_t>(count / 8, static_cast<int64_t>(block.size()));
    bytes_.Next(block.data(), bytes);
    for (int64_t i = 0; i < bytes; ++i) {
      for (int bit = 7; bit >= 0; --bit) *out++ = (block[static_cast<size_t>(i)] >> bit) & 1;
    }
    count -= bytes * 8;
  }
  if (count == 0) return;
  bytes_.Next(&byte_, 1);
  bits_left_ = 8;
  take(static_cast<int>(count));
}

void OrcIntegerRuns::Next(int64_t* out, int64_t count) {
  while (count > 0) {
    if (begin_ == end_) ReadRun();
    const int64_t some = std::min(count, end_ - begin_);
    std::memcpy(out, run_.data() + begin_, static_cast<size_t>(some) * sizeof(int64_t));
    out += some;
    count -= some;
    begin_ += some;
  }
}

int64_t OrcIntegerRuns::FromRaw(uint64_t raw) const {
  return signed_ ? protobuf::Unzigzag(raw) : static_cast<int64_t>(raw);
}

uint64_t OrcIntegerRuns::BigEndian(int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | in_.Byte();
  return value;
}

void OrcIntegerRuns::Unpack(int width, int64_t count, int64_t* out) {
  std::array<uint8_t, kLongestRun * 8 + 8> packed;
  in_.Copy(packed.data(), (count * width + 7) / 8);
  if (width == 64) {
    for (int64_t i = 0; i < count; ++i) out[i] = LoadBig<int64_t>(packed.data() + i * 8);
    return;
  }
  // Narrower widths fit, from any bit of a byte on, into eight bytes.
  int64_t bit = 0;
  for (int64_t i = 0; i < count; ++i, bit += width) {
    out[i] = static_cast<int64_t>(LoadBig<uint64_t>(packed.data() + (bit >> 3)) << (bit & 7) >> (64 - width));
  }
}

void OrcIntegerRuns::ReadRun() {
  begin_ = end_ = 0;
  if (version_ == Version::kOne) return ReadRunOfVersionOne();
  const uint8_t header = in_.Byte();
  switch (header >> 6) {
    case 0:
      return ReadShortRepeat(header);
    case 1:
      return ReadDirect(header);
    case 2:
      return ReadPatched(header);
    default:
      return ReadDelta(header);
  }
}

// Sums wrap around: with damaged bytes they may.
void OrcIntegerRuns::ReadRunOfVersionOne() {
  const auto header = static_cast<int8_t>(in_.Byte());
  if (header < 0) {
    const int64_t count = -int64_t{header};
    for (int64_t i = 0; i < count; ++i) run_[static_cast<size_t>(i)] = FromRaw(in_.Varint());
    end_ = count;
    return;
  }
  const int64_t count = int64_t{header} + 3;
  const auto step = static_cast<uint64_t>(static_cast<int8_t>(in_.Byte()));
  auto value = static_cast<uint64_t>(FromRaw(in_.Varint()));
  for (int64_t i = 0; i < count; ++i, value += step) run_[static_cast<size_t>(i)] = static_cast<int64_t>(value);
  end_ = count;
}

void OrcIntegerRuns::ReadShortRepeat(uint8_t header) {
  const int64_t count = (header & 7) + 3;
  const int64_t value = FromRaw(BigEndian((header >> 3 & 7) + 1));
  std::fill_n(run_.begin(), count, value);
  end_ = count;
}

void OrcIntegerRuns::ReadDirect(uint8_t header) {
  const int64_t count = ((header & 1) << 8 | in_.Byte()) + 1;
  Unpack(WidthOf(header >> 1 & 31), count, run_.data());
  if (signed_) {
    for (int64_t i = 0; i < count; ++i) {
      auto& value = run_[static_cast<size_t>(i)];
      value = protobuf::Unzigzag(static_cast<uint64_t>(value));
    }
  }
  end_ = count;
}

// Narrow numbers above a base, of which a few get more bits by a list of patches.
void OrcIntegerRuns::ReadPatched(uint8_t header) {
  const int width = WidthOf(header >> 1 & 31);
  const int64_t count = ((header & 1) << 8 | in_.Byte()) + 1;
  const uint8_t third = in_.Byte(), fourth = in_.Byte();
  const int base_bytes = (third >> 5) + 1;
  const int patch_width = WidthOf(third & 31);
  const int gap_width = (fourth >> 5) + 1;
  const int64_t patch_count = fourth & 31;
  if (patch_width + gap_width > 64 || width + patch_width > 64) throw Corrupt("A patch of the column is too wide");
  // Sign and magnitude.
  uint64_t base = BigEndian(base_bytes);
  const uint64_t sign = uint64_t{1} << (base_bytes * 8 - 1);
  if (base & sign) base = ~(base & ~sign) + 1;
  Unpack(width, count, run_.data());
  std::array<int64_t, 32> patches;
  Unpack(RoundWidth(patch_width + gap_width), patch_count, patches.data());
  int64_t at = 0;
  for (int64_t i = 0; i < patch_count; ++i) {
    const auto entry = static_cast<uint64_t>(patches[static_cast<size_t>(i)]);
    const uint64_t patch = entry & ((uint64_t{1} << patch_width) - 1);
    const uint64_t gap = entry >> patch_width;
    at += static_cast<int64_t>(gap);
    if (patch == 0 && gap == 255) continue;  // only a longer way
    if (at >= count) throw Corrupt("A patch of the column is behind its run");
    run_[static_cast<size_t>(at)] |= static_cast<int64_t>(patch << width);
  }
  for (int64_t i = 0; i < count; ++i) {
    auto& value = run_[static_cast<size_t>(i)];
    value = static_cast<int64_t>(static_cast<uint64_t>(value) + base);
  }
  end_ = count;
}

void OrcIntegerRuns::ReadDelta(uint8_t header) {
  const int code = header >> 1 & 31;
  const int64_t count = ((header & 1) << 8 | in_.Byte()) + 1;
  auto value = static_cast<uint64_t>(FromRaw(in_.Varint()));
  const int64_t first_step = protobuf::Unzigzag(in_.Varint());
  run_[0] = static_cast<int64_t>(value);
  if (code == 0) {
    for (int64_t i = 1; i < count; ++i) {
      run_[static_cast<size_t>(i)] = static_cast<int64_t>(value += static_cast<uint64_t>(first_step));
    }
  } else if (count > 1) {
    run_[1] = static_cast<int64_t>(value += static_cast<uint64_t>(first_step));
    if (count > 2) Unpack(WidthOf(code), count - 2, run_.data() + 2);
    for (int64_t i = 2; i < count; ++i) {
      const auto step = static_cast<uint64_t>(run_[static_cast<size_t>(i)]);
      value = first_step < 0 ? value - step : value + step;
      run_[static_cast<size_t>(i)] = static_cast<int64_t>(value);
    }
  }
  end_ = count;
}

}  // namespace mica
