// AveragePool2D, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/pooling.h, AveragePool).
#pragma once

#include "average_pool_2d.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/families/pooling.h"

namespace opsmith::average_pool_2d {

// The sum of one channel; `x` is that channel of the window's first pixel.
template <class P>
int32_t window_sum(const P& p, const int8_t* x, int32_t rows, int32_t columns) {
  int32_t sum = 0;
  for (int32_t i = 0; i < rows; ++i) {
    const int8_t* pixel = x + i * p.input_width * p.channels;
    for (int32_t j = 0; j < columns; ++j) sum += pixel[j * p.channels];
  }
  return sum;
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_window(p, in.x, out.y, [&p](const Window& window, int8_t* y) {
    const int32_t count = window.rows * window.columns;
    for (int32_t c = 0; c < p.channels; ++c) {
      const int32_t sum = window_sum(p, window.pixels + c, window.rows, window.columns);
      const int32_t half = sum > 0 ? count / 2 : -(count / 2);  // ties away from zero
      const int32_t mean = (sum + half) / count;
      y[c] = static_cast<int8_t>(clamp(mean, p.activation_min, p.activation_max));
    }
  });
}

}  // namespace opsmith::average_pool_2d
