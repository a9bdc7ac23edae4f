// STM32F405/407/415/417: 168 MHz from HSI and PLL, USART1 on PA9 (TX) and PA10 (RX). Registers:
// RM0090; pins: DS8626.

#include "runtimes/arch/arm/sleep.h"
#include "runtimes/mcu/board.h"
#include "runtimes/mcu/registers.h"

namespace opsmith::board {
namespace {

using namespace opsmith::mcu;

constexpr uint32_t kHsiHz = 16'000'000, kPllHz = 168'000'000;
constexpr uint32_t kBaud = 115200;

constexpr uint32_t kPwr = 0x40007000, kPwrControl = kPwr + 0x00;
constexpr uint32_t kRcc = 0x40023800, kRccControl = kRcc + 0x00, kRccPll = kRcc + 0x04,
                   kRccConfig = kRcc + 0x08, kRccAhb1 = kRcc + 0x30, kRccApb1 = kRcc + 0x40,
                   kRccApb2 = kRcc + 0x44;
constexpr uint32_t kFlashAccess = 0x40023C00;
constexpr uint32_t kGpioA = 0x40020000, kGpioMode = kGpioA + 0x00, kGpioSpeed = kGpioA + 0x08,
                   kGpioPull = kGpioA + 0x0C, kGpioAlternateHigh = kGpioA + 0x24;
constexpr uint32_t kUsart = 0x40011000, kUsartStatus = kUsart + 0x00, kUsartData = kUsart + 0x04,
                   kUsartBaud = kUsart + 0x08, kUsartControl = kUsart + 0x0C;
constexpr uint32_t kDebugId = 0xE0042000;

uint32_t core_hz = kHsiHz;

// RM0090 3.5.1: 5 wait states for 150 < HCLK <= 168 MHz at 2.7 to 3.6 V; the reset value stays
// where the write does not read back. Revision A silicon (errata ES0182) must not prefetch.
bool slow_flash_down() {
  constexpr uint32_t kWaitStates = 5, kPrefetch = 1u << 8, kInstructionCache = 1u << 9,
                     kDataCache = 1u << 10, kRevisionZ = 0x1001;
  const uint32_t prefetch = (reg(kDebugId) >> 16) >= kRevisionZ ? kPrefetch : 0;
  reg(kFlashAccess) = kWaitStates | kInstructionCache | kDataCache | prefetch;
  return wait_for(kFlashAccess, 0x7, kWaitStates);
}

// RM0090 7.3.2: HSI 16 MHz / M 8 = 2 MHz; x N 168 = 336 MHz; / P 2 = 168 MHz; / Q 7 = 48 MHz.
void start_pll() {
  constexpr uint32_t kPllOn = 1u << 24, kPllReady = 1u << 25;
  constexpr uint32_t kM = 8, kN = 168u << 6, kP2 = 0u << 16, kSourceHsi = 0u << 22, kQ = 7u << 24;
  constexpr uint32_t kScale1 = 1u << 14, kPowerClock = 1u << 28;
  set_bits(kRccApb1, kPowerClock);
  set_bits(kPwrControl, kScale1);  // RM0090 5.1.3: above 144 MHz
  reg(kRccPll) = kM | kN | kP2 | kSourceHsi | kQ;
  set_bits(kRccControl, kPllOn);
  if (!wait_for(kRccControl, kPllReady, kPllReady) || !slow_flash_down()) return;
  constexpr uint32_t kApb1By4 = 5u << 10, kApb2By2 = 4u << 13, kSystemPll = 2, kStatusPll = 2u << 2;
  set_field(kRccConfig, 0xFCF3, kApb1By4 | kApb2By2 | kSystemPll);
  if (wait_for(kRccConfig, 0xC, kStatusPll)) core_hz = kPllHz;
}

// RM0090 8.3 and 30.3: alternate function 7, 8 data bits, no parity, 1 stop bit, oversampling
// by 16.
void start_usart() {
  constexpr uint32_t kPortA = 1u << 0, kUsart1 = 1u << 4;
  set_bits(kRccAhb1, kPortA);
  set_bits(kRccApb2, kUsart1);
  read_back(kRccApb2);  // errata ES0182: the clock is there two cycles after the write
  set_field(kGpioAlternateHigh, 0xFF0, 0x770);
  set_field(kGpioSpeed, 0xFu << 18, 0x5u << 18);
  set_field(kGpioPull, 0xFu << 18, 0x5u << 18);  // pull-up: an open line is idle
  set_field(kGpioMode, 0xFu << 18, 0xAu << 18);
  const uint32_t bus_hz = core_hz == kPllHz ? kPllHz / 2 : kHsiHz;
  constexpr uint32_t kEnable = 1u << 13, kTransmit = 1u << 3, kReceive = 1u << 2,
                     kReceiveInterrupt = 1u << 5;
  reg(kUsartBaud) = (bus_hz + kBaud / 2) / kBaud;
  reg(kUsartControl) = kEnable | kTransmit | kReceive | kReceiveInterrupt;
}

}  // namespace

void init() {
  start_pll();
  start_usart();
}

void write(const char* text, uint32_t bytes) {
  constexpr uint32_t kTransmitEmpty = 1u << 7;
  for (uint32_t i = 0; i < bytes; ++i) {
    wait_for(kUsartStatus, kTransmitEmpty, kTransmitEmpty);
    reg(kUsartData) = static_cast<uint8_t>(text[i]);
  }
}

int read() {
  constexpr uint32_t kReceived = 1u << 5, kErrors = 0xF;  // overrun, noise, framing, parity
  const uint32_t status = reg(kUsartStatus);
  if ((status & (kReceived | kErrors)) == 0) return -1;
  const uint32_t data = reg(kUsartData);  // after the status: clears the errors too
  return (status & kReceived) ? static_cast<int>(data & 0xFF) : -1;
}

void wait() {
  constexpr uint32_t kUsart1Interrupt = 37;  // RM0090 12.2
  constexpr uint32_t kReceivedOrError = 0x2F;
  sleep_until(kUsart1Interrupt, [] { return (reg(kUsartStatus) & kReceivedOrError) != 0; });
}

uint32_t clock_hz() { return core_hz; }

}  // namespace opsmith::board
