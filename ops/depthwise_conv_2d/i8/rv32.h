// Needs RV32M. Fast because registers hold the nine weights of a channel and the sums of windows
// that a column of three inputs is in, so that each input is loaded once for a row of outputs.
#pragma once

#include <string.h>

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/i8/plane_channel.h"
#include "ops/depthwise_conv_2d/pitches.h"

namespace opsmith::depthwise_conv_2d::i8 {
namespace planes {

// Where windows of a plane and their outputs are. Neighbours of a column are neighbours in memory.
// Distances are bytes.
struct Windows {
  int32_t rows, columns;
  int32_t pitch;  // from a column of the plane to the next
  int32_t down, right;
  int32_t to_row, to_column;  // of y
};

// The sum of a column of three inputs.
struct Column {
  int32_t top, middle, bottom;

  int32_t operator()(const int8_t* x) const { return x[0] * top + x[1] * middle + x[2] * bottom; }
};

// Three columns of weights times 2^left.
inline Column column(const int8_t* w, int32_t left) {
  return {shift_left(w[0], left), shift_left(w[1], left), shift_left(w[2], left)};
}

// The shift to the left that weights may have in place of sums.
inline int32_t shift_of(const SumOutputs& o, const Threshold& /*channel*/) { return o.left_shift; }
inline int32_t shift_of(const SumOutputs& /*o*/, const Rounding& /*channel*/) { return 0; }

// All outputs of a channel. One function for all layers.
template <class O, class C>
__attribute__((noinline)) void channel_outputs(const Windows& at, const O& outputs,
                                               const int8_t* plane, const int8_t* w,
                                               const C& constants, int8_t* y) {
  const C channel = constants;
  const int32_t left = shift_of(outputs, channel);
  O o = outputs;
  o.left_shift = 0;
  const Column first = column(w, left), second = column(w + 3, left), third = column(w + 6, left);
  const int32_t pitch = at.pitch, right = at.right, columns = at.columns, down = at.down;
  const int32_t to_row = at.to_row, to_column = at.to_column;
  for (int32_t rows = at.rows; rows > 0; --rows, plane += down, y += to_row) {
    const int8_t* x = plane;
    int8_t* to = y;
    if (right == pitch) {
      int32_t two = first(x) + second(x + pitch), one = first(x + pitch);
      x += pitch;
      for (int32_t i = columns; i > 0; --i, to += to_column) {
        x += pitch;
        const int32_t top = x[0], middle = x[1], bottom = x[2];
        const int32_t sum = two + top * third.top + middle * third.middle + bottom * third.bottom;
        two = one + top * second.top + middle * second.middle + bottom * second.bottom;
        one = top * first.top + middle * first.middle + bottom * first.bottom;
        *to = requantize_sum(o, sum, channel);
      }
    } else {
      for (int32_t i = columns; i > 0; --i, x += right, to += to_column) {
        *to = requantize_sum(o, first(x) + second(x + pitch) + third(x + 2 * pitch), channel);
      }
    }
  }
}

// Corrects the outputs of a channel that have the sum of one of its exceptions, and returns the
// next channel's. Shared by all layers.
__attribute__((noinline, cold)) inline const Exception* corrected(const Windows& at,
                                                                  const Exception* e,
                                                                  const int8_t* plane,
                                                                  const int8_t* w, int8_t* y) {
  const Column first = column(w, 0), second = column(w + 3, 0), third = column(w + 6, 0);
  for (const int32_t c = e->channel(); e->channel() == c; ++e) {
    for (int32_t i = 0; i < at.rows; ++i) {
      const int8_t* x = plane + i * at.down;
      int8_t* to = y + i * at.to_row;
      for (int32_t j = at.columns; j > 0; --j, x += at.right, to += at.to_column) {
        if (*to != e->line()) continue;
        const int32_t sum = first(x) + second(x + at.pitch) + third(x + 2 * at.pitch);
        if (sum == e->sum) *to = e->output();
      }
    }
  }
  return e;
}

// Copies one channel of an image into the inside of the plane.
template <class P>
void fill(const P& p, const int8_t* image, int8_t* plane) {
  const Pitches of_x = pitches(p, p.input_height, p.input_width);
  const int32_t row = of_x.row, pixel = of_x.pixel, pitch = p.plane_rows;
  const int32_t rows = min(p.input_height, p.plane_rows - p.padding_top);
  const int32_t columns = min(p.input_width, p.plane_columns - p.padding_left);
  int8_t* to = plane + p.padding_left * pitch + p.padding_top;
  for (int32_t j = 0; j < columns; ++j, to += pitch, image += pixel) {
    const int8_t* x = image;
#pragma GCC unroll 4
    for (int32_t i = 0; i < rows; ++i, x += row) to[i] = *x;
  }
}

// The whole convolution.
template <class P>
void convolve(const P& given, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
              int8_t* plane) {
  const P p = given;  // which y may alias
  const Pitches of_y = pitches(p, p.output_height, p.output_width);
  const int32_t channels = p.input_channels, pitch = p.plane_rows;
  const Windows at = {p.output_height,        p.output_width, pitch,     p.stride_height,
                      p.stride_width * pitch, of_y.row,       of_y.pixel};
  memset(plane, p.input_zero_point, static_cast<size_t>(pitch * p.plane_columns));
  for (int32_t b = 0; b < p.batches; ++b) {
    const int8_t* x = in.x + b * p.input_height * p.input_width * channels;
    int8_t* y = out.y + b * p.output_height * p.output_width * channels;
    const int8_t* w = tables.filter;
    const Exception* e = exceptions_of(p, tables.requantization);
    for (int32_t c = 0; c < channels; ++c, w += 9) {
      fill(p, x + c, plane);
      output_channel(
          p, tables.requantization, c, e,
          [&](const auto& o, const auto& constants) {
            channel_outputs(at, o, plane, w, constants, y + c);
          },
          [&](const Exception* first) { return corrected(at, first, plane, w, y + c); });
    }
  }
}

}  // namespace planes

template <class P, class S>
void rv32(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
          const S& scratch) {
  planes::convolve(p, in, out, tables, scratch.plane);
}

}  // namespace opsmith::depthwise_conv_2d::i8
