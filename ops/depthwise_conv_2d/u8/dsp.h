// Needs the DSP extension. Fast because a word of inputs, and one of weights, serves four
// neighbouring channels: UXTAB16 takes two bytes apart and their zero point off at once, and SMLABB
// and SMLATT add products without taking words apart.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::u8 {

inline constexpr int32_t kChannels = 4;

// Two halfwords that take a zero point off.
constexpr uint32_t less(int32_t zero_point) {
  return static_cast<uint32_t>(-zero_point & 0xffff) * 0x10001;
}

// Adds the products of a row of N taps to the sums of four channels.
template <class P>
void add_row(const P& p, const uint8_t* x, const uint8_t* weights, int32_t taps,
             int32_t (&sums)[kChannels]) {
  const uint32_t less_x = less(p.input_zero_point), less_w = less(p.filter_zero_point);
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  for (; taps > 0; --taps, weights += p.input_channels) {
    const uint32_t inputs = dsp::load_word(x), four = dsp::load_word(weights);
    x += p.dilation_width * p.input_channels;
    const uint32_t even = dsp::uxtab16(less_x, inputs), odd = dsp::uxtab16_ror8(less_x, inputs);
    const uint32_t w_even = dsp::uxtab16(less_w, four), w_odd = dsp::uxtab16_ror8(less_w, four);
    sum0 = dsp::smlabb(even, w_even, sum0);
    sum1 = dsp::smlabb(odd, w_odd, sum1);
    sum2 = dsp::smlatt(even, w_even, sum2);
    sum3 = dsp::smlatt(odd, w_odd, sum3);
  }
  sums[0] = sum0, sums[1] = sum1, sums[2] = sum2, sums[3] = sum3;
}

// Four channels of an output pixel from `c` on, from its taps inside the image.
template <class P>
void four_channels(const P& p, const uint8_t* x, Taps rows, Taps columns, const DspTables& tables,
                   int32_t c, uint8_t* y) {
  const int32_t pixel = p.dilation_width * p.input_channels;
  const int32_t pitch = p.dilation_height * p.input_width * p.input_channels;
  int32_t sums[kChannels];
  for (int32_t i = 0; i < kChannels; ++i) sums[i] = tables.bias[c + i];
  for (int32_t fy = rows.first; fy < rows.end; ++fy) {
    const int32_t tap = (fy * p.filter_width + columns.first) * p.input_channels;
    add_row(p, x + fy * pitch + columns.first * pixel, tables.filter + tap + c,
            columns.end - columns.first, sums);
  }
  const dsp::Rounding rounding = {0, p.multiplier, (2 * p.output_zero_point + 1) * 32 + p.shift};
  for (int32_t i = 0; i < kChannels; ++i) {
    y[i] = static_cast<uint8_t>(dsp::requantize(p, sums[i], rounding));
  }
}

template <class P>
void dsp(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const DspTables& tables) {
  const int32_t channels = p.input_channels;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
    const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
    const uint8_t* x = in.x + ((b * p.input_height + top) * p.input_width + left) * channels;
    for (int32_t i = 0; i < channels; i += kChannels) {
      const int32_t c = min(i, channels - kChannels);
      four_channels(p, x + c, rows, columns, tables, c, out.y + number * channels + c);
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d::u8
