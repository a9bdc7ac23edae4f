// Images of float32 that are quantised and convolved in groups of pixels, as pixel_groups.h of int8
// does, for cores without an FPU.
#pragma once

#include "ops/conv_2d/pixel_groups.h"
#include "runtimes/core/soft_dynamic_range.h"

namespace opsmith::conv_2d::f32x8 {

// Channels of y that lie side by side, of as many pixels as there are of a group.
template <class Multiply>
__attribute__((noinline)) void group_outputs(
    const soft::RealOutputs& o, const typename Multiply::Input* windows, int32_t size,
    int32_t pixels, const typename Multiply::Weight* weights, const soft::RealChannel* constants,
    const float* scales, int32_t channels, int32_t pitch, float* y) {
  constexpr int32_t kChannels = Multiply::kChannels;
  for (int32_t c = 0; c < channels; c += kChannels, weights += Multiply::weights(size)) {
    int32_t sums[Multiply::kPixels][kChannels];
    Multiply::sums_of(windows, size, weights, sums, pixels);
    const int32_t end = min(channels - c, kChannels);
    for (int32_t i = 0; i < end; ++i) {
      float* to = y + c + i;
      for (int32_t k = 0; k < pixels; ++k, to += pitch) {
        *to = soft::real_of(o, constants[c + i], scales[c + i], sums[k][i]);
      }
    }
  }
}

// Groups of channels, each of which has filters of its own.
template <class P>
int32_t groups_of(const P& p) {
  return p.input_channels / i8::pixel_groups::channels_of_filter(p);
}

// The whole convolution, with what computes sums.
template <class Multiply, class P, class Weights, class S>
void convolve(const P& p, const float* x, float* y, const Weights* weights,
              const int32_t* requantization, const S& scratch) {
  constexpr int32_t kPixels = Multiply::kPixels;
  const auto* constants = reinterpret_cast<const soft::RealChannel*>(requantization);
  const int32_t inputs = i8::pixel_groups::channels_of_filter(p), groups = groups_of(p);
  const int32_t size = p.filter_height * p.filter_width * inputs;
  const int32_t channels = p.output_channels / groups;
  const int32_t blocks = (channels + Multiply::kChannels - 1) / Multiply::kChannels;
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t image = p.input_height * p.input_width * p.input_channels;
  for (int32_t b = 0; b < p.batches; ++b, x += image) {
    const DynamicRange range = soft::quantized_by_range(x, image, p.by_channel, scratch.image);
    const soft::Bordered<P> bordered = {p, range.zero_point};
    const soft::RealOutputs o =
        soft::real_outputs(p, range, p.by_channel, constants, p.output_channels, scratch.scales);
    for (int32_t first = 0; first < pixels; first += kPixels) {
      const int32_t count = min(pixels - first, kPixels);
      for (int32_t g = 0, c = 0; g < groups; ++g, c += channels) {
        i8::pixel_groups::gather_windows<Multiply>(bordered, scratch.image + g * inputs, first,
                                                   pixels, scratch.windows);
        group_outputs<Multiply>(o, scratch.windows, size, count,
                                weights + g * blocks * Multiply::weights(size), constants + c,
                                scratch.scales + c, channels, p.output_channels, y + c);
      }
      y += count * p.output_channels;
    }
  }
}

}  // namespace opsmith::conv_2d::f32x8
