// Needs the DSP extension. Fast because a word of inputs, and one of weights, serves neighbouring
// channels, whose products SMLABB and SMLATT add without taking words apart.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp_narrow.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

constexpr int32_t kChannels = 4;

// Adds the products of a row of N taps to the sums of four channels.
template <class P>
void add_row(const P& p, const int16_t* x, const uint32_t* weights, int32_t taps,
             int32_t (&sums)[kChannels]) {
  const int32_t step = p.dilation_width * p.input_channels;
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  for (const uint32_t* end = weights + taps; weights != end; x += step) {
    const uint32_t first = dsp::load_word(x), second = dsp::load_word(x + 2), w = *weights++;
    const uint32_t low = dsp::sxtb16(w), high = dsp::sxtb16_ror8(w);
    sum0 = dsp::smlabb(first, low, sum0);
    sum1 = dsp::smlatt(first, low, sum1);
    sum2 = dsp::smlabb(second, high, sum2);
    sum3 = dsp::smlatt(second, high, sum3);
  }
  sums[0] = sum0, sums[1] = sum1, sums[2] = sum2, sums[3] = sum3;
}

inline int32_t first_sum(const Narrow& channel) { return channel.bias; }
inline int32_t first_sum(const Wide& /*channel*/) { return 0; }

template <class P>
int16_t output_of(const P& p, int32_t sum, const Narrow& channel) {
  return dsp::narrowed(p, sum, channel.multiplier);
}
template <class P>
int16_t output_of(const P& p, int32_t sum, const Wide& channel) {
  return narrowed(p, sum, channel);
}

// Four channels of an output pixel, from its taps inside the image.
template <class Constants, class P>
void four_channels(const P& p, const int16_t* x, const uint32_t* weights, Taps rows, Taps columns,
                   const Constants* constants, int16_t* y) {
  const int32_t pitch = p.dilation_height * p.input_width * p.input_channels;
  int32_t sums[kChannels];
  for (int32_t i = 0; i < kChannels; ++i) sums[i] = first_sum(constants[i]);
  x += rows.first * pitch + columns.first * p.dilation_width * p.input_channels;
  weights += rows.first * p.filter_width + columns.first;
  for (int32_t fy = rows.first; fy < rows.end; ++fy, x += pitch, weights += p.filter_width) {
    add_row(p, x, weights, columns.end - columns.first, sums);
  }
  for (int32_t i = 0; i < kChannels; ++i) y[i] = output_of(p, sums[i], constants[i]);
}

template <class Constants, class P>
void all_channels(const P& p, const In<int16_t>& in, const Out<int16_t>& out,
                  const Packed& tables) {
  const int32_t channels = p.input_channels, taps = p.filter_height * p.filter_width;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
    Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
    if (columns.end < columns.first) columns.end = columns.first;
    const int16_t* x = in.x + ((b * p.input_height + top) * p.input_width + left) * channels;
    const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
    const auto* constants = reinterpret_cast<const Constants*>(tables.requantization);
    for (int32_t i = 0; i < channels; i += kChannels, weights += taps, constants += kChannels) {
      const int32_t c = min(i, channels - kChannels);
      four_channels(p, x + c, weights, rows, columns, constants, out.y + number * channels + c);
    }
  });
}

template <class P>
void dsp_general(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Packed& tables) {
  all_channels<Narrow>(p, in, out, tables);
}

}  // namespace opsmith::depthwise_conv_2d::i16x8
