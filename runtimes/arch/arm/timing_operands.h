// What an instruction of Thumb reads, writes and occupies in a pipeline that issues two at once.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "opsmith/rig/plugin/timing.h"

// Registers are bits: r0 to r15, then these, and s0 to s31 from bit 32 on.
enum { SP = 13, LR = 14, PC = 15, FLAGS, LANE_FLAGS, FLOATING_PIPE, FIRST_SINGLE = 32 };

// Units of which there is one: two instructions that occupy the same are not issued together.
enum unit { SHIFTER = 1, MULTIPLIER = 2, SIMD = 4, BRANCH = 8, STORE = 16, FLOATING = 32 };

struct use {
  uint64_t early, normal, late;  // registers read in the first, second and third stage
  uint64_t written;              // by the result
  uint64_t updated;              // an address that the access itself changes
  uint8_t latency;               // cycles until a result can be read in the second stage
  uint8_t units;
  uint8_t hold;  // cycles after its own in which nothing is issued
  uint8_t busy;  // until the floating-point pipe takes another instruction; 0: does not use it
  uint8_t bank;  // of a load, what a second one may not have too; 0: unknown
  bool first;    // only issued in front of the instruction that goes with it
  bool alone;    // not issued with another
  enum refill refill;
};

// What an instruction of 16 bits needs; `flags` is the bit of FLAGS where it may set them.
struct use narrow_operands(uint16_t code, uint64_t flags);

// The same of 32 bits, and of those for the floating-point unit.
struct use wide_operands(uint16_t first, uint16_t second);
struct use floating_operands(uint16_t first, uint16_t second);

static inline uint64_t bit(unsigned number) { return number == PC ? 0 : UINT64_C(1) << number; }

static inline struct use simple(uint64_t read, uint64_t written) {
  return (struct use){.normal = read, .written = written, .latency = 1};
}

static inline struct use shifted(uint64_t read, uint64_t early, uint64_t written) {
  return (struct use){
      .normal = read, .early = early, .written = written, .latency = 1, .units = SHIFTER};
}

static inline struct use simd(uint64_t read, uint64_t written, unsigned latency) {
  return (struct use){.normal = read,
                      .written = written,
                      .latency = (uint8_t)latency,
                      .units = SIMD,
                      .first = true};
}

static inline struct use simd_shifted(uint64_t read, uint64_t early, uint64_t written,
                                      unsigned latency) {
  struct use use = simd(read, written, latency);
  use.early = early;
  use.units |= SHIFTER;
  return use;
}

static inline struct use multiply(uint64_t factors, uint64_t sum, uint64_t written) {
  return (struct use){
      .normal = factors, .late = sum, .written = written, .latency = 2, .units = MULTIPLIER};
}

static inline struct use branch(enum refill refill, uint64_t read) {
  return (struct use){.normal = read, .units = BRANCH, .latency = 1, .refill = refill};
}

// Words from or to consecutive addresses, two in each cycle.
static inline struct use multiple(bool load, uint64_t registers, unsigned base, bool writes_back) {
  const unsigned words = (unsigned)__builtin_popcountll(registers);
  struct use use = {.early = bit(base), .latency = 1, .alone = true};
  *(load ? &use.written : &use.late) = registers & ~(UINT64_C(1) << PC);
  if (writes_back) use.updated = bit(base);
  if (words > 2) use.hold = (uint8_t)((words - 1) / 2);
  if (load && registers >> PC & 1) use.refill = REFILL_IF_ELSEWHERE;
  return use;
}

// A load or store of `size` bytes (as a power of two) at an address made of `address`.
static inline struct use single(bool load, unsigned size, uint64_t address, unsigned data) {
  struct use use = {.early = address, .latency = 1};
  if (!load) {
    use.late = bit(data);
    use.units = STORE;
  } else if (data == PC) {
    return branch(REFILL_IF_ELSEWHERE, address);
  } else {
    use.written = bit(data);
    use.latency = size == 2 ? 1 : 2;
  }
  return use;
}

// The same at [base + offset], whose words are in two banks by turns.
static inline struct use at_offset(bool load, unsigned size, unsigned base, unsigned offset,
                                   unsigned data) {
  struct use use = single(load, size, bit(base), data);
  if (load) use.bank = (uint8_t)(1 + 2 * base + (offset >> 2 & 1));
  return use;
}
