#include "base/uuid.h"

#include <sys/random.h>

#include <cstdint>

#include <fmt/format.h>

#include "base/error.h"

namespace mica {

std::string RandomUuid() {
  // Read from the system each time: a child made by fork must not repeat its parent's names. Not std::random_device,
  // whose processor instruction takes 80 microseconds in a virtual machine, and every published file asks for a name.
  uint64_t words[2];
  if (::getrandom(words, sizeof(words), 0) != sizeof(words)) throw Internal("The system gives no random bytes");
  uint64_t high = (words[0] & ~uint64_t{0xf000}) | 0x4000;
  uint64_t low = (words[1] & ~(uint64_t{3} << 62)) | (uint64_t{1} << 63);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xffff, low >> 48,
                     low & 0xffffffffffff);
}

}  // namespace mica
