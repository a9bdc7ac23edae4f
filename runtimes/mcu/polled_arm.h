// A board with a polled UART whose receive interrupt wakes a Cortex-M.
#pragma once

#include "runtimes/arch/arm/caches.h"
#include "runtimes/arch/arm/sleep.h"
#include "runtimes/mcu/polled.h"

namespace opsmith::board {

void wait() {
  if (kConsole.acknowledge) reg(kConsole.acknowledge) = kConsole.acknowledged;
  sleep_until(kConsole.interrupt, received);
}

}  // namespace opsmith::board
