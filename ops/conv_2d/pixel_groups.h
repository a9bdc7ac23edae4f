// Convolutions of int8 in groups of pixels, whose windows are copied with their border, so that no
// product is skipped and zero points are in the constants. `Multiply` says how many pixels and
// channels a group has, how windows lie side by side, and makes sums of products.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/high_product.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {
namespace pixel_groups {

template <class P>
constexpr auto has_groups(const P* p) -> decltype(p->groups, true) {
  return true;
}
constexpr bool has_groups(...) { return false; }

// Channels of x that a filter reads.
template <class P>
int32_t channels_of_filter(const P& p) {
  if constexpr (has_groups(static_cast<const P*>(nullptr))) {
    return p.filter_channels;
  } else {
    return p.input_channels;
  }
}

// P, and the channels of y that a group has.
template <class P>
struct Slice : P {
  int32_t first;
  int32_t end;
};

struct Range {
  int32_t first;
  int32_t end;
};

template <class P>
Range channels_of(const P& p) {
  return {0, p.output_channels};
}
template <class P>
Range channels_of(const Slice<P>& p) {
  return {p.first, p.end};
}

// The inputs of one output pixel of a group; outside of the image is the zero point. `image` begins
// with the channels that the filter reads.
template <class Multiply, class P>
void gather_window(const P& p, const int8_t* image, int32_t top, int32_t left, int32_t pixel,
                   typename Multiply::Input* windows) {
  const int32_t row = p.filter_width * channels_of_filter(p);
  const int32_t right = left + (p.filter_width - 1) * p.dilation_width;
  const bool whole = left >= 0 && right < p.input_width && p.dilation_width == 1 &&
                     channels_of_filter(p) == p.input_channels;
  int32_t at = 0;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    const bool inside = y >= 0 && y < p.input_height;
    const int8_t* pixels = image + (y * p.input_width + left) * p.input_channels;
    if (inside && whole) {
      Multiply::put(row, pixel, windows, at, [&](int32_t i) { return pixels[i]; });
      at += row;
      continue;
    }
    for (int32_t fx = 0; fx < p.filter_width; ++fx, at += channels_of_filter(p)) {
      const int32_t x = left + fx * p.dilation_width;
      if (inside && x >= 0 && x < p.input_width) {
        const int8_t* from = pixels + fx * p.dilation_width * p.input_channels;
        Multiply::put(channels_of_filter(p), pixel, windows, at,
                      [&](int32_t i) { return from[i]; });
      } else {
        const int8_t zero = static_cast<int8_t>(p.input_zero_point);
        Multiply::put(channels_of_filter(p), pixel, windows, at, [&](int32_t) { return zero; });
      }
    }
  }
}

// The inputs of a group of pixels, the first of which is `first`.
template <class Multiply, class P>
__attribute__((always_inline)) inline void gather_windows(const P& p, const int8_t* image,
                                                          int32_t first, int32_t pixels,
                                                          typename Multiply::Input* windows) {
  for (int32_t k = 0; k < Multiply::kPixels; ++k) {
    const int32_t pixel = min(first + k, pixels - 1);  // of half a group: some twice
    const int32_t row = pixel / p.output_width;
    const int32_t column = pixel - row * p.output_width;
    gather_window<Multiply>(p, image, row * p.stride_height - p.padding_top,
                            column * p.stride_width - p.padding_left, k, windows);
  }
}

// All channels of P, or of a slice, of as many pixels as there are of a group.
template <class Multiply, class Constants, class P>
void group_outputs(const P& p, const typename Multiply::Input* windows, int32_t size,
                   int32_t pixels, const typename Multiply::Weight* weights, Constants constants,
                   int8_t* y) {
  constexpr int32_t kChannels = Multiply::kChannels;
  const auto o = outputs_of(p);
  const int32_t pitch = p.output_channels;
  const auto [first, end] = channels_of(p);
  if constexpr (has_groups(static_cast<const P*>(nullptr))) skip_exceptions(constants, first);
  for (int32_t c = first; c < end; c += kChannels, weights += Multiply::weights(size)) {
    int32_t sums[Multiply::kPixels][kChannels];
    Multiply::sums_of(windows, size, weights, sums, pixels);
    const int32_t channels = min(end - c, kChannels);
    for (int32_t i = 0; i < channels; ++i) {
      const auto channel = lines_of(constants)[c + i];
      int8_t* to = y + c + i;
      *to = requantize_sum(o, sums[0][i], channel);
      for (int32_t k = 1; k < Multiply::kPixels && k < pixels; ++k) {
        to += pitch;
        *to = requantize_sum(o, sums[k][i], channel);
      }
    }
    exceptions_before(constants, c + kChannels, [&](const Exception* e) {
      return corrected_block<kChannels>(e, c, &sums[0][0], y, pixels, pitch);
    });
  }
}

// All groups of channels of as many pixels as there are of a group of pixels.
template <class Multiply, class Tables, class P>
void all_groups(const P& p, const int8_t* image, int32_t first, int32_t count, const Tables& tables,
                typename Multiply::Input* windows, int8_t* y) {
  const int32_t size = p.filter_height * p.filter_width * p.filter_channels;
  const int32_t channels = p.output_channels / p.groups;
  const int32_t blocks = (channels + Multiply::kChannels - 1) / Multiply::kChannels;
  const typename Multiply::Weight* weights = tables.filter;
  for (int32_t c = 0; c < p.output_channels; c += channels) {
    gather_windows<Multiply>(p, image, first, p.output_height * p.output_width, windows);
    const Slice<P> slice = {p, c, c + channels};
    with_constants(p, tables.requantization, [&](auto constants) {
      group_outputs<Multiply>(slice, windows, size, count, weights, constants, y);
    });
    image += p.filter_channels;
    weights += blocks * Multiply::weights(size);
  }
}

// The whole convolution, with what computes sums. Params are copied, which windows may alias.
template <class Multiply, class Tables, class P>
void convolve(const P& given, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables,
              typename Multiply::Input* windows) {
  constexpr int32_t kPixels = Multiply::kPixels;
  const P p = given;
  const int32_t size = p.filter_height * p.filter_width * p.input_channels;
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t last = (pixels - 1) / kPixels * kPixels;
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int8_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t j = 0; j < pixels; j += kPixels) {
      const int32_t first = p.reversed ? last - j : j;
      const int32_t count = min(pixels - first, kPixels);
      if constexpr (has_groups(static_cast<const P*>(nullptr))) {
        int8_t* y = out.y + (b * pixels + first) * p.output_channels;
        all_groups<Multiply>(p, image, first, count, tables, windows, y);
      } else {
        gather_windows<Multiply>(p, image, first, pixels, windows);
        int8_t* y = out.y + (b * pixels + first) * p.output_channels;
        with_constants(p, tables.requantization, [&](auto constants) {
          group_outputs<Multiply>(p, windows, size, count, tables.filter, constants, y);
        });
      }
    }
  }
}

}  // namespace pixel_groups
}  // namespace opsmith::conv_2d::i8
