// Operands, units and latencies of Helium's instructions on the Cortex-M55, by their encodings in
// the Armv8-M Architecture Reference Manual (Arm DDI0553); timing_armv8m.c has the sources.
#include "timing_armv8m.h"

#include "timing_operands.h"

// The four singles that a vector is.
static uint64_t vector(unsigned number) {
  return UINT64_C(15) << (FIRST_SINGLE + 4 * (number & 7));
}

static uint64_t core_register(unsigned number) { return number == 15 ? 0 : UINT64_C(1) << number; }

static struct use on(enum vector_unit unit, unsigned latency, uint64_t read, uint64_t written) {
  return (struct use){.normal = read,
                      .written = written,
                      .latency = (uint8_t)latency,
                      .units = (uint8_t)unit,
                      .busy = unit == CONTROL ? 1 : 2,
                      .alone = true};
}

// VLDR, VSTR, VLD2, VLD4, gathered and scattered.
static struct use transfer(unsigned first, unsigned second) {
  const bool load = first & 0x10, whole = second & 0x1000;
  const bool by_vector = (first & 0xff00) == 0xfd00 && whole;
  const bool spread = by_vector || ((first & 0x120) == 0 && !whole);
  const bool interleaved = (first & 0xff00) == 0xfc00 && whole;
  const unsigned base = whole ? first & 15 : first & 7;
  uint64_t data = vector(second >> 13);
  for (unsigned i = 1; interleaved && i < (second & 1 ? 4 : 2); i++)
    data |= vector((second >> 13) + i);
  uint64_t address = by_vector ? vector(first >> 1) : core_register(spread ? first & 15 : base);
  if (spread && !by_vector) address |= vector(second >> 1);
  struct use use = on(LOAD_STORE, spread ? 2 : 1, address, load ? data : 0);
  if (!load) use.late = data;
  if (first & 0x20) use.updated = by_vector ? 0 : core_register(base);
  return use;
}

// Vectors of one length: three of them, one and a constant, or one alone.
static struct use same_length(unsigned first, unsigned second) {
  const uint64_t to = vector(second >> 13), left = vector(first >> 1), right = vector(second >> 1);
  const unsigned kind = second >> 8 & 15;
  const bool bit4 = second & 0x10;
  if (!(first & 0x80)) {
    const bool floats = kind >= 12, multiplies = kind == 9 || kind == 11;
    if (multiplies || kind == 12) return on(MULTIPLY, 2, left | right | (kind == 12 ? to : 0), to);
    if (floats) return on(MULTIPLY, kind == 13 && bit4 ? 2 : 1, left | right, to);
    return on(INTEGER, kind == 5 || (kind == 4 && bit4) ? 2 : 1, left | right, to);
  }
  if (!bit4) {  // one operand: 0 and 1 of integers, but for floats in 1, and conversions
    const unsigned group = first & 3;
    if (group < 2 && !(group == 1 && second & 0x400)) return on(INTEGER, 1, right, to);
    return on(MULTIPLY, group == 1 ? 1 : 2, right, to);
  }
  if (!(first & 0x38) && !(second & 0x80)) return on(MULTIPLY, 2, 0, to);  // VMOV of a constant
  if (kind >= 12) return on(MULTIPLY, 2, right, to);                       // VCVT of fixed point
  return on(INTEGER, kind == 2 || kind == 6 || kind == 7 ? 2 : 1, right | to, to);
}

// Sums and extremes over a vector, shifts that widen or narrow.
static struct use across(unsigned first, unsigned second) {
  const uint64_t to = vector(second >> 13), right = vector(second >> 1);
  if (second & 1) return on(INTEGER, 3, right | to, to);  // VSHRN and alike
  if (second & 0x40) return on(INTEGER, 1, right, to);    // VMOVL, VSHLL
  const uint64_t sum = core_register(second >> 12 & 14);
  const uint64_t added = second & 0x20 ? sum : 0;
  if ((first & 0xf0) == 0xe0) {  // VMAXV, VMINV: longer with fewer lanes
    return on(INTEGER, 2 + (first >> 2 & 3), right | core_register(second >> 12),
              core_register(second >> 12));
  }
  const unsigned above = first >> 4 & 7;  // of 64 bits
  const uint64_t high = above == 7 ? 0 : core_register(2 * above + 1);
  const uint64_t left = first & 1 && second & 0x100 ? 0 : vector(first >> 1);
  return on(MULTIPLY, 2, left | right | added | (added ? high : 0), sum | high);
}

// VCMP, VPT, VPSEL, VPST and VPNOT; whether it is one.
static bool predicates(unsigned first, unsigned second, struct use* use) {
  const bool by_scalar = (second & 0x60) == 0x60, selects = (first & 0x30) == 0x30;
  if ((first & 0xff01) != 0xfe01 || (second & 0xf00) != 0xf00) return false;
  if (second & 0x40 && !by_scalar && (second & 0x1f) != 0xd) return false;  // with a scalar
  const uint64_t left = vector(first >> 1), right = vector(second >> 1);
  const uint64_t other = by_scalar ? core_register(second & 15) : right;
  if (selects && second & 0x40 && !by_scalar) {
    *use = on(CONTROL, 1, bit(LANE_FLAGS), bit(LANE_FLAGS));
  } else if (selects) {
    *use = on(INTEGER, 1, left | right | bit(LANE_FLAGS), vector(second >> 13));
  } else {
    *use = on(MULTIPLY, 1, left | other, bit(LANE_FLAGS));
  }
  return true;
}

static struct use with_scalar(unsigned first, unsigned second) {
  const uint64_t to = vector(second >> 13), left = vector(first >> 1);
  const uint64_t scalar = core_register(second & 15);
  const bool multiplies = !(second & 0x100), largest = (first & 0x30) == 0x30;
  if (!multiplies && (second & 0x6e) == 0x6e) {  // VIDUP, VDDUP
    struct use use = on(INTEGER, 1, core_register(first & 14), to);
    use.updated = core_register(first & 14);
    return use;
  }
  if (!multiplies && largest) return on(MULTIPLY, 2, left | scalar, to);  // VADD, VSUB of floats
  if (!multiplies) return on(INTEGER, 1, left | scalar, to);
  if ((second & 0x1060) == 0x1060 && largest) {  // VSHL, VQSHL, VRSHL
    return on(INTEGER, first & 2 || second & 0x80 ? 2 : 1, to | scalar, to);
  }
  if ((second & 0x1060) == 0x1060 && first & 0x1000) return on(INTEGER, 1, left | scalar, to);
  const bool accumulates = !(second & 0x20) || !(first & 1);
  return on(MULTIPLY, 2, left | scalar | (accumulates ? to : 0), to);
}

// What compares, narrows or widens, and what is done with one scalar.
static struct use mixed(unsigned first, unsigned second) {
  const uint64_t to = vector(second >> 13), left = vector(first >> 1), right = vector(second >> 1);
  const bool multiplies = !(second & 0x100);
  struct use use;
  if (predicates(first, second, &use)) return use;

  if (second & 0x40) return with_scalar(first, second);
  if (second & 1 && multiplies) return on(INTEGER, 3, right | to, to);  // VMOVN, VQMOVN
  return on(multiplies || second & 1 ? MULTIPLY : INTEGER, 2, left | right, to);
}

// Lanes from and to core registers.
static struct use moved(bool to_core, uint64_t lanes, uint64_t core) {
  return to_core ? on(MULTIPLY, 1, lanes, core) : on(EITHER, 1, core | lanes, lanes);
}

// VDUP, and VMOV of one lane.
static struct use lane(unsigned first, unsigned second) {
  const uint64_t lanes = vector(first >> 1), core = core_register(second >> 12);
  if ((first & 0xffb0) == 0xeea0) return on(INTEGER, 1, core, lanes);
  return moved(first & 0x10, lanes, core);
}

// VMOV of two lanes.
static struct use two_lanes(unsigned first, unsigned second) {
  const uint64_t core = core_register(first & 15) | core_register(second & 15);
  return moved(!(first & 0x10), vector(second >> 13), core);
}

bool vector_operands(uint16_t first, uint16_t second, struct use* use) {
  const bool helium = (second & 0xe00) == 0xe00;
  if ((first & 0xffc0) == 0xf000 && second == 0xe801) {  // VCTP
    *use = on(CONTROL, 1, core_register(first & 15), bit(LANE_FLAGS));
  } else if ((first & 0xffa0) == 0xec00 && helium) {
    *use = two_lanes(first, second);
  } else if ((first & 0xee00) == 0xec00 && helium) {
    *use = transfer(first, second);
  } else if ((first & 0xef00) == 0xef00) {
    *use = same_length(first, second);
  } else if ((first & 0xef00) == 0xee00 && helium) {
    *use = first & 0x80 ? across(first, second) : mixed(first, second);
  } else if ((first & 0xff00) == 0xee00 && (second & 0xf1f) == 0xb10) {
    *use = lane(first, second);
  } else {
    return false;
  }
  return true;
}
