#include "base/uuid.h"

#include <cstdint>
#include <random>

#include <fmt/format.h>

namespace mica {

std::string RandomUuid() {
  // Read from the system each time: a child made by fork must not repeat its parent's names.
  std::random_device device;
  auto word = [&] { return (static_cast<uint64_t>(device()) << 32) | device(); };
  uint64_t high = (word() & ~uint64_t{0xf000}) | 0x4000;
  uint64_t low = (word() & ~(uint64_t{3} << 62)) | (uint64_t{1} << 63);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xffff, low >> 48,
                     low & 0xffffffffffff);
}

}  // namespace mica
