// Needs the DSP extension. Fast because a channel is first copied into a plane with its border,
// where one load gives two neighbours: SMLAD takes two columns of a filter row at once, five
// registers hold all nine weights, and rows serve two rows of outputs. For filters of 3x3.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/i16x8/dsp_blocks.h"
#include "ops/depthwise_conv_2d/pitches.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

// Copies one channel of an image into the inside of the plane. Loads in a row take half the time of
// loads apart.
template <class P>
void fill_plane(const P& p, const int16_t* x, int16_t* plane) {
  int16_t* row = plane + p.padding_top * p.plane_width + p.padding_left;
  const int32_t height = min(p.plane_height - p.padding_top, p.input_height);
  const int32_t width = min(p.plane_width - p.padding_left, p.input_width);
  const Pitches of_x = pitches(p, p.input_height, p.input_width);
  const int32_t pitch = of_x.pixel;
  for (int32_t i = 0; i < height; ++i, row += p.plane_width) {
    const int16_t* pixel = x + i * of_x.row;
    int32_t j = 0;
    for (; j < (width & ~3); j += 4, pixel += 4 * pitch) {
      const int16_t pixel0 = pixel[0], pixel1 = pixel[pitch], pixel2 = pixel[2 * pitch],
                    pixel3 = pixel[3 * pitch];
      row[j] = pixel0, row[j + 1] = pixel1, row[j + 2] = pixel2, row[j + 3] = pixel3;
    }
    for (; j < width; ++j, pixel += pitch) row[j] = *pixel;
  }
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

// All outputs of a channel whose plane is filled, of windows that overlap in both directions.
template <class P>
void dense_outputs(const P& p, const int16_t* plane, const dsp::Weights3x3& w,
                   const Narrow& channel, int16_t* y) {
  const Pitches of_y = pitches(p, p.output_height, p.output_width);
  const Blocks blocks = {p.plane_width, p.output_height, p.output_width, of_y.pixel, of_y.row};
  const int32_t low = p.activation_min, high = p.activation_max;
  if (low == 0) {
    blocks_of_channel<true>(blocks, plane, w, channel, y);
  } else {
    blocks_of_channel<false>(blocks, plane, w, channel, y);
  }
  if ((low == 0 || low == -32768) && high == 32767) return;
  const int32_t pitch = p.input_channels;
  for (int32_t i = p.output_height * p.output_width; i > 0; --i, y += pitch) {
    *y = static_cast<int16_t>(clamp(*y, low, high));
  }
}

// The same of windows apart, one by one.
template <class P>
void single_outputs(const P& p, const int16_t* plane, const dsp::Weights3x3& weights,
                    const Narrow& channel, int16_t* y) {
  const dsp::Weights3x3 w = weights;
  const Narrow constants = channel;
  const Pitches of_y = pitches(p, p.output_height, p.output_width);
  for (int32_t oy = 0; oy < p.output_height; ++oy, plane += p.stride_height * p.plane_width) {
    const int16_t* top = plane;
    int16_t* to = y + oy * of_y.row;
    for (int32_t ox = 0; ox < p.output_width; ++ox, to += of_y.pixel) {
      const int32_t sum = add_window(top, p.plane_width, w, constants.bias);
      *to = dsp::narrowed(p, sum, constants.multiplier);
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
