// Sleeping until an interrupt is asked for, without a handler for it.
#pragma once

#include <stdint.h>

#include "runtimes/mcu/registers.h"

namespace opsmith::mcu {

// Sleeps until this interrupt (or any enabled one) is pending, unless ready() already. The
// interrupt is enabled in the NVIC only while PRIMASK holds it back: it wakes the core and is never
// taken.
template <class Ready>
void sleep_until(uint32_t interrupt, Ready ready) {
  const uint32_t word = interrupt / 32 * 4, bit = 1u << interrupt % 32;
  constexpr uint32_t kSetEnable = 0xE000E100, kClearEnable = 0xE000E180, kClearPending = 0xE000E280;
  __asm volatile("cpsid i" ::: "memory");
  reg(kClearPending + word) = bit;
  reg(kSetEnable + word) = bit;
  if (!ready()) __asm volatile("dsb\nwfi" ::: "memory");
  reg(kClearEnable + word) = bit;
  __asm volatile("dsb\nisb\ncpsie i" ::: "memory");
}

}  // namespace opsmith::mcu
