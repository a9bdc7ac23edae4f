// Needs the DSP extension. Fast because each four inputs that are loaded serve eight output
// channels, SMLAD adds two products at once, and only every other channel's weights are unpacked.
// A window is a row of bytes: for images of few pixels, and for windows of any size.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_windows.h"
#include "runtimes/cmsis/dsp_rows.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

// All channels of one output pixel.
template <class P, class C>
void channels_of_row(const P& p, const int8_t* x, const int32_t* products, const int8_t* filter,
                     C constants, int8_t* y) {
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);
  const auto* weights = reinterpret_cast<const uint32_t*>(filter);
  const int32_t window = p.window, part = p.part;
  for (int32_t c = 0; c < p.output_channels; c += 8) {
    int32_t sums[8];
    weights = dsp::eight_sums(p, x, window, part, products, weights, sums);
    for (int32_t i = 0; i < 8 && c + i < p.output_channels; ++i) {
      *y++ = dsp::requantize(o, sums[i], constants[c + i]);
    }
  }
}

template <class P, class S>
void dsp_rows(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
              const S& scratch) {
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int8_t* x = window_row(p, in.x + b * size, oy * p.stride_height - p.padding_top,
                                 ox * p.stride_width - p.padding_left, scratch.window);
    int32_t whole;
    const int32_t* products =
        dsp::neighbours_of_parts(x, p.window, p.part, whole, scratch.products);
    int8_t* y = out.y + number * p.output_channels;
    with_constants(p, tables.requantization, [&](auto constants) {
      channels_of_row(p, x, products, tables.filter, constants, y);
    });
  });
}

}  // namespace opsmith::conv_2d::i8
