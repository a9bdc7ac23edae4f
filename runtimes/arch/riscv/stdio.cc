// printf() of picolibc goes to the console.

#include <stdio.h>

#include "runtimes/arch/bare_metal/print.h"

namespace {

int put(char byte, FILE*) {
  opsmith::mcu::print(&byte, 1);
  return 0;
}

FILE console = FDEV_SETUP_STREAM(put, nullptr, nullptr, _FDEV_SETUP_WRITE);

}  // namespace

// The streams of the library by their symbols: in C++ it declares them otherwise.
#define STREAM(name, symbol)                                   \
  extern FILE* const name __asm(symbol) __attribute__((weak)); \
  FILE* const name = &console
STREAM(opsmith_stdin, "stdin");
STREAM(opsmith_stdout, "stdout");
STREAM(opsmith_stderr, "stderr");
