// Included by the C++ that calls kernels on a board: bytes beside the tensors and scratch buffers of
// a node that no tensor owns are painted while it runs, and must still be painted afterwards.
#pragma once

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/mcu/board.h"

namespace painted {

constexpr uint8_t kPaint = 0xA5;

struct Gap {
  uint8_t* data;
  uint32_t bytes;
};

// The node that runs.
struct Running {
  const char* name;
  const Gap* gaps;
  uint32_t count;
};
inline Running running = {nullptr, nullptr, 0};

// The node has returned. Ends the program with its name where it wrote into a gap.
inline void leave() {
  for (uint32_t i = 0; i < running.count; ++i) {
    for (uint32_t at = 0; at < running.gaps[i].bytes; ++at) {
      if (running.gaps[i].data[at] != kPaint) {
        opsmith::mcu::write_by_semihosting(running.name);
        opsmith::mcu::write_by_semihosting(" writes outside of its outputs and scratch buffers\n");
        opsmith::board::exit(1);
      }
    }
  }
  running.count = 0;
}

// The node before has returned, and another begins.
inline void enter(const char* name, const Gap* gaps, uint32_t count) {
  leave();
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t at = 0; at < gaps[i].bytes; ++at) gaps[i].data[at] = kPaint;
  }
  running = {name, gaps, count};
}

}  // namespace painted
