// Traps: prints the registers and why the core trapped over the console, then ends the program. The
// dump runs on a stack of its own, so stack overflows are reported, too; fault.py explains it.

#include <stdint.h>

#include "runtimes/arch/bare_metal/dump.h"

extern "C" {

extern const uint32_t __stack_limit[];

// What opsmith_trap saves, in this order, on top of its stack.
struct Frame {
  uint32_t pc, ra, sp, gp, a0, a1, a2, a3, a4, a5, cause, value, status;
};
struct TrapMemory {
  alignas(16) uint32_t stack[112];
  Frame frame;
  uint32_t pad[3];
};
static_assert(sizeof(TrapMemory) == 512, "opsmith_trap says 448 to the frame");
extern TrapMemory opsmith_trap_memory;
__attribute__((used)) TrapMemory opsmith_trap_memory;

}  // extern "C"

namespace opsmith::mcu {
namespace {

constexpr uint32_t kBreakpoint = 3, kEbreak = 0x00100073, kSemihostingAfter = 0x40705013;

// The EBREAK of semihost(), with nobody there to answer it.
bool unanswered_semihosting(const Frame& frame) {
  if (frame.cause != kBreakpoint) return false;
  const volatile uint32_t* code = reinterpret_cast<const uint32_t*>(frame.pc);
  return frame.pc % 4 == 0 && code[0] == kEbreak && code[1] == kSemihostingAfter;
}

void print_trap(const Frame& frame) {
  put("\n!fault");
  put_words("pc\0ra\0sp\0gp\0a0\0a1\0a2\0a3\0a4\0a5\0cause\0value\0status\0", &frame.pc);
  put_word("limit", reinterpret_cast<uint32_t>(__stack_limit));
  put("\n!end\n");
}

}  // namespace

// Returns where semihosting was not answered, with -1; of any other trap there is no return.
extern "C" __attribute__((used)) void opsmith_trapped(Frame* frame) {
  if (unanswered_semihosting(*frame)) {
    frame->a0 = 0xFFFFFFFF;
    frame->pc += 4;
    return;
  }
  print_trap(*frame);
  board::exit(70);
}

// Of the registers that a call may change, ra alone is restored: semihost() expects no more. Some
// cores have no lower 8 bits in mtvec.
extern "C" __attribute__((naked, used, aligned(256))) void opsmith_trap() {
  __asm volatile(
      "csrw mscratch, sp\n"
      "la sp, opsmith_trap_memory + 448\n"
      "sw ra, 4(sp)\n"
      "sw gp, 12(sp)\n"
      "sw a0, 16(sp)\n"
      "sw a1, 20(sp)\n"
      "sw a2, 24(sp)\n"
      "sw a3, 28(sp)\n"
      "sw a4, 32(sp)\n"
      "sw a5, 36(sp)\n"
      "csrr a0, mepc\n"
      "sw a0, 0(sp)\n"
      "csrr a0, mscratch\n"
      "sw a0, 8(sp)\n"
      "csrr a0, mcause\n"
      "sw a0, 40(sp)\n"
      "csrr a0, mtval\n"
      "sw a0, 44(sp)\n"
      "csrr a0, mstatus\n"
      "sw a0, 48(sp)\n"
      "mv a0, sp\n"
      "call opsmith_trapped\n"
      "lw a0, 0(sp)\n"
      "csrw mepc, a0\n"
      "lw a0, 16(sp)\n"
      "lw ra, 4(sp)\n"
      "lw sp, 8(sp)\n"
      "mret\n");
}

}  // namespace opsmith::mcu
