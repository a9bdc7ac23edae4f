// Modelled cycles of Thumb instructions on a Cortex-M3 or M4, as Arm publishes them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// What a core needs for instructions in which the two differ.
struct core {
  const char* name;
  uint8_t multiply_accumulate;
  uint8_t long_multiply, long_multiply_accumulate;
};

// When an instruction makes the pipeline fetch anew.
enum refill { REFILL_NEVER, REFILL_ALWAYS, REFILL_IF_TAKEN };

// Cycles of one refill: 1 to 3, depending on the target's alignment and width.
enum { REFILL_CYCLES = 2 };

struct cost {
  uint8_t cycles;  // without the refill
  enum refill refill;
};

enum { NO_REGISTER = 16 };

// What the cost of an instruction depends on besides itself.
struct context {
  uint8_t loaded;       // the register that a single load just before writes, or NO_REGISTER
  uint8_t conditional;  // instructions to come that an IT makes conditional
};

// The core of this name, or NULL where Arm publishes no timings or we have none.
const struct core* find_core(const char* name);

// The cost of an instruction, 16 bits in `first`, or 32 with `second`; brings the context up to
// date.
struct cost instruction_cost(const struct core* core, struct context* context, uint16_t first,
                             uint16_t second);
// Whether an instruction that begins with these 16 bits has 16 more.
bool is_wide(uint16_t first);
