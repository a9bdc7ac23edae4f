// Floats quantised at run time, and their sums of products as floats again, by Helium, for kernels
// that require `mve_float`. Fast because four floats take each instruction.
//
// Vectors take subnormal numbers for zeros. Images whose scale would lead to any, or to infinities,
// are computed by scalars.
#pragma once

#include <arm_mve.h>
#include <string.h>

#include "runtimes/core/dynamic_range.h"
#include "runtimes/core/float_bits.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::mve {

// How floats become elements. Vectors do it where all floats are finite, and no product of a
// subnormal one is as large as a half.
struct RangeQuantiser {
  Quantiser by;
  bool vectors;
};

// Bits of floats compare as integers do: of positive ones as signed, of negative ones as unsigned.
template <bool kAsymmetric>
__attribute__((noinline)) RangeQuantiser ranged(const float* x, int32_t size) {
  constexpr uint32_t kInfinite = 0x7f800000, kNegative = 0x80000000;
  uint32_t high = 0, low = kNegative;
  const float* from = x;
  __asm volatile(
      "vdup.32 q1, %[high]\n\t"
      "vdup.32 q2, %[low]\n\t"
      "wlstp.32 lr, %[size], 2f\n"
      "1:\n\t"
      "vldrw.32 q0, [%[x]], #16\n\t"
      "vmax.s32 q1, q1, q0\n\t"
      "vmax.u32 q2, q2, q0\n\t"
      "letp lr, 1b\n"
      "2:\n\t"
      "vmaxv.s32 %[high], q1\n\t"
      "vmaxv.u32 %[low], q2"
      : [high] "+r"(high), [low] "+r"(low), [x] "+r"(from)
      : [size] "r"(size)
      : "lr", "q0", "q1", "q2", "cc", "memory");
  const bool finite = high < kInfinite && low < (kNegative | kInfinite);
  Extent extent = {0, 0};
  if (finite) {
    memcpy(&extent.high, &high, sizeof high);
    if (low != kNegative) memcpy(&extent.low, &low, sizeof low);
  } else {
    extent = extent_of(x, size);
  }
  const Quantiser by = kAsymmetric ? asymmetric_quantiser(extent) : symmetric_quantiser(extent);
  return {by, finite && by.inverse < 0x1p100f};
}

// Sixteen floats at a time, of which VLD4 spreads each four over vectors, so that narrowing brings
// them together again; then up to four.
inline __attribute__((noinline)) void quantize(const RangeQuantiser& by, const float* x,
                                               int32_t size, int8_t* q) {
  if (!by.vectors) return quantize_by(by.by, x, size, q);
  __asm volatile(
      ".arch_extension mve.fp\n\t"
      "wls lr, %[sixteens], 2f\n"
      "1:\n\t"
      "vld40.32 {q0, q1, q2, q3}, [%[x]]\n\t"
      "vld41.32 {q0, q1, q2, q3}, [%[x]]\n\t"
      "vld42.32 {q0, q1, q2, q3}, [%[x]]\n\t"
      "vld43.32 {q0, q1, q2, q3}, [%[x]]!\n\t"
      "vmul.f32 q0, q0, %[inverse]\n\t"
      "vmul.f32 q1, q1, %[inverse]\n\t"
      "vmul.f32 q2, q2, %[inverse]\n\t"
      "vmul.f32 q3, q3, %[inverse]\n\t"
      "vcvta.s32.f32 q0, q0\n\t"
      "vcvta.s32.f32 q1, q1\n\t"
      "vcvta.s32.f32 q2, q2\n\t"
      "vcvta.s32.f32 q3, q3\n\t"
      "vqmovnb.s32 q0, q0\n\t"
      "vqmovnb.s32 q1, q1\n\t"
      "vqmovnt.s32 q0, q2\n\t"
      "vqmovnt.s32 q1, q3\n\t"
      "vadd.i16 q0, q0, %[zero_point]\n\t"
      "vadd.i16 q1, q1, %[zero_point]\n\t"
      "vqmovnb.s16 q0, q0\n\t"
      "vqmovnt.s16 q0, q1\n\t"
      "vstrb.8 q0, [%[q]], #16\n\t"
      "le lr, 1b\n"
      "2:\n\t"
      "wlstp.32 lr, %[rest], 2f\n"
      "1:\n\t"
      "vldrw.32 q0, [%[x]], #16\n\t"
      "vmul.f32 q0, q0, %[inverse]\n\t"
      "vcvta.s32.f32 q0, q0\n\t"
      "vadd.i32 q0, q0, %[zero_point]\n\t"
      "vqmovnb.s32 q0, q0\n\t"
      "vqmovnb.s16 q0, q0\n\t"
      "vstrb.32 q0, [%[q]], #4\n\t"
      "letp lr, 1b\n"
      "2:"
      : [x] "+r"(x), [q] "+l"(q)  // vstrb.32 takes r0 to r7
      : [sixteens] "r"(size / 16), [rest] "r"(size % 16), [inverse] "r"(by.by.inverse),
        [zero_point] "r"(by.by.range.zero_point)
      : "lr", "q0", "q1", "q2", "q3", "cc", "memory");
}

// Finds the range of floats, from their least to their greatest if it is `asymmetric`, and
// quantises them.
inline DynamicRange quantized_by_range(const float* x, int32_t size, bool asymmetric, int8_t* q) {
  const RangeQuantiser found = asymmetric ? ranged<true>(x, size) : ranged<false>(x, size);
  quantize(found, x, size, q);
  return found.by.range;
}

// Constants of four channels: mve_dynamic_range.py.
struct RealFour {
  float scale[4], bias[4];
  int32_t weights[4];  // their sums, which zero points are multiplied by
};

// Bounds of outputs, and of scales of images whose outputs are neither infinite nor subnormal.
struct RealBounds {
  float low, high, least_scale, largest_scale;
};

// Sums as floats by scalars; put(x) is the activation.
template <bool kOneByOne, class Put>
inline __attribute__((noinline)) void slow_reals(const DynamicRange& range,
                                                 const RealFour* constants, int32_t pixels,
                                                 int32_t channels, float* y, Put put) {
  const float scale = range.scale;
  for (int32_t i = 0; i < pixels; ++i) {
    for (int32_t c = 0; c < channels; ++c, ++y) {
      const RealFour& four = constants[c / 4];
      int32_t sum;
      memcpy(&sum, y, sizeof sum);
      const float real = static_cast<float>(sum - range.zero_point * four.weights[c % 4]);
      const float of_weights = four.scale[c % 4];
      const float product = kOneByOne ? real * of_weights * scale : real * (scale * of_weights);
      *y = put(product + four.bias[c % 4]);
    }
  }
}

// N pixels' sums of up to four channels, which `load` and `store` move.
#define OPSMITH_REALS(load, store)                                                          \
  __asm volatile(                                                                           \
      ".arch_extension mve.fp\n\t"                                                          \
      "vctp.32 %[left]\n\t"                                                                 \
      "vdup.32 q2, %[low]\n\t"                                                              \
      "vdup.32 q3, %[high]\n\t"                                                             \
      "vldrw.32 q4, [%[constants], #32]\n\t"                                                \
      "vmul.i32 q4, q4, %[zero_point]\n\t"                                                  \
      "vldrw.32 q5, [%[constants]]\n\t"                                                     \
      ".if !%c[one_by_one]\n\t"                                                             \
      "vmul.f32 q5, q5, %[scale]\n\t"                                                       \
      ".endif\n\t"                                                                          \
      "vldrw.32 q6, [%[constants], #16]\n\t"                                                \
      "dls lr, %[pixels]\n"                                                                 \
      "1:\n\t" load                                                                         \
      "vsub.i32 q0, q0, q4\n\t"                                                             \
      "vcvt.f32.s32 q0, q0\n\t"                                                             \
      "vmul.f32 q0, q0, q5\n\t"                                                             \
      ".if %c[one_by_one]\n\t"                                                              \
      "vmul.f32 q0, q0, %[scale]\n\t"                                                       \
      ".endif\n\t"                                                                          \
      "vadd.f32 q0, q0, q6\n\t"                                                             \
      "vmaxnm.f32 q0, q0, q2\n\t"                                                           \
      "vminnm.f32 q0, q0, q3\n\t" store                                                     \
      "add %[y], %[step]\n\t"                                                               \
      "le lr, 1b"                                                                           \
      : [y] "+r"(at)                                                                        \
      : [left] "r"(left), [low] "r"(low), [high] "r"(high), [constants] "r"(constants),     \
        [zero_point] "r"(range.zero_point), [scale] "r"(range.scale), [pixels] "r"(pixels), \
        [step] "r"(step), [one_by_one] "i"(kOneByOne)                                       \
      : "lr", "q0", "q2", "q3", "q4", "q5", "q6", "p0", "cc", "memory")

// The sums of N pixels become floats where they are. kOneByOne: they are multiplied by the scale
// of their channel, and then by that of the image, not by the product of both.
template <bool kOneByOne>
inline __attribute__((noinline)) void fast_reals(const DynamicRange& range,
                                                 const RealFour* constants, int32_t pixels,
                                                 int32_t channels, float low, float high,
                                                 float* y) {
  const int32_t step = channels * int32_t{sizeof(float)};
  for (int32_t left = channels; left > 0; left -= 4, ++constants, y += 4) {
    float* at = y;
    if (left >= 4) {
      OPSMITH_REALS("vldrw.32 q0, [%[y]]\n\t", "vstrw.32 q0, [%[y]]\n\t");
    } else {
      OPSMITH_REALS("vpst\n\tvldrwt.32 q0, [%[y]]\n\t", "vpst\n\tvstrwt.32 q0, [%[y]]\n\t");
    }
  }
}
#undef OPSMITH_REALS

// The sums of four channels as floats within bounds, of an image that is_normal().
inline int32x4_t reals_of_four(const RealBounds& bounds, const DynamicRange& range,
                               const RealFour& constants, int32x4_t sums) {
  const int32x4_t low = vreinterpretq_s32_u32(vdupq_n_u32(bits_of(bounds.low)));
  const int32x4_t high = vreinterpretq_s32_u32(vdupq_n_u32(bits_of(bounds.high)));
  __asm volatile(
      ".arch_extension mve.fp\n\t"
      "vldrw.32 q0, [%[constants], #32]\n\t"
      "vmla.s32 %q[sums], q0, %[origin]\n\t"
      "vldrw.32 q0, [%[constants]]\n\t"
      "vcvt.f32.s32 %q[sums], %q[sums]\n\t"
      "vmul.f32 q0, q0, %[scale]\n\t"
      "vmul.f32 %q[sums], %q[sums], q0\n\t"
      "vldrw.32 q0, [%[constants], #16]\n\t"
      "vadd.f32 %q[sums], %q[sums], q0\n\t"
      "vmaxnm.f32 %q[sums], %q[sums], %q[low]\n\t"
      "vminnm.f32 %q[sums], %q[sums], %q[high]"
      : [sums] "+w"(sums)
      : [constants] "r"(&constants), [origin] "r"(-range.zero_point), [scale] "r"(range.scale),
        [low] "w"(low), [high] "w"(high)
      : "q0", "memory");
  return sums;
}

// No output of an image of this scale is infinite or subnormal, nor is a product.
inline bool is_normal(const RealBounds& bounds, const DynamicRange& range) {
  return range.scale >= bounds.least_scale && range.scale <= bounds.largest_scale;
}

// The sums of N pixels become floats within bounds where they are.
template <bool kOneByOne>
inline void reals_of_sums(const RealBounds& bounds, const DynamicRange& range,
                          const RealFour* constants, int32_t pixels, int32_t channels, float* y) {
  const float low = bounds.low, high = bounds.high;
  if (is_normal(bounds, range)) {
    return fast_reals<kOneByOne>(range, constants, pixels, channels, low, high, y);
  }
  slow_reals<kOneByOne>(range, constants, pixels, channels, y,
                        [&](float x) { return real_clamp(x, low, high); });
}

}  // namespace opsmith::mve
