// printf() of newlib goes to the console, line by line, once an application has called
// board::init(). A last line without an end needs fflush(stdout).

#include <stdint.h>

#include "runtimes/mcu/board.h"

extern "C" __attribute__((weak)) int _write(int, const char* text, int bytes) {
  opsmith::board::write(text, static_cast<uint32_t>(bytes));
  return bytes;
}
