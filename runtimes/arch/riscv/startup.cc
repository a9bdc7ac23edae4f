// Reset of a RISC-V core in machine mode: traps, FPU and vectors on, stack painted, .data copied,
// .bss zeroed, then main(). See The RISC-V Instruction Set Manual, Volume II: Privileged
// Architecture, 1.11.

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/arch/bare_metal/memory.h"
#include "runtimes/mcu/board.h"

extern "C" {

// Given by the linker script.
extern uint32_t __stack_limit[], __stack_top[];

__attribute__((used)) void opsmith_start();
[[noreturn]] __attribute__((used)) void opsmith_exit(int status);

// Assembly, because no compiled code may run before sp and gp are set, and none may run on the
// stack that is being painted. First in flash: reset may start there. One core runs; others sleep.
__attribute__((naked, used, section(".reset"))) void _start() {
  __asm volatile(
      "csrci mstatus, 8\n"  // MIE; not every core has mie
      "csrr t0, mhartid\n"
      "1: beqz t0, 2f\n"
      "wfi\n"
      "j 1b\n"
      "2:\n"
      ".option push\n"
      ".option norelax\n"  // which would be relative to gp itself
      "la gp, __global_pointer$\n"
      ".option pop\n"
      "la sp, __stack_top\n"
      "la t0, opsmith_trap\n"
      "csrw mtvec, t0\n"
#if defined(__riscv_flen)
      "li t0, 0x2000\n"  // mstatus.FS, initial: without it, instructions of the FPU are illegal
      "csrs mstatus, t0\n"
      "csrw fcsr, zero\n"  // rounds to nearest
#endif
#if defined(__riscv_vector)
      "li t0, 0x200\n"  // mstatus.VS, initial, likewise
      "csrs mstatus, t0\n"
#endif
      "la t0, __stack_limit\n"
      "li t1, 0xC5C5C5C5\n"
      "3: sw t1, 0(t0)\n"
      "addi t0, t0, 4\n"
      "bltu t0, sp, 3b\n"
      "call opsmith_start\n"
      "call main\n"  // C++ must not call it, and an application may give it parameters
      "call opsmith_exit\n");
}

// Forbids 4 KB below the stack, where physical memory protection exists: writing its registers
// traps where it does not. A locked entry holds in machine mode, too.
static void guard_stack() {
  constexpr uint32_t kGuard = 4096, kPowerOfTwo = 3u << 3, kLocked = 1u << 7;
  const uint32_t begin = reinterpret_cast<uint32_t>(__stack_limit) - kGuard;
  if (begin % kGuard != 0) return;
  const uint32_t address = begin >> 2 | (kGuard / 8 - 1), entry = kPowerOfTwo | kLocked;
  __asm volatile(
      "la t0, 1f\n"
      "csrrw t0, mtvec, t0\n"
      "csrw pmpaddr0, %0\n"
      "csrw pmpcfg0, %1\n"
      ".balign 4\n"
      "1: csrw mtvec, t0\n"
      :
      : "r"(address), "r"(entry)
      : "t0", "memory");
}

void opsmith_start() {
  opsmith::mcu::initialise_memory();
  guard_stack();
  opsmith::mcu::start_cycles();
}

void opsmith_exit(int status) { opsmith::board::exit(status); }

}  // extern "C"
