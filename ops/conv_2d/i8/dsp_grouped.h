// Needs the DSP extension. Fast as dsp.h is, for filters that read a group of channels each: the
// windows of four pixels are spread group by group, and serve all filters of the group.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_windows.h"
#include "runtimes/cmsis/dsp_pixels.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

// All outputs of up to four pixels: [group][pixel][channel]. finish(group, words) is called while
// the columns of a group are there.
template <class P, class C, class S, class W, class Finish>
void outputs_of_groups(const P& p, const int8_t* image, int32_t first, int32_t count, W weights,
                       const C* constants, const S& to, Finish finish) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(to.columns);
  const int32_t words = p.window / 2 * dsp::kPixels;
  const int32_t channels = p.output_channels / p.groups, pairs = (channels + 1) / 2;
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);
  for (int32_t g = 0; g < p.groups; ++g) {
    int32_t row = first / p.output_width;
    int32_t column = first - row * p.output_width;
    for (int32_t k = 0; k < count; ++k) {
      spread_group(p, image + g * p.filter_channels, row * p.stride_height - p.padding_top,
                   column * p.stride_width - p.padding_left, to.window, columns + k);
      if (++column == p.output_width) column = 0, ++row;
    }
    dsp::four_pixels(o, columns, words, weights, constants, channels,
                     to.outputs + g * dsp::kPixels * channels);
    finish(g, words);
    weights += pairs * p.window / 2;
    constants += 2 * pairs;
  }
}

// Puts them in the order of y.
template <class P>
void store_groups(const P& p, const int8_t* outputs, int32_t count, int8_t* y) {
  const int32_t channels = p.output_channels / p.groups;
  for (int32_t g = 0; g < p.groups; ++g, outputs += dsp::kPixels * channels, y += channels) {
    for (int32_t k = 0; k < count; ++k) {
      const int8_t* from = outputs + k * channels;
      int8_t* to = y + k * p.output_channels;
      int32_t c = 0;
      for (; c + 4 <= channels; c += 4) dsp::store_word(to + c, dsp::load_word(from + c));
      for (; c < channels; ++c) to[c] = from[c];
    }
  }
}

// Calls outputs(image, first, count) for up to four pixels at a time, and stores what it finds.
template <class P, class S, class Outputs>
void each_four_pixels(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const S& scratch,
                      Outputs outputs) {
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t last = (pixels - 1) & ~(dsp::kPixels - 1);
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int8_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t j = 0; j < pixels; j += dsp::kPixels) {
      const int32_t first = p.reversed ? last - j : j;
      const int32_t count = pixels - first < dsp::kPixels ? pixels - first : dsp::kPixels;
      outputs(image, first, count);
      store_groups(p, scratch.outputs, count, out.y + (b * pixels + first) * p.output_channels);
    }
  }
}

template <class P, class S>
void dsp_grouped(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                 const S& scratch) {
  const auto weights = dsp::weights_of(p, tables.filter);
  const auto as_they_are = [](int32_t, int32_t) {};
  each_four_pixels(p, in, out, scratch, [&](const int8_t* image, int32_t first, int32_t count) {
    with_constants(
        p, tables.requantization, [&](const auto& constants) __attribute__((always_inline)) {
          outputs_of_groups(p, image, first, count, weights, constants, scratch, as_they_are);
        });
  });
}

}  // namespace opsmith::conv_2d::i8
