// Needs Helium. Fast because VMLADAVA adds sixteen products at once, each vector of weights that is
// loaded serves two pixels and each of pixels four output channels: eight sums stay in registers.
// A strip of the image is copied column by column, so that the inputs of each of its output pixels
// are one run of bytes.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/mve.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d {

// What the table of that name holds, in this order. A pointwise convolution is one of a single row.
struct Geometry {
  int32_t batches;
  int32_t input_height;
  int32_t input_width;
  int32_t input_channels;
  int32_t filter_height;
  int32_t filter_width;
  int32_t output_height;
  int32_t output_width;
  int32_t output_channels;
  int32_t stride_height;
  int32_t stride_width;
  int32_t dilation_height;
  int32_t padding_top;
  int32_t padding_left;
  int32_t group;       // output pixels of a row that share a strip
  int32_t tail;        // inputs of a pixel before the first whole vector, or 0: 16
  int32_t full_steps;  // vectors of inputs after these
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t activation_min;
  int32_t activation_max;
};

// One vector of inputs of both pixels by the weights of four channels: from its first load on.
// Volatile and with explicit registers, since sums have to be in the eight even ones.
#define OPSMITH_MVE_STEP(multiply)                                     \
  "vldrb.8 q0, [%[x0]], #16\n\t"                                       \
  "vldrb.8 q2, [%[w]], #16\n\t" multiply                               \
  " %[a0], q2, q0\n\t"                                                 \
  "vldrb.8 q1, [%[x1]], #16\n\t" multiply                              \
  " %[a1], q2, q1\n\t"                                                 \
  "vldrb.8 q3, [%[w]], #16\n\t" multiply " %[b0], q3, q0\n\t" multiply \
  " %[b1], q3, q1\n\t"                                                 \
  "vldrb.8 q2, [%[w]], #16\n\t" multiply " %[c0], q2, q0\n\t" multiply \
  " %[c1], q2, q1\n\t"                                                 \
  "vldrb.8 q3, [%[w]], #16\n\t" multiply " %[d0], q3, q0\n\t" multiply " %[d1], q3, q1\n\t"

// The sums of four channels, a to d, of pixels 0 and 1; returns the weights that follow. The first
// step multiplies without adding; then one more where their number is odd, then two at a time.
inline const int8_t* dot_products(const Geometry& g, const int8_t* x0, const int8_t* x1,
                                  const int8_t* w, int32x4_t& first, int32x4_t& second) {
  int32_t a0, b0, c0, d0, a1, b1, c1, d1 = g.tail, steps = g.full_steps;
  __asm volatile(
      "cmp %[d1], #0\n\t"
      "beq 1f\n\t"
      "vctp.8 %[d1]\n\t"
      "vpstt\n\t"
      "vldrbt.u8 q0, [%[x0]]\n\t"
      "vldrbt.u8 q1, [%[x1]]\n\t"
      "add %[x0], %[d1]\n\t"
      "add %[x1], %[d1]\n\t"
      "vldrb.8 q2, [%[w]]\n\t"
      "add %[w], %[d1]\n\t"
      "vmladav.s8 %[a0], q2, q0\n\t"
      "vmladav.s8 %[a1], q2, q1\n\t"
      "vldrb.8 q3, [%[w]]\n\t"
      "add %[w], %[d1]\n\t"
      "vmladav.s8 %[b0], q3, q0\n\t"
      "vmladav.s8 %[b1], q3, q1\n\t"
      "vldrb.8 q2, [%[w]]\n\t"
      "add %[w], %[d1]\n\t"
      "vmladav.s8 %[c0], q2, q0\n\t"
      "vmladav.s8 %[c1], q2, q1\n\t"
      "vldrb.8 q3, [%[w]]\n\t"
      "add %[w], %[d1]\n\t"
      "vmladav.s8 %[d0], q3, q0\n\t"
      "vmladav.s8 %[d1], q3, q1\n\t"
      "b 2f\n"
      "1:\n\t" OPSMITH_MVE_STEP("vmladav.s8")
      "2:\n\t"
      "lsrs %[steps], %[steps], #1\n\t"
      "bcc 3f\n\t" OPSMITH_MVE_STEP("vmladava.s8")
      "3:\n\t"
      "beq 5f\n"
      "4:\n\t" OPSMITH_MVE_STEP("vmladava.s8") OPSMITH_MVE_STEP("vmladava.s8")
      "subs %[steps], #1\n\t"
      "bne 4b\n"
      "5:"
      : [a0] "=&Te"(a0), [b0] "=&Te"(b0), [c0] "=&Te"(c0), [d0] "=&Te"(d0), [a1] "=&Te"(a1),
        [b1] "=&Te"(b1), [c1] "=&Te"(c1), [d1] "+Te"(d1), [x0] "+r"(x0), [x1] "+r"(x1),
        [w] "+r"(w), [steps] "+r"(steps)
      :
      : "q0", "q1", "q2", "q3", "p0", "cc", "memory");
  first = mve::gather(a0, b0, c0, d0);
  second = mve::gather(a1, b1, c1, d1);
  return w;
}

// All channels of two output pixels, the second of which is written `apart` bytes behind the first.
// For each four channels `table` has four biases, four multipliers and a word of four shifts.
inline __attribute__((noinline)) void two_pixels(const Geometry& g, const int8_t* x0,
                                                 const int8_t* x1, const int8_t* weights,
                                                 const int32_t* table, int8_t* y, int32_t apart) {
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t of_second = vmulq_n_u16(vandq_u16(lanes, vdupq_n_u16(1)), apart);
  const uint16x8_t places = vaddq_u16(vshrq_n_u16(lanes, 1), of_second);
  const int16x8_t low = vdupq_n_s16(g.activation_min), high = vdupq_n_s16(g.activation_max);
  for (int32_t left = 2 * g.output_channels; left > 0; left -= 8, y += 4, table += 9) {
    int32x4_t first, second;
    weights = dot_products(g, x0, x1, weights, first, second);
    const int32x4_t bias = vldrwq_s32(table);
    const int32x4_t multiplier = vldrwq_s32(table + 4);
    const int32x4_t shift = vldrbq_s32(reinterpret_cast<const int8_t*>(table + 8));
    first = mve::requantize(vaddq_s32(first, bias), multiplier, shift);
    second = mve::requantize(vaddq_s32(second, bias), multiplier, shift);
    int16x8_t both = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), first), second);
    both = vqaddq_n_s16(both, g.output_zero_point);
    both = vminq_s16(vmaxq_s16(both, low), high);
    vstrbq_scatter_offset_p_s16(y, places, both, vctp16q(left));
  }
}

// How few channels are spread over columns that are `column` bytes: sixteen bytes of a row, and
// where they go. Where this is too far for a byte, it is done column by column.
struct Spread {
  uint8x16_t places;
  int32_t at_once;  // columns
};

inline Spread spread(int32_t channels, int32_t column) {
  Spread found = {vdupq_n_u8(0), 16 / channels};
  if (15 / channels * column + 15 % channels > 255) return {found.places, 0};
  uint8_t places[16];
  for (int32_t i = 0; i < 16; ++i) places[i] = i / channels * column + i % channels;
  found.places = vldrbq_u8(places);
  return found;
}

// Copies part of a row of the image to a strip.
inline void copy_row(const Geometry& g, const Spread& by, int8_t* strip, const int8_t* row,
                     int32_t columns) {
  const int32_t column = g.filter_height * g.input_channels;
  if (g.filter_height == 1) return mve::copy(strip, row, columns * column);
  if (by.at_once == 0) {
    return mve::copy_columns(strip, column, row, g.input_channels, g.input_channels, columns);
  }
  const int32_t step = by.at_once * g.input_channels;
  for (int32_t left = columns * g.input_channels; left > 0; left -= step) {
    const mve_pred16_t inside = vctp8q(left);
    vstrbq_scatter_offset_p_s8(strip, by.places, vldrbq_z_s8(row, inside), inside);
    row += step;
    strip += by.at_once * column;
  }
}

// Copies the inputs of output pixels that are neighbours: columns from the first that one of them
// needs, in each the pixels under the filter from top to bottom. Outside is the zero point.
inline __attribute__((noinline)) void fill_strip(const Geometry& g, const Spread& by,
                                                 const int8_t* image, int32_t top, int32_t left,
                                                 int32_t columns, int8_t* strip) {
  const int32_t column = g.filter_height * g.input_channels;
  const int32_t bottom = top + (g.filter_height - 1) * g.dilation_height;
  const int32_t from = left < 0 ? 0 : left;
  const int32_t end = left + columns < g.input_width ? left + columns : g.input_width;
  if (top < 0 || bottom >= g.input_height || from > left || end < left + columns) {
    mve::fill(strip, static_cast<int8_t>(g.input_zero_point), columns * column);
  }
  strip += (from - left) * column;
  for (int32_t y = top; y <= bottom; y += g.dilation_height, strip += g.input_channels) {
    if (y < 0 || y >= g.input_height || end <= from) continue;
    copy_row(g, by, strip, image + (y * g.input_width + from) * g.input_channels, end - from);
  }
}

// The output pixels of one row from `first` to before `end`, which have a strip in common.
inline void group_of_pixels(const Geometry& g, const Spread& by, const MveTables& tables,
                            const int8_t* image, int32_t oy, int32_t first, int32_t end,
                            int8_t* strip, int8_t* y) {
  const int32_t columns = (end - first - 1) * g.stride_width + g.filter_width;
  fill_strip(g, by, image, oy * g.stride_height - g.padding_top,
             first * g.stride_width - g.padding_left, columns, strip);
  const int32_t step = g.stride_width * g.filter_height * g.input_channels;
  for (int32_t p = first; p < end; p += 2, strip += 2 * step, y += 2 * g.output_channels) {
    const bool second = p + 1 < end;  // otherwise the first is computed and written twice
    two_pixels(g, strip, second ? strip + step : strip, tables.filter, tables.requantization, y,
               second ? g.output_channels : 0);
  }
}

inline __attribute__((noinline)) void convolve(const Geometry& g, bool reversed, const int8_t* x,
                                               int8_t* y, const MveTables& tables, int8_t* strip) {
  const Spread by = spread(g.input_channels, g.filter_height * g.input_channels);
  const int32_t groups = (g.output_width + g.group - 1) / g.group;
  for (int32_t i = 0; i < g.batches; ++i) {
    const int32_t b = nth(i, g.batches, reversed);
    const int8_t* image = x + b * g.input_height * g.input_width * g.input_channels;
    for (int32_t j = 0; j < g.output_height; ++j) {
      const int32_t oy = nth(j, g.output_height, reversed);
      int8_t* row = y + (b * g.output_height + oy) * g.output_width * g.output_channels;
      for (int32_t k = 0; k < groups; ++k) {
        const int32_t first = nth(k, groups, reversed) * g.group;
        const int32_t end = first + g.group < g.output_width ? first + g.group : g.output_width;
        group_of_pixels(g, by, tables, image, oy, first, end, strip,
                        row + first * g.output_channels);
      }
    }
  }
}

template <class S>
void conv_2d_i8_cmsis_mve(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                          const MveTables& tables, const CmsisMveScratch& scratch) {
  const Geometry& g = *reinterpret_cast<const Geometry*>(tables.geometry);
  convolve(g, s.reversed, in.x, out.y, tables, scratch.strip);
}

}  // namespace opsmith::conv_2d
