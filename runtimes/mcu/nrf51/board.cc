// nRF51 Series: 16 MHz from the crystal, UART0, cycles of TIMER0, since this Cortex-M0 has no
// SysTick. The board says NRF51_UART_TX and NRF51_UART_RX, the pins. Registers: nRF51 Series
// Reference Manual 3.0.

#include "runtimes/arch/arm/sleep.h"
#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/board.h"
#include "runtimes/mcu/registers.h"

namespace opsmith {
namespace {

using namespace opsmith::mcu;

constexpr uint32_t kClockHz = 16'000'000;

constexpr uint32_t kClock = 0x40000000, kClockStart = kClock + 0x000,
                   kClockStarted = kClock + 0x100;
constexpr uint32_t kGpio = 0x50000000, kGpioSet = kGpio + 0x508, kGpioPins = kGpio + 0x700;
constexpr uint32_t kUart = 0x40002000, kUartStartReceive = kUart + 0x000,
                   kUartStartTransmit = kUart + 0x008, kUartReceived = kUart + 0x108,
                   kUartTransmitted = kUart + 0x11C, kUartInterrupts = kUart + 0x304,
                   kUartEnable = kUart + 0x500, kUartTx = kUart + 0x50C, kUartRx = kUart + 0x514,
                   kUartReceive = kUart + 0x518, kUartTransmit = kUart + 0x51C,
                   kUartBaud = kUart + 0x524;
constexpr uint32_t kTimer = 0x40008000, kTimerStart = kTimer + 0x000,
                   kTimerCapture = kTimer + 0x040, kTimerBits = kTimer + 0x508,
                   kTimerPrescaler = kTimer + 0x510, kTimerCaptured = kTimer + 0x540;

// The baud rate needs the crystal's precision; without one the RC oscillator stays.
void start_crystal() {
  reg(kClockStarted) = 0;
  reg(kClockStart) = 1;
  wait_for(kClockStarted, 1, 1);
}

// It counts up to 32 bits at the core's clock.
void start_timer() {
  constexpr uint32_t k32Bits = 3;
  reg(kTimerPrescaler) = 0;
  reg(kTimerBits) = k32Bits;
  reg(kTimerStart) = 1;
}

// The pins first, so that the line is idle when the UART takes them.
void start_uart() {
  constexpr uint32_t kOutput = 1u << 0, kNoInput = 1u << 1, kPullUp = 3u << 2;
  constexpr uint32_t kBaud115200 = 0x01D7E000, kOn = 4, kReceivedInterrupt = 1u << 2;
  reg(kGpioSet) = 1u << NRF51_UART_TX;
  reg(kGpioPins + 4 * NRF51_UART_TX) = kOutput | kNoInput;
  reg(kGpioPins + 4 * NRF51_UART_RX) = kPullUp;
  reg(kUartTx) = NRF51_UART_TX;
  reg(kUartRx) = NRF51_UART_RX;
  reg(kUartBaud) = kBaud115200;
  reg(kUartEnable) = kOn;
  reg(kUartInterrupts) = kReceivedInterrupt;  // QEMU ignores it before
  reg(kUartReceived) = 0;
  reg(kUartStartReceive) = 1;
  reg(kUartStartTransmit) = 1;
}

}  // namespace

void mcu::start_cycles() {}  // init() does

namespace board {

void init() {
  start_crystal();
  start_uart();
  start_timer();  // last: QEMU looks for bytes to receive only when something like this wakes it
}

void write(const char* text, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i) {
    reg(kUartTransmitted) = 0;
    reg(kUartTransmit) = static_cast<uint8_t>(text[i]);
    wait_for(kUartTransmitted, 1, 1);
  }
}

int read() {
  if (reg(kUartReceived) == 0) return -1;
  reg(kUartReceived) = 0;  // before the byte is taken: the next one sets it again
  return static_cast<int>(reg(kUartReceive) & 0xFF);
}

void wait() {
  constexpr uint32_t kUartInterrupt = 2;
  sleep_until(kUartInterrupt, [] { return reg(kUartReceived) != 0; });
}

uint32_t cycles() {
  reg(kTimerCapture) = 1;
  return reg(kTimerCaptured);
}

uint32_t clock_hz() { return kClockHz; }

}  // namespace board
}  // namespace opsmith
