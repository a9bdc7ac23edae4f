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
