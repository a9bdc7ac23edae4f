// A model of the pipelines of the Cortex-M33 and the Cortex-M55: in order, one instruction in a
// cycle, and some pairs of 16 bits together.
//
// Arm publishes no timings of these cores. The model follows LLVM's scheduling model of the
// Cortex-M55 (llvm/lib/Target/ARM/ARMScheduleM55.td), which says that it is much like the M33's;
// the penalty of a taken branch is that of LLVM's models, 2 on the M33 and 3 on the M55. Memory
// answers at once.
//
//   two of 16 bits go together where one is ADD or SUB of a constant, MOV, an extension, IT, NOP or
//   a branch, and the second needs no result of the first
//   a result can be read after 1 cycle (arithmetic), 2 (loads, multiplication, shifted operands,
//   bit fields, SIMD, saturation, floating point), 4 (VMLA of singles) or 16 (VDIV, VSQRT)
//   LDM, STM, LDRD: words as wide as the core's data interface in each cycle: 1 on the M33, 2 on
//   the M55 · division 8 · LE of a loop nothing
//   a vector occupies its unit (load and store, integer, multiplication and floating point) for two
//   cycles, which the next one on another unit may overlap by one; its result can be read by the
//   next after 1 to 3; lanes that come of core registers go through the integer or the
//   multiplication unit
//
// Not modelled: results that a block needs of the one in front of it, fetch, banks of memory,
// caches, gathered elements one by one. An instruction whose condition fails costs what it costs
// otherwise.
#include "timing_armv8m.h"

#include "timing_operands.h"

enum { VECTORS = 8 };
enum { SIMPLE = 1, SHORT = 2 };  // of the last instruction, in `units` of the pipeline

static struct use narrow_use(uint16_t code, uint64_t flags) {
  struct use use = narrow_operands(code, flags);
  const bool load = use.written && use.early;
  const bool literal = code >> 11 == 9;
  use.latency = load || literal || use.units & MULTIPLIER ? 2 : 1;
  return use;
}

static unsigned floating_latency(unsigned first, bool wide) {
  switch (first >> 4 & 0xb) {
    case 0x0:
    case 0x1:
      return wide ? 36 : 4;
    case 0x9:
    case 0xa:
      return wide ? 24 : 2;
    case 0x2:
      return wide ? 21 : 2;
    case 0x3:
      return wide ? 15 : 2;
    case 0x8:
      return wide ? 30 : 16;
    default:
      return 2;
  }
}

static struct use wide_use(uint16_t first, uint16_t second) {
  struct use use = wide_operands(first, second);
  const bool floating = (first & 0xec00) == 0xec00;
  if (floating) {
    const bool computes = (first & 0xff00) == 0xee00 && !(second & 0x10);
    const bool roots =
        computes && (first & 0xb0) == 0xb0 && (first & 15) == 1 && (second & 0xc0) == 0xc0;
    use.latency = (uint8_t)(computes ? floating_latency(first, second & 0x100) : 2);
    if (roots) use.latency = second & 0x100 ? 30 : 16;
    use.busy = 0;
  } else {
    const bool reverses = (first & 0xfff0) == 0xfa90;
    const bool shifts = use.units & SHIFTER && use.early;
    const bool slow = use.units & (MULTIPLIER | SIMD) || shifts || use.early;
    use.latency = slow && !reverses && (use.written || use.late) ? 2 : 1;
  }
  return use;
}

// Whether an instruction of 16 bits goes together with any other of 16.
static bool is_simple(uint16_t code) {
  switch (code >> 11) {
    case 0x03:
      return code & 0x400;  // ADD, SUB of 3 bits
    case 0x04:
    case 0x06:
    case 0x07:
    case 0x1c:
      return true;  // MOV, ADD, SUB of 8 bits; B
    case 0x08:
      return (code & 0xff00) == 0x4600 || (code & 0xff00) == 0x4700;
    case 0x16:
      return (code & 0xf500) == 0xb100 || code >> 8 == 0xb2;
    case 0x17:
      return code >> 8 == 0xbf;  // IT, NOP
    case 0x1a:
    case 0x1b:
      return (code >> 8 & 15) < 14;
    default:
      return !(code >> 6);  // MOVS
  }
}

static uint32_t readable(const struct pipeline* pipeline, const struct use* use) {
  const uint64_t late = use->units == LOAD_STORE ? 0 : use->late;
  const uint64_t read = use->early | use->normal | late;
  uint32_t first = 0;
  for (unsigned i = 0; i < PIPELINE_REGISTERS; i++) {
    if (read >> i & 1 && pipeline->ready[i] > first) first = pipeline->ready[i];
  }
  for (unsigned i = 0; i < VECTORS && use->units == LOAD_STORE; i++) {  // stored a cycle earlier
    const unsigned single = FIRST_SINGLE + 4 * i;
    if (!(use->late >> single & 1)) continue;
    const uint32_t ready = pipeline->ready[single];
    const uint32_t wanted = ready && pipeline->bank >> i & 1 ? ready - 1 : ready;
    if (wanted > first) first = wanted;
  }
  if (use->units >= LOAD_STORE && pipeline->ready[use->units] > first) {
    first = pipeline->ready[use->units];
  }
  return first;
}

// The integer unit, or the multiplication unit where that is free earlier.
static enum vector_unit free_unit(const struct pipeline* pipeline) {
  const uint32_t integer = pipeline->ready[INTEGER], multiply = pipeline->ready[MULTIPLY];
  return integer > pipeline->cycles && multiply < integer ? MULTIPLY : INTEGER;
}

static struct cost issue(struct pipeline* pipeline, const struct use* use, uint8_t kind) {
  const uint32_t begun = pipeline->cycles, wanted = readable(pipeline, use);
  const bool pairs = pipeline->open && kind & SHORT && (kind | pipeline->units) & SIMPLE;
  const bool together = pairs && wanted < begun;
  const uint32_t cycle = together ? begun - 1 : wanted > begun ? wanted : begun;
  for (unsigned i = 0; i < PIPELINE_REGISTERS; i++) {
    if (use->updated >> i & 1) pipeline->ready[i] = cycle + 1;
    if (use->written >> i & 1) pipeline->ready[i] = cycle + use->hold + use->latency;
  }
  for (unsigned i = 0; i < VECTORS; i++) {
    if (!(use->written >> (FIRST_SINGLE + 4 * i) & 1)) continue;
    const bool forwards = use->units >= LOAD_STORE && use->latency == 2;
    pipeline->bank = (uint8_t)((pipeline->bank & ~(1u << i)) | (unsigned)forwards << i);
  }
  if (use->units >= LOAD_STORE) pipeline->ready[use->units] = cycle + use->busy;
  pipeline->cycles = cycle + 1 + use->hold;
  pipeline->open = !together && kind & SHORT && !use->hold;
  pipeline->units = kind;
  return (struct cost){(uint8_t)(pipeline->cycles - begun), use->refill};
}

// LDM, STM, LDRD and alike on a core whose data interface is one word wide.
static void one_word_at_a_time(struct use* use) {
  const int words = __builtin_popcountll(use->late | use->written) + (use->refill != REFILL_NEVER);
  if (use->early && words) use->hold = (uint8_t)(words - 1);
}

// LE, LETP at the end of a loop, DLS and WLS in front of it.
static bool loop_cost(struct pipeline* pipeline, uint16_t first, uint16_t second,
                      struct cost* cost) {
  if ((first & 0xff80) != 0xf000 || (second & 0xc001) != 0xc001) return false;
  const bool ends = (first & 0xffcf) == 0xf00f;
  const bool skips = !ends && !(second & 0x2000);
  pipeline->open = false;
  if (!ends) pipeline->cycles++;
  *cost = (struct cost){ends ? 0 : 1, skips ? REFILL_IF_TAKEN : REFILL_NEVER};
  return true;
}

struct cost paired_cost(struct context* context, bool one_word, bool conditional, uint16_t first,
                        uint16_t second) {
  const bool wide = first >> 11 >= 0x1d;
  struct cost cost;
  struct use use;
  if (wide && loop_cost(&context->pipeline, first, second, &cost)) return cost;
  bool branches = false;
  if (!wide || !vector_operands(first, second, &use)) {
    use = wide ? wide_use(first, second) : narrow_use(first, conditional ? 0 : bit(FLAGS));
    branches = use.units & BRANCH || use.refill != REFILL_NEVER;
    use.units = 0;
    if (one_word && use.alone) one_word_at_a_time(&use);
  }
  if (use.units == EITHER) use.units = (uint8_t)free_unit(&context->pipeline);
  const bool may_fall = conditional || use.refill == REFILL_IF_MISPREDICTED;
  if (conditional) use.normal |= bit(FLAGS);
  if (branches) use.refill = may_fall ? REFILL_IF_TAKEN : REFILL_ALWAYS;
  if (first >> 8 == 0xbf && first & 15) {  // IT, for up to four
    context->conditional = (uint8_t)(4 - __builtin_ctz(first & 15));
  }
  return issue(&context->pipeline, &use,
               (uint8_t)(wide ? 0 : SHORT | (is_simple(first) ? SIMPLE : 0)));
}
