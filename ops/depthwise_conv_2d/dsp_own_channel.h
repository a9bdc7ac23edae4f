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

// Where the windows of a Params lie, where `member` is &P::output_height: of one known at compile
// time in flash, else in `room`.
template <class P>
const WindowsOfPlane* windows_of(const P&, const int32_t* /*member*/, WindowsOfPlane* /*room*/) {
  static constexpr WindowsOfPlane kWindows = windows_of(P{});
  return &kWindows;
}
template <class P>
const WindowsOfPlane* windows_of(const P& p, int32_t P::* /*member*/, WindowsOfPlane* room) {
  *room = windows_of(p);
  return room;
}

// Corrects the outputs of a channel that have the sum of one of its exceptions, and returns the
// next channel's. Shared by all layers. Cold: compiled for size.
__attribute__((noinline, cold)) inline const Exception* correct_channel(const WindowsOfPlane* at,
                                                                        const Exception* e,
                                                                        const int8_t* plane,
                                                                        const int8_t* filter,
                                                                        int8_t* y) {
  for (const int32_t c = e->channel(); e->channel() == c; ++e) {
    const int32_t line = e->line();
    for (int32_t i = 0; i < at->rows; ++i) {
      const int8_t* x = plane + i * at->down;
      int8_t* to = y + i * at->pitch;
      for (int32_t left = at->columns; left > 0; --left, x += at->right, to += at->next) {
        if (*to != line) continue;
        int32_t sum = 0;
        for (int32_t tap = 0; tap < 9; ++tap) {
          sum += x[tap / 3 * at->width + tap % 3] * filter[tap / 3 * 4 + tap % 3];
        }
        if (sum == e->sum) *to = e->output();
      }
    }
  }
  return e;
}

}  // namespace opsmith::depthwise_conv_2d
