// What the linker script says of memory: what reset copies and zeroes, and what it calls.
#pragma once

#include <stdint.h>

extern "C" {

struct CopyEntry {
  const uint32_t* from;
  uint32_t* begin;
  uint32_t* end;
};
struct ZeroEntry {
  uint32_t* begin;
  uint32_t* end;
};

extern const CopyEntry __copy_table_start[], __copy_table_end[];
extern const ZeroEntry __zero_table_start[], __zero_table_end[];
extern void (*const __init_array_start[])();
extern void (*const __init_array_end[])();

}  // extern "C"

namespace opsmith::mcu {

// Copies .data, zeroes .bss and runs static constructors. Inlined into the code of reset.
__attribute__((always_inline)) inline void initialise_memory() {
  for (const CopyEntry* entry = __copy_table_start; entry != __copy_table_end; ++entry) {
    const uint32_t* from = entry->from;
    for (uint32_t* to = entry->begin; to != entry->end;) *to++ = *from++;
  }
  for (const ZeroEntry* entry = __zero_table_start; entry != __zero_table_end; ++entry) {
    for (uint32_t* to = entry->begin; to != entry->end;) {
      *to++ = 0;
      __asm volatile("");  // else GCC calls memset(), which is larger than most firmware needs
    }
  }
  for (auto constructor = __init_array_start; constructor != __init_array_end; ++constructor) {
    (*constructor)();
  }
}

}  // namespace opsmith::mcu
