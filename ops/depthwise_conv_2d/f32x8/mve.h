// Needs Helium with floats. Fast because VMULLB and VMULLT multiply sixteen channels by their
// weights, products of two taps are added as halfwords, and images are quantised into one with a
// border, where all windows are alike. Sums are written where outputs go, and become floats there.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/mve.h"
#include "runtimes/cmsis/mve_dynamic_range.h"

namespace opsmith::depthwise_conv_2d::f32x8 {

// Sums of sixteen windows that are neighbours, or of sixteen channels. `weights` has vectors of
// taps, and `taps` where these are, less the first, which is at x: where its weights have no pair.
inline void sixteen_sums(const int8_t* x, const int32_t* taps, const int8_t* weights, int32_t odd,
                         int32_t pairs, int32_t* y) {
  const int8_t *first, *second;
  __asm volatile(
      "cbz %[odd], 3f\n\t"
      "vldrb.8 q0, [%[x]]\n\t"
      "vldrb.8 q1, [%[weights]], #16\n\t"
      "vmullb.s8 q2, q0, q1\n\t"
      "vmullt.s8 q3, q0, q1\n\t"
      "vmovlb.s16 q4, q2\n\t"
      "vmovlb.s16 q5, q3\n\t"
      "vmovlt.s16 q6, q2\n\t"
      "vmovlt.s16 q7, q3\n\t"
      "b 4f\n"
      "3:\n\t"
      "vmov.i32 q4, #0\n\t"
      "vmov.i32 q5, #0\n\t"
      "vmov.i32 q6, #0\n\t"
      "vmov.i32 q7, #0\n"
      "4:\n\t"
      "wls lr, %[pairs], 2f\n"
      "1:\n\t"
      "ldrd %[first], %[second], [%[taps]], #8\n\t"
      "add %[first], %[x]\n\t"
      "add %[second], %[x]\n\t"
      "vldrb.8 q0, [%[first]]\n\t"
      "vldrb.8 q1, [%[weights]], #16\n\t"
      "vmullb.s8 q2, q0, q1\n\t"
      "vldrb.8 q3, [%[weights]], #16\n\t"
      "vmullt.s8 q0, q0, q1\n\t"
      "vldrb.8 q1, [%[second]]\n\t"
      "vmullb.s8 q1, q1, q3\n\t"
      "vadd.i16 q2, q2, q1\n\t"
      "vldrb.8 q1, [%[second]]\n\t"
      "vmullt.s8 q1, q1, q3\n\t"
      "vadd.i16 q0, q0, q1\n\t"
      "vmovlb.s16 q1, q2\n\t"
      "vadd.i32 q4, q4, q1\n\t"
      "vmovlt.s16 q2, q2\n\t"
      "vadd.i32 q6, q6, q2\n\t"
      "vmovlb.s16 q1, q0\n\t"
      "vadd.i32 q5, q5, q1\n\t"
      "vmovlt.s16 q0, q0\n\t"
      "vadd.i32 q7, q7, q0\n\t"
      "le lr, 1b\n"
      "2:\n\t"
      "vst40.32 {q4, q5, q6, q7}, [%[y]]\n\t"
      "vst41.32 {q4, q5, q6, q7}, [%[y]]\n\t"
      "vst42.32 {q4, q5, q6, q7}, [%[y]]\n\t"
      "vst43.32 {q4, q5, q6, q7}, [%[y]]"
      : [taps] "+r"(taps), [weights] "+r"(weights), [first] "=&r"(first), [second] "=&r"(second)
      : [x] "r"(x), [pairs] "r"(pairs), [odd] "l"(odd), [y] "r"(y)
      : "lr", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "cc", "memory");
}

// Sums of a row of windows, the first of which begins at x. Where windows are neighbours, vectors
// go through the elements of the row, else through the channels of each pixel.
inline __attribute__((noinline)) void sums_of_row(const MveSizes& g, const int8_t* x,
                                                  const int32_t* taps, const int8_t* weights,
                                                  int32_t* y) {
  const int32_t elements = g.output_width * g.channels;
  for (int32_t at = 0; at < g.period; at += 16, weights += 16 * (g.odd + 2 * g.pairs)) {
    const int8_t* from = x + at;
    for (int32_t to = at; to < elements; to += g.period, from += g.step) {
      const int32_t left = g.run ? elements - to : g.channels - at;
      if (left >= 16) {
        sixteen_sums(from, taps, weights, g.odd, g.pairs, y + to);
      } else {
        int32_t few[16];
        sixteen_sums(from, taps, weights, g.odd, g.pairs, few);
        memcpy(y + to, few, static_cast<size_t>(left) * sizeof *y);
      }
    }
  }
}

// Quantises an image into one with a border.
inline DynamicRange bordered(const MveSizes& g, const float* x, int8_t* to) {
  const mve::RangeQuantiser found =
      mve::ranged<true>(x, g.input_height * g.input_width * g.channels);
  const DynamicRange range = found.by.range;
  mve::fill(to, static_cast<int8_t>(range.zero_point), g.bordered);
  to += g.first;
  for (int32_t i = 0; i < g.rows; ++i) {
    mve::quantize(found, x, g.row_size, to);
    x += g.input_width * g.channels;
    to += g.pitch;
  }
  return range;
}

inline __attribute__((noinline)) void convolve(const MveTables& tables, const float* x, int8_t* to,
                                               float* y) {
  const MveSizes& g = *tables.sizes;
  const auto* constants = reinterpret_cast<const mve::RealFour*>(tables.constants);
  mve::RealBounds bounds;
  memcpy(&bounds, tables.bounds, sizeof bounds);
  for (int32_t b = 0; b < g.batches; ++b, x += g.input_height * g.input_width * g.channels) {
    const DynamicRange range = bordered(g, x, to);
    for (int32_t i = 0; i < g.output_height; ++i, y += g.output_width * g.channels) {
      sums_of_row(g, to + i * g.stride_height * g.pitch, tables.taps, tables.weights,
                  reinterpret_cast<int32_t*>(y));
      mve::reals_of_sums<false>(bounds, range, constants, g.output_width, g.channels, y);
    }
  }
}

template <class P, class S>
void mve(const P&, const In<float>& in, const Out<float>& out, const MveTables& tables,
         const S& scratch) {
  convolve(tables, in.x, scratch.image, out.y);
}

}  // namespace opsmith::depthwise_conv_2d::f32x8
