// For architectures whose folder has no timing.c: no core has timings.
#include <stddef.h>

#include "opsmith/rig/plugin/timing.h"

const struct core* find_core(const char* name) {
  (void)name;
  return NULL;
}

unsigned refill_cycles(const struct core* core) {
  (void)core;
  return 0;
}

struct cost instruction_cost(const struct core* core, struct context* context, uint16_t first,
                             uint16_t second) {
  (void)core, (void)context, (void)first, (void)second;
  return (struct cost){0, REFILL_NEVER};
}
