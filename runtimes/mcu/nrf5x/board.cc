// nRF: the crystal and the UART that family.py sets up. Of nRF51 and nRF52 that is the one without
// DMA; the nRF53 has one with DMA alone (UARTE).

#include "board_setup.h"
#include "runtimes/arch/arm/sleep.h"
#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/board.h"

namespace opsmith {
namespace {

using namespace opsmith::mcu;
using setup::kByDma, setup::kTimer, setup::kUart;

constexpr uint32_t kReceived = kUart + (kByDma ? 0x110 : 0x108),  // ENDRX or RXDRDY
    kTransmitted = kUart + (kByDma ? 0x120 : 0x11C);              // ENDTX or TXDRDY
constexpr uint32_t kStartReceive = kUart + 0x000, kStartTransmit = kUart + 0x008,
                   kEnabled = kUart + 0x500;
constexpr uint32_t kReceive = kUart + 0x518, kTransmit = kUart + 0x51C;
constexpr uint32_t kReceiveAt = kUart + 0x534, kReceiveMost = kUart + 0x538,
                   kTransmitAt = kUart + 0x544, kTransmitMost = kUart + 0x548,
                   kInterrupts = kUart + 0x304;

volatile uint8_t incoming, outgoing;  // what DMA reads and writes

uint32_t address(const volatile uint8_t& byte) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(&byte));
}

void start_dma() {
  constexpr uint32_t kReceivedInterrupt = 1u << 4;
  reg(kReceiveAt) = address(incoming);
  reg(kReceiveMost) = 1;
  reg(kTransmitAt) = address(outgoing);
  reg(kTransmitMost) = 1;
  reg(kInterrupts) = kReceivedInterrupt;
  reg(kStartReceive) = 1;
}

}  // namespace

#if __ARM_ARCH == 6
// The nRF51 has neither DWT nor SysTick: init() starts TIMER0.
void mcu::start_cycles() {}
#endif

namespace board {

void init() {
  setup::perform(setup::kClock, true);  // without its crystal, the RC oscillator is as fast
  setup::perform(setup::kStart, true);
  if constexpr (kByDma != 0) start_dma();
}

bool started() { return reg(kEnabled) != 0; }

void write(const char* text, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i) {
    reg(kTransmitted) = 0;
    if constexpr (kByDma != 0) {
      outgoing = static_cast<uint8_t>(text[i]);
      reg(kStartTransmit) = 1;
    } else {
      reg(kTransmit) = static_cast<uint8_t>(text[i]);
    }
    wait_for(kTransmitted, 1, 1);
  }
}

int read() {
  if (reg(kReceived) == 0) return -1;
  reg(kReceived) = 0;  // before the byte is taken: the next one sets it again
  if constexpr (kByDma == 0) return static_cast<int>(reg(kReceive) & 0xFF);
  const uint8_t byte = incoming;
  reg(kStartReceive) = 1;
  return byte;
}

void wait() {
  sleep_until(setup::kUartInterrupt, [] { return reg(kReceived) != 0; });
}

#if __ARM_ARCH == 6
uint32_t cycles() {
  reg(kTimer + 0x040) = 1;
  return reg(kTimer + 0x540);
}
#endif

uint32_t clock_hz() { return setup::kClockHz; }

#ifdef OPSMITH_HAS_LED
void led(bool on) { setup::led(on); }
#endif
#ifdef OPSMITH_HAS_BUTTON
bool button() { return setup::button(); }
#endif

}  // namespace board
}  // namespace opsmith
