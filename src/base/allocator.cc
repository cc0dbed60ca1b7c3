#include "base/allocator.h"

#include <cstdlib>

#include <arrow/memory_pool.h>

namespace mica {

void PreferFrugalAllocator() {
  setenv("ARROW_DEFAULT_MEMORY_POOL", "jemalloc", 0);
}

void ReturnFreedBuffersAtOnce(bool at_once) {
  // Where the allocator is another one there is nothing to set.
  (void)arrow::jemalloc_set_decay_ms(at_once ? 0 : 1000);
}

}  // namespace mica
