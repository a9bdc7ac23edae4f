// Conv2D of int8 by the sums of reference.h. Small because filters are codes of a few bits, which
// are decoded channel by channel, once for all pixels.
#pragma once

#include "ops/conv_2d/i8/reference.h"
#include "runtimes/core/weight_codes.h"

namespace opsmith::conv_2d::i8 {

// All outputs; output(c, sum) is that of a channel.
template <class P, class T, class S, class F>
void decoded_outputs(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const T& tables,
                     const S& scratch, F output) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  const int32_t filter_size = p.filter_height * p.filter_width * p.filter_channels;
  const uint8_t* codes = tables.codes;
  const int8_t* values = tables.values;
  for (int32_t c = 0; c < p.output_channels; ++c, values += p.values_step) {
    codes = look_up(p, codes, values, filter_size, scratch.weights);
    for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
      const int32_t sum =
          output_sum(p, in.x + b * image_size, scratch.weights,
                     oy * p.stride_height - p.padding_top, ox * p.stride_width - p.padding_left, c);
      out.y[number * p.output_channels + c] = output(c, sum);
    });
  }
}

template <class P, class S>
void looked_up(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
               const CodedMultipliers& tables, const S& scratch) {
  const FixedPointOutputs<P> output = {p, tables.bias, tables.multiplier, tables.shift};
  decoded_outputs(p, in, out, tables, scratch, output);
}

}  // namespace opsmith::conv_2d::i8
