// Cortex-M4 Technical Reference Manual (Arm 100166, r0p1), tables 3-1 and 7-1 and section 3.3.3,
// and Cortex-M3 Technical Reference Manual (Arm DDI 0337), table 3-1 and section 3.3.2, for memory
// without wait states:
//
//   data processing, multiplication, SIMD 1 · on the M3 MLA 2, long multiplication 5, with
//   accumulation 7 (the most) division 8 (of 2 to 12) · LDR 2, STR 1, STR with a register offset 2,
//   one less for an LDR and such a STR right behind an LDR whose register is not in its address ·
//   LDRD, STRD, LDM, STM, PUSH, POP 1 + words · exclusive 2 branch 1, and the refill where it is
//   taken; loads of PC, TBB and TBH 2 and the refill · IT 1 VLDR and VSTR 1 + words · VLDM and VSTM
//   1 + words · VDIV and VSQRT 14 · VMLA and VFMA 3 · VMOV of two registers 2
//
// Not modelled: the cycle that an address costs which the instruction before it computed, penalties
// of unaligned access, contention of fetch and data, folded IT. An instruction whose condition
// fails costs what it costs otherwise. The Cortex-M7 is in timing_dual_issue.c.
#include "opsmith/rig/plugin/timing.h"
#include "timing_armv8m.h"
#include "timing_dual_issue.h"

#include <stddef.h>
#include <string.h>

enum { PC = 15, NO_REGISTER = 16, DIVISION = 8 };

// What a core needs for instructions in which they differ.
struct core {
  const char* name;
  uint8_t refill;  // 1 to 3 cycles on the M3 and M4, by the target's alignment and width
  bool issues_two;
  bool two_stages;
  uint8_t paired_words;  // of data in a cycle, on cores that issue pairs of short instructions
  uint8_t multiply_accumulate;
  uint8_t long_multiply, long_multiply_accumulate;
};

static const struct core cores[] = {
    {"cortex-m0plus", 1, false, true, 0, 0, 0, 0}, {"cortex-m3", 2, false, false, 0, 2, 5, 7},
    {"cortex-m4", 2, false, false, 0, 1, 1, 1},    {"cortex-m7", 6, true, false, 0, 1, 1, 1},
    {"cortex-m33", 2, false, false, 1, 0, 0, 0},   {"cortex-m55", 3, false, false, 2, 0, 0, 0}};

const struct core* find_core(const char* name) {
  for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
    if (!strcmp(cores[i].name, name)) return &cores[i];
  return NULL;
}

unsigned refill_cycles(const struct core* core) { return core->refill; }

// Whether an instruction that begins with these 16 bits has 16 more.
static bool is_wide(uint16_t first) { return first >> 11 >= 0x1d; }

static struct cost plain(unsigned cycles) { return (struct cost){(uint8_t)cycles, REFILL_NEVER}; }

static struct cost jump(unsigned cycles) { return (struct cost){(uint8_t)cycles, REFILL_ALWAYS}; }

static struct cost choice(void) { return (struct cost){1, REFILL_IF_TAKEN}; }

static unsigned bits(unsigned value) { return (unsigned)__builtin_popcount(value); }

// Several words from or to consecutive addresses.
static struct cost multiple(unsigned words, bool to_pc) {
  return to_pc ? jump(1 + words) : plain(1 + words);
}

// A single load or store of `data` at [base + offset]; an offset that is no register is
// NO_REGISTER.
static struct cost single(const struct core* core, struct context* context, uint8_t before,
                          bool load, unsigned data, unsigned base, unsigned offset) {
  if (core->two_stages) return plain(2);
  const bool pipelined = before != NO_REGISTER && before != base && before != offset;
  if (load && data == PC) return jump(2);
  if (load) context->loaded = (uint8_t)(data + 1);
  if (!load && offset == NO_REGISTER) return plain(1);
  return plain(pipelined ? 1 : 2);
}

static struct cost narrow(const struct core* core, struct context* context, uint8_t before,
                          unsigned code) {
  const unsigned low = code & 7, middle = code >> 3 & 7, high = code >> 6 & 7, top = code >> 8 & 7;
  switch (code >> 12) {
    case 0x4:
      if (code >> 8 == 0x47) return jump(1);  // BX, BLX
      if (code >> 11 == 0x9)                  // literal
        return single(core, context, before, true, top, PC, NO_REGISTER);
      if (code >> 10 == 0x11 && code >> 8 != 0x45 && (low | (code >> 4 & 8)) == PC) return jump(1);
      return plain(1);
    case 0x5:
      return single(core, context, before, (code >> 9 & 7) >= 3, low, middle, high);
    case 0x6:
    case 0x7:
    case 0x8:
      return single(core, context, before, code >> 11 & 1, low, middle, NO_REGISTER);
    case 0x9:
      return single(core, context, before, code >> 11 & 1, top, 13, NO_REGISTER);
    case 0xb:
      if ((code & 0xf600) == 0xb400) return multiple(bits(code & 0x1ff), (code & 0x900) == 0x900);
      if ((code & 0xf500) == 0xb100) return choice();  // CBZ, CBNZ
      if (code >> 8 == 0xbf && (code & 15)) {          // IT, for up to four
        context->conditional = (uint8_t)(4 - __builtin_ctz(code & 15));
      }
      return plain(1);
    case 0xc:
      return multiple(bits(code & 0xff), false);
    case 0xd:
      return (code >> 8 & 15) < 14 ? choice() : plain(1);
    case 0xe:
      return jump(1);
    default:
      return plain(1);
  }
}

// LDRD, STRD, exclusive and table branches.
static struct cost dual(unsigned first, unsigned second) {
  if ((first & 0xfff0) == 0xe8d0 && (second & 0xffe0) == 0xf000) return jump(2);
  return plain(first & 0x120 ? 3 : 2);
}

static struct cost branch_or_control(unsigned first, unsigned second) {
  switch (second & 0xd000) {
    case 0x8000:
      return (first >> 7 & 7) == 7 ? plain(1) : choice();
    case 0x9000:
    case 0xd000:
      return jump(1);
    default:
      return plain(1);
  }
}

static struct cost wide_single(const struct core* core, struct context* context, uint8_t before,
                               unsigned first, unsigned second) {
  const bool load = first & 0x10, word = (first >> 5 & 3) == 2;
  const unsigned base = first & 15, data = second >> 12;
  const bool by_register = !(first & 0x80) && base != PC && !(second & 0x800);
  if (load && data == PC && !word) return plain(1);  // a hint
  return single(core, context, before, load, data, base, by_register ? second & 15 : NO_REGISTER);
}

static struct cost multiplication(const struct core* core, unsigned first, unsigned second) {
  const unsigned kind = first >> 4 & 15;
  if (kind < 8) return plain(second >> 12 == 15 ? 1 : core->multiply_accumulate);
  if (kind == 9 || kind == 11) return plain(DIVISION);
  return plain(kind < 12 ? core->long_multiply : core->long_multiply_accumulate);
}

static struct cost floating_point(unsigned first, unsigned second) {
  const unsigned words = second & 0x100 ? 2 : 1;
  if ((first & 0xffe0) == 0xec40) return plain(2);          // VMOV of two registers
  if ((first & 0xff20) == 0xed00) return plain(1 + words);  // VLDR, VSTR
  if ((first & 0xfe00) == 0xec00) return plain(1 + (second & 0xff));
  if ((first & 0xff00) != 0xee00 || second & 0x10) return plain(1);
  switch (first >> 4 & 0xb) {
    case 0x0:
    case 0x1:
    case 0x9:
    case 0xa:
      return plain(3);
    case 0x8:
      return plain(14);
    case 0xb:
      return plain((first & 15) == 1 && (second & 0xc0) == 0xc0 ? 14 : 1);
    default:
      return plain(1);
  }
}

static struct cost wide(const struct core* core, struct context* context, uint8_t before,
                        unsigned first, unsigned second) {
  if (core->two_stages) return second & 0x4000 ? jump(2) : plain(3);
  if ((first & 0xfe40) == 0xe800) {
    return multiple(bits(second), first & 0x10 && second & 0x8000);
  }
  if ((first & 0xfe40) == 0xe840) return dual(first, second);
  if ((first & 0xf800) == 0xf000 && second & 0x8000) return branch_or_control(first, second);
  if ((first & 0xfe00) == 0xf800) return wide_single(core, context, before, first, second);
  if (first >> 8 == 0xfb) return multiplication(core, first, second);
  if ((first & 0xec00) == 0xec00 && (second & 0xe00) == 0xa00) return floating_point(first, second);
  return plain(1);
}

struct cost instruction_cost(const struct core* core, struct context* context, uint16_t first,
                             uint16_t second) {
  const uint8_t before = context->loaded ? context->loaded - 1 : NO_REGISTER;
  const bool conditional = context->conditional > 0;
  if (conditional) context->conditional--;
  context->loaded = 0;
  if (core->paired_words) {
    return paired_cost(context, core->paired_words == 1, conditional, first, second);
  }
  if (core->issues_two) return dual_issue_cost(context, conditional, first, second);
  struct cost cost = is_wide(first) ? wide(core, context, before, first, second)
                                    : narrow(core, context, before, first);
  if (conditional && cost.refill == REFILL_ALWAYS) cost.refill = REFILL_IF_TAKEN;
  return cost;
}
