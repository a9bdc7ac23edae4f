// Memory-mapped registers: access by address, bits, and waits that end.
#pragma once

#include <stdint.h>

namespace opsmith::mcu {

inline volatile uint32_t& reg(uint32_t address) {
  return *reinterpret_cast<volatile uint32_t*>(address);
}

// Reads a register that was just written, so that the write has arrived.
inline uint32_t read_back(uint32_t address) { return reg(address); }

inline void set_bits(uint32_t address, uint32_t bits) { reg(address) = reg(address) | bits; }

inline void clear_bits(uint32_t address, uint32_t bits) { reg(address) = reg(address) & ~bits; }

// Replaces the bits under mask.
inline void set_field(uint32_t address, uint32_t mask, uint32_t bits) {
  reg(address) = (reg(address) & ~mask) | bits;
}

// True once (register & mask) == value; false after a number of tries that no working hardware
// needs (over 10 ms at 168 MHz; emulators often lack ready bits).
inline bool wait_for(uint32_t address, uint32_t mask, uint32_t value) {
  for (uint32_t tries = 0; tries < 200000; ++tries) {
    if ((reg(address) & mask) == value) return true;
  }
  return false;
}

}  // namespace opsmith::mcu
