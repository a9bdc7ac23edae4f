// Modelled cycles of instructions, by what is public about a core. An architecture that has timings
// brings timing.c in its folder, and timing_*.c; for others no_timing.c knows no core.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// A core, as a timing.c knows it.
struct core;

// When an instruction makes the pipeline fetch anew. The last two are of cores that predict
// branches: where a counter of this branch expected the other way, and where it goes elsewhere than
// last time.
enum refill {
  REFILL_NEVER,
  REFILL_ALWAYS,
  REFILL_IF_TAKEN,
  REFILL_IF_MISPREDICTED,
  REFILL_IF_ELSEWHERE
};

// Cycles of one refill.
unsigned refill_cycles(const struct core* core);

struct cost {
  uint8_t cycles;  // without the refill
  enum refill refill;
};

// Of a core that issues two instructions in a cycle: what the next one may have to wait for.
enum { PIPELINE_REGISTERS = 64 };

struct pipeline {
  uint32_t cycles;                     // that have begun
  uint32_t ready[PIPELINE_REGISTERS];  // the cycle from which on each register can be read
  uint8_t units, bank;                 // that the last instruction occupies
  bool open;                           // another instruction may go with the last one
};

// What the cost of an instruction depends on besides itself; each block begins with zeros.
struct context {
  uint8_t loaded;       // one more than the register that a load just before writes
  uint8_t conditional;  // instructions to come that are executed conditionally
  struct pipeline pipeline;
};

// The core of this name, or NULL where nobody publishes timings or we have none.
const struct core* find_core(const char* name);

// The cost of an instruction, 16 bits in `first`, and 16 more in `second` where it has them; brings
// the context up to date.
struct cost instruction_cost(const struct core* core, struct context* context, uint16_t first,
                             uint16_t second);
