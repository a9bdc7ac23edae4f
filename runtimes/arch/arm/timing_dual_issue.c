// A model of the Cortex-M7's pipeline: six stages, in order, two instructions in a cycle.
//
// Arm publishes no timings of this core. The model follows LLVM's scheduling model of it
// (llvm/lib/Target/ARM/ARMScheduleM7.td) for what two instructions need
// and when; and measurements of the floating-point pipe at quinapalus.com/cm7cycles.html. Memory
// answers at once, as a tightly coupled one or a cache that has everything does.
//
//   two instructions go together unless one needs the other's result, both need the only shifter,
//   multiplier, SIMD, store, branch or floating-point unit, both load words at a known distance
//   from one register that are in one of the two banks, the later one is one of SIMD, bit field,
//   saturation, CLZ or double precision, or one of them is alone: several words, division, MRS
//   a result can be read after 1 cycle (arithmetic, LDR), 2 (multiplication, saturation, bytes and
//   halfwords loaded) or 3 (floating point); one later as an address or shifted operand, one
//   earlier as a word to store or as the sum of a multiplication
//   LDM, STM, LDRD two words a cycle · division 7 · VDIV, VSQRT 14, double 28 · VMLA, VFMA 3
//   branches are predicted: a conditional one by a counter of its own, an indirect one by its last
//   target; a wrong prediction costs a refill, a right one nothing
//
// Not modelled: results that a block of instructions needs of the one in front of it, additions of
// three operands that go together, banks of words at unknown distances, fetch, the limits of the
// branch target cache, write buffers, caches. An instruction whose condition fails costs what it
// costs otherwise.
#include "timing_dual_issue.h"

#include "timing_operands.h"

// The first cycle in which all registers that the instruction reads are ready.
static uint32_t readable(const struct pipeline* pipeline, const struct use* use) {
  uint32_t first = 0;
  for (unsigned i = 0; i < PIPELINE_REGISTERS; i++) {
    const uint32_t ready = pipeline->ready[i];
    uint32_t wanted = 0;
    if (use->late >> i & 1) wanted = ready ? ready - 1 : 0;
    if (use->normal >> i & 1) wanted = ready;
    if (use->early >> i & 1) wanted = ready ? ready + 1 : 0;
    if (wanted > first) first = wanted;
  }
  return first;
}

static bool joins(const struct pipeline* pipeline, const struct use* use) {
  return pipeline->open && !use->first && !use->alone && !(pipeline->units & use->units) &&
         !(pipeline->bank && pipeline->bank == use->bank);
}

static struct cost issue(struct pipeline* pipeline, const struct use* use) {
  const uint32_t begun = pipeline->cycles, wanted = readable(pipeline, use);
  const bool together = joins(pipeline, use) && wanted < begun;
  const uint32_t cycle = together ? begun - 1 : wanted > begun ? wanted : begun;
  for (unsigned i = 0; i < PIPELINE_REGISTERS; i++) {
    if (use->updated >> i & 1) pipeline->ready[i] = cycle;
    if (use->written >> i & 1) pipeline->ready[i] = cycle + use->hold + use->latency;
  }
  if (use->busy) pipeline->ready[FLOATING_PIPE] = cycle + use->busy;
  pipeline->cycles = cycle + 1 + use->hold;
  pipeline->open = !together && !use->alone && !use->hold;
  pipeline->units = use->units;
  pipeline->bank = use->bank;
  return (struct cost){(uint8_t)(pipeline->cycles - begun), use->refill};
}

struct cost dual_issue_cost(struct context* context, bool conditional, uint16_t first,
                            uint16_t second) {
  const bool wide = first >> 11 >= 0x1d;
  struct use use =
      wide ? wide_operands(first, second) : narrow_operands(first, conditional ? 0 : bit(FLAGS));
  if (conditional) use.normal |= bit(FLAGS);
  if (conditional && use.units == BRANCH && use.refill == REFILL_NEVER) {
    use.refill = REFILL_IF_MISPREDICTED;
  }
  if (first >> 8 == 0xbf && first & 15) {  // IT, for up to four
    context->conditional = (uint8_t)(4 - __builtin_ctz(first & 15));
  }
  return issue(&context->pipeline, &use);
}
