// Needs Thumb. Fast because one multiplication serves two outputs: a channel is copied into a plane
// with its border, whose words have a pixel of the left and one of the right half of the image.
// For filters of 3x3.
#pragma once

#include "ops/depthwise_conv_2d/i8/plane_channel.h"
#include "ops/depthwise_conv_2d/pitches.h"

namespace opsmith::depthwise_conv_2d::i8 {
namespace word_planes {

// Where the windows of a row lie; distances in bytes.
struct Windows {
  int32_t down;        // from the end of three words to those below
  int32_t next;        // from the end of a window to the next one
  const int32_t* end;  // of their sums
};

// The sums of a row of windows, for the left and the right half. A word is an input and 2^16 times
// another one, and a register takes the sum A + 2^16 B of two products for either, since no two
// weights that meet are both -128. Such registers are summed up in r8, and their upper halves in
// r7: a shift by 16 is B rounded down, and leaves the sign of A as the carry that is missing. Taps
// 2 and 5 meet, others meet their neighbour, and tap 8 is alone.
__attribute__((naked, noipa)) inline void row_sums(const int32_t* /*x*/, const int32_t* /*w*/,
                                                   int32_t* /*sums*/, const Windows* /*at*/) {
  __asm volatile(
      ".macro opsmith_add word\n\t"
      "add r8, \\word\n\t"
      "asrs \\word, \\word, #16\n\t"
      "adcs r7, \\word\n\t"
      ".endm\n\t"
      // The products of two inputs in r2 and r3; r5 and r6 are free afterwards.
      ".macro opsmith_pair\n\t"
      "ldmia r1!, {r5, r6}\n\t"
      "muls r2, r5, r2\n\t"
      "muls r3, r6, r3\n\t"
      "adds r2, r2, r3\n\t"
      ".endm\n\t"
      "push {r4-r7, lr}\n\t"
      "mov r4, r8\n\t"
      "mov r5, r9\n\t"
      "mov r6, r10\n\t"
      "mov r7, r11\n\t"
      "push {r4-r7}\n\t"
      "ldmia r3!, {r4, r5, r6}\n\t"
      "mov r9, r4\n\t"
      "mov r10, r5\n\t"
      "mov r11, r6\n\t"
      "mov r12, r2\n"
      "1:\n\t"
      "movs r7, #0\n\t"
      "ldmia r0!, {r2, r3, r4}\n\t"
      "opsmith_pair\n\t"
      "mov r8, r2\n\t"
      "asrs r2, r2, #16\n\t"
      "adcs r7, r2\n\t"
      "ldmia r1!, {r5}\n\t"
      "muls r4, r5, r4\n\t"
      "add r0, r9\n\t"
      "ldmia r0!, {r2, r3}\n\t"
      "opsmith_pair\n\t"
      "opsmith_add r2\n\t"
      "ldmia r0!, {r2}\n\t"
      "ldmia r1!, {r5}\n\t"
      "muls r2, r5, r2\n\t"
      "adds r4, r4, r2\n\t"
      "opsmith_add r4\n\t"
      "add r0, r9\n\t"
      "ldmia r0!, {r2, r3, r4}\n\t"
      "opsmith_pair\n\t"
      "opsmith_add r2\n\t"
      "ldmia r1!, {r5}\n\t"
      "muls r4, r5, r4\n\t"
      "opsmith_add r4\n\t"
      "add r0, r10\n\t"
      "subs r1, #36\n\t"
      "lsls r2, r7, #16\n\t"
      "mov r6, r8\n\t"
      "subs r6, r6, r2\n\t"
      "mov r3, r12\n\t"
      "stmia r3!, {r6, r7}\n\t"
      "mov r12, r3\n\t"
      "cmp r3, r11\n\t"
      "bne 1b\n\t"
      ".purgem opsmith_pair\n\t"
      ".purgem opsmith_add\n\t"
      "pop {r4-r7}\n\t"
      "mov r8, r4\n\t"
      "mov r9, r5\n\t"
      "mov r10, r6\n\t"
      "mov r11, r7\n\t"
      "pop {r4-r7, pc}");
}

// Copies one channel of an image into the plane, without the rows outside of the image.
template <class P>
void fill(const P& p, const int8_t* x, int32_t* plane) {
  const Pitches of_x = pitches(p, p.input_height, p.input_width);
  const int32_t pixel = of_x.pixel, width = p.input_width, left = p.padding_left;
  const int32_t columns = p.plane_columns, far = p.near_columns * p.stride_width;
  const int32_t rows = min(p.input_height, p.plane_rows - p.padding_top);
  const int32_t begin = min(left, columns), end = max(begin, min(columns, width + left - far));
  const auto at = [&](int32_t j) {
    return j >= 0 && j < width ? x[j * pixel] : p.input_zero_point;
  };
  int32_t* to = plane + p.padding_top * columns;
  for (int32_t i = 0; i < rows; ++i, x += of_x.row, to += columns) {
    const auto fill_edge = [&](int32_t first, int32_t last) {
      for (int32_t j = first; j < last; ++j) to[j] = at(j - left) + at(j - left + far) * 65536;
    };
    fill_edge(0, begin);
    const int8_t* from = x + (begin - left) * pixel;
    for (int32_t j = begin; j < end; ++j, from += pixel) {
      to[j] = from[0] + from[far * pixel] * 65536;
    }
    fill_edge(end, columns);
  }
}

// All outputs of a channel. Requantisation is inlined where P, and hence a shift, is known at
// compile time.
template <class P, class C>
__attribute__((flatten)) void channel_outputs(const P& p, const int32_t* plane, const int32_t* w,
                                              const C& constants, int32_t* sums, int8_t* y) {
  const auto o = outputs_of(p);
  const C channel = constants;
  const Pitches of_y = pitches(p, p.output_height, p.output_width);
  const int32_t near = p.near_columns, far = p.output_width - near, row = 4 * p.plane_columns;
  const Windows at = {row - 12, 4 * p.stride_width - 12 - 2 * row, sums + 2 * near};
  for (int32_t i = 0; i < p.output_height; ++i, y += of_y.row) {
    row_sums(plane + i * p.stride_height * p.plane_columns, w, sums, &at);
    const int32_t* sum = sums;
    int8_t* to = y;
    for (int32_t j = 0; j < far; ++j, sum += 2, to += of_y.pixel) {
      to[0] = requantize_sum(o, sum[0], channel);
      to[near * of_y.pixel] = requantize_sum(o, sum[1], channel);
    }
    if (far < near) to[0] = requantize_sum(o, sum[0], channel);
  }
}

// Corrects the outputs of a channel that have the sum of one of its exceptions, and returns the
// next channel's.
template <class P>
const Exception* corrected(const P& p, const Exception* e, const int32_t* plane, const int32_t* w,
                           int8_t* y) {
  const Pitches of_y = pitches(p, p.output_height, p.output_width);
  for (const int32_t c = e->channel(); e->channel() == c; ++e) {
    for (int32_t i = 0; i < p.output_height * p.output_width; ++i) {
      const int32_t row = i / p.output_width, column = i - row * p.output_width;
      int8_t& to = y[row * of_y.row + column * of_y.pixel];
      if (to != e->line()) continue;
      const bool far = column >= p.near_columns;
      const int32_t near = far ? column - p.near_columns : column;
      const int32_t* x = plane + row * p.stride_height * p.plane_columns + near * p.stride_width;
      int32_t sum = 0;
      for (int32_t tap = 0; tap < 9; ++tap) {
        const int32_t word = x[tap / 3 * p.plane_columns + tap % 3];
        sum += w[tap] * (far ? (word + (1 << 15)) >> 16 : static_cast<int16_t>(word));
      }
      if (sum == e->sum) to = e->output();
    }
  }
  return e;
}

}  // namespace word_planes

template <class P, class S>
void plain_planes(const P& given, const In<int8_t>& in, const Out<int8_t>& out,
                  const Packed& tables, const S& scratch) {
  const P p = given;  // which y may alias
  const int32_t channels = p.input_channels;
  int32_t* plane = scratch.plane;
  for (int32_t i = 0; i < p.plane_rows * p.plane_columns; ++i) {
    plane[i] = p.input_zero_point * 65537;
  }
  for (int32_t b = 0; b < p.batches; ++b) {
    const int8_t* x = in.x + b * p.input_height * p.input_width * channels;
    int8_t* y = out.y + b * p.output_height * p.output_width * channels;
    const Exception* e = exceptions_of(p, tables.requantization);
    for (int32_t c = 0; c < channels; ++c) {
      int32_t w[9];
      for (int32_t tap = 0; tap < 9; ++tap) w[tap] = tables.filter[9 * c + tap];
      word_planes::fill(p, x + c, plane);
      planes::output_channel(
          p, tables.requantization, c, e,
          [&](const auto& /*outputs*/, const auto& constants) {
            word_planes::channel_outputs(p, plane, w, constants, scratch.sums, y + c);
          },
          [&](const Exception* first) {
            return word_planes::corrected(p, first, plane, w, y + c);
          });
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d::i8
