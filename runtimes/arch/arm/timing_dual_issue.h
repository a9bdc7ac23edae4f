// The Cortex-M7's part of timing.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "opsmith/rig/plugin/timing.h"

// The cost of an instruction that may be issued with the one in front of it.
struct cost dual_issue_cost(struct context* context, bool conditional, uint16_t first,
                            uint16_t second);
