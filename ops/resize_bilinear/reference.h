// ResizeBilinear, the definition (tensorflow/lite/kernels/internal/reference/resize_bilinear.h).
#pragma once

#include <stdint.h>

#include "resize_bilinear.op.h"

namespace opsmith::resize_bilinear {

constexpr int32_t kUnit = 1024;  // of a pixel, for integers
constexpr int32_t kBits = 20;    // of kUnit * kUnit

// What places are measured in, and what holds a weighted sum of four elements.
template <class T>
struct Number {
  typedef float Place;  // pixels
  typedef float Sum;
};

template <>
struct Number<int8_t> {
  typedef int32_t Place;  // 1/1024 pixels
  typedef int32_t Sum;
};

template <>
struct Number<int16_t> {
  typedef int32_t Place;
  typedef int64_t Sum;
};

// Where a pixel of y is along an axis of x: between two pixels, so far beyond the first. Above and
// left of the first pixel's center both are that pixel, and `beyond` is negative.
template <class T>
struct Place {
  int32_t low, high;
  T beyond;
};

// In 1/1024 pixels. Nodes whose rounded scale leads out of the image are refused.
inline Place<int32_t> place(int32_t i, int32_t scale, bool half, int32_t size) {
  const int32_t at = half ? i * scale + scale / 2 - kUnit / 2 : i * scale;
  const int32_t low = at < 0 ? 0 : at / kUnit;
  const int32_t high = (at + kUnit - 1) / kUnit;
  return {low, high < size ? high : size - 1, at - low * kUnit};
}

// In pixels. Sizes are so small that rounding never leads beyond the last one.
inline Place<float> place(int32_t i, float scale, bool half, int32_t size) {
  const float whole = static_cast<float>(i);
  const float at = half ? (whole + 0.5f) * scale - 0.5f : whole * scale;
  const int32_t low = static_cast<int32_t>(at);  // also above -1
  const int32_t high = at > static_cast<float>(low) ? low + 1 : low;
  return {low, high < size ? high : size - 1, at - static_cast<float>(low)};
}

// The four pixels of x around a place.
template <class T>
struct Corners {
  const T *low_left, *high_left, *low_right, *high_right;
};

// Their parts in a pixel of y, which together are kUnit * kUnit.
struct Weights {
  int32_t low_left, high_left, low_right, high_right;
};

constexpr Weights weights(int32_t down, int32_t right) {
  const int32_t up = kUnit - down, left = kUnit - right;
  return {up * left, down * left, up * right, down * right};
}

// Writes a pixel of y. Exact until it is rounded: halves away from zero. No part of the loops
// around it, so that its own has registers for all it reads.
template <class T>
__attribute__((noinline)) void write_pixel(const Corners<T>& x, int32_t down, int32_t right,
                                           int32_t channels, T* y) {
  typedef typename Number<T>::Sum Sum;
  const Weights w = weights(down, right);
  const T *low_left = x.low_left, *high_left = x.high_left;
  const T *low_right = x.low_right, *high_right = x.high_right;
  for (int32_t c = 0; c < channels; ++c) {
    const Sum sum = Sum{low_left[c]} * w.low_left + Sum{high_left[c]} * w.high_left +
                    Sum{low_right[c]} * w.low_right + Sum{high_right[c]} * w.high_right;
    const Sum sign = sum < 0 ? -1 : 0;
    y[c] = static_cast<T>((sum + sign + kUnit * kUnit / 2) >> kBits);
  }
}

// In float, with products and sums in TFLite's order; uint8 is rounded, halves up.
template <class T>
void write_pixel(const Corners<T>& x, float down, float right, int32_t channels, T* y) {
  const float up = 1.0f - down, left = 1.0f - right;
  constexpr float kRounding = sizeof(T) < sizeof(float) ? 0.5f : 0.0f;  // of a negative zero, too
  for (int32_t c = 0; c < channels; ++c) {
    const float sum = static_cast<float>(x.low_left[c]) * up * left +
                      static_cast<float>(x.high_left[c]) * down * left +
                      static_cast<float>(x.low_right[c]) * up * right +
                      static_cast<float>(x.high_right[c]) * down * right;
    y[c] = static_cast<T>(sum + kRounding);
  }
}

// Calls f(corners, down, right, y) for every pixel of y; `down` and `right` are how far it is
// beyond the corners low and left.
template <class P, class T, class F>
void for_each_place(const P& p, const T* x, T* y, F f) {
  typedef typename Number<T>::Place Unit;
  const int32_t row_size = p.x_size[1] * p.channels;
  for (int32_t n = 0; n < p.batches; ++n, x += p.x_size[0] * row_size) {
    for (int32_t i = 0; i < p.y_size[0]; ++i) {
      const Place<Unit> row =
          place(i, static_cast<Unit>(p.scale[0]), p.half_pixel_centers, p.x_size[0]);
      const T *low = x + row.low * row_size, *high = x + row.high * row_size;
      for (int32_t j = 0; j < p.y_size[1]; ++j, y += p.channels) {
        const Place<Unit> column =
            place(j, static_cast<Unit>(p.scale[1]), p.half_pixel_centers, p.x_size[1]);
        const int32_t left = column.low * p.channels, right = column.high * p.channels;
        const Corners<T> corners = {low + left, high + left, low + right, high + right};
        f(corners, row.beyond, column.beyond, y);
      }
    }
  }
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  const T* x = in.x;
  for_each_place(p, x, static_cast<T*>(out.y),
                 [&p](const Corners<T>& corners, auto down, auto right, T* y) {
                   write_pixel(corners, down, right, p.channels, y);
                 });
}

}  // namespace opsmith::resize_bilinear
