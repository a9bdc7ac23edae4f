// Modelled cycles of instructions, as whoever designed a core publishes them. An architecture that
// has timings brings timing.c in its folder; for others no_timing.c knows no core.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// A core, as a timing.c knows it.
struct core;

// When an instruction makes the pipeline fetch anew.
enum refill { REFILL_NEVER, REFILL_ALWAYS, REFILL_IF_TAKEN };

// Cycles of one refill.
extern const unsigned refill_cycles;

struct cost {
  uint8_t cycles;  // without the refill
  enum refill refill;
};

// What the cost of an instruction depends on besides itself; each block begins with zeros.
struct context {
  uint8_t loaded;       // one more than the register that a load just before writes
  uint8_t conditional;  // instructions to come that are executed conditionally
};

// The core of this name, or NULL where nobody publishes timings or we have none.
const struct core* find_core(const char* name);

// The cost of an instruction, 16 bits in `first`, and 16 more in `second` where it has them; brings
// the context up to date.
struct cost instruction_cost(const struct core* core, struct context* context, uint16_t first,
                             uint16_t second);
