// A channel of a 3x3 depthwise convolution with constants of its own. Needs the DSP extension.
#pragma once

#include "ops/depthwise_conv_2d/dsp_plane_windows.h"
#include "ops/depthwise_conv_2d/pitches.h"

namespace opsmith::dsp {

// Rounding of a channel that rounds once, taken apart.
struct RoundedOnce {
  explicit RoundedOnce(const Rounding& channel)
      : bias(channel.bias),
        multiplier(channel.multiplier),
        left(channel.left()),
        zero_point(channel.zero_point()) {}

  int32_t bias, multiplier, left, zero_point;
};

template <class P>
int8_t requantize(const P& p, int32_t sum, const RoundedOnce& channel) {
  const int32_t certain = __ssat(channel.bias + 2 * sum, 17);  // kCertainTwice
  return clamped(p, smmulr(certain * (1 << channel.left), channel.multiplier) + channel.zero_point);
}

}  // namespace opsmith::dsp

namespace opsmith::depthwise_conv_2d {

// Where the windows of a plane and their outputs are. Distances are in elements.
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

// All outputs of windows that overlap in both directions, without branches: what is beyond the
// image is written first, and then over.
template <class O, class C, class Y>
__attribute__((noinline)) void dense_windows(const WindowsOfPlane& at, const O o,
                                             const int8_t* plane, const dsp::Weights3x3 w,
                                             const C channel, Y* y) {
  const int32_t height = at.rows, across = at.columns, width = at.width;
  const int32_t pitch = at.pitch, next = at.next;
  for (int32_t oy = height; oy > 0; oy -= 2, y += 2 * pitch, plane += 2 * width) {
    const int8_t* top = plane;
    Y* to = y;
    for (int32_t ox = across; ox > 0; ox -= 2, to += 2 * next, top += 2) {
      int32_t ul, ur, ll, lr;
      dense_block(top, width, w, ul, ur, ll, lr);
      const int32_t right = ox > 1 ? next : 0;
      Y* below = to + (oy > 1 ? pitch : 0);
      below[right] = requantize(o, lr, channel);
      below[0] = requantize(o, ll, channel);
      to[right] = requantize(o, ur, channel);
      to[0] = requantize(o, ul, channel);
    }
  }
}

// The same of other windows.
template <class O, class C, class Y>
__attribute__((noinline)) void sparse_windows(const WindowsOfPlane& at, const O o,
                                              const int8_t* plane, const dsp::Weights3x3 w,
                                              const C channel, Y* y) {
  const int32_t columns = at.columns, width = at.width, right = at.right, next = at.next;
  Y* line = y;
  for (int32_t rows = at.rows; rows > 0; --rows, plane += at.down, line += at.pitch) {
    const int8_t* top = plane;
    Y* to = line;
    for (int32_t left = columns; left > 0; --left, top += right, to += next) {
      *to = requantize(o, window(top, width, w), channel);
    }
  }
}

// All outputs of a channel of Rounding, which rounds once or, if kTwice, perhaps not. Shared by all
// layers, few of whose channels are such.
template <bool kTwice>
__attribute__((noinline)) void own_channel(const WindowsOfPlane& at, const int8_t* plane,
                                           const dsp::Weights3x3& w, const dsp::Rounding& constants,
                                           int8_t* y) {
  constexpr dsp::StaticBounds<-128, 127> saturated;
  const auto write = [&](const auto& channel) {
    if (at.right == 1 && at.down == at.width) {
      dense_windows(at, saturated, plane, w, channel, y);
    } else {
      sparse_windows(at, saturated, plane, w, channel, y);
    }
  };
  if (kTwice && !constants.rounds_once()) {
    write(constants);
  } else {
    write(dsp::RoundedOnce(constants));
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
// next channel's. X is the type of the plane's elements. Shared by all layers. Cold: compiled for
// size.
template <class X>
__attribute__((noinline, cold)) const Exception* correct_channel(const WindowsOfPlane* at,
                                                                 const Exception* e,
                                                                 const int8_t* plane,
                                                                 const int8_t* filter, int8_t* y) {
  constexpr int32_t step = sizeof(X) == 1 ? 1 : 2;  // where the weight of the next column is, of 3
  for (const int32_t c = e->channel(); e->channel() == c; ++e) {
    const int32_t line = e->line();
    for (int32_t i = 0; i < at->rows; ++i) {
      const int8_t* x = plane + i * at->down;
      int8_t* to = y + i * at->pitch;
      for (int32_t left = at->columns; left > 0; --left, x += at->right, to += at->next) {
        if (*to != line) continue;
        int32_t sum = 0;
        for (int32_t tap = 0; tap < 9; ++tap) {
          const X* row = reinterpret_cast<const X*>(x + tap / 3 * at->width);
          sum += row[tap % 3] * filter[tap / 3 * 4 + tap % 3 * step % 3];
        }
        if (sum == e->sum) *to = e->output();
      }
    }
  }
  return e;
}

}  // namespace opsmith::depthwise_conv_2d
