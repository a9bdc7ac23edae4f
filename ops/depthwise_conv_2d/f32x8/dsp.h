// Needs the DSP extension and an FPU. Fast as dsp.h of int8 is: a channel of the quantised image is
// copied into a plane with its border, from which one load gives four neighbours. For filters of
// 3x3.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/dsp_planes.h"
#include "ops/depthwise_conv_2d/f32x8/quantised.h"

namespace opsmith::depthwise_conv_2d::f32x8 {

template <class P, class S>
void dsp(const P& p, const In<float>& in, const Out<float>& out, const Packed& tables,
         const S& scratch) {
  const auto* constants = reinterpret_cast<const dsp::RealChannel*>(tables.requantization);
  const int32_t bytes = p.plane_width * p.plane_height, channels = p.input_channels;
  const WindowsOfPlane at = windows_of(p);
  float* y = out.y;
  const int32_t size = p.input_height * p.input_width * channels;
  each_image(p, in.x, size, scratch.image, scratch.plane, bytes, [&](const dsp::RealOutputs& o) {
    for (int32_t c = 0; c < channels; ++c) {
      fill_plane<0>(p, scratch.image + c, scratch.plane);
      const dsp::Weights3x3 w = dsp::unpacked_3x3(tables.filter + 12 * c);
      const dsp::RealSums sums = dsp::real_sums(o, constants[c]);
      dsp::with_bounds(o, [&](auto bounds) {
        if (dense(p)) {
          dense_windows(at, bounds, scratch.plane, w, sums, y + c);
        } else {
          sparse_windows(at, bounds, scratch.plane, w, sums, y + c);
        }
      });
    }
    y += p.output_height * p.output_width * channels;
  });
}

}  // namespace opsmith::depthwise_conv_2d::f32x8
