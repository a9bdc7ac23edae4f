// Needs Zve32x. Fast because a tap's products are added in as many channels as eight vector
// registers have sums of, of three pixels where these have all taps of a row inside of the image.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"
#include "runtimes/riscv/vectors.h"

namespace opsmith::depthwise_conv_2d::riscv {

using opsmith::riscv::FixedPoint;
using opsmith::riscv::kPixels;
using opsmith::riscv::Outputs;

// Pixels beside each other, in bytes of the image.
struct Steps {
  int32_t line;  // from a row of taps to the next
  int32_t tap;
  int32_t pixel;  // from a pixel's tap to the next pixel's
  int32_t zero_point;
};

// Adds the products of a row of `count` taps to the sums.
template <int32_t kSums>
void add_taps(const Steps& steps, const int8_t* x, const int16_t* weights, int32_t count,
              int32_t channels, int32_t taken) {
  const int8_t* next = x;
  __asm volatile(
      ".macro opsmith_tap sum, from\n\t"
      "vle8.v v2, (\\from)\n\t"
      "vsext.vf2 v0, v2\n\t"
      "vsub.vx v0, v0, %[zero_point]\n\t"
      "vwmacc.vv \\sum, v0, v4\n\t"
      ".endm\n\t"
      "vsetvli zero, %[taken], e16, m4, ta, ma\n"
      "1:\n\t"
      "vle16.v v4, (%[weights])\n\t"
      "addi %[count], %[count], -1\n\t"
      "opsmith_tap v8, %[x]\n\t"
      ".if %[sums] > 1\n\t"
      "add %[next], %[x], %[pixel]\n\t"
      "opsmith_tap v16, %[next]\n\t"
      "add %[next], %[next], %[pixel]\n\t"
      "opsmith_tap v24, %[next]\n\t"
      ".endif\n\t"
      "add %[weights], %[weights], %[pitch]\n\t"
      "add %[x], %[x], %[tap]\n\t"
      "bnez %[count], 1b\n\t"
      ".purgem opsmith_tap"
      : [x] "+&r"(x), [next] "+&r"(next), [weights] "+&r"(weights), [count] "+&r"(count)
      : [pixel] "r"(steps.pixel), [tap] "r"(steps.tap), [zero_point] "r"(steps.zero_point),
        [pitch] "r"(channels * static_cast<int32_t>(sizeof(int16_t))), [taken] "r"(taken),
        [sums] "i"(kSums)
      : "memory");
}

// Taps that lie inside of the image.
struct Size {
  int32_t rows;
  int32_t columns;
  int32_t pitch;  // columns of the filter
};

// All channels of kSums pixels, whose first tap meets x.
template <int32_t kSums>
[[gnu::noinline]] void pixels(const Outputs& p, const Steps& steps, const int8_t* x,
                              const int16_t* weights, const Size& taps, int8_t* y) {
  for (int32_t c = 0; c < p.channels;) {
    const int32_t taken = opsmith::riscv::take(p.channels - c);
    FixedPoint::begin(p.constants + c, taken);
    for (int32_t i = 0; i < taps.rows && taps.columns > 0; ++i) {
      add_taps<kSums>(steps, x + i * steps.line + c, weights + i * taps.pitch * p.channels + c,
                      taps.columns, p.channels, taken);
    }
    FixedPoint::scale<kSums>(p, p.constants + c, taken);
    opsmith::riscv::store<kSums>(p, taken, kSums, y + c);
    c += taken;
  }
}

// Output pixels [first, end) of a row, whose windows lie between the left and the right border.
template <class P>
Taps inside(const P& p) {
  const int32_t room = p.input_width - 1 - (p.filter_width - 1) * p.dilation_width + p.padding_left;
  return {(p.padding_left + p.stride_width - 1) / p.stride_width,
          room < 0 ? 0 : min(room / p.stride_width + 1, p.output_width)};
}

template <class P, class T>
void rvv(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const T& tables) {
  const int32_t channels = p.input_channels, line = p.input_width * channels;
  const Outputs outputs = {channels,         tables.constants, 0, p.output_zero_point,
                           p.activation_min, p.activation_max};
  const Steps steps = {p.dilation_height * line, p.dilation_width * channels,
                       p.stride_width * channels, p.input_zero_point};
  const Taps whole = inside(p);
  for (int32_t i = 0; i < p.batches * p.output_height; ++i) {
    const int32_t row = nth(i, p.batches * p.output_height, p.reversed);
    const int32_t top = row % p.output_height * p.stride_height - p.padding_top;
    const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
    const int8_t* image = in.x + row / p.output_height * p.input_height * line;
    for (int32_t done = 0, count; done < p.output_width; done += count) {
      const int32_t at = p.reversed ? p.output_width - done : done;
      const int32_t three = p.reversed ? at - kPixels : at;
      count = three >= whole.first && three + kPixels <= whole.end ? kPixels : 1;
      const int32_t ox = p.reversed ? at - count : at;
      const int32_t left = ox * p.stride_width - p.padding_left;
      const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
      const int8_t* x = image + (top + rows.first * p.dilation_height) * line +
                        (left + columns.first * p.dilation_width) * channels;
      const int16_t* w = tables.filter + (rows.first * p.filter_width + columns.first) * channels;
      const Size size = {rows.end - rows.first, columns.end - columns.first, p.filter_width};
      int8_t* y = out.y + (row * p.output_width + ox) * channels;
      if (count == 1) {
        pixels<1>(outputs, steps, x, w, size, y);
      } else {
        pixels<kPixels>(outputs, steps, x, w, size, y);
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d::riscv
