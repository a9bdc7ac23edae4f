// The Cortex-M33's and the Cortex-M55's part of timing.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "opsmith/rig/plugin/timing.h"

struct use;

// Units of Helium, each of which a vector occupies for two cycles, by their place in `ready` of a
// pipeline, between the core's registers and the singles. EITHER: INTEGER or MULTIPLY.
enum vector_unit { LOAD_STORE = 20, INTEGER, MULTIPLY, CONTROL, EITHER };

// The cost of an instruction on a core that issues in order, and pairs of short ones together;
// `one_word`: of data in a cycle, else two.
struct cost paired_cost(struct context* context, bool one_word, bool conditional, uint16_t first,
                        uint16_t second);

// What an instruction of Helium needs, `units` being the one of the above; whether it is one.
bool vector_operands(uint16_t first, uint16_t second, struct use* use);
