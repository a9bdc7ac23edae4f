// Needs vectors. Fast as window_rows.h: windows of one group of channels are rows, which meet the
// weights of its filters. V is the instruction set, such as avx2.h. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/simd/reals.h"
#include "runtimes/simd/rows.h"

namespace opsmith::simd {

// The inputs that a group, whose first channel is at `image`, has of one output pixel; outside of
// the image is `zero`.
template <class V, class P, class T>
void fill_group(const P& p, const T* image, T zero, int32_t pixel, typename V::Input* row) {
  const int32_t size = p.input_channels / p.channel_groups;
  const int32_t top = pixel / p.output_width * p.stride_height - p.padding_top;
  const int32_t left = pixel % p.output_width * p.stride_width - p.padding_left;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    for (int32_t fx = 0; fx < p.filter_width; ++fx, row += size) {
      const int32_t x = left + fx * p.dilation_width;
      if (y >= 0 && y < p.input_height && x >= 0 && x < p.input_width) {
        V::copy(image + (y * p.input_width + x) * p.input_channels, size, row);
      } else {
        V::repeat(zero, size, row);
      }
    }
  }
}

// All groups of all images; channels_of(g) has those of a group.
template <class V, class P, class T, class S, class F>
void multiply_groups(const P& p, const T* x, T zero, const S& scratch, T* y, F channels_of) {
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t inputs = p.input_channels / p.channel_groups;
  const int32_t outputs = p.output_channels / p.channel_groups;
  for (int32_t i = 0; i < p.batches * p.channel_groups; ++i) {
    const int32_t batch = i / p.channel_groups, group = i % p.channel_groups;
    const auto channels = channels_of(group);
    const T* image = x + batch * p.input_height * p.input_width * p.input_channels + group * inputs;
    T* to = y + batch * pixels * p.output_channels + group * outputs;
    for (int32_t first = 0; first < pixels; first += V::kRows) {
      const int32_t count = min(V::kRows, pixels - first);
      for (int32_t j = 0; j < count; ++j) {
        fill_group<V>(p, image, zero, first + j, scratch.rows + j * p.groups * V::kGroup);
      }
      multiply<V>(channels, scratch.rows, count, scratch.pixels);
      for (int32_t j = 0; j < count; ++j, to += p.output_channels) {
        memcpy(to, scratch.pixels + j * outputs, sizeof(T) * static_cast<size_t>(outputs));
      }
    }
  }
}

// Lanes of the blocks of a group.
template <class V, class P>
int32_t group_lanes(const P& p) {
  return (p.output_channels / p.channel_groups + V::kLanes - 1) / V::kLanes * V::kLanes;
}

template <class V, class P, class I, class O, class T, class S>
void convolve_groups(const P& p, const I& in, const O& out, const T& tables, const S& scratch) {
  const int32_t lanes = group_lanes<V>(p);
  const Outputs outputs = outputs_of<int8_t>(p);
  const auto channels_of = [&](int32_t group) {
    return Channels{p.output_channels / p.channel_groups, p.groups,
                    tables.weights + group * lanes * p.groups * V::kGroup,
                    tables.constants + group * lanes * kConstants, outputs};
  };
  const int8_t zero = static_cast<int8_t>(p.input_zero_point);
  multiply_groups<V>(p, in.x, zero, scratch, out.y, channels_of);
}

template <class V, class P, class I, class O, class T, class S>
void convolve_real_groups(const P& p, const I& in, const O& out, const T& tables,
                          const S& scratch) {
  const int32_t lanes = group_lanes<V>(p);
  const auto channels_of = [&](int32_t group) {
    return RealChannels{p.output_channels / p.channel_groups,
                        p.groups,
                        tables.weights + group * lanes * p.groups,
                        tables.bias + group * lanes,
                        static_cast<float>(p.real_min),
                        static_cast<float>(p.real_max)};
  };
  multiply_groups<Reals<V>>(p, in.x, 0.0f, scratch, out.y, channels_of);
}

}  // namespace opsmith::simd
