// Rows of int8 whose exponentials are in a table, by the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::dsp {

inline constexpr uint32_t kEach = 0x01010101;  // a byte times this is four times the byte

// The largest of the elements of some words.
inline int32_t largest_of_words(const int8_t* x, int32_t words) {
  uint32_t found = 0x80 * kEach;
#pragma GCC unroll 2
  for (; words > 0; --words, x += 4) found = larger_of<int8_t>(found, load_word(x));
  found = larger_of<int8_t>(found, found << 16);
  found = larger_of<int8_t>(found, found << 8);
  return static_cast<int32_t>(found) >> 24;
}

// Reads four exponentials; loads that follow each other take less.
#define OPSMITH_EXPONENTIALS               \
  "uxtb %[a], %[at]\n\t"                   \
  "ubfx %[b], %[at], #8, #8\n\t"           \
  "ubfx %[c], %[at], #16, #8\n\t"          \
  "lsr %[at], %[at], #24\n\t"              \
  "ldr %[a], [%[table], %[a], lsl #2]\n\t" \
  "ldr %[b], [%[table], %[b], lsl #2]\n\t" \
  "ldr %[c], [%[table], %[c], lsl #2]\n\t" \
  "ldr %[at], [%[table], %[at], lsl #2]\n\t"

// The sum of the exponentials of some words, each shifted to the right and rounded; places(x) are
// those of four elements in the table.
template <int32_t kShift, class Places>
int32_t sum_of_exponentials(const Places& places, const int32_t* table, const int8_t* x,
                            int32_t words) {
  const auto counted = [](uint32_t each) { return rounding_shift_right(each, kShift); };
  int32_t sum = 0;
  for (; words > 0; --words, x += 4) {
    uint32_t a, b, c, at = places(x);
    __asm(OPSMITH_EXPONENTIALS
          : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [at] "+r"(at)
          : [table] "r"(table), "m"(*reinterpret_cast<const int32_t (*)[]>(table)));
    sum += counted(a);
    sum += counted(b);
    sum += counted(c);
    sum += counted(at);
  }
  return sum;
}

// 1 / (1 + x) in Q0.31 of 1 + x in Q1.31, as reciprocal_of_one_plus of runtimes/core/reciprocal.h:
// a product with a number of 2^31 or more is one with a negative number, and the other factor
// added.
inline int32_t reciprocal_of(uint32_t one_and_more) {
  constexpr int32_t slope = -1010580540;
  const int32_t twice = static_cast<int32_t>(one_and_more & ~1u);
  int32_t y = smmlar(twice, slope, 1515870810 + slope);
#pragma GCC unroll 3
  for (int32_t i = 0; i < 3; ++i) {
    const int32_t error = (int32_t{1} << 29) - smmlar(y, twice, y);
    y += shift_left(smmulr(y, shift_left(error, 1)), 2);
  }
  return __qadd(y, y);
}

// a * b / 2^31, rounded, of b in [2^30, 2^31).
inline int32_t doubled_high_product(int32_t a, int32_t b) { return smmlar(a, shift_left(b, 1), a); }

// As fixed_logarithm of runtimes/core/fixed_logarithm.h.
inline int32_t logarithm_of(int32_t x) {
  constexpr int32_t sqrt_half = 1518500250, sqrt_sqrt_half = 1805811301, log_2 = 1488522236;
  constexpr int32_t quarter = 1 << 23;
  const int32_t zeros = __builtin_clz(static_cast<uint32_t>(x));
  const int32_t normal = doubled_high_product(shift_left(x, zeros - 1), sqrt_half);
  const int32_t product = doubled_high_product(x, sqrt_half);
  const int32_t other_zeros = __builtin_clz(static_cast<uint32_t>(product)) - 1;
  const int32_t power =
      max(shift_left(12 - zeros, 25) + quarter, shift_left(12 - other_zeros, 25) - quarter);
  const int32_t other = shift_left(x, other_zeros);
  const int32_t r = min(__qadd(normal, normal), other < 0 ? INT32_MAX : other);
  const uint32_t sum = static_cast<uint32_t>(r) + sqrt_sqrt_half + 1;
  const int32_t p = static_cast<int32_t>(sum >> 1), q = 2 * (r - sqrt_sqrt_half);
  const int32_t square = smmulr(2 * q, q);
  const int32_t cube = smmulr(2 * q, square);
  const int32_t numerator = smmlar(2 * q, r, smmulr(2 * cube, 117049297));
  const int32_t factor = smmlar(2 * 127690142, square, 1057819769 + q);
  const int32_t denominator = smmlar(2 * 638450708, q, doubled_high_product(factor, p));
  const int32_t inverse = reciprocal_of(static_cast<uint32_t>(denominator) + (uint32_t{1} << 31));
  const int32_t quotient = smmulr(2 * rounding_divide_by_pot(numerator, 6), inverse);
  const int32_t found = smmlar(2 * power, log_2, quotient);
  return __qadd(found, found);
}

}  // namespace opsmith::dsp
