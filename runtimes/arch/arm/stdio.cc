// printf() of newlib goes to the console, line by line. A last line without an end needs
// fflush(stdout).

#include <stdint.h>

#include "runtimes/arch/bare_metal/print.h"

extern "C" __attribute__((weak)) int _write(int, const char* text, int bytes) {
  opsmith::mcu::print(text, static_cast<uint32_t>(bytes));
  return bytes;
}
