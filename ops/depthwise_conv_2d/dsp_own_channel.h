// A channel of a 3x3 depthwise convolution with constants of its own. Needs the DSP extension.
#pragma once

#include "ops/depthwise_conv_2d/dsp_plane_windows.h"
#include "ops/depthwise_conv_2d/pitches.h"

namespace opsmith::depthwise_conv_2d {

// Where the windows of a plane and their outputs are. Distances are in bytes.
struct WindowsOfPlane {
  int32_t rows;
  int32_t columns;
  int32_t width;  // of the plane
  int32_t down;
  int32_t right;
  int32_t pitch;  // of y
  int32_t next;
};

template <class P>
constexpr WindowsOfPlane windows_of(const P& p) {
  const Pitches of_y = row_pitches(p, p.output_width);
  return {p.output_height, p.output_width, p.plane_width, p.stride_height * p.plane_width,
          p.stride_width,  of_y.row,       of_y.pixel};
}

// All outputs of a channel with constants of its own. Shared by all layers, few of whose channels
// are such.
__attribute__((noinline)) inline void own_channel(const WindowsOfPlane& at,
                                                  const dsp::Outputs& bounds, const int8_t* plane,
                                                  const dsp::Weights3x3& w,
                                                  const dsp::Rounding& constants, int8_t* y) {
  const dsp::Weights3x3 weights = w;
  const dsp::Rounding channel = constants;
  const dsp::OwnOutputs<dsp::OutputsOf<int8_t>> outputs = {{bounds}};
  const auto saturated = dsp::saturated(outputs);
  const int32_t width = at.width, right = at.right, next = at.next;
  for (int32_t rows = at.rows; rows > 0; --rows, plane += at.down, y += at.pitch) {
    const int8_t* top = plane;
    int8_t* to = y;
    for (int32_t left = at.columns; left > 0; --left, top += right, to += next) {
      *to = dsp::requantize(saturated, window(top, width, weights), channel);
    }
    dsp::clamp_outputs(outputs, at.columns, next, y);
  }
}

__attribute__((noinline)) inline int32_t listed_sum(const int8_t* x, int32_t width,
                                                    const int8_t* filter) {
  int32_t sum = 0;
#pragma GCC unroll 1
  for (int32_t i = 0; i < 3; ++i, x += width, filter += 4) {
    sum += x[0] * filter[0] + x[1] * filter[1] + x[2] * filter[2];
  }
  return sum;
}

// Corrects the outputs of a channel that have the sum of an exception.
__attribute__((noinline)) inline void correct_channel(const WindowsOfPlane& at,
                                                      const Listed& constants, const int8_t* plane,
                                                      const int8_t* filter, int8_t* y) {
  for (int32_t rows = at.rows; rows > 0; --rows, plane += at.down, y += at.pitch) {
    for (const Exception* e = constants.first; e != constants.end; ++e) {
      const int32_t line = e->line(), next = at.next;
      int8_t* to = y;
      for (int32_t left = at.columns; left > 0; --left, to += next) {
        if (*to != line) continue;
        const int8_t* top = plane + (at.columns - left) * at.right;
        if (listed_sum(top, at.width, filter) == e->sum) {
          *to = static_cast<int8_t>(line + e->more());
        }
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d
