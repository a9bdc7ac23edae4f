// TransposeConv, the definition (transpose_conv.h and integer_ops/transpose_conv.h of
// tensorflow/lite/kernels/internal/reference, which go through x and add to y; here every element
// of y is summed up at once, in the same order).
#pragma once

#include "runtimes/core/dynamic_range.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/narrow.h"
#include "runtimes/core/real_clamp.h"
#include "transpose_conv.op.h"

namespace opsmith::transpose_conv {

// Pixels [first, end) of x along one axis.
struct Pixels {
  int32_t first;
  int32_t end;
};

// Those whose filter covers the pixel `at` of y, counted from the start of the padding.
constexpr Pixels covering(int32_t at, int32_t stride, int32_t filter, int32_t image) {
  const int32_t first = at < filter ? 0 : (at - filter) / stride + 1;
  return {first, min(at / stride + 1, image)};
}

// Calls f(inputs, weights) for each pixel of an image whose filter covers one of y.
template <class P, class X, class W, class F>
void for_each_covering(const P& p, const X* image, const W* filter, int32_t down, int32_t right,
                       F f) {
  const Pixels rows = covering(down, p.stride_height, p.filter_height, p.input_height);
  const Pixels columns = covering(right, p.stride_width, p.filter_width, p.input_width);
  for (int32_t row = rows.first; row < rows.end; ++row) {
    const int32_t taps = (down - row * p.stride_height) * p.filter_width;
    for (int32_t column = columns.first; column < columns.end; ++column) {
      const int32_t tap = taps + right - column * p.stride_width;
      f(image + (row * p.input_width + column) * p.input_channels, filter + tap * p.input_channels);
    }
  }
}

// The sum of product(x, weight) over those pixels.
template <class Sum, class P, class X, class W, class Product>
Sum pixel_sum(const P& p, const X* image, const W* filter, int32_t down, int32_t right,
              Product product) {
  Sum sum = 0;
  for_each_covering(p, image, filter, down, right, [&](const X* pixel, const W* weights) {
    for (int32_t c = 0; c < p.input_channels; ++c) sum += product(pixel[c], weights[c]);
  });
  return sum;
}

// Sets every element of an image of y to f(down, right, weights, channel): where it is, counted
// from the start of the padding, and the filter of its channel.
template <class P, class W, class Y, class F>
void for_each_element(const P& p, const W* filter, Y* y, F f) {
  const int32_t filter_size = p.filter_height * p.filter_width * p.input_channels;
  for (int32_t oy = 0; oy < p.output_height; ++oy) {
    for (int32_t ox = 0; ox < p.output_width; ++ox) {
      for (int32_t c = 0; c < p.output_channels; ++c) {
        *y++ = f(oy + p.padding_top, ox + p.padding_left, filter + c * filter_size, c);
      }
    }
  }
}

// Sets every element of y to f(sum, channel).
template <class Sum, class P, class X, class W, class Product, class F>
void for_each_sum(const P& p, const X* x, const W* filter, X* y, Product product, F f) {
  for (int32_t b = 0; b < p.batches; ++b) {
    const X* image = x + b * p.input_height * p.input_width * p.input_channels;
    X* made = y + b * p.output_height * p.output_width * p.output_channels;
    for_each_element(p, filter, made,
                     [&](int32_t down, int32_t right, const W* weights, int32_t c) {
                       return f(pixel_sum<Sum>(p, image, weights, down, right, product), c);
                     });
  }
}

template <class T>
int32_t requantized(int32_t sum, const T& tables, int32_t c) {
  return multiply_by_quantized_multiplier(sum, tables.multiplier[c], tables.shift[c]);
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const I8Tables& tables) {
  const auto product = [&p](int32_t x, int32_t w) { return (x - p.input_zero_point) * w; };
  for_each_sum<int32_t>(p, in.x, tables.filter, out.y, product, [&](int32_t sum, int32_t c) {
    const int32_t y = requantized(sum + tables.bias[c], tables, c) + p.output_zero_point;
    return static_cast<int8_t>(clamp(y, p.activation_min, p.activation_max));
  });
}

template <class P>
void reference(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const U8Tables& tables) {
  const auto product = [&p](int32_t x, int32_t w) {
    return (x - p.input_zero_point) * (w - p.filter_zero_point);
  };
  for_each_sum<int32_t>(p, in.x, tables.filter, out.y, product, [&](int32_t sum, int32_t c) {
    const int32_t y = requantized(sum + tables.bias[c], tables, c) + p.output_zero_point;
    return static_cast<uint8_t>(clamp(y, p.activation_min, p.activation_max));
  });
}

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out,
               const I16Tables& tables) {
  const auto product = [](int32_t x, int32_t w) { return x * w; };
  for_each_sum<int64_t>(p, in.x, tables.filter, out.y, product, [&](int64_t sum, int32_t c) {
    return narrowed(p, sum + tables.bias[c], tables.multiplier[c], tables.shift[c]);
  });
}

// With a bias of 32 bits sums have no more, and wrap.
template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const I8Tables& tables) {
  const auto product = [](int32_t x, int32_t w) { return static_cast<uint32_t>(x * w); };
  for_each_sum<uint32_t>(p, in.x, tables.filter, out.y, product, [&](uint32_t sum, int32_t c) {
    const int32_t biased = static_cast<int32_t>(sum + static_cast<uint32_t>(tables.bias[c]));
    const int32_t y = requantized(biased, tables, c);
    return static_cast<int16_t>(clamp(y, p.activation_min, p.activation_max));
  });
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out, const F32Tables& tables) {
  const auto product = [](float x, float w) { return x * w; };
  for_each_sum<float>(p, in.x, tables.filter, out.y, product, [&](float sum, int32_t c) {
    return real_clamp(sum + tables.bias[c], p.real_min, p.real_max);
  });
}

// Floats are quantised as they come, each image by its range. Every product becomes a float.
template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out, const F32x8Tables& tables,
               const ReferenceScratch& scratch) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  for (int32_t b = 0; b < p.batches; ++b) {
    const DynamicRange range =
        quantize_asymmetric(in.x + b * image_size, image_size, scratch.image);
    float* y = out.y + b * p.output_height * p.output_width * p.output_channels;
    for_each_element(
        p, tables.filter, y, [&](int32_t down, int32_t right, const int8_t* weights, int32_t c) {
          const auto product = [&](int32_t x, int32_t w) {
            return static_cast<float>((x - range.zero_point) * w) * tables.scale[c] * range.scale;
          };
          const float sum = pixel_sum<float>(p, scratch.image, weights, down, right, product);
          return real_clamp(sum + tables.bias[c], p.real_min, p.real_max);
        });
  }
}

}  // namespace opsmith::transpose_conv
