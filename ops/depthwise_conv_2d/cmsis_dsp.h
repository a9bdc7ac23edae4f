// Needs the DSP extension. Fast because a channel is first copied into a plane with its border,
// from which one load gives four neighbours: SMLAD takes the outer two columns of a filter row at
// once, and five registers hold all nine weights. For filters of 3x3.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp.h"

namespace opsmith::depthwise_conv_2d {

// The weights of one channel: rows of (left, right), and the middle ones of rows (0, 1) and (2, -).
struct Weights {
  uint32_t row[3];
  uint32_t middle01;
  uint32_t middle2;
};

// Three rows of a window whose first columns are 0 to 2 of the words at `pixel`.
inline int32_t window_left(const uint32_t (&even)[3], const uint32_t (&odd)[3], const Weights& w,
                           int32_t sum) {
  sum = dsp::smlad(even[0], w.row[0], sum);
  sum = dsp::smlad(even[1], w.row[1], sum);
  sum = dsp::smlad(even[2], w.row[2], sum);
  sum = dsp::smlabb(odd[0], w.middle01, sum);
  sum = dsp::smlabt(odd[1], w.middle01, sum);
  return dsp::smlabb(odd[2], w.middle2, sum);
}

// The same for columns 1 to 3.
inline int32_t window_right(const uint32_t (&even)[3], const uint32_t (&odd)[3], const Weights& w,
                            int32_t sum) {
  sum = dsp::smlad(odd[0], w.row[0], sum);
  sum = dsp::smlad(odd[1], w.row[1], sum);
  sum = dsp::smlad(odd[2], w.row[2], sum);
  sum = dsp::smlatb(even[0], w.middle01, sum);
  sum = dsp::smlatt(even[1], w.middle01, sum);
  return dsp::smlatb(even[2], w.middle2, sum);
}

// Width of a plane in bytes: the padded row, and what a word at its last window reads beyond.
template <class S>
constexpr int32_t plane_width(const S& s) {
  return (((s.output_width - 1) * s.stride_width + 3) + 1 + 3) / 4 * 4;
}

// Copies one channel of an image into the inside of the plane.
template <class S>
void fill_plane(const S& s, const int8_t* x, int8_t* plane) {
  int8_t* row = plane + s.padding_top * plane_width(s) + s.padding_left;
  const int32_t rows = (s.output_height - 1) * s.stride_height + 3 - s.padding_top;
  const int32_t columns = (s.output_width - 1) * s.stride_width + 3 - s.padding_left;
  const int32_t height = rows < s.input_height ? rows : s.input_height;
  const int32_t width = columns < s.input_width ? columns : s.input_width;
  for (int32_t i = 0; i < height; ++i) {
    const int8_t* pixel = x + i * s.input_width * s.input_channels;
#pragma GCC unroll 4
    for (int32_t j = 0; j < width; ++j, pixel += s.input_channels) row[j] = *pixel;
    row += plane_width(s);
  }
}

// One row of outputs from three rows of the plane.
template <class S>
void output_row(const S& s, const int8_t* top, const Weights& w, int32_t bias,
                const dsp::Channel& channel, int8_t* y) {
  const int32_t width = plane_width(s);
  for (int32_t x = 0; x < s.output_width;) {
    uint32_t even[3], odd[3];
    for (int32_t i = 0; i < 3; ++i) {
      const uint32_t word = dsp::load_word(top + i * width + x * s.stride_width);
      even[i] = dsp::sxtb16(word);
      odd[i] = dsp::sxtb16_ror8(word);
    }
    *y = dsp::clamped(s, dsp::requantize(window_left(even, odd, w, bias), channel));
    y += s.input_channels;
    ++x;
    if (s.stride_width == 1 && x < s.output_width) {
      *y = dsp::clamped(s, dsp::requantize(window_right(even, odd, w, bias), channel));
      y += s.input_channels;
      ++x;
    }
  }
}

template <class S>
void depthwise_conv_2d_i8_cmsis_dsp(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                                    const DspTables& tables, const CmsisDspScratch& scratch) {
  const int32_t width = plane_width(s);
  const int32_t rows = (s.output_height - 1) * s.stride_height + 3;
  memset(scratch.plane, s.input_zero_point, static_cast<size_t>(rows * width));
  for (int32_t b = 0; b < s.batches; ++b) {
    const int32_t size = s.input_height * s.input_width * s.input_channels;
    for (int32_t c = 0; c < s.input_channels; ++c) {
      fill_plane(s, in.x + b * size + c, scratch.plane);
      const uint32_t* packed = reinterpret_cast<const uint32_t*>(tables.filter) + 5 * c;
      const Weights w = {{packed[0], packed[1], packed[2]}, packed[3], packed[4]};
      const int32_t* q = tables.requantization + 3 * c;
      const dsp::Channel channel = {q[0], q[1], q[2]};
      const int32_t bias = tables.bias[c];
      int8_t* y = out.y + b * s.output_height * s.output_width * s.input_channels + c;
      for (int32_t oy = 0; oy < s.output_height; ++oy) {
        output_row(s, scratch.plane + oy * s.stride_height * width, w, bias, channel, y);
        y += s.output_width * s.input_channels;
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d
