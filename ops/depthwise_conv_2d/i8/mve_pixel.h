// Needs Helium, for images whose output is a pixel. Fast because VMULLB and VMULLT multiply sixteen
// channels by their weights, and nothing is copied: no pixel of x is needed twice. All that sixteen
// channels need is read before they are written, so that y may replace x.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::depthwise_conv_2d::i8 {

// Adds the products of a row of taps to sums of channels 0, 4, 8, 12; 2, 6 …; 1, 5 …; 3, 7 ….
inline void add_row(const PixelGeometry& g, const int8_t* x, const int8_t* w, int32_t size,
                    int32x4_t (&sums)[4]) {
  __asm volatile(
      "vctp.8 %[size]\n\t"
      "wls lr, %[columns], 2f\n"
      "1:\n\t"
      "vpstt\n\t"
      "vldrbt.u8 q0, [%[x]]\n\t"
      "vldrbt.u8 q1, [%[w]]\n\t"
      "add %[x], %[x_step]\n\t"
      "add %[w], %[w_step]\n\t"
      "vmullb.s8 q2, q0, q1\n\t"
      "vmullt.s8 q3, q0, q1\n\t"
      "vmovlb.s16 q0, q2\n\t"
      "vadd.i32 %q[a], %q[a], q0\n\t"
      "vmovlt.s16 q2, q2\n\t"
      "vadd.i32 %q[b], %q[b], q2\n\t"
      "vmovlb.s16 q0, q3\n\t"
      "vadd.i32 %q[c], %q[c], q0\n\t"
      "vmovlt.s16 q3, q3\n\t"
      "vadd.i32 %q[d], %q[d], q3\n\t"
      "le lr, 1b\n"
      "2:"
      : [x] "+r"(x), [w] "+r"(w), [a] "+w"(sums[0]), [b] "+w"(sums[1]), [c] "+w"(sums[2]),
        [d] "+w"(sums[3])
      : [size] "r"(size), [columns] "r"(g.columns), [x_step] "r"(g.column_step),
        [w_step] "r"(g.weight_column_step)
      : "q0", "q1", "q2", "q3", "p0", "lr", "cc", "memory");
}

// kSingle: multipliers are float32.
template <bool kSingle, class T>
inline __attribute__((noinline)) void convolve(const PixelGeometry& g, const int8_t* x, int8_t* y,
                                               const T& tables) {
  x += g.first;
  for (int32_t b = 0; b < g.batches; ++b, x += g.input_bytes) {
    const auto* constants = tables.requantization;
    for (int32_t c = 0; c < g.channels; c += 16, ++constants, y += 16) {
      const int32_t size = g.channels - c;
      int32x4_t sums[4];
      for (int32_t i = 0; i < 4; ++i) sums[i] = vldrwq_s32(constants->bias + 4 * i);
      const int8_t *row = x + c, *weights = tables.filter + g.first_weight + c;
      for (int32_t i = 0; i < g.rows; ++i) {
        add_row(g, row, weights, size, sums);
        row += g.row_step;
        weights += g.weight_row_step;
      }
      const int8x16_t all = mve::requantize_sixteen<kSingle>(sums, *constants, g.output_zero_point,
                                                             g.activation_min, g.activation_max);
      vstrbq_p_s8(y, all, vctp8q(size));
    }
    y -= -g.channels & 15;
  }
}

template <class P, class T>
void mve_pixel(const P&, const In<int8_t>& in, const Out<int8_t>& out, const T& tables) {
  convolve<false>(*tables.geometry, in.x, out.y, tables);
}

}  // namespace opsmith::depthwise_conv_2d::i8
