// The board of a family whose setup is generated and whose UART is polled: all of board.h that a
// family gives, but wait(). Its board.cc includes this file alone, or defines a wait() of its own.
#pragma once

#include "board_setup.h"
#include "runtimes/mcu/board.h"

namespace opsmith::board {
namespace {

using namespace opsmith::mcu;
using setup::kConsole;

bool clock_runs;  // the one that board.toml asks for

[[maybe_unused]] bool received() {
  const uint32_t status = reg(kConsole.status);
  if (status & kConsole.errors) return true;
  return (status & kConsole.receive_mask) != kConsole.receive_value;
}

}  // namespace

void init() {
  clock_runs = setup::perform(setup::kClock, true);
  if (!clock_runs) setup::perform(setup::kUndoClock, true);
  setup::perform(setup::kStart, clock_runs);
#ifdef OPSMITH_HAS_CACHES
  start_caches();
#endif
}

bool started() { return clock_runs; }

void write(const char* text, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i) {
    wait_for(kConsole.status, kConsole.transmit_mask, kConsole.transmit_value);
    reg(kConsole.transmit) = static_cast<uint8_t>(text[i]);
  }
}

int read() {
  const uint32_t status = reg(kConsole.status), errors = status & kConsole.errors;
  const bool arrived = (status & kConsole.receive_mask) != kConsole.receive_value;
  if (errors && kConsole.clear) reg(kConsole.clear) = errors;
  if (!arrived && !(errors && !kConsole.clear)) return -1;
  const uint32_t data = reg(kConsole.receive);
  return arrived ? static_cast<int>(data & 0xFF) : -1;
}

uint32_t clock_hz() { return clock_runs ? setup::kClockHz : setup::kResetHz; }

#ifdef OPSMITH_HAS_LED
void led(bool on) { setup::led(on); }
#endif
#ifdef OPSMITH_HAS_BUTTON
bool button() { return setup::button(); }
#endif

}  // namespace opsmith::board
