// Hazard3, the RISC-V core of RP2350: its cycle counter, and sleep until the UART asks. Registers
// by their names in src/rp2350/hardware_regs/include/hardware/regs/rvcsr.h of raspberrypi/pico-sdk
// a1438dff.
#pragma once

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/polled.h"

namespace opsmith::mcu {

// Reset stops the counter, to save power.
void start_cycles() { __asm volatile("csrci 0x320, 1"); }  // MCOUNTINHIBIT: CY

}  // namespace opsmith::mcu

namespace opsmith::board {

// A pending interrupt that is enabled wakes the core, and is not taken while mstatus.MIE is clear.
void wait() {
  constexpr uint32_t kExternal = 1u << 11;  // MIE: MEIE
  const uint32_t interrupt = kConsole.interrupt;
  const uint32_t enable = 1u << (16 + interrupt % 16) | interrupt / 16;  // MEIEA: WINDOW and INDEX
  __asm volatile(
      "csrs 0xBE0, %0\n"
      "csrs mie, %1\n" ::"r"(enable),
      "r"(kExternal)
      : "memory");
  if (!received()) __asm volatile("wfi" ::: "memory");
  __asm volatile(
      "csrc mie, %1\n"
      "csrc 0xBE0, %0\n" ::"r"(enable),
      "r"(kExternal)
      : "memory");
}

}  // namespace opsmith::board
