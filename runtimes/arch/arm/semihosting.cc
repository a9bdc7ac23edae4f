// Semihosting (Arm IHI0100): debug output and the end of the program, where a debugger or QEMU
// listens. Without one the BKPT faults, and HardFault_Handler steps over it with the answer -1.

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/board.h"

namespace opsmith::mcu {

__attribute__((noinline)) int32_t semihost(uint32_t operation, const void* argument) {
  register uint32_t r0 __asm("r0") = operation;
  register const void* r1 __asm("r1") = argument;
  __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return static_cast<int32_t>(r0);
}

}  // namespace opsmith::mcu

namespace opsmith::board {

void debug_write(const char* text) { mcu::write_by_semihosting(text); }

void exit(int status) { mcu::end_by_semihosting(status); }

}  // namespace opsmith::board
