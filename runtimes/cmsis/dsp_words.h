// Elements as words for the DSP extension: functions of families, which are written for int32_t,
// with SMMULR and SSAT.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::dsp {

struct Word;

// twice * multiplier * 2^(shift - 32), rounded twice, but for positive shifts. Half is added as the
// product is made, which is at most 2^30, and one is taken from negative numbers by the sign of
// `twice`: where the product is 0, it rounds alike with one less.
inline int32_t rounded_twice(int32_t twice, int32_t multiplier, int32_t shift) {
  if (shift >= 0) return smmulr(twice, multiplier);
  if (shift < -30) return rounding_divide_by_pot(smmulr(twice, multiplier), -shift);
  return (smmlar(twice, multiplier, 1 << (-shift - 1)) + (twice >> 31)) >> -shift;
}

// A product of two words, of up to 31 bits.
struct Product {
  int32_t value;

  friend Word multiply_by_quantized_multiplier(Product x, int32_t multiplier, int32_t shift);
};

// What functions take in place of int32_t. Those of its own are found by their arguments.
struct Word {
  int32_t value;

  friend Word operator+(Word a, Word b) { return {a.value + b.value}; }
  friend Word operator-(Word a, Word b) { return {a.value - b.value}; }
  friend Product operator*(Word a, Word b) { return {a.value * b.value}; }
  friend Word operator+(Word a, int32_t b) { return {a.value + b}; }
  friend Word operator-(Word a, int32_t b) { return {a.value - b}; }

  friend Word shift_left(Word x, int32_t n) { return {opsmith::shift_left(x.value, n)}; }

  friend Word rounding_divide_by_pot(Word x, int32_t exponent) {
    return {opsmith::rounding_divide_by_pot(x.value, exponent)};
  }

  // The same bits as of int32_t where x * 2^(shift + 1) fits 32 bits, for a positive shift, or 2 *
  // x.
  friend Word multiply_by_quantized_multiplier(Word x, int32_t multiplier, int32_t shift) {
    const int32_t twice = opsmith::shift_left(x.value, (shift > 0 ? shift : 0) + 1);
    return {rounded_twice(twice, multiplier, shift)};
  }

  // One saturation where the greatest element of y is that of its type.
  friend Word clamp(Word x, int32_t low, int32_t high) {
    int32_t found = x.value, least = INT32_MIN;
    if (high == INT16_MAX) {
      found = __ssat(found, 16);
      least = INT16_MIN;
    } else if (high == INT8_MAX) {
      found = __ssat(found, 8);
      least = INT8_MIN;
    } else if (high == UINT8_MAX && low >= 0) {
      found = static_cast<int32_t>(__usat(found, 8));
      least = 0;
    } else {
      found = min(found, high);
    }
    return {low > least ? max(found, low) : found};
  }
};

// The double of 2^30 saturates; shift is not positive.
inline Word multiply_by_quantized_multiplier(Product x, int32_t multiplier, int32_t shift) {
  return {rounded_twice(__qadd(x.value, x.value), multiplier, shift)};
}

}  // namespace opsmith::dsp
