// Which allocator backs Arrow's buffers, the bulk of what a process holds.
#pragma once

namespace mica {

// Prefers the allocator that gives memory back soon: with Arrow's own choice a merge was measured to hold 1.7 times as
// much. A choice by the environment (ARROW_DEFAULT_MEMORY_POOL) stays. Call it first in main: Arrow looks once, and other
// threads may not read the environment meanwhile.
void PreferFrugalAllocator();

// Whether Arrow's freed buffers go back to the system at once, which costs time in the kernel, or after a second.
void ReturnFreedBuffersAtOnce(bool at_once);

}  // namespace mica
