// What a generated `board_setup.h` is made of: accesses to registers, and a UART as data.
#pragma once

#include <stdint.h>

#include "runtimes/mcu/registers.h"

namespace opsmith::mcu::setup {

using mcu::reg;

// One access to a register, whose address is a multiple of 4, so that its lowest bits say what
// kind.
struct Access {
  uint32_t where;
  uint32_t mask;  // for a write: what is written while the core has its clock of after reset
  uint32_t bits;
};
enum Kind : uint32_t {
  kChange = 0,  // the bits under mask
  kWrite = 1,   // all bits
  kWait = 2,    // until the bits under mask are these
  kPause = 3,   // times around a loop; of address 0
  kCall = 3,    // of a function there, in ROM: it takes the bytes of mask, then those of bits
};

#ifdef OPSMITH_HAS_CALLS
// Calls a function of up to six arguments: three bytes of first, three of second.
inline void call(uint32_t function, uint32_t first, uint32_t second) {
  using Word = uint32_t;
  const auto at = [](uint32_t word, int byte) { return word >> 8 * byte & 0xFF; };
  reinterpret_cast<void (*)(Word, Word, Word, Word, Word, Word)>(function)(
      at(first, 0), at(first, 1), at(first, 2), at(second, 0), at(second, 1), at(second, 2));
}
#endif

// Makes accesses up to that of address 0. False, and no more of them, where a wait ends in vain.
__attribute__((noinline)) inline bool perform(const Access* access, bool fast) {
  for (; access->where != 0; ++access) {
    const uint32_t address = access->where & ~3u, bits = access->bits;
    switch (access->where & 3) {
      case kChange:
        set_field(address, access->mask, bits);
        read_back(address);  // a clock that it turns on is there for the next access
        break;
      case kWrite:
        reg(address) = fast ? bits : access->mask;
        break;
      case kWait:
        if (!wait_for(address, access->mask, bits)) return false;
        break;
      case kPause:
#ifdef OPSMITH_HAS_CALLS
        if (address != 0) {
          call(address, access->mask, bits);
          break;
        }
#endif
        for (uint32_t i = 0; i < bits; ++i) __asm volatile("nop");
    }
  }
  return true;
}

// A UART with a status register and a data register for each direction. Addresses, but for masks,
// values and the interrupt's number.
struct Polled {
  uint32_t status, transmit, receive;
  uint32_t transmit_mask, transmit_value;  // (status & mask) == value: the transmitter takes a byte
  uint32_t receive_mask, receive_value;    // (status & mask) != value: a byte has arrived
  uint32_t interrupt;
  uint32_t errors, clear;  // bits of status, and where they are written; 0: reading clears them
  uint32_t acknowledge, acknowledged;  // what is written where before the core sleeps
};

}  // namespace opsmith::mcu::setup
