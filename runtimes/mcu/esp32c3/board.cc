// ESP32-C3: watchdogs, clock and a UART with FIFOs, as family.py sets them up. Its core has a cycle
// counter of its own (components/riscv/include/riscv/rv_utils.h of esp-idf 5595ab27), not mcycle.

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/polled.h"

namespace opsmith::mcu {

void start_cycles() {
  __asm volatile(
      "csrw 0x7e0, %0\n"  // PCER: cycles
      "csrw 0x7e1, %0\n"  // PCMR: counts
      ::"r"(1));
}

}  // namespace opsmith::mcu

namespace opsmith::board {

uint32_t cycles() {
  uint32_t value;
  __asm volatile("csrr %0, 0x7e2" : "=r"(value));  // PCCR
  return value;
}

// Does not sleep: no public text says that an interrupt wakes this core while it masks interrupts.
void wait() {}

}  // namespace opsmith::board
