// Forced into the C++ that calls kernels on this machine: while one runs, AddressSanitizer takes
// all of the arena for poisoned but what the node may read and write.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" void __asan_poison_memory_region(const volatile void* start, size_t bytes);
extern "C" void __asan_unpoison_memory_region(const volatile void* start, size_t bytes);

namespace guarded {

// The offset of a region of the arena, and how many bytes it is.
using Region = uint32_t[2];

// A node begins that has N regions of its own.
inline void enter(const uint8_t* arena, size_t bytes, const Region* own, size_t count) {
  __asan_poison_memory_region(arena, bytes);
  for (size_t i = 0; i < count; ++i) {
    __asan_unpoison_memory_region(arena + own[i][0], own[i][1]);
  }
}

inline void leave(const uint8_t* arena, size_t bytes) {
  __asan_unpoison_memory_region(arena, bytes);
}

}  // namespace guarded
