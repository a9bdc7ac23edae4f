// Sums of products as int8, for cores without the DSP extension. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/channel_constants.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/rounding.h"

namespace opsmith {

// a * b / 2^32, rounded down, of four products of halves: Cortex-M0+ has no longer ones.
constexpr int32_t high_product_of_halves(int32_t a, int32_t b) {
  const int32_t low_a = a & 0xffff, high_a = a >> 16;
  const int32_t low_b = b & 0xffff, high_b = b >> 16;
  const uint32_t low = static_cast<uint32_t>(low_a) * static_cast<uint32_t>(low_b);
  const int32_t first = high_a * low_b + static_cast<int32_t>(low >> 16);
  const int32_t second = low_a * high_b + (first & 0xffff);
  return high_a * high_b + (first >> 16) + (second >> 16);
}

inline constexpr int32_t kLeastNarrow = 11;  // shift to the left

// a * 2^left * b / 2^32, rounded down, of three products: for left of kLeastNarrow to 31, a *
// 2^left of 32 bits, and b >= 0. Quotients that are rounded down one after the other are rounded
// down once.
constexpr int32_t high_product_of_narrow(int32_t a, int32_t left, int32_t b) {
  const int32_t low = (32 - left) >> 1, high = 32 - left - low;
  const int32_t first = b & ((1 << low) - 1), second = b >> low & ((1 << high) - 1);
  return a * (b >> (32 - left)) + ((a * second + (a * first >> low)) >> high);
}

// a * b / 2^32, rounded down.
constexpr int32_t high_product(int32_t a, int32_t b) {
#if defined(__ARM_ARCH_6M__)
  return high_product_of_halves(a, b);
#else
  return static_cast<int32_t>((static_cast<int64_t>(a) * b) >> 32);
#endif
}

// a * 2^left * b / 2^32, rounded down, of b >= 0 and a * 2^left of 32 bits. Shifts that are not
// known at compile time would take as long as the products that they save.
constexpr int32_t shifted_high_product(int32_t a, int32_t left, int32_t b) {
#if defined(__ARM_ARCH_6M__)
  if (__builtin_constant_p(left) && left >= kLeastNarrow) return high_product_of_narrow(a, left, b);
#endif
  return high_product(shift_left(a, left), b);
}

// A sum of products as an output: (sum * 2^left_shift * multiplier / 2^32 + offset) >> right_shift.
template <class P>
int8_t requantize_sum(const P& p, int32_t sum, const Threshold& channel) {
  const int32_t high = shifted_high_product(sum, p.left_shift, channel.multiplier);
  const int32_t value = (high + channel.offset) >> p.right_shift;
  return static_cast<int8_t>(clamp(value, p.activation_min, p.activation_max));
}

// The same with exceptions.
template <class P>
int8_t requantize_sum(const P& p, int32_t sum, const Listed& channel) {
  return channel.corrected(sum, requantize_sum(p, sum, channel.line));
}

// The same with all bits of the product:
// (sum * 2^left_shift * multiplier + offset) >> (32 + right_shift).
template <class P>
int8_t requantize_sum(const P& p, int32_t sum, const LongThreshold& channel) {
  const int64_t shifted = shift_left(sum, p.left_shift);
  const int64_t product = shifted * channel.multiplier + channel.offset();
  const int32_t right = has_own(&p) ? channel.own_shift() : p.right_shift;
  const int32_t value = static_cast<int32_t>(product >> 32) >> right;
  return static_cast<int8_t>(clamp(value, p.activation_min, p.activation_max));
}

// The same with TFLite's double rounding, (sum + bias) * multiplier * 2^(-31 - shift) + zero point;
// core/dsp_requantization.py says for which sums.
template <class P>
int8_t requantize_sum(const P& p, int32_t sum, const Rounding& channel) {
  int32_t twice = channel.bias + 2 * sum;
  const bool once = has_own(&p) && channel.rounds_once();
  if (once) twice = clamp(twice, -kCertainTwice, kCertainTwice) * (1 << channel.left());
  const int64_t product = static_cast<int64_t>(twice) * channel.multiplier;
  const int32_t scaled = static_cast<int32_t>((product + (int64_t{1} << 31)) >> 32);
  const int32_t value = once ? scaled + channel.zero_point()
                             : (scaled + (scaled >> 31) + channel.offset()) >> channel.shift();
  return static_cast<int8_t>(clamp(value, p.activation_min, p.activation_max));
}

// An output in single precision, halves to even: (sum + bias) * factor + zero point. Floats so far
// from 0 are beyond int8.
template <class P>
int8_t requantize_sum(const P& p, int32_t sum, const Single& channel) {
  const uint32_t biased = static_cast<uint32_t>(sum) + static_cast<uint32_t>(channel.bias);
  const float product = static_cast<float>(static_cast<int32_t>(biased)) * channel.factor;
  const float near = product < -512.0f ? -512.0f : product > 512.0f ? 512.0f : product;
  const int32_t y = round_half_even(near) + channel.zero_point;
  return static_cast<int8_t>(clamp(y, p.activation_min, p.activation_max));
}

// What requantize_sum reads of P, as a copy that may be in registers where y may alias P.
struct SumOutputs {
  int32_t left_shift, right_shift, activation_min, activation_max;
};
struct OwnSumOutputs : SumOutputs {
  static constexpr int32_t own = 1;
};
template <class P>
constexpr auto sum_outputs(const P& p) {
  const SumOutputs o = {p.left_shift, p.right_shift, p.activation_min, p.activation_max};
  if constexpr (has_own(static_cast<const P*>(nullptr))) {
    return OwnSumOutputs{o};
  } else {
    return o;
  }
}

// What requantize_sum reads of P: P itself where it is known at compile time.
template <class P>
constexpr auto outputs_of(const P& p) {
  if constexpr (__is_empty(P)) {
    return p;
  } else {
    return sum_outputs(p);
  }
}

}  // namespace opsmith
