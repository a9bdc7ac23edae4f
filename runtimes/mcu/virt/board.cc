// QEMU's RISC-V machine `virt`: an NS16550A UART (PC16550D data sheet) whose interrupt goes through
// a PLIC (RISC-V Platform-Level Interrupt Controller 1.0).

#include "board_setup.h"
#include "runtimes/mcu/board.h"
#include "runtimes/mcu/registers.h"

namespace opsmith::board {
namespace {

using namespace opsmith::mcu;

using setup::kDivider, setup::kUart, setup::kUartInterrupt;
constexpr uint32_t kPlic = 0x0C000000, kPlicPriority = kPlic + 4 * kUartInterrupt,
                   kPlicEnable = kPlic + 0x2000, kPlicThreshold = kPlic + 0x200000,
                   kPlicClaim = kPlic + 0x200004;  // of context 0: hart 0 in machine mode

// The UART's registers are bytes.
enum Register : uint32_t { kData = 0, kInterrupts = 1, kFifo = 2, kLine = 3, kLineStatus = 5 };
volatile uint8_t& uart(Register number) {
  return *reinterpret_cast<volatile uint8_t*>(kUart + number);
}

bool received() {
  constexpr uint8_t kDataReady = 1u << 0;
  return (uart(kLineStatus) & kDataReady) != 0;
}

}  // namespace

void init() {
  constexpr uint8_t kEightBits = 3, kFifosOn = 1, kReceivedInterrupt = 1;
  constexpr uint8_t kDivisor = 1u << 7;
  uart(kLine) = kEightBits | kDivisor;
  uart(kData) = kDivider & 0xFF;
  uart(kInterrupts) = kDivider >> 8;  // the upper byte of the divider, while kDivisor is set
  uart(kLine) = kEightBits;
  uart(kFifo) = kFifosOn;
  uart(kInterrupts) = kReceivedInterrupt;
  reg(kPlicPriority) = 1;
  reg(kPlicThreshold) = 0;
  reg(kPlicEnable) = 1u << kUartInterrupt;
}

bool started() { return uart(kInterrupts) != 0; }

void write(const char* text, uint32_t bytes) {
  constexpr uint8_t kTransmitterEmpty = 1u << 5;
  for (uint32_t i = 0; i < bytes; ++i) {
    for (uint32_t tries = 0; tries < 200000; ++tries) {
      if (uart(kLineStatus) & kTransmitterEmpty) break;
    }
    uart(kData) = static_cast<uint8_t>(text[i]);
  }
}

int read() { return received() ? uart(kData) : -1; }

// A pending interrupt that is enabled wakes the core, and is not taken while mstatus.MIE is clear.
void wait() {
  constexpr uint32_t kExternal = 1u << 11;
  __asm volatile("csrs mie, %0" ::"r"(kExternal) : "memory");
  if (!received()) __asm volatile("wfi" ::: "memory");
  __asm volatile("csrc mie, %0" ::"r"(kExternal) : "memory");
  reg(kPlicClaim) = read_back(kPlicClaim);  // claimed and completed: the next byte asks anew
}

uint32_t clock_hz() { return setup::kClockHz; }

}  // namespace opsmith::board
