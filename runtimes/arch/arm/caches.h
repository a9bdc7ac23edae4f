// The caches of a Cortex-M7 (DDI0403 B2.2, B3.2). Nothing in firmware uses DMA.
#pragma once

#include <stdint.h>

#include "runtimes/mcu/registers.h"

namespace opsmith::mcu {

// Invalidates both, which reset does not, and turns them on. They are to be off.
inline void start_caches() {
  constexpr uint32_t kControl = 0xE000ED14, kSize = 0xE000ED80, kSelect = 0xE000ED84,
                     kInvalidateInstructions = 0xE000EF50, kInvalidateSetWay = 0xE000EF60;
  constexpr uint32_t kData = 1u << 16, kInstructions = 1u << 17;
  __asm volatile("dsb\nisb" ::: "memory");
  if (reg(kControl) & (kData | kInstructions)) return;
  reg(kInvalidateInstructions) = 0;
  reg(kSelect) = 0;  // data, level 1
  __asm volatile("dsb" ::: "memory");
  const uint32_t size = reg(kSize), ways = size >> 3 & 0x3FF, sets = size >> 13 & 0x7FFF;
  for (uint32_t set = 0; set <= sets; ++set) {
    for (uint32_t way = 0; way <= ways; ++way) reg(kInvalidateSetWay) = way << 30 | set << 5;
  }
  __asm volatile("dsb" ::: "memory");
  set_bits(kControl, kData | kInstructions);
  __asm volatile("dsb\nisb" ::: "memory");
}

}  // namespace opsmith::mcu
