// What the startup code of architectures without an operating system shares.
#pragma once

#include <stdint.h>

namespace opsmith::mcu {

// The word that reset paints the unused stack with.
constexpr uint32_t kStackPaint = 0xC5C5C5C5;

// Finds a counter that counts and starts it. A family may give one of its own.
void start_cycles();

// One semihosting request (Arm IHI0100, which RISC-V follows): returns what the debugger answers,
// -1 without one.
int32_t semihost(uint32_t operation, const void* argument);

// Ends the program where a debugger or QEMU listens, else halts.
[[noreturn]] inline void end_by_semihosting(int status) {
  constexpr uint32_t kExitExtended = 0x20, kApplicationExit = 0x20026;
  const uint32_t reason[2] = {kApplicationExit, static_cast<uint32_t>(status)};
  semihost(kExitExtended, reason);
  for (;;) __asm volatile("wfi");
}

// Text for the debugger's console.
inline void write_by_semihosting(const char* text) {
  constexpr uint32_t kWrite0 = 0x04;
  semihost(kWrite0, text);
}

}  // namespace opsmith::mcu
