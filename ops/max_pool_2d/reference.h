// MaxPool2D, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/pooling.h, MaxPool).
#pragma once

#include "max_pool_2d.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/families/pooling.h"

namespace opsmith::max_pool_2d {

// The largest element of one channel; `x` is that channel of the window's first pixel.
template <class P>
int32_t window_max(const P& p, const int8_t* x, int32_t rows, int32_t columns) {
  int32_t largest = INT8_MIN;
  for (int32_t i = 0; i < rows; ++i) {
    const int8_t* pixel = x + i * p.input_width * p.channels;
    for (int32_t j = 0; j < columns; ++j) largest = max(largest, pixel[j * p.channels]);
  }
  return largest;
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_window(p, in.x, out.y, [&p](const Window& window, int8_t* y) {
    for (int32_t c = 0; c < p.channels; ++c) {
      const int32_t largest = window_max(p, window.pixels + c, window.rows, window.columns);
      y[c] = static_cast<int8_t>(clamp(largest, p.activation_min, p.activation_max));
    }
  });
}

}  // namespace opsmith::max_pool_2d
