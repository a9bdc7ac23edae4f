// The cycle counter of machine mode. A family whose core has none gives start_cycles() and cycles()
// itself.

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/board.h"

__attribute__((weak)) void opsmith::mcu::start_cycles() {}  // it counts from reset

__attribute__((weak)) uint32_t opsmith::board::cycles() {
  uint32_t value;
  __asm volatile("csrr %0, mcycle" : "=r"(value));
  return value;
}
