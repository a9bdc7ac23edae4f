// Needs the DSP extension. Fast because a channel is first copied into a plane with its border,
// where one load gives two neighbours: SMLAD takes two columns of a filter row at once, five
// registers hold all nine weights, and rows serve two rows of outputs. For filters of 3x3.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp_3x3.h"
#include "runtimes/cmsis/dsp_narrow.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

// Copies one channel of an image into the inside of the plane. Loads in a row take half the time of
// loads apart.
template <class P>
void fill_plane(const P& p, const int16_t* x, int16_t* plane) {
  int16_t* row = plane + p.padding_top * p.plane_width + p.padding_left;
  const int32_t height = min(p.plane_height - p.padding_top, p.input_height);
  const int32_t width = min(p.plane_width - p.padding_left, p.input_width);
  const int32_t pitch = p.input_channels;
  for (int32_t i = 0; i < height; ++i, row += p.plane_width) {
    const int16_t* pixel = x + i * p.input_width * pitch;
    int32_t j = 0;
    for (; j < (width & ~3); j += 4, pixel += 4 * pitch) {
      const int16_t pixel0 = pixel[0], pixel1 = pixel[pitch], pixel2 = pixel[2 * pitch],
                    pixel3 = pixel[3 * pitch];
      row[j] = pixel0, row[j + 1] = pixel1, row[j + 2] = pixel2, row[j + 3] = pixel3;
    }
    for (; j < width; ++j, pixel += pitch) row[j] = *pixel;
  }
}

// Adds the products of four elements of a row of the plane and of a filter row to the sums of two
// columns: its first two weights, and the third in the lower or the upper half of `third`.
template <bool kUpper>
__attribute__((always_inline)) inline void add_row(uint32_t left, uint32_t right, uint32_t weights,
                                                   uint32_t third, int32_t& left_sum,
                                                   int32_t& right_sum) {
  left_sum = dsp::smlad(left, weights, left_sum);
  left_sum = kUpper ? dsp::smlabt(right, third, left_sum) : dsp::smlabb(right, third, left_sum);
  right_sum = dsp::smlabt(weights, left, right_sum);
  right_sum = dsp::smlabt(right, weights, right_sum);
  right_sum = kUpper ? dsp::smlatt(right, third, right_sum) : dsp::smlabt(third, right, right_sum);
}

// Adds to the sums of two columns in the upper and the lower row of a block of windows that overlap
// in both directions: of four rows of the plane, the inner two serve both rows of outputs.
__attribute__((always_inline)) inline void add_block(const int16_t* row, int32_t width,
                                                     const dsp::Weights3x3& w, int32_t& upper_left,
                                                     int32_t& upper_right, int32_t& lower_left,
                                                     int32_t& lower_right) {
  uint32_t left = dsp::load_word(row), right = dsp::load_word(row + 2);
  add_row<false>(left, right, w.row0, w.third01, upper_left, upper_right);
  row += width, left = dsp::load_word(row), right = dsp::load_word(row + 2);
  add_row<true>(left, right, w.row1, w.third01, upper_left, upper_right);
  add_row<false>(left, right, w.row0, w.third01, lower_left, lower_right);
  row += width, left = dsp::load_word(row), right = dsp::load_word(row + 2);
  add_row<false>(left, right, w.row2, w.third2, upper_left, upper_right);
  add_row<true>(left, right, w.row1, w.third01, lower_left, lower_right);
  row += width, left = dsp::load_word(row), right = dsp::load_word(row + 2);
  add_row<false>(left, right, w.row2, w.third2, lower_left, lower_right);
}

// A sum and the products of a single window.
inline int32_t add_window(const int16_t* top, int32_t width, const dsp::Weights3x3& w,
                          int32_t sum) {
  const int16_t *middle = top + width, *bottom = middle + width;
  sum = dsp::smlad(dsp::load_word(top), w.row0, sum);
  sum = dsp::smlad(dsp::load_word(middle), w.row1, sum);
  sum = dsp::smlad(dsp::load_word(bottom), w.row2, sum);
  sum = dsp::smlabb(static_cast<uint32_t>(top[2]), w.third01, sum);
  sum = dsp::smlabt(static_cast<uint32_t>(middle[2]), w.third01, sum);
  return dsp::smlabb(static_cast<uint32_t>(bottom[2]), w.third2, sum);
}

// All outputs of a channel whose plane is filled, two rows and two columns at a time.
template <class P>
void dense_outputs(const P& p, const int16_t* plane, const dsp::Weights3x3& weights,
                   const Narrow& channel, int16_t* y) {
  const dsp::Weights3x3 w = weights;
  const Narrow constants = channel;
  const int32_t pitch = p.output_width * p.input_channels;
  for (int32_t oy = 0; oy < p.output_height; oy += 2, y += 2 * pitch, plane += 2 * p.plane_width) {
    int16_t* to = y;
    for (int32_t ox = 0; ox < p.output_width; ox += 2, to += 2 * p.input_channels) {
      const bool right = ox + 1 < p.output_width;
      int32_t ul = constants.bias, ur = ul, ll = ul, lr = ul;
      add_block(plane + ox, p.plane_width, w, ul, ur, ll, lr);
      to[0] = dsp::narrowed(p, ul, constants.multiplier);
      if (right) to[p.input_channels] = dsp::narrowed(p, ur, constants.multiplier);
      if (oy + 1 < p.output_height) {
        to[pitch] = dsp::narrowed(p, ll, constants.multiplier);
        if (right) to[pitch + p.input_channels] = dsp::narrowed(p, lr, constants.multiplier);
      }
    }
  }
}

// The same for windows apart, one by one.
template <class P>
void single_outputs(const P& p, const int16_t* plane, const dsp::Weights3x3& weights,
                    const Narrow& channel, int16_t* y) {
  const dsp::Weights3x3 w = weights;
  const Narrow constants = channel;
  for (int32_t oy = 0; oy < p.output_height; ++oy, plane += p.stride_height * p.plane_width) {
    const int16_t* top = plane;
    for (int32_t ox = 0; ox < p.output_width; ++ox, y += p.input_channels) {
      const int32_t sum = add_window(top, p.plane_width, w, constants.bias);
      *y = dsp::narrowed(p, sum, constants.multiplier);
      top += p.stride_width;
    }
  }
}

template <class P>
void dsp(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Packed& tables,
         const DspScratch& scratch) {
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  const int32_t output_size = p.output_height * p.output_width * p.input_channels;
  int16_t* plane = reinterpret_cast<int16_t*>(scratch.plane);
  memset(plane, 0, static_cast<size_t>(2 * p.plane_width * p.plane_height));
  const auto* constants = reinterpret_cast<const Narrow*>(tables.requantization);
  for (int32_t b = 0; b < p.batches; ++b) {
    for (int32_t c = 0; c < p.input_channels; ++c) {
      fill_plane(p, in.x + b * size + c, plane);
      const dsp::Weights3x3 w = dsp::unpacked_3x3(tables.filter + 12 * c);
      int16_t* y = out.y + b * output_size + c;
      if (p.stride_height == 1 && p.stride_width == 1) {
        dense_outputs(p, plane, w, constants[c], y);
      } else {
        single_outputs(p, plane, w, constants[c], y);
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d::i16x8
