// Needs Zve32x. Fast as rows.h: windows of three pixels are copied, input beside input.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/walk.h"
#include "runtimes/riscv/rows.h"

namespace opsmith::conv_2d::riscv {

using opsmith::riscv::kPixels;

// row[kPixels * i] = x[i]
[[gnu::noinline]] inline void spread(const int8_t* x, int32_t count, int8_t* row) {
  int32_t taken, reach;
  __asm volatile(
      "1: vsetvli %[taken], %[count], e8, m8, ta, ma\n\t"
      "vle8.v v8, (%[x])\n\t"
      "sub %[count], %[count], %[taken]\n\t"
      "vsse8.v v8, (%[row]), %[pitch]\n\t"
      "add %[x], %[x], %[taken]\n\t"
      "mul %[reach], %[taken], %[pitch]\n\t"
      "add %[row], %[row], %[reach]\n\t"
      "bnez %[count], 1b"
      : [taken] "=&r"(taken), [reach] "=&r"(reach), [count] "+&r"(count), [x] "+&r"(x),
        [row] "+&r"(row)
      : [pitch] "r"(kPixels)
      : "memory");
}

// row[kPixels * i] = value
[[gnu::noinline]] inline void repeat(int32_t value, int32_t count, int8_t* row) {
  for (int32_t i = 0; i < count; ++i) row[kPixels * i] = static_cast<int8_t>(value);
}

// Copies the window of an output pixel.
template <class P>
void gather(const P& p, const int8_t* image, int32_t top, int32_t left, int8_t* row) {
  const bool dense = p.dilation_width == 1;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    const bool inside = y >= 0 && y < p.input_height;
    const int8_t* line = image + y * p.input_width * p.input_channels;
    for (int32_t fx = 0, taps = 1; fx < p.filter_width; fx += taps) {
      const int32_t x = left + fx * p.dilation_width;
      const bool there = inside && x >= 0 && x < p.input_width;
      taps = there && dense ? min(p.filter_width - fx, p.input_width - x) : 1;
      const int32_t count = taps * p.input_channels;
      if (there) {
        spread(line + x * p.input_channels, count, row);
      } else {
        repeat(p.input_zero_point, count, row);
      }
      row += kPixels * count;
    }
  }
}

template <class P, class T, class S>
void rvv(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const T& tables,
         const S& scratch) {
  using opsmith::riscv::FixedPoint;
  const opsmith::riscv::Outputs outputs = {p.output_channels,   tables.constants, 0,
                                           p.output_zero_point, p.activation_min, p.activation_max};
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t inputs = p.filter_height * p.filter_width * p.input_channels;
  const int32_t groups = (pixels + kPixels - 1) / kPixels;
  for (int32_t i = 0; i < p.batches * groups; ++i) {
    const int32_t number = nth(i, p.batches * groups, p.reversed);
    const int32_t batch = number / groups, first = number % groups * kPixels;
    const int32_t count = min(kPixels, pixels - first);
    const int8_t* image = in.x + batch * p.input_height * p.input_width * p.input_channels;
    for (int32_t k = 0; k < count; ++k) {
      const int32_t oy = (first + k) / p.output_width, ox = (first + k) % p.output_width;
      gather(p, image, oy * p.stride_height - p.padding_top, ox * p.stride_width - p.padding_left,
             scratch.windows + k);
    }
    opsmith::riscv::multiply<FixedPoint, kPixels>(
        outputs, scratch.windows, inputs, tables.weights, count,
        out.y + (batch * pixels + first) * p.output_channels);
  }
}

}  // namespace opsmith::conv_2d::riscv
