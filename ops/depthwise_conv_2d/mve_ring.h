// Sixteen channels at a time, for Helium: the rows under the filter are copied into a ring with
// their border. Geometry and tables are those of i8/mve.py and u8/mve_ring.py.
#pragma once

#include "runtimes/cmsis/mve.h"

namespace opsmith::depthwise_conv_2d {

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

// Adds the inputs under so many taps, times a factor, to the same sums.
inline void add_inputs(const int8_t* const* taps, int32_t shift, int32_t count, int32_t factor,
                       int32x4_t (&sums)[4]) {
  int16x8_t even = vdupq_n_s16(0), odd = even;  // hold the sums of 255 bytes
  const int8_t* tap;
  __asm volatile(
      "dls lr, %[count]\n"
      "1:\n\t"
      "ldr %[tap], [%[taps]], #4\n\t"
      "add %[tap], %[shift]\n\t"
      "vldrb.8 q0, [%[tap]]\n\t"
      "vmovlb.s8 q1, q0\n\t"
      "vadd.i16 %q[even], %q[even], q1\n\t"
      "vmovlt.s8 q0, q0\n\t"
      "vadd.i16 %q[odd], %q[odd], q0\n\t"
      "le lr, 1b"
      : [taps] "+r"(taps), [tap] "=&r"(tap), [even] "+w"(even), [odd] "+w"(odd)
      : [shift] "r"(shift), [count] "r"(count)
      : "q0", "q1", "lr", "cc", "memory");
  sums[0] = vmlaq_n_s32(sums[0], vmovlbq_s16(even), factor);
  sums[1] = vmlaq_n_s32(sums[1], vmovltq_s16(even), factor);
  sums[2] = vmlaq_n_s32(sums[2], vmovlbq_s16(odd), factor);
  sums[3] = vmlaq_n_s32(sums[3], vmovltq_s16(odd), factor);
}

// One row of y: `size` of sixteen channels, whose constants are in the order of the sums. With an
// offset of all weights, x and y are uint8.
template <bool kUnsigned, class Geometry, class SixteenChannels>
inline __attribute__((noinline)) void output_row(const Geometry& g, const int8_t* const* taps,
                                                 const int8_t* weights,
                                                 const SixteenChannels& constants, int32_t size,
                                                 int8_t* y) {
  const int32_t step = 16 * g.stride_width;
  const mve_pred16_t inside = vctp8q(size);
  int32_t offset = 0;
  if constexpr (kUnsigned) offset = g.weights_offset;
  for (int32_t shift = 0, end = g.output_width * step; shift < end; shift += step) {
    int32x4_t sums[4];
    for (int32_t i = 0; i < 4; ++i) sums[i] = vldrwq_s32(constants.bias + 4 * i);
    add_taps(taps, weights, shift, g.pairs, sums);
    if constexpr (kUnsigned) {
      if (offset != 0) add_inputs(taps, shift, g.filter_height * g.filter_width, offset, sums);
    }
    const int8x16_t all = mve::requantize_sixteen(sums, constants, g.output_zero_point,
                                                  g.activation_min, g.activation_max);
    vstrbq_p_s8(y, kUnsigned ? veorq_s8(all, vdupq_n_s8(INT8_MIN)) : all, inside);
    y += g.channels;
  }
}

// Row `row` of the image, of up to sixteen channels, with its border: all of one value outside.
// uint8 become int8 that are 128 less.
template <bool kUnsigned, class Geometry>
void fill_row(const Geometry& g, const int8_t* image, int32_t row, int32_t size, int8_t* ring) {
  int8_t* to = ring + (row + g.padding_top) % g.rows * g.columns * 16;
  if (row < 0 || row >= g.input_height) {
    return mve::fill(to, static_cast<int8_t>(g.input_zero_point), g.columns * 16);
  }
  const int32_t room = g.columns - g.padding_left;
  if (room <= 0) return;
  const int32_t columns = room < g.input_width ? room : g.input_width;
  const int8_t* from = image + row * g.input_width * g.channels;
  to += 16 * g.padding_left;
  mve::copy_columns(to, 16, from, g.channels, size, columns);
  if (kUnsigned) mve::flip(to, 16 * columns);
}

// Where the taps of the first window of a row of y lie in the ring.
template <class Geometry>
void point_at_taps(const Geometry& g, int32_t oy, const int8_t* ring, const int8_t** taps) {
  for (int32_t fy = 0; fy < g.filter_height; ++fy) {
    const int32_t row = (oy * g.stride_height + fy * g.dilation_height) % g.rows;
    for (int32_t fx = 0; fx < g.filter_width; ++fx) {
      *taps++ = ring + (row * g.columns + fx * g.dilation_width) * 16;
    }
  }
  *taps = ring;
}

// Up to sixteen channels of an image.
template <bool kUnsigned, class Geometry, class SixteenChannels, class Scratch>
void ring_of_channels(const Geometry& g, const int8_t* image, const int8_t* weights,
                      const SixteenChannels& constants, int32_t size, const Scratch& scratch,
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
      fill_row<kUnsigned>(g, image, next, size, scratch.ring);
    }
    point_at_taps(g, oy, scratch.ring, pointers);
    output_row<kUnsigned>(g, pointers, scratch.weights, constants, size, y);
    y += g.output_width * g.channels;
  }
}

template <bool kUnsigned, class Geometry, class Tables, class Scratch>
__attribute__((noinline)) void by_rings(const Geometry& g, const int8_t* x, int8_t* y,
                                        const Tables& tables, const Scratch& scratch) {
  for (int32_t b = 0; b < g.batches; ++b) {
    const auto* constants = tables.requantization;
    for (int32_t c = 0; c < g.channels; c += 16, ++constants) {
      const int32_t size = g.channels - c < 16 ? g.channels - c : 16;
      ring_of_channels<kUnsigned>(g, x + c, tables.filter + c, *constants, size, scratch, y + c);
    }
    x += g.input_height * g.input_width * g.channels;
    y += g.output_height * g.output_width * g.channels;
  }
}

}  // namespace opsmith::depthwise_conv_2d
