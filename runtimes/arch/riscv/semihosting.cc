// Semihosting (RISC-V Semihosting 0.4, which follows Arm's): debug output and the end of the
// program, where a debugger or QEMU listens. Without one the EBREAK traps, and opsmith_trap() steps
// over it with the answer -1.

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/board.h"

namespace opsmith::mcu {

// A debugger knows the call by the two instructions around EBREAK, uncompressed and in one page.
__attribute__((noinline)) int32_t semihost(uint32_t operation, const void* argument) {
  register uint32_t a0 __asm("a0") = operation;
  register const void* a1 __asm("a1") = argument;
  __asm volatile(
      ".balign 16\n"
      ".option push\n"
      ".option norvc\n"
      "slli x0, x0, 0x1f\n"
      "ebreak\n"
      "srai x0, x0, 7\n"
      ".option pop\n"
      : "+r"(a0), "+r"(a1)
      :  // what opsmith_trapped() may change
      : "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "memory");
  return static_cast<int32_t>(a0);
}

}  // namespace opsmith::mcu

namespace opsmith::board {

void debug_write(const char* text) { mcu::write_by_semihosting(text); }

void exit(int status) { mcu::end_by_semihosting(status); }

}  // namespace opsmith::board
