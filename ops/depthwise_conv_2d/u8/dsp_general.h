// Needs the DSP extension. Fast as dsp.h is, four neighbouring channels of y at a time, for any
// number of filters for each channel of x, and any scale.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp_runs.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::u8 {

// Where the inputs of four channels of y are, from a pixel on.
struct FourInputs {
  int32_t a, b, c, d;

  uint32_t word(const uint8_t* x) const { return dsp::word_of(x[a], x[b], x[c], x[d]); }
};

// Adds the products of a row of N taps to the sums of four channels; word(x) are their inputs.
template <class P, class W>
__attribute__((always_inline)) inline void add_row(const P& p, const uint8_t* x, const uint8_t* w,
                                                   int32_t taps, W word, int32_t (&sums)[4]) {
  const uint32_t less_x = dsp::less(p.input_zero_point), less_w = dsp::less(p.filter_zero_point);
  const int32_t pixel = p.dilation_width * p.input_channels;
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  for (; taps > 0; --taps, x += pixel, w += p.input_channels * p.channel_multiplier) {
    const uint32_t inputs = word(x), four = dsp::load_word(w);
    const uint32_t even = dsp::uxtab16(less_x, inputs), odd = dsp::uxtab16_ror8(less_x, inputs);
    const uint32_t w_even = dsp::uxtab16(less_w, four), w_odd = dsp::uxtab16_ror8(less_w, four);
    sum0 = dsp::smlabb(even, w_even, sum0);
    sum1 = dsp::smlabb(odd, w_odd, sum1);
    sum2 = dsp::smlatt(even, w_even, sum2);
    sum3 = dsp::smlatt(odd, w_odd, sum3);
  }
  sums[0] = sum0, sums[1] = sum1, sums[2] = sum2, sums[3] = sum3;
}

// The sums of four channels of a pixel, over the taps that are inside the image. Tap 0 is where x
// points, and `w` at the first channel's.
template <class P>
__attribute__((noinline)) void add_window(const P& p, const uint8_t* x, const uint8_t* w, Taps rows,
                                          Taps columns, const FourInputs& inputs,
                                          int32_t (&sums)[4]) {
  const int32_t line = p.dilation_height * p.input_width * p.input_channels;
  const int32_t taps = columns.end - columns.first;
  const int32_t channels = p.input_channels * p.channel_multiplier;
  const uint8_t* first = x + columns.first * p.dilation_width * p.input_channels;
  for (int32_t fy = rows.first; fy < rows.end; ++fy) {
    const uint8_t* from = first + fy * line;
    const uint8_t* of_row = w + (fy * p.filter_width + columns.first) * channels;
    if (p.channel_multiplier == 1) {  // neighbours
      const auto word = [](const uint8_t* at) { return dsp::load_word(at); };
      add_row(p, from + inputs.a, of_row, taps, word, sums);
    } else if (p.channel_multiplier % 4 == 0) {  // one for all
      const auto word = [](const uint8_t* at) { return *at * 0x01010101u; };
      add_row(p, from + inputs.a, of_row, taps, word, sums);
    } else {
      const auto word = [&](const uint8_t* at) { return inputs.word(at); };
      add_row(p, from, of_row, taps, word, sums);
    }
  }
}

// The sum of one channel, of which x and w are tap 0.
template <class P>
int32_t sum_of_channel(const P& p, const uint8_t* x, const uint8_t* w, Taps rows, Taps columns) {
  const int32_t pixel = p.dilation_width * p.input_channels;
  const int32_t channels = p.input_channels * p.channel_multiplier;
  int32_t sum = 0;
  for (int32_t fy = rows.first; fy < rows.end; ++fy) {
    const uint8_t* from = x + fy * p.dilation_height * p.input_width * p.input_channels;
    for (int32_t fx = columns.first; fx < columns.end; ++fx) {
      sum += (from[fx * pixel] - p.input_zero_point) *
             (w[(fy * p.filter_width + fx) * channels] - p.filter_zero_point);
    }
  }
  return sum;
}

template <class P>
void dsp_general(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const Tables& tables) {
  const int32_t multiplier = p.channel_multiplier, channels = p.input_channels * multiplier;
  const auto output = [&](int32_t c, int32_t sum) {
    const int32_t scaled = multiply_by_quantized_multiplier(sum + tables.bias[c],
                                                            tables.multiplier[c], tables.shift[c]);
    return static_cast<uint8_t>(
        clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
  };
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
    const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
    const uint8_t* x =
        in.x + ((b * p.input_height + top) * p.input_width + left) * p.input_channels;
    uint8_t* y = out.y + number * channels;
    int32_t c = 0;
    for (; c + 4 <= channels; c += 4) {
      const FourInputs inputs = {c / multiplier, (c + 1) / multiplier, (c + 2) / multiplier,
                                 (c + 3) / multiplier};
      int32_t sums[4] = {};
      add_window(p, x, tables.filter + c, rows, columns, inputs, sums);
      for (int32_t i = 0; i < 4; ++i) y[c + i] = output(c + i, sums[i]);
    }
    for (; c < channels; ++c) {
      y[c] = output(c, sum_of_channel(p, x + c / multiplier, tables.filter + c, rows, columns));
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d::u8
