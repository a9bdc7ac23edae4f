// What printf() writes, for the C library of an architecture without an operating system.
#pragma once

#include <stdint.h>

#include "runtimes/mcu/board.h"

namespace opsmith {

// A board with code of its own, which need not know, counts as started.
__attribute__((weak)) bool board::started() { return true; }

namespace mcu {

// Sends text over the console, which it starts where the application has not called board::init().
inline void print(const char* text, uint32_t bytes) {
  static bool tried;  // once: a board whose clock fails never counts as started
  if (!tried && !board::started()) board::init();
  tried = true;
  board::write(text, bytes);
}

}  // namespace mcu
}  // namespace opsmith
