// Low power on a Cortex-M with SysTick (an nRF51 has none): it wakes the core a hundred times a
// second, ten inferences a second run, and between them the core sleeps (WFI).
//
// SysTick stops in deep sleep. There a low-power timer takes its place (LPTIM, RTC), and what stops
// with the clocks has to be started again.

#include <stdint.h>
#include <stdio.h>

#include "model.h"
#include "runtimes/mcu/board.h"

namespace model = OPSMITH_MODEL;

namespace {

constexpr uint32_t kTicks = 10;  // of 10 ms, from one inference to the next
constexpr int kInferences = 5;   // and then it ends: a product would not
volatile uint32_t ticks = 0;

volatile uint32_t& reg(uintptr_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }

void start_ticks() {
  constexpr uintptr_t kControl = 0xE000E010, kReload = 0xE000E014, kValue = 0xE000E018;
  constexpr uint32_t kRun = 7;  // the core's clock, interrupt, enable
  reg(kReload) = opsmith::board::clock_hz() / 100 - 1;
  reg(kValue) = 0;
  reg(kControl) = kRun;
}

}  // namespace

// In place of the one that counts cycles where the core has no counter: board::cycles() is void.
extern "C" void SysTick_Handler() { ticks = ticks + 1; }

namespace app {

// Sleeps until a tick. The core does not take interrupts between the question and WFI, which wakes
// for them all the same.
void sleep_until(uint32_t tick) {
  while (static_cast<int32_t>(ticks - tick) < 0) {
    __asm volatile("cpsid i" ::: "memory");
    if (static_cast<int32_t>(ticks - tick) < 0) __asm volatile("dsb\nwfi" ::: "memory");
    __asm volatile("cpsie i\nisb" ::: "memory");
  }
}

__attribute__((noinline, noclone)) void period(uint32_t tick) {
  model::invoke();
  sleep_until(tick);
}

}  // namespace app

int main() {
  opsmith::board::init();
  start_ticks();
  for (int i = 1; i <= kInferences; ++i) app::period(static_cast<uint32_t>(i) * kTicks);
  printf("%d inferences in %u ticks\n", kInferences, static_cast<unsigned>(ticks));
  return 0;
}
