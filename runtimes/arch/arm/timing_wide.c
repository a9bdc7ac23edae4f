// Operands and units of instructions of 32 bits on the Cortex-M7, by the upper bits of their
// encodings; timing_dual_issue.c has the sources.
#include "timing_operands.h"

// Arithmetic with a second operand that is a constant or a shifted register.
static struct use arithmetic(unsigned first, unsigned second, uint64_t other, bool is_shifted) {
  const unsigned kind = first >> 5 & 15, from = first & 15, to = second >> 8 & 15;
  const uint64_t flags = first & 0x10 ? bit(FLAGS) : 0;
  const bool moves = (kind == 2 || kind == 3) && from == PC;
  const uint64_t carry = kind == 10 || kind == 11 ? bit(FLAGS) : 0;
  const uint64_t read = (moves ? 0 : bit(from)) | carry;
  if (!is_shifted) return simple(read | other, bit(to) | flags);
  if (kind == 2 && moves) return shifted(other, 0, bit(to) | flags);
  struct use use = shifted(read, other, bit(to) | flags);
  if (to == PC) use.latency = 2;  // a comparison
  return use;
}

static struct use wide_register(unsigned first, unsigned second) {
  const uint64_t other = bit(second & 15);
  if ((first >> 5 & 15) == 6) {  // PKH
    return simd_shifted(bit(first & 15), other, bit(second >> 8 & 15), 1);
  }
  return arithmetic(first, second, other, second & 0x70f0);
}

static struct use wide_constant(unsigned first, unsigned second) {
  const uint64_t from = bit(first & 15), to = bit(second >> 8 & 15);
  if (!(first & 0x200)) return arithmetic(first, second, 0, false);
  switch (first >> 4 & 31) {
    case 4:
      return simple(0, to);
    case 12:
      return simple(to, to);
    case 16:
    case 18:
    case 24:
    case 26:
      return simd_shifted(0, from, to, 2);  // SSAT, USAT
    case 20:
    case 28:
      return simd_shifted(0, from, to, 1);  // SBFX, UBFX
    case 22: {
      struct use use = shifted(from | to, 0, to);
      use.first = true;  // BFI, BFC
      return use;
    }
    default:
      return simple(from, to);
  }
}

static struct use wide_arithmetic(unsigned first, unsigned second) {
  const uint64_t from = bit(first & 15), other = bit(second & 15), to = bit(second >> 8 & 15);
  const unsigned kind = second >> 4 & 7, row = first >> 4 & 7;
  if (!(first & 0x80)) {
    if (!(second & 0x80)) return shifted(from | other, 0, to | (row & 1 ? bit(FLAGS) : 0));
    return from ? simd_shifted(from, other, to, 1) : simd(other, to, 1);  // SXTAB16; SXTB16
  }
  if (!(second & 0xc0)) {
    const bool saturates = kind == 1 || kind == 5, halves = kind == 2 || kind == 6;
    return simd(from | other, to | (saturates || halves ? 0 : bit(LANE_FLAGS)), saturates ? 2 : 1);
  }
  switch (row & 3) {
    case 0:
      return kind & 1 ? simd_shifted(other, from, to, 2) : simd(from | other, to, 2);
    case 1:
      return simd_shifted(0, other, to, 0);
    case 2:
      return simd(from | other | bit(LANE_FLAGS), to, 1);
    default: {
      struct use use = simple(other, to);
      use.first = true;  // CLZ
      return use;
    }
  }
}

static struct use wide_multiplication(unsigned first, unsigned second) {
  const uint64_t factors = bit(first & 15) | bit(second & 15), to = bit(second >> 8 & 15);
  const uint64_t low = bit(second >> 12);
  switch (first >> 4 & 15) {
    case 7: {
      struct use use = simd(factors, to, 2);  // USAD8, USADA8
      use.late = low;
      return use;
    }
    case 8:
    case 10:
      return multiply(factors, 0, to | low);
    case 9:
    case 11:
      return (struct use){.normal = factors, .written = to, .latency = 1, .hold = 6, .alone = true};
    case 12 ... 14:
      return multiply(factors, to | low, to | low);
    default:
      return multiply(factors, low, to);
  }
}

// LDRD, STRD, exclusive and table branches.
static struct use wide_dual(unsigned first, unsigned second) {
  const bool load = first & 0x10;
  const uint64_t registers = bit(second >> 12) | (first & 0x120 ? bit(second >> 8 & 15) : 0);
  if ((first & 0xfff0) == 0xe8d0 && (second & 0xffe0) == 0xf000) {
    struct use use = branch(REFILL_IF_ELSEWHERE, 0);
    use.early = bit(first & 15) | bit(second & 15);
    use.hold = 1;
    use.alone = true;
    return use;
  }
  return multiple(load, registers, first & 15, first & 0x20);
}

static struct use wide_single(unsigned first, unsigned second) {
  const bool load = first & 0x10;
  const unsigned size = first >> 5 & 3, base = first & 15, data = second >> 12;
  if (load && data == PC && size != 2) return simple(0, 0);  // a hint
  if (base == PC) return single(load, size, 0, data);
  if (first & 0x80) return at_offset(load, size, base, second & 0xfff, data);
  if (!(second & 0x800)) return single(load, size, bit(base) | bit(second & 15), data);
  const bool before = second & 0x400, writes_back = second & 0x100 || !before;
  const unsigned distance = second & 0xff, offset = second & 0x200 ? distance : 0u - distance;
  struct use use = at_offset(load, size, base, before ? offset : 0, data);
  if (writes_back) use.updated = bit(base);
  return use;
}

static struct use wide_branch(unsigned first, unsigned second) {
  switch (second & 0xd000) {
    case 0x8000:
      if ((first >> 7 & 7) != 7) return branch(REFILL_IF_MISPREDICTED, 0);
      return (struct use){.latency = 1, .hold = 2, .alone = true};  // MRS, MSR, barriers
    case 0x9000:
      return branch(REFILL_NEVER, 0);
    default: {
      struct use use = branch(REFILL_NEVER, 0);
      use.written = bit(LR);
      return use;
    }
  }
}

struct use wide_operands(uint16_t first, uint16_t second) {
  if ((first & 0xfe40) == 0xe800) {
    return multiple(first & 0x10, second, first & 15, first & 0x20);
  }
  if ((first & 0xfe40) == 0xe840) return wide_dual(first, second);
  if ((first & 0xfe00) == 0xea00) return wide_register(first, second);
  if ((first & 0xf800) == 0xf000) {
    return second & 0x8000 ? wide_branch(first, second) : wide_constant(first, second);
  }
  if ((first & 0xfe00) == 0xf800) return wide_single(first, second);
  if (first >> 8 == 0xfa) return wide_arithmetic(first, second);
  if (first >> 8 == 0xfb) return wide_multiplication(first, second);
  return floating_operands(first, second);
}
