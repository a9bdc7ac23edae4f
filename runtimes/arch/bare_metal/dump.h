// How a fault is printed over the console; toolchain/opsmith/rig/fault.py reads it.
#pragma once

#include <stdint.h>

#include "runtimes/mcu/board.h"

namespace opsmith::mcu {
namespace {

// Byte by byte: a loop that counts them first becomes strlen, of which no firmware has need.
void put(const char* text) {
  for (; *text; ++text) board::write(text, 1);
}

// " name=0123abcd"
void put_word(const char* name, uint32_t value) {
  char digits[9];
  for (int i = 0; i < 8; ++i) digits[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
  digits[8] = 0;
  put(" ");
  put(name);
  put("=");
  put(digits);
}

// N words that follow one another: each name ends with 0, and so do all of them.
inline void put_words(const char* names, const volatile uint32_t* values) {
  for (; *names; ++names) {
    put_word(names, *values++);
    while (*names) ++names;
  }
}

}  // namespace
}  // namespace opsmith::mcu
