// Operands and units of instructions of 16 bits on the Cortex-M7, by the upper bits of their
// encodings; timing_dual_issue.c has the sources.
#include "timing_operands.h"

static struct use narrow_arithmetic(unsigned code, uint64_t flags) {
  const uint64_t low = bit(code & 7), middle = bit(code >> 3 & 7);
  switch (code >> 6 & 15) {
    case 0x2:
    case 0x3:
    case 0x4:
    case 0x7:
      return shifted(low | middle, 0, low | flags);
    case 0x5:
    case 0x6:
      return simple(low | middle | bit(FLAGS), low | flags);
    case 0x8:
    case 0xa:
    case 0xb:
      return simple(low | middle, bit(FLAGS));
    case 0x9:
    case 0xf:
      return simple(middle, low | flags);
    case 0xd:
      return multiply(low | middle, 0, low | flags);
    default:
      return simple(low | middle, low | flags);
  }
}

static struct use narrow_high(unsigned code) {
  const unsigned to = (code & 7) | (code >> 4 & 8), from = code >> 3 & 15;
  if (code >> 8 == 0x47) return branch(REFILL_IF_ELSEWHERE, bit(from));
  if (code >> 8 == 0x45) return simple(bit(to) | bit(from), bit(FLAGS));
  if (to == PC) return branch(REFILL_IF_ELSEWHERE, bit(from));
  return simple(code >> 8 == 0x46 ? bit(from) : bit(to) | bit(from), bit(to));
}

static struct use narrow_other(unsigned code) {
  const uint64_t low = bit(code & 7), middle = bit(code >> 3 & 7);
  if (code >> 8 == 0xb0) return simple(bit(SP), bit(SP));
  if ((code & 0xf500) == 0xb100) return branch(REFILL_IF_MISPREDICTED, low);
  if (code >> 8 == 0xb2) return simd(middle, low, 1);
  if (code >> 8 == 0xba) return simd_shifted(0, middle, low, 0);
  if ((code & 0xf600) == 0xb400) {
    const bool load = code & 0x800;
    const uint64_t more = code & 0x100 ? UINT64_C(1) << (load ? PC : LR) : 0;
    return multiple(load, (code & 0xff) | more, SP, true);
  }
  return simple(0, 0);  // IT and hints
}

struct use narrow_operands(uint16_t code, uint64_t flags) {
  const unsigned low = code & 7, middle = code >> 3 & 7, high = code >> 6 & 7, top = code >> 8 & 7;
  const unsigned five = code >> 6 & 31;
  static const uint8_t sizes[] = {2, 1, 0, 0, 2, 1, 0, 1};
  const bool load = code >> 11 & 1;
  switch (code >> 11) {
    case 0x00 ... 0x02:
      if (!(code >> 6)) return simple(bit(middle), bit(low) | flags);
      return shifted(bit(middle), 0, bit(low) | flags);
    case 0x03:
      return simple(bit(middle) | (code & 0x400 ? 0 : bit(high)), bit(low) | flags);
    case 0x04:
      return simple(0, bit(top) | flags);
    case 0x05:
      return simple(bit(top), bit(FLAGS));
    case 0x06:
    case 0x07:
      return simple(bit(top), bit(top) | flags);
    case 0x08:
      return code & 0x400 ? narrow_high(code) : narrow_arithmetic(code, flags);
    case 0x09:
      return single(true, 2, 0, top);
    case 0x0a:
    case 0x0b:
      return single((code >> 9 & 7) >= 3, sizes[code >> 9 & 7], bit(middle) | bit(high), low);
    case 0x0c ... 0x0d:
      return at_offset(load, 2, middle, five * 4, low);
    case 0x0e ... 0x0f:
      return at_offset(load, 0, middle, five, low);
    case 0x10 ... 0x11:
      return at_offset(load, 1, middle, five * 2, low);
    case 0x12 ... 0x13:
      return at_offset(load, 2, SP, (code & 0xff) * 4, top);
    case 0x14 ... 0x15:
      return simple(code & 0x800 ? bit(SP) : 0, bit(top));
    case 0x16 ... 0x17:
      return narrow_other(code);
    case 0x18 ... 0x19:
      return multiple(load, code & 0xff, top, !(load && code >> top & 1));
    case 0x1a ... 0x1b:
      return (code >> 8 & 15) < 14 ? branch(REFILL_IF_MISPREDICTED, 0) : simple(0, 0);
    default:
      return branch(REFILL_NEVER, 0);
  }
}
