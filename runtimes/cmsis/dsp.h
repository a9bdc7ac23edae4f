// The DSP extension of Armv7E-M and Armv8-M as functions, for kernels that need it.
#pragma once

#include <arm_acle.h>
#include <stdint.h>
#include <string.h>

#include "runtimes/cmsis/dsp_outputs.h"
#include "runtimes/core/channel_constants.h"

namespace opsmith::dsp {

// Four bytes from any address: one LDR, since the cores that have DSP allow it unaligned.
inline uint32_t load_word(const void* address) {
  uint32_t word;
  memcpy(&word, address, sizeof word);
  return word;
}

inline void store_word(void* address, uint32_t word) { memcpy(address, &word, sizeof word); }

// Four bytes, the first in the lowest bits. In assembly, since GCC emits slower code.
inline uint32_t word_of(uint32_t byte0, uint32_t byte1, uint32_t byte2, uint32_t byte3) {
  __asm(
      "orr %0, %0, %1, lsl #8\n\t"
      "orr %0, %0, %2, lsl #16\n\t"
      "orr %0, %0, %3, lsl #24"
      : "+&r"(byte0)
      : "r"(byte1), "r"(byte2), "r"(byte3));
  return byte0;
}

// Bytes 0 and 2 as two signed halfwords.
inline uint32_t sxtb16(uint32_t bytes) {
  uint32_t halves;
  __asm("sxtb16 %0, %1" : "=r"(halves) : "r"(bytes));
  return halves;
}

// Bytes 1 and 3 as two signed halfwords. The intrinsic and a rotation would be two instructions.
inline uint32_t sxtb16_ror8(uint32_t bytes) {
  uint32_t halves;
  __asm("sxtb16 %0, %1, ror #8" : "=r"(halves) : "r"(bytes));
  return halves;
}

// Bytes 1 and 3 as two unsigned halfwords.
inline uint32_t uxtb16_ror8(uint32_t bytes) {
  uint32_t halves;
  __asm("uxtb16 %0, %1, ror #8" : "=r"(halves) : "r"(bytes));
  return halves;
}

// Bytes 0 and 2, or 1 and 3, added to two halfwords.
inline uint32_t sxtab16(uint32_t halves, uint32_t bytes) {
  uint32_t sums;
  __asm("sxtab16 %0, %1, %2" : "=r"(sums) : "r"(halves), "r"(bytes));
  return sums;
}
inline uint32_t sxtab16_ror8(uint32_t halves, uint32_t bytes) {
  uint32_t sums;
  __asm("sxtab16 %0, %1, %2, ror #8" : "=r"(sums) : "r"(halves), "r"(bytes));
  return sums;
}

// The same of unsigned bytes.
inline uint32_t uxtab16(uint32_t halves, uint32_t bytes) {
  uint32_t sums;
  __asm("uxtab16 %0, %1, %2" : "=r"(sums) : "r"(halves), "r"(bytes));
  return sums;
}
inline uint32_t uxtab16_ror8(uint32_t halves, uint32_t bytes) {
  uint32_t sums;
  __asm("uxtab16 %0, %1, %2, ror #8" : "=r"(sums) : "r"(halves), "r"(bytes));
  return sums;
}

// The low halfword of a word, or the high one, added to a sum. In assembly, since the compiler
// loads the words of many additions before it begins, and runs out of registers.
inline int32_t sxtah(int32_t sum, uint32_t halves) {
  __asm("sxtah %0, %0, %1" : "+r"(sum) : "r"(halves));
  return sum;
}
inline int32_t add_high(int32_t sum, uint32_t halves) {
  __asm("add %0, %0, %1, asr #16" : "+r"(sum) : "r"(halves));
  return sum;
}

// The low halfwords of two words: the first one's below.
inline uint32_t pkhbt(uint32_t low, uint32_t high) {
  uint32_t halves;
  __asm("pkhbt %0, %1, %2, lsl #16" : "=r"(halves) : "r"(low), "r"(high));
  return halves;
}

// The high halfwords of two words: the first one's above.
inline uint32_t pkhtb(uint32_t high, uint32_t low) {
  uint32_t halves;
  __asm("pkhtb %0, %1, %2, asr #16" : "=r"(halves) : "r"(high), "r"(low));
  return halves;
}

// A number as both halfwords of a word.
constexpr uint32_t in_both_halves(int32_t x) { return static_cast<uint16_t>(x) * 0x00010001u; }

// sum + low(a) * low(b) + high(a) * high(b)
inline int32_t smlad(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

// sum + low(a) * low(b)
inline int32_t smlabb(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlabb %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

// sum + high(a) * low(b)
inline int32_t smlatb(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlatb %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

// sum + high(a) * high(b)
inline int32_t smlatt(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlatt %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

// low(a) * low(b), and high(a) * low(b). In assembly, since GCC extends halves first where it does
// not know that b has no more.
inline int32_t smulbb(uint32_t a, uint32_t b) {
  int32_t product;
  __asm("smulbb %0, %1, %2" : "=r"(product) : "r"(a), "r"(b));
  return product;
}
inline int32_t smultb(uint32_t a, uint32_t b) {
  int32_t product;
  __asm("smultb %0, %1, %2" : "=r"(product) : "r"(a), "r"(b));
  return product;
}

// round(a * b / 2^32), ties up.
inline int32_t smmulr(int32_t a, int32_t b) {
  int32_t result;
  __asm("smmulr %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

// high half of a * b + (sum << 32)
inline int32_t smmla(int32_t a, int32_t b, int32_t sum) {
  int32_t result;
  __asm("smmla %0, %1, %2, %3" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}

// sum + round(a * b / 2^32), ties up, wrapping.
inline int32_t smmlar(int32_t a, int32_t b, int32_t sum) {
  int32_t result;
  __asm("smmlar %0, %1, %2, %3" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}

// sum - a * b / 2^32, rounded to nearest, ties up.
inline int32_t smmlsr(int32_t a, int32_t b, int32_t sum) {
  int32_t result;
  __asm("smmlsr %0, %1, %2, %3" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}

using Rounding = opsmith::Rounding;
using Threshold = opsmith::Threshold;
using LongThreshold = opsmith::LongThreshold;

// A value clamped to [low, high] within int8, or uint8; one SSAT where the range is int8's own.
template <class P>
int8_t clamped(const P& p, int32_t value) {
  if (p.activation_min == -128 && p.activation_max == 127) {
    return static_cast<int8_t>(__ssat(value, 8));
  }
  const int32_t low = value < p.activation_min ? p.activation_min : value;
  return static_cast<int8_t>(low > p.activation_max ? p.activation_max : low);
}

// The bounds of elements, as clamped() takes them.
struct Bounds {
  int32_t activation_min;
  int32_t activation_max;
};
template <int32_t kMin, int32_t kMax>
struct StaticBounds {
  static constexpr int32_t activation_min = kMin;
  static constexpr int32_t activation_max = kMax;
};

// Those of a Params, where `member` is &P::activation_min: of a Params known at compile time a
// type, which stays known in functions that are not inlined.
template <class P>
constexpr auto bounds_of(const P&, const int32_t* /*member*/) {
  return StaticBounds<P::activation_min, P::activation_max>{};
}
template <class P>
constexpr Bounds bounds_of(const P& p, int32_t P::* /*member*/) {
  return {p.activation_min, p.activation_max};
}

// Bounds for kernels that clamp what goes beyond int8 and leave the rest to clamp_outputs, which
// does nothing where they are known.
template <int32_t kMin, int32_t kMax>
constexpr StaticBounds<kMin, kMax> saturated(const StaticBounds<kMin, kMax>& bounds) {
  return bounds;
}
constexpr StaticBounds<-128, 127> saturated(const Bounds& /*bounds*/) { return {}; }
inline void clamp_outputs(const Bounds& bounds, int32_t size, int32_t pitch, int8_t* y) {
  const Outputs outputs = {0, 0, bounds.activation_min, bounds.activation_max};
  clamp_outputs(OutputsOf<int8_t>{outputs}, size, pitch, y);
}

// f(bounds) of a Params, by a type that tells all of kMin to kMax from others: a general form
// decides once, before its loop.
template <int32_t kMin, int32_t kMax, class P, class F>
__attribute__((always_inline)) inline void with_bounds(const P& p, F f) {
  if (p.activation_min == kMin && p.activation_max == kMax) {
    f(StaticBounds<kMin, kMax>{});
  } else {
    f(bounds_of(p, &P::activation_min));
  }
}

// A sum of products as an output: (sum * 2^left_shift * multiplier / 2^32 + offset) >> right_shift.
template <class P>
int8_t requantize(const P& p, int32_t sum, const Threshold& channel) {
  const int32_t shifted = static_cast<int32_t>(static_cast<uint32_t>(sum) << p.left_shift);
  return clamped(p, smmla(shifted, channel.multiplier, channel.offset) >> p.right_shift);
}

// The same with exceptions.
template <class P>
int8_t requantize(const P& p, int32_t sum, const Listed& channel) {
  return channel.corrected(sum, requantize(p, sum, channel.line));
}

// The same with all bits of the product:
// (sum * 2^left_shift * multiplier + offset) >> (32 + right_shift).
template <class P>
int8_t requantize(const P& p, int32_t sum, const LongThreshold& channel) {
  const int64_t shifted = static_cast<int32_t>(static_cast<uint32_t>(sum) << p.left_shift);
  const int64_t product = shifted * channel.multiplier + channel.offset();
  const int32_t right = has_own(&p) ? channel.own_shift() : p.right_shift;
  return clamped(p, static_cast<int32_t>(product >> 32) >> right);
}

// The same in a channel with both shifts of its own. Shared by layers that clamp alike.
template <class O>
__attribute__((noinline)) int8_t requantize_own(const O& o, int32_t sum,
                                                const LongThreshold& channel) {
  const int64_t shifted = static_cast<int32_t>(static_cast<uint32_t>(sum) << channel.own_left());
  const int64_t product = shifted * channel.multiplier + channel.offset();
  return clamped(o, static_cast<int32_t>(product >> 32) >> channel.own_shift());
}

// The same with TFLite's double rounding, (sum + bias) * multiplier * 2^(-31 - shift) + zero point.
//
// For shift >= 1 and |sum + bias| < 2^30, which the op proves at build time. SMMULR of twice the
// sum is then the doubling high multiplication: no saturation, and both round ties up. Dividing by
// 2^shift with ties away from zero is an addition of half, less one for negative numbers, and a
// shift. A sum is as negative as its product, or that is zero, which half more than one less gives.
template <class P>
int8_t requantize(const P& p, int32_t sum, const Rounding& channel) {
  const uint32_t twice = static_cast<uint32_t>(channel.bias) + (static_cast<uint32_t>(sum) << 1);
  if (has_own(&p) && channel.rounds_once()) {
    const int32_t certain = __ssat(static_cast<int32_t>(twice), 17);  // kCertainTwice
    const int32_t scaled = smmulr(certain * (1 << channel.left()), channel.multiplier);
    return clamped(p, scaled + channel.zero_point());
  }
  const int32_t shifted = static_cast<int32_t>(twice);
  const int32_t scaled = smmlar(shifted, channel.multiplier, channel.offset());
  return clamped(p, (scaled + (shifted >> 31)) >> channel.shift());
}

// The nearest integer, halves to even, or the one of the greatest magnitude. For cores with an FPU,
// whose mode that is unless it is changed.
inline int32_t to_nearest(float x) {
  float bits;
  int32_t nearest;
  __asm("vcvtr.s32.f32 %0, %1" : "=t"(bits) : "t"(x));
  memcpy(&nearest, &bits, sizeof nearest);
  return nearest;
}

// An output in single precision, halves to even: (sum + bias) * factor + zero point.
template <class P>
int8_t requantize(const P& p, int32_t sum, const Single& channel) {
  const uint32_t biased = static_cast<uint32_t>(sum) + static_cast<uint32_t>(channel.bias);
  const float product = static_cast<float>(static_cast<int32_t>(biased)) * channel.factor;
  return clamped(p, __qadd(to_nearest(product), channel.zero_point));
}

}  // namespace opsmith::dsp
