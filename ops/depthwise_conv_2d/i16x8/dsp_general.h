// Needs the DSP extension. Fast because a word of inputs, and one of weights, serves neighbouring
// channels, whose products SMLABB and SMLATT add without taking words apart. Of several filters for
// each channel of x, each loads its input.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp_narrow.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

constexpr int32_t kChannels = 4;

// Inputs of four channels at a tap: a word of the first two, of which the second is in the upper
// half, and one of the others.
struct Neighbours {
  void load(const int16_t* x, uint32_t& first, uint32_t& second) const {
    first = dsp::load_word(x), second = dsp::load_word(x + 2);
  }
};
struct OfFilters {
  int32_t at[kChannels - 1];  // from the input of the first channel to those of the others

  void load(const int16_t* x, uint32_t& first, uint32_t& second) const {
    const auto word = [](int32_t bottom, int32_t top) {
      return dsp::pkhbt(static_cast<uint32_t>(bottom), static_cast<uint32_t>(top));
    };
    first = word(x[0], x[at[0]]), second = word(x[at[1]], x[at[2]]);
  }
};

// Adds the products of a row of N taps to the sums of four channels.
template <class P, class Inputs>
void add_row(const P& p, const Inputs& inputs, const int16_t* x, const uint32_t* weights,
             int32_t taps, int32_t (&sums)[kChannels]) {
  const int32_t step = p.dilation_width * p.input_channels;
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  for (const uint32_t* end = weights + taps; weights != end; x += step) {
    uint32_t first, second;
    inputs.load(x, first, second);
    const uint32_t w = *weights++, low = dsp::sxtb16(w), high = dsp::sxtb16_ror8(w);
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
template <class Constants, class P, class Inputs>
void four_channels(const P& p, const Inputs& inputs, const int16_t* x, const uint32_t* weights,
                   Taps rows, Taps columns, const Constants* constants, int16_t* y) {
  const int32_t pitch = p.dilation_height * p.input_width * p.input_channels;
  int32_t sums[kChannels];
  for (int32_t i = 0; i < kChannels; ++i) sums[i] = first_sum(constants[i]);
  x += rows.first * pitch + columns.first * p.dilation_width * p.input_channels;
  weights += rows.first * p.filter_width + columns.first;
  for (int32_t fy = rows.first; fy < rows.end; ++fy, x += pitch, weights += p.filter_width) {
    add_row(p, inputs, x, weights, columns.end - columns.first, sums);
  }
  for (int32_t i = 0; i < kChannels; ++i) y[i] = output_of(p, sums[i], constants[i]);
}

template <class Constants, class P>
void all_channels(const P& p, const In<int16_t>& in, const Out<int16_t>& out,
                  const Packed& tables) {
  const int32_t filters = p.channel_multiplier, channels = p.input_channels * filters;
  const int32_t taps = p.filter_height * p.filter_width;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
    Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
    if (columns.end < columns.first) columns.end = columns.first;
    const int16_t* x =
        in.x + ((b * p.input_height + top) * p.input_width + left) * p.input_channels;
    const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
    const auto* constants = reinterpret_cast<const Constants*>(tables.requantization);
    for (int32_t i = 0; i < channels; i += kChannels, weights += taps, constants += kChannels) {
      const int32_t c = min(i, channels - kChannels);
      int16_t* y = out.y + number * channels + c;
      if (filters == 1) {
        four_channels(p, Neighbours{}, x + c, weights, rows, columns, constants, y);
      } else {
        const int32_t first = c / filters;
        const OfFilters inputs = {
            {(c + 1) / filters - first, (c + 2) / filters - first, (c + 3) / filters - first}};
        four_channels(p, inputs, x + first, weights, rows, columns, constants, y);
      }
    }
  });
}

template <class P>
void dsp_general(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Packed& tables) {
  all_channels<Narrow>(p, in, out, tables);
}

}  // namespace opsmith::depthwise_conv_2d::i16x8
