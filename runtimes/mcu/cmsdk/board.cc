// Arm MPS2 and MPS3 FPGA images: the APB UART of the Cortex-M System Design Kit (DDI0479). The FPGA
// sets the clock. The board says CMSDK_UART, the address, CMSDK_UART_RX, the receive interrupt, and
// CMSDK_CLOCK_HZ.

#include "runtimes/arch/arm/sleep.h"
#include "runtimes/mcu/board.h"
#include "runtimes/mcu/registers.h"

namespace opsmith::board {
namespace {

using namespace opsmith::mcu;

constexpr uint32_t kBaud = 115200;
constexpr uint32_t kData = CMSDK_UART + 0x00, kState = CMSDK_UART + 0x04,
                   kControl = CMSDK_UART + 0x08, kInterrupts = CMSDK_UART + 0x0C,
                   kDivider = CMSDK_UART + 0x10;

}  // namespace

void init() {
  constexpr uint32_t kTransmit = 1u << 0, kReceive = 1u << 1, kReceiveInterrupt = 1u << 3;
  reg(kDivider) = (CMSDK_CLOCK_HZ + kBaud / 2) / kBaud;
  reg(kControl) = kTransmit | kReceive | kReceiveInterrupt;
  read_back(kData);  // drops what came before; QEMU looks for more when the register is read
}

void write(const char* text, uint32_t bytes) {
  constexpr uint32_t kTransmitFull = 1u << 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    wait_for(kState, kTransmitFull, 0);
    reg(kData) = static_cast<uint8_t>(text[i]);
  }
}

int read() {
  constexpr uint32_t kReceived = 1u << 1, kOverruns = 3u << 2;
  const uint32_t state = reg(kState);
  if (state & kOverruns) reg(kState) = kOverruns;
  return (state & kReceived) ? static_cast<int>(reg(kData) & 0xFF) : -1;
}

void wait() {
  constexpr uint32_t kReceived = 1u << 1;
  reg(kInterrupts) = kReceived;
  sleep_until(CMSDK_UART_RX, [] { return (reg(kState) & kReceived) != 0; });
}

uint32_t clock_hz() { return CMSDK_CLOCK_HZ; }

}  // namespace opsmith::board
