// The cycle counter: DWT.CYCCNT where it counts, else SysTick made wider by its interrupt (Armv6-M
// has no CYCCNT, QEMU's stands still). A family whose MCU has neither gives start_cycles() and
// cycles() itself.

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/board.h"
#include "runtimes/mcu/registers.h"

namespace opsmith::mcu {
namespace {

constexpr uint32_t kSysTickControl = 0xE000E010, kSysTickReload = 0xE000E014,
                   kSysTickValue = 0xE000E018;
constexpr uint32_t kSysTickMask = 0x00FF'FFFF;  // 24 bits
constexpr uint32_t kSysTickRun = 0x7;           // CPU clock, interrupt, enable
constexpr uint32_t kDwtControl = 0xE000'1000, kDwtCycles = 0xE000'1004;

bool dwt_counts = false;
volatile uint32_t systick_wraps = 0;

#if __ARM_ARCH_ISA_THUMB == 2
bool start_dwt() {
  constexpr uint32_t kDemcr = 0xE000EDFC, kTraceEnable = 1u << 24;
  constexpr uint32_t kDwtLock = 0xE0001FB0, kDwtKey = 0xC5ACCE55;  // Cortex-M7 locks it
  set_bits(kDemcr, kTraceEnable);
  reg(kDwtLock) = kDwtKey;
  reg(kDwtCycles) = 0;
  set_bits(kDwtControl, 1);
  const uint32_t before = reg(kDwtCycles);
  for (int i = 0; i < 16; ++i) __asm volatile("nop");
  return reg(kDwtCycles) != before;
}
#else
bool start_dwt() { return false; }
#endif

}  // namespace

__attribute__((weak)) void start_cycles() {
  dwt_counts = start_dwt();
  if (dwt_counts) return;
  reg(kSysTickReload) = kSysTickMask;
  reg(kSysTickValue) = 0;
  reg(kSysTickControl) = kSysTickRun;
}

extern "C" __attribute__((weak)) void SysTick_Handler() { systick_wraps = systick_wraps + 1; }

}  // namespace opsmith::mcu

namespace opsmith::board {

__attribute__((weak)) uint32_t cycles() {
  using namespace opsmith::mcu;
  if (dwt_counts) return reg(kDwtCycles);
  for (;;) {
    const uint32_t wraps = systick_wraps;
    const uint32_t value = reg(kSysTickValue);
    if (wraps == systick_wraps) return (wraps << 24) + (kSysTickMask - value);
  }
}

}  // namespace opsmith::board
