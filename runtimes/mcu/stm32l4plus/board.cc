// STM32L4+ (L4R5 and kin): 120 MHz from HSI16 and PLL, LPUART1 on PG7 (TX) and PG8 (RX). Registers:
// RM0432; pins: DS12023; the Nucleo-144 connects PG7 and PG8 to its ST-LINK (UM2179).

#include "runtimes/arch/arm/sleep.h"
#include "runtimes/mcu/board.h"
#include "runtimes/mcu/registers.h"

namespace opsmith::board {
namespace {

using namespace opsmith::mcu;

constexpr uint32_t kResetHz = 4'000'000;  // MSI
constexpr uint32_t kPllHz = 120'000'000;
constexpr uint32_t kBaud = 115200;

constexpr uint32_t kPwr = 0x40007000, kPwrControl1 = kPwr + 0x00, kPwrControl2 = kPwr + 0x04,
                   kPwrStatus2 = kPwr + 0x14, kPwrControl5 = kPwr + 0x80;
constexpr uint32_t kRcc = 0x40021000, kRccControl = kRcc + 0x00, kRccConfig = kRcc + 0x08,
                   kRccPll = kRcc + 0x0C, kRccAhb2 = kRcc + 0x4C, kRccApb1 = kRcc + 0x58,
                   kRccApb1Second = kRcc + 0x5C, kRccKernelClocks = kRcc + 0x88;
constexpr uint32_t kFlashAccess = 0x40022000;
constexpr uint32_t kGpioG = 0x48001800, kGpioMode = kGpioG + 0x00, kGpioSpeed = kGpioG + 0x08,
                   kGpioPull = kGpioG + 0x0C, kGpioAlternateLow = kGpioG + 0x20,
                   kGpioAlternateHigh = kGpioG + 0x24;
constexpr uint32_t kUart = 0x40008000, kUartControl = kUart + 0x00, kUartBaud = kUart + 0x0C,
                   kUartStatus = kUart + 0x1C, kUartClear = kUart + 0x20,
                   kUartReceive = kUart + 0x24, kUartTransmit = kUart + 0x28;

uint32_t core_hz = kResetHz;

// RM0432 5.1.8: range 1 in boost mode, which more than 80 MHz need.
bool boost() {
  constexpr uint32_t kPowerClock = 1u << 28, kRange1 = 1u << 9, kRangeMask = 3u << 9;
  constexpr uint32_t kNotReady = 1u << 10, kNormalMode = 1u << 8;
  set_bits(kRccApb1, kPowerClock);
  set_field(kPwrControl1, kRangeMask, kRange1);
  if (!wait_for(kPwrStatus2, kNotReady, 0)) return false;
  clear_bits(kPwrControl5, kNormalMode);
  return true;
}

// RM0432 3.3.3: 5 wait states up to 120 MHz in range 1 boost.
bool slow_flash_down() {
  constexpr uint32_t kWaitStates = 5, kPrefetch = 1u << 8, kInstructionCache = 1u << 9,
                     kDataCache = 1u << 10;
  reg(kFlashAccess) = kWaitStates | kPrefetch | kInstructionCache | kDataCache;
  return wait_for(kFlashAccess, 0xF, kWaitStates);
}

// RM0432 6.2.5: HSI16 / M 2 = 8 MHz; x N 30 = 240 MHz; / R 2 = 120 MHz.
bool start_pll() {
  constexpr uint32_t kHsiOn = 1u << 8, kHsiReady = 1u << 10, kPllOn = 1u << 24,
                     kPllReady = 1u << 25;
  constexpr uint32_t kSourceHsi = 2, kM2 = 1u << 4, kN30 = 30u << 8, kOutputR = 1u << 24,
                     kR2 = 0u << 25;
  set_bits(kRccControl, kHsiOn);
  if (!wait_for(kRccControl, kHsiReady, kHsiReady)) return false;
  reg(kRccPll) = kSourceHsi | kM2 | kN30 | kR2;
  set_bits(kRccControl, kPllOn);
  set_bits(kRccPll, kOutputR);
  return wait_for(kRccControl, kPllReady, kPllReady);
}

// RM0432 6.2.9: above 80 MHz the AHB runs at half speed for at least 1 us around the switch.
void switch_to_pll() {
  constexpr uint32_t kAhbMask = 0xFu << 4, kAhbBy2 = 8u << 4, kSystemPll = 3, kStatusPll = 3u << 2;
  set_field(kRccConfig, kAhbMask, kAhbBy2);
  set_field(kRccConfig, 0x3, kSystemPll);
  if (!wait_for(kRccConfig, 0xC, kStatusPll)) return;
  for (int i = 0; i < 120; ++i) __asm volatile("nop");
  clear_bits(kRccConfig, kAhbMask);
  core_hz = kPllHz;
}

// RM0432 5.1.2 (port G is powered by VDDIO2), 8.4 and 47.4: alternate function 8, 8N1, FIFO of 8.
void start_uart() {
  constexpr uint32_t kPowerClock = 1u << 28, kVddIo2Valid = 1u << 9, kPortG = 1u << 6, kLpuart1 = 1;
  constexpr uint32_t kClockMask = 3u << 10;  // 0: PCLK1
  set_bits(kRccApb1, kPowerClock);
  set_bits(kPwrControl2, kVddIo2Valid);
  set_bits(kRccAhb2, kPortG);
  set_bits(kRccApb1Second, kLpuart1);
  clear_bits(kRccKernelClocks, kClockMask);
  read_back(kRccKernelClocks);  // a few cycles until the clocks are there
  set_field(kGpioAlternateLow, 0xFu << 28, 0x8u << 28);
  set_field(kGpioAlternateHigh, 0xF, 0x8);
  set_field(kGpioSpeed, 0xFu << 14, 0x5u << 14);
  set_field(kGpioPull, 0xFu << 14, 0x5u << 14);
  set_field(kGpioMode, 0xFu << 14, 0xAu << 14);
  constexpr uint32_t kEnable = 1, kReceive = 1u << 2, kTransmit = 1u << 3,
                     kReceiveInterrupt = 1u << 5, kFifo = 1u << 29;
  const uint64_t clocks = 256ull * core_hz;  // the baud register counts 1/256 clocks
  reg(kUartBaud) = static_cast<uint32_t>((clocks + kBaud / 2) / kBaud);
  reg(kUartControl) = kFifo;  // only while disabled
  reg(kUartControl) = kFifo | kReceiveInterrupt | kReceive | kTransmit | kEnable;
}

}  // namespace

void init() {
  if (boost() && start_pll() && slow_flash_down()) switch_to_pll();
  start_uart();
}

void write(const char* text, uint32_t bytes) {
  constexpr uint32_t kTransmitNotFull = 1u << 7;
  for (uint32_t i = 0; i < bytes; ++i) {
    wait_for(kUartStatus, kTransmitNotFull, kTransmitNotFull);
    reg(kUartTransmit) = static_cast<uint8_t>(text[i]);
  }
}

int read() {
  constexpr uint32_t kReceived = 1u << 5, kErrors = 0xF;  // overrun, noise, framing, parity
  const uint32_t status = reg(kUartStatus);
  if (status & kErrors) reg(kUartClear) = kErrors;
  return (status & kReceived) ? static_cast<int>(reg(kUartReceive) & 0xFF) : -1;
}

void wait() {
  constexpr uint32_t kLpuart1Interrupt = 70;  // RM0432 16.3
  constexpr uint32_t kReceivedOrError = 0x2F;
  sleep_until(kLpuart1Interrupt, [] { return (reg(kUartStatus) & kReceivedOrError) != 0; });
}

uint32_t clock_hz() { return core_hz; }

}  // namespace opsmith::board
