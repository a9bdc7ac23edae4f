// Conv3DTranspose, the definition (tensorflow/lite/kernels/internal/reference/conv3d_transpose.h).
#pragma once

#include <string.h>

#include "conv_3d_transpose.op.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::conv_3d_transpose {

// Adds the filter, times an element of x, to volumes from these positions on, some of which may be
// outside.
template <class P>
void add(const P& p, const int32_t (&first)[3], float x, const float* weights, float* y) {
  for (int32_t i = 0; i < p.filter[0]; ++i) {
    const int32_t d = first[0] + i;
    for (int32_t j = 0; j < p.filter[1]; ++j) {
      const int32_t h = first[1] + j;
      for (int32_t k = 0; k < p.filter[2]; ++k) {
        const int32_t w = first[2] + k;
        const bool inside =
            d >= 0 && d < p.y_size[0] && h >= 0 && h < p.y_size[1] && w >= 0 && w < p.y_size[2];
        if (!inside) continue;
        const int32_t tap = (i * p.filter[1] + j) * p.filter[2] + k;
        const float* of_tap = weights + tap * p.output_channels * p.input_channels;
        float* of_y = y + ((d * p.y_size[1] + h) * p.y_size[2] + w) * p.output_channels;
        for (int32_t c = 0; c < p.output_channels; ++c) of_y[c] += x * of_tap[c * p.input_channels];
      }
    }
  }
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  const int32_t elements = p.y_size[0] * p.y_size[1] * p.y_size[2] * p.output_channels;
  const float* x = in.x;
  float* y = out.y;
  memset(y, 0, static_cast<size_t>(p.batches * elements) * sizeof(float));
  for (int32_t batch = 0; batch < p.batches; ++batch, y += elements) {
    for (int32_t d = 0; d < p.x_size[0]; ++d) {
      for (int32_t h = 0; h < p.x_size[1]; ++h) {
        for (int32_t w = 0; w < p.x_size[2]; ++w) {
          const int32_t first[] = {d * p.stride[0] - p.padding[0], h * p.stride[1] - p.padding[1],
                                   w * p.stride[2] - p.padding[2]};
          for (int32_t c = 0; c < p.input_channels; ++c) add(p, first, *x++, in.weights + c, y);
        }
      }
    }
  }
  for (int32_t i = 0; i < p.batches * elements; ++i) {
    const float sum = in.bias == nullptr ? out.y[i] : out.y[i] + in.bias[i % p.output_channels];
    out.y[i] = real_clamp(sum, p.real_min, p.real_max);
  }
}

}  // namespace opsmith::conv_3d_transpose
