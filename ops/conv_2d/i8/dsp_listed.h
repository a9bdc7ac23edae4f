// Needs the DSP extension. Fast as dsp.h: outputs that may be those of an exception are looked at
// again, which few are.
#pragma once

#include "ops/conv_2d/i8/dsp.h"

namespace opsmith::conv_2d::i8 {

// A sum of one of four pixels whose columns are filled, in a channel of a pair: words of weights
// have 256 * b + a twice.
inline int32_t listed_sum(const uint32_t* columns, int32_t words, const uint32_t* weights,
                          int32_t pixel, bool of_b) {
  int32_t sum = 0;
  const uint32_t* end = weights + words / dsp::kPixels;
  for (const uint32_t* x = columns + pixel; weights != end; ++weights, x += dsp::kPixels) {
    const int32_t low = static_cast<int16_t>(*weights), high = static_cast<int16_t>(*weights >> 16);
    const int32_t a0 = static_cast<int8_t>(*weights), a1 = static_cast<int8_t>(*weights >> 16);
    const int32_t w0 = of_b ? (low - a0) >> 8 : a0, w1 = of_b ? (high - a1) >> 8 : a1;
    sum += w0 * static_cast<int16_t>(*x) + w1 * static_cast<int16_t>(*x >> 16);
  }
  return sum;
}

// Corrects the outputs of up to four pixels that have the sum of an exception.
__attribute__((noinline)) inline void correct_pixels(const dsp::Outputs& o, const uint32_t* columns,
                                                     int32_t words, const uint32_t* weights,
                                                     const Threshold* channels,
                                                     const Exception* first, const Exception* end,
                                                     int32_t pitch, int8_t* y,
                                                     int32_t pixels = dsp::kPixels) {
  for (const Exception* e = first; e != end; ++e) {
    const int32_t c = e->channel();
    const int8_t line = dsp::requantize(o, e->sum, channels[c]);
    const uint32_t* of_pair = weights + c / 2 * (words / dsp::kPixels);
    for (int32_t pixel = 0; pixel < pixels; ++pixel) {
      int8_t* at = y + pixel * pitch + c;
      if (*at != line) continue;
      if (listed_sum(columns, words, of_pair, pixel, c % 2 != 0) == e->sum) {
        *at = static_cast<int8_t>(*at + e->more());
      }
    }
  }
}

template <class P>
void dsp_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                const DspListedScratch& scratch) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  int8_t* window = scratch.window;
  const auto fill = [=](const int8_t* image, int32_t first, int32_t count) {
    dsp::spread_pixels(p, image, first, count, p.window, window, columns);
    return Windows<const uint32_t*>{p.window / 2 * dsp::kPixels, weights};
  };
  const auto* rows = reinterpret_cast<const Threshold*>(tables.requantization);
  const auto* first = reinterpret_cast<const Exception*>(rows + p.exceptions_at);
  const Exception* end = first + p.exceptions;
  const dsp::Outputs o = {p.left_shift, p.right_shift, p.activation_min, p.activation_max};
  const int32_t channels = p.output_channels;
  const auto finish = [=](const auto& windows, int8_t* y) {
    correct_pixels(o, columns, windows.words, weights, rows, first, end, channels, y);
  };
  groups_of_pixels(p, in.x, tables, columns, scratch.rest, out.y, fill, finish);
}

}  // namespace opsmith::conv_2d::i8
