// Convolutions of several element types: sums of products, and what becomes of each. Freestanding
// C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/walk.h"

namespace opsmith {

// The sum of the filter's taps that lie inside the image, one after the other: each time it is
// sum_with(sum, pixel, tap), of the number of a pixel of the image and that of a tap.
template <class Sum, class P, class Add>
Sum sum_of_taps(const P& p, int32_t top, int32_t left, Add sum_with) {
  Sum sum = 0;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    if (y < 0 || y >= p.input_height) continue;
    for (int32_t fx = 0; fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      if (x < 0 || x >= p.input_width) continue;
      sum = sum_with(sum, y * p.input_width + x, fy * p.filter_width + fx);
    }
  }
  return sum;
}

// The sum of product(x, weight) over the filter's taps that lie inside the image, and over the
// channels of the filter. `image` points to the first of them in the image's first pixel.
template <class Sum, class P, class X, class W, class Product>
Sum window_sum(const P& p, const X* image, const W* filter, int32_t top, int32_t left,
               Product product) {
  return sum_of_taps<Sum>(p, top, left, [&](Sum sum, int32_t pixel, int32_t tap) {
    const X* x = image + pixel * p.input_channels;
    const W* w = filter + tap * p.filter_channels;
    for (int32_t c = 0; c < p.filter_channels; ++c) sum += product(x[c], w[c]);
    return sum;
  });
}

// Likewise of a depthwise convolution, whose filter has the `channels` of y side by side.
template <class Sum, class P, class X, class W, class Product>
Sum channel_sum(const P& p, const X* image, const W* filter, int32_t channels, int32_t top,
                int32_t left, Product product) {
  return sum_of_taps<Sum>(p, top, left, [&](Sum sum, int32_t pixel, int32_t tap) {
    return sum + product(image[pixel * p.input_channels], filter[tap * channels]);
  });
}

// A convolution: each element of y is output(sum of product(x, weight), its channel).
template <class Sum, class P, class X, class W, class Y, class Product, class Output>
void outputs_of_windows(const P& p, const X* x, const W* filter, Y* y, Product product,
                        Output output) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  const int32_t filter_size = p.filter_height * p.filter_width * p.filter_channels;
  const int32_t channels_per_group = p.output_channels / (p.input_channels / p.filter_channels);
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    Y* pixel = y + number * p.output_channels;
    for (int32_t c = 0; c < p.output_channels; ++c) {
      const X* image = x + b * image_size + c / channels_per_group * p.filter_channels;
      const W* own = filter + c * filter_size;
      pixel[c] = output(window_sum<Sum>(p, image, own, top, left, product), c);
    }
  });
}

// A depthwise convolution: each channel of x gives `multiplier` neighbours of y.
template <class Sum, class P, class X, class W, class Y, class Product, class Output>
void outputs_of_channels(const P& p, int32_t multiplier, const X* x, const W* filter, Y* y,
                         Product product, Output output) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  const int32_t channels = p.input_channels * multiplier;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    Y* pixel = y + number * channels;
    for (int32_t c = 0; c < channels; ++c) {
      const X* image = x + b * image_size + c / multiplier;
      pixel[c] = output(channel_sum<Sum>(p, image, filter + c, channels, top, left, product), c);
    }
  });
}

}  // namespace opsmith
