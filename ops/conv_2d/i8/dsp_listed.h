// Needs the DSP extension. Fast as dsp.h: outputs that may be those of an exception are looked at
// again, which few are.
#pragma once

#include "ops/conv_2d/i8/dsp.h"

namespace opsmith::conv_2d::i8 {

// The sum of a channel for the pixel that has these columns. Words of weights have 256 * b + a
// twice, for the channels of a pair.
__attribute__((noinline)) inline int32_t listed_sum(const uint32_t* x, int32_t words,
                                                    const uint32_t* weights, int32_t channel) {
  const uint32_t* end = x + words;
  int32_t a = 0, both = 0;
  weights += (channel >> 1) * (words >> 2);
  do {
    const uint32_t pair = *weights++;
    a = dsp::smlad(dsp::sxtb16(pair), *x, a);
    both = dsp::smlad(pair, *x, both);
    x += dsp::kPixels;
  } while (x != end);
  return channel & 1 ? (both - a) >> 8 : a;
}

// Corrects the outputs of up to four pixels that have the sum of an exception.
__attribute__((noinline)) inline void correct_pixels(const uint32_t* columns, int32_t words,
                                                     const uint32_t* weights,
                                                     const Exception* first, const Exception* end,
                                                     int32_t pitch, int8_t* y,
                                                     int32_t pixels = dsp::kPixels) {
  for (; first != end; ++first) {
    const Exception e = *first;
    int8_t* at = y + e.channel();
    for (int32_t pixel = 0; pixel < pixels; ++pixel, at += pitch) {
      if (*at != e.line()) continue;
      if (listed_sum(columns + pixel, words, weights, e.channel()) == e.sum) {
        *at = static_cast<int8_t>(e.line() + e.more());
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
  const int32_t channels = p.output_channels;
  const auto finish = [=](const auto& windows, int8_t* y) {
    correct_pixels(columns, windows.words, weights, first, end, channels, y);
  };
  groups_of_pixels(p, in.x, tables, columns, scratch.rest, out.y, fill, finish);
}

}  // namespace opsmith::conv_2d::i8
