// Lines that a device under test sends, and its timestamps.
#pragma once

#include <stdint.h>

#include "runtimes/apps/decimal.h"
#include "runtimes/mcu/board.h"

namespace mlperf {

// Whether a timestamp is an edge of the LED's pin, for a power monitor, rather than a line.
#ifdef OPSMITH_MLPERF_ENERGY
constexpr bool kEnergy = true;
#else
constexpr bool kEnergy = false;
#endif

inline void put(const char* text) {
  uint32_t length = 0;
  while (text[length]) ++length;
  opsmith::board::write(text, length);
}

inline void put(uint32_t value) {
  char digits[11];
  put(opsmith::decimal(value, digits));
}

inline void put(int32_t value) {
  if (value < 0) put("-");
  put(value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value));
}

inline void put_hex(uint8_t byte) {
  const char digits[] = "0123456789abcdef";
  const char both[] = {digits[byte >> 4], digits[byte & 15], 0};
  put(both);
}

// With three decimals, rounded.
inline void put(float value) {
  if (value < 0) {
    put("-");
    value = -value;
  }
  const uint32_t thousandths = static_cast<uint32_t>(value * 1000.0f + 0.5f);
  put(thousandths / 1000);
  const char decimals[] = {'.', static_cast<char>('0' + thousandths / 100 % 10),
                           static_cast<char>('0' + thousandths / 10 % 10),
                           static_cast<char>('0' + thousandths % 10), 0};
  put(decimals);
}

inline uint32_t last = 0;   // what the counter said
inline uint64_t total = 0;  // of what it has counted

// Microseconds since the start. The counter wraps, so this is called after each inference. An
// emulator's may step back for as long as its timer's interrupt is late.
inline uint64_t now() {
  const uint32_t at = opsmith::board::cycles();
  if (static_cast<int32_t>(at - last) > 0) {
    total += at - last;
    last = at;
  }
  return total * 1000000 / opsmith::board::clock_hz();
}

// A line that says the time.
inline void lap() {
  put("m-lap-us-");
  put(static_cast<uint32_t>(now()));
  put("\r\n");
}

// A line, or a falling edge of the pin, which is high otherwise, a millisecond before it rises.
inline void timestamp() {
  if constexpr (kEnergy) {
    opsmith::board::led(false);  // needs `led` in board.toml
    const uint32_t from = opsmith::board::cycles();
    while (opsmith::board::cycles() - from < opsmith::board::clock_hz() / 1000) {
    }
    opsmith::board::led(true);
  } else {
    lap();
  }
}

}  // namespace mlperf
