// Operands of floating-point instructions on the Cortex-M7; timing_dual_issue.c has the sources.
#include "timing_operands.h"

// The two singles that a register of double precision is, or one single.
static uint64_t operand(bool wide, unsigned four, unsigned one) {
  const unsigned number = wide ? 2 * (four | one << 4) : (four << 1 | one);
  return (wide ? UINT64_C(3) : UINT64_C(1)) << ((FIRST_SINGLE + number) & 63);
}

static uint64_t core_register(unsigned number) {
  return number == 15 ? UINT64_C(1) << FLAGS : UINT64_C(1) << number;
}

// VLDR, VSTR, VLDM, VSTM and moves of two registers: two words in each cycle.
static struct use transfer(unsigned first, unsigned second, bool wide, uint64_t to) {
  const uint64_t base = core_register(first & 15);
  if ((first & 0xffe0) == 0xec40) {
    const uint64_t pair = base | core_register(second >> 12);
    const uint64_t singles = operand(wide, second & 15, second >> 5 & 1) * (wide ? 1 : 3);
    const bool to_core = first & 0x10;
    return (struct use){.normal = to_core ? singles : pair,
                        .written = to_core ? pair : singles,
                        .latency = 3,
                        .alone = true};
  }
  const bool load = first & 0x10, single = (first & 0xff20) == 0xed00;
  const unsigned words = single ? (wide ? 2 : 1) : second & 0xff;
  const uint64_t singles = single ? to : to * ((UINT64_C(1) << (words < 32 ? words : 32)) - 1);
  struct use use = {.early = (first & 15) == 15 ? 0 : base, .latency = words > 1 ? 2 : 1};
  *(load ? &use.written : &use.late) = singles;
  use.units = load ? 0 : STORE;
  use.alone = words > 1 || !single;
  if (words > 2) use.hold = (uint8_t)((words - 1) / 2);
  if (!single && first & 0x20) use.updated = base;
  return use;
}

static struct use compute(bool wide, uint64_t read, uint64_t to, unsigned latency, unsigned busy) {
  struct use use = {.normal = read | UINT64_C(1) << FLOATING_PIPE,
                    .written = to,
                    .latency = (uint8_t)latency,
                    .units = FLOATING,
                    .busy = (uint8_t)busy};
  use.first = wide;
  return use;
}

static struct use arithmetic(unsigned first, unsigned second, bool wide, uint64_t to) {
  const uint64_t from = operand(wide, first & 15, second >> 7 & 1);
  const uint64_t other = operand(wide, second & 15, second >> 5 & 1);
  switch (first >> 4 & 0xb) {
    case 0x0:
    case 0x1:
      return compute(wide, from | other | to, to, wide ? 11 : 6, wide ? 8 : 3);
    case 0x9:
    case 0xa:
      return compute(wide, from | other | to, to, wide ? 11 : 5, wide ? 8 : 3);
    case 0x2:
      return compute(wide, from | other, to, wide ? 7 : 3, wide ? 4 : 1);
    case 0x3:
      return compute(wide, from | other, to, wide ? 4 : 3, 1);
    case 0x8:
      return compute(wide, from | other, to, wide ? 30 : 16, wide ? 28 : 14);
    default:
      break;
  }
  const unsigned kind = first & 15;
  const bool roots = kind == 1 && (second & 0xc0) == 0xc0, compares = kind == 4 || kind == 5;
  if (roots) return compute(wide, other, to, wide ? 30 : 16, wide ? 28 : 14);
  if (compares) return compute(wide, other | to, 0, 1, 1);
  return compute(wide, second & 0x40 ? other : 0, to, wide ? 4 : 3, 1);
}

struct use floating_operands(uint16_t first, uint16_t second) {
  const bool wide = second & 0x100;
  const uint64_t to = operand(wide, second >> 12, first >> 6 & 1);
  if ((first & 0xec00) != 0xec00 || (second & 0xe00) != 0xa00) {
    return (struct use){.latency = 1, .alone = true};
  }
  if ((first & 0xfe00) == 0xec00) return transfer(first, second, wide, to);
  if ((first & 0xff00) == 0xfe00) {  // VSEL, VMAXNM, VRINT
    const uint64_t from = operand(wide, first & 15, second >> 7 & 1);
    return compute(wide, from | operand(wide, second & 15, second >> 5 & 1), to, wide ? 4 : 3, 1);
  }
  if (!(second & 0x10)) return arithmetic(first, second, wide, to);
  const uint64_t core = core_register(second >> 12);
  const uint64_t single = operand(wide, first & 15, second >> 7 & 1);
  const bool to_core = first & 0x10;
  struct use use = {
      .normal = to_core ? single : core, .written = to_core ? core : single, .latency = 3};
  use.alone = (first & 0xffe0) == 0xeee0;  // VMRS, VMSR
  if (use.alone) use.latency = 1;
  return use;
}
