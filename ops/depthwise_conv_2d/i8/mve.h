// Needs Helium. Fast because VMULLB and VMULLT multiply sixteen channels by their weights, and the
// products of two taps are added in 16 bits before they are widened. Sixteen channels at a time,
// the rows under the filter are copied into a ring with their border, so that y may replace x.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::depthwise_conv_2d::i8 {

// Adds the products of pairs of taps to sums of channels 0, 4, 8, 12; 2, 6 …; 1, 5 …; 3, 7 …. The
// pixel under each tap is `shift` bytes after the one that `taps` says.
inline void add_taps(const int8_t* const* taps, const int8_t* weights, int32_t shift, int32_t pairs,
                     int32x4_t (&sums)[4]) {
  const int8_t *first, *second;
  __asm volatile(
      "dls lr, %[pairs]\n"
      "1:\n\t"
      "ldrd %[first], %[second], [%[taps]], #8\n\t"
      "add %[first], %[shift]\n\t"
      "vldrb.8 q0, [%[first]]\n\t"
      "vldrb.8 q1, [%[weights]], #16\n\t"
      "add %[second], %[shift]\n\t"
      "vmullb.s8 q2, q0, q1\n\t"
      "vmullt.s8 q3, q0, q1\n\t"
      "vldrb.8 q0, [%[second]]\n\t"
      "vldrb.8 q1, [%[weights]]\n\t"
      "vmullb.s8 q1, q0, q1\n\t"
      "vadd.i16 q2, q2, q1\n\t"
      "vldrb.8 q1, [%[weights]], #16\n\t"  // again: sums take the other four registers
      "vmullt.s8 q0, q0, q1\n\t"
      "vadd.i16 q3, q3, q0\n\t"
      "vmovlb.s16 q0, q2\n\t"
      "vadd.i32 %q[a], %q[a], q0\n\t"
      "vmovlt.s16 q2, q2\n\t"
      "vadd.i32 %q[b], %q[b], q2\n\t"
      "vmovlb.s16 q0, q3\n\t"
      "vadd.i32 %q[c], %q[c], q0\n\t"
      "vmovlt.s16 q3, q3\n\t"
      "vadd.i32 %q[d], %q[d], q3\n\t"
      "le lr, 1b"
      : [taps] "+r"(taps), [weights] "+r"(weights), [first] "=&r"(first), [second] "=&r"(second),
        [a] "+w"(sums[0]), [b] "+w"(sums[1]), [c] "+w"(sums[2]), [d] "+w"(sums[3])
      : [shift] "r"(shift), [pairs] "r"(pairs)
      : "q0", "q1", "q2", "q3", "lr", "cc", "memory");
}

// One row of y: `size` of sixteen channels, whose constants are in the order of the sums.
inline __attribute__((noinline)) void output_row(const Geometry& g, const int8_t* const* taps,
                                                 const int8_t* weights,
                                                 const SixteenChannels& constants, int32_t size,
                                                 int8_t* y) {
  const int32_t step = 16 * g.stride_width;
  const mve_pred16_t inside = vctp8q(size);
  for (int32_t shift = 0, end = g.output_width * step; shift < end; shift += step) {
    int32x4_t sums[4];
    for (int32_t i = 0; i < 4; ++i) sums[i] = vldrwq_s32(constants.bias + 4 * i);
    add_taps(taps, weights, shift, g.pairs, sums);
    const int8x16_t all = mve::requantize_sixteen(sums, constants, g.output_zero_point,
                                                  g.activation_min, g.activation_max);
    vstrbq_p_s8(y, all, inside);
    y += g.channels;
  }
}

// Row `row` of the image, of up to sixteen channels, with its border: all of one value outside.
inline void fill_row(const Geometry& g, const int8_t* image, int32_t row, int32_t size,
                     int8_t* ring) {
  int8_t* to = ring + (row + g.padding_top) % g.rows * g.columns * 16;
  if (row < 0 || row >= g.input_height) {
    return mve::fill(to, static_cast<int8_t>(g.input_zero_point), g.columns * 16);
  }
  const int32_t room = g.columns - g.padding_left;
  if (room <= 0) return;
  const int32_t columns = room < g.input_width ? room : g.input_width;
  const int8_t* from = image + row * g.input_width * g.channels;
  mve::copy_columns(to + 16 * g.padding_left, 16, from, g.channels, size, columns);
}

// Where the taps of the first window of a row of y lie in the ring.
inline void point_at_taps(const Geometry& g, int32_t oy, const int8_t* ring, const int8_t** taps) {
  for (int32_t fy = 0; fy < g.filter_height; ++fy) {
    const int32_t row = (oy * g.stride_height + fy * g.dilation_height) % g.rows;
    for (int32_t fx = 0; fx < g.filter_width; ++fx) {
      *taps++ = ring + (row * g.columns + fx * g.dilation_width) * 16;
    }
  }
  *taps = ring;
}

// Up to sixteen channels of an image.
inline void channels(const Geometry& g, const int8_t* image, const int8_t* weights,
                     const SixteenChannels& constants, int32_t size, const MveScratch& scratch,
                     int8_t* y) {
  mve::fill(scratch.ring, static_cast<int8_t>(g.input_zero_point), g.ring_bytes);
  const int32_t taps = g.filter_height * g.filter_width;
  mve::copy_columns(scratch.weights, 16, weights, g.channels, size, taps);
  mve::fill(scratch.weights + 16 * taps, 0, 16 * (2 * g.pairs - taps));
  const int8_t** pointers = reinterpret_cast<const int8_t**>(scratch.taps);
  int32_t next = -g.padding_top;
  for (int32_t oy = 0; oy < g.output_height; ++oy) {
    const int32_t top = oy * g.stride_height - g.padding_top;
    for (next = next < top ? top : next; next < top + g.rows; ++next) {
      fill_row(g, image, next, size, scratch.ring);
    }
    point_at_taps(g, oy, scratch.ring, pointers);
    output_row(g, pointers, scratch.weights, constants, size, y);
    y += g.output_width * g.channels;
  }
}

inline __attribute__((noinline)) void convolve(const Geometry& g, const int8_t* x, int8_t* y,
                                               const MveTables& tables, const MveScratch& scratch) {
  for (int32_t b = 0; b < g.batches; ++b) {
    const SixteenChannels* constants = tables.requantization;
    for (int32_t c = 0; c < g.channels; c += 16, ++constants) {
      const int32_t size = g.channels - c < 16 ? g.channels - c : 16;
      channels(g, x + c, tables.filter + c, *constants, size, scratch, y + c);
    }
    x += g.input_height * g.input_width * g.channels;
    y += g.output_height * g.output_width * g.channels;
  }
}

template <class P>
void mve(const P&, const In<int8_t>& in, const Out<int8_t>& out, const MveTables& tables,
         const MveScratch& scratch) {
  convolve(*tables.geometry, in.x, out.y, tables, scratch);
}

}  // namespace opsmith::depthwise_conv_2d::i8
