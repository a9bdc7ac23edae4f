// Conv3D, the definition (tensorflow/lite/kernels/internal/reference/conv3d.h).
#pragma once

#include "conv_3d.op.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::conv_3d {

// The sum for the voxel of y that starts at these positions of x, some of which may be outside.
template <class P>
float sum(const P& p, const int32_t (&first)[3], const float* x, const float* weights) {
  float total = 0;
  for (int32_t i = 0; i < p.filter[0]; ++i) {
    const int32_t d = first[0] + i * p.dilation[0];
    for (int32_t j = 0; j < p.filter[1]; ++j) {
      const int32_t h = first[1] + j * p.dilation[1];
      for (int32_t k = 0; k < p.filter[2]; ++k) {
        const int32_t w = first[2] + k * p.dilation[2];
        const bool inside =
            d >= 0 && d < p.x_size[0] && h >= 0 && h < p.x_size[1] && w >= 0 && w < p.x_size[2];
        if (!inside) continue;
        const int32_t channels = p.input_channels;
        const float* of_x = x + ((d * p.x_size[1] + h) * p.x_size[2] + w) * channels;
        const int32_t tap = (i * p.filter[1] + j) * p.filter[2] + k;
        const float* of_tap = weights + tap * channels * p.output_channels;
        for (int32_t c = 0; c < channels; ++c) total += of_x[c] * of_tap[c * p.output_channels];
      }
    }
  }
  return total;
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  const float* x = in.x;
  float* y = out.y;
  for (int32_t batch = 0; batch < p.batches; ++batch) {
    for (int32_t d = 0; d < p.y_size[0]; ++d) {
      for (int32_t h = 0; h < p.y_size[1]; ++h) {
        for (int32_t w = 0; w < p.y_size[2]; ++w) {
          const int32_t first[] = {d * p.stride[0] - p.padding[0], h * p.stride[1] - p.padding[1],
                                   w * p.stride[2] - p.padding[2]};
          for (int32_t c = 0; c < p.output_channels; ++c) {
            const float bias = in.bias == nullptr ? 0.0f : in.bias[c];
            *y++ = real_clamp(sum(p, first, x, in.weights + c) + bias, p.real_min, p.real_max);
          }
        }
      }
    }
    x += p.x_size[0] * p.x_size[1] * p.x_size[2] * p.input_channels;
  }
}

}  // namespace opsmith::conv_3d
