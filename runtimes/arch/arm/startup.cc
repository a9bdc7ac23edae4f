// Reset of any Cortex-M: FPU on, stack painted, .data copied, .bss zeroed, then main(). See the
// Armv6-M, Armv7-M and Armv8-M Architecture Reference Manuals (DDI0419, DDI0403, DDI0553).

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/arch/bare_metal/memory.h"
#include "runtimes/mcu/board.h"
#include "runtimes/mcu/registers.h"

extern "C" {

// Given by the linker script.
extern uint32_t __stack_limit[], __stack_top[];

void Reset_Handler();
void NMI_Handler();
void HardFault_Handler();
void MemManage_Handler();
void BusFault_Handler();
void UsageFault_Handler();
void SecureFault_Handler();
void SVC_Handler();
void DebugMon_Handler();
void PendSV_Handler();
void SysTick_Handler();

using Handler = void (*)();
struct VectorTable {
  uint32_t* stack;
  Handler handlers[15];
};

// A board with interrupts of its own puts their handlers after it, in section .vectors.external.
extern const VectorTable opsmith_vectors;
__attribute__((section(".vectors"), used)) const VectorTable opsmith_vectors = {
    __stack_top,
    {Reset_Handler, NMI_Handler, HardFault_Handler, MemManage_Handler, BusFault_Handler,
     UsageFault_Handler, SecureFault_Handler, nullptr, nullptr, nullptr, SVC_Handler,
     DebugMon_Handler, nullptr, PendSV_Handler, SysTick_Handler}};

__attribute__((used)) void opsmith_start();
[[noreturn]] __attribute__((used)) void opsmith_exit(int status);

// Assembly, because no compiled code may run before the FPU is on (vectorised loops use its
// registers) and none may run on the stack that is being painted.
__attribute__((naked, used)) void Reset_Handler() {
  __asm volatile(
      "ldr r0, =__stack_top\n"
      "mov sp, r0\n"
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
      "ldr r0, =0xE000ED88\n"  // CPACR: full access to CP10 and CP11, which is FPU and Helium
      "ldr r1, [r0]\n"
      "ldr r2, =0x00F00000\n"
      "orrs r1, r2\n"
      "str r1, [r0]\n"
      "dsb\n"
      "isb\n"
#endif
      "ldr r0, =__stack_limit\n"
#if __ARM_ARCH >= 8 && __ARM_ARCH_ISA_THUMB == 2
      "msr msplim, r0\n"  // overflow faults at the limit, whatever lies below
#endif
      "mov r1, sp\n"
      "ldr r2, =0xC5C5C5C5\n"
      "1: str r2, [r0]\n"
      "adds r0, #4\n"
      "cmp r0, r1\n"
      "blo 1b\n"
      "bl opsmith_start\n"
      "bl main\n"  // C++ must not call it, and an application may give it parameters
      "bl opsmith_exit\n"
      ".ltorg\n");
}

// Armv6-M and Armv7-M have no stack limit register; where there is an MPU (DDI0403 B3.5), 4 KB
// below RAM become forbidden. All else stays as it is without MPU.
static void guard_stack() {
#if __ARM_ARCH < 8
  constexpr uint32_t kMpuType = 0xE000ED90, kMpuControl = 0xE000ED94, kMpuNumber = 0xE000ED98,
                     kMpuBase = 0xE000ED9C, kMpuAttributes = 0xE000EDA0;
  constexpr uint32_t kGuard = 4096, kNoAccess4K = 1u << 28 | 11u << 1 | 1,
                     kDefaultMap = 1u << 2 | 1;
  const uint32_t limit = reinterpret_cast<uint32_t>(__stack_limit);
  const bool has_mpu = (opsmith::mcu::reg(kMpuType) >> 8 & 0xFF) != 0;
  if (!has_mpu || limit % kGuard != 0) return;
  opsmith::mcu::reg(kMpuNumber) = 0;
  opsmith::mcu::reg(kMpuBase) = limit - kGuard;
  opsmith::mcu::reg(kMpuAttributes) = kNoAccess4K;
  opsmith::mcu::reg(kMpuControl) = kDefaultMap;
  __asm volatile("dsb\nisb" ::: "memory");
#endif
}

void opsmith_start() {
  constexpr uint32_t kVtor = 0xE000ED08;
  opsmith::mcu::reg(kVtor) = reinterpret_cast<uint32_t>(&opsmith_vectors);
#if __ARM_ARCH >= 8 && __ARM_ARCH_ISA_THUMB == 2
  constexpr uint32_t kCcr = 0xE000ED14, kLowOverheadBranches = 1u << 19;
  opsmith::mcu::set_bits(kCcr, kLowOverheadBranches);  // reserved before Armv8.1-M, ignored there
#endif
  opsmith::mcu::initialise_memory();
  guard_stack();
  opsmith::mcu::start_cycles();
}

void opsmith_exit(int status) { opsmith::board::exit(status); }

}  // extern "C"
