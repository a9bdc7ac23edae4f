// Where kernels of float32 find the taps of a window.
#pragma once

#include "runtimes/core/walk.h"
#include "runtimes/families/tap_steps.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::f32 {

// Calls f(taps, x, weights, y) for each pixel of y: the part of its window that lies inside the
// image, and where the inputs and the weights of the first channel begin.
template <class P, class F>
void for_each_window(const P& p, const float* x, const float* filter, float* y, F f) {
  const int32_t inputs = p.input_channels, pitch = p.input_width * inputs;
  const int32_t outputs = p.output_channels;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
    const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
    const WindowTaps taps{rows.end - rows.first,     columns.end - columns.first,
                          p.dilation_width * inputs, outputs,
                          p.dilation_height * pitch, p.filter_width * outputs};
    const int32_t row = b * p.input_height + top + rows.first * p.dilation_height;
    const int32_t column = left + columns.first * p.dilation_width;
    const int32_t tap = rows.first * p.filter_width + columns.first;
    f(taps, x + row * pitch + column * inputs, filter + tap * outputs, y + number * outputs);
  });
}

}  // namespace opsmith::depthwise_conv_2d::f32
