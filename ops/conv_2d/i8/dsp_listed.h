// Needs the DSP extension. Fast as dsp.h: outputs that may be those of an exception are looked at
// again, which few are.
#pragma once

#include "ops/conv_2d/i8/dsp.h"

namespace opsmith::conv_2d::i8 {

// The sum of a channel for the pixel that has these columns. Words of weights have 256 * b + a
// twice, for the channels of a pair; those of one pair or two, the pairs of a block, alternate.
inline int32_t listed_sum(const uint32_t* x, int32_t words, const uint32_t* weights,
                          int32_t channel, int32_t pairs) {
  const uint32_t* end = x + words;
  int32_t a = 0, both = 0;
  const int32_t pair = channel >> 1, within = pair & (pairs - 1);
  weights += (pair - within) * (words >> 2) + within;
  do {
    const uint32_t halfwords = *weights;
    a = dsp::smlad(dsp::sxtb16(halfwords), *x, a);
    both = dsp::smlad(halfwords, *x, both);
    weights += pairs;
    x += dsp::kPixels;
  } while (x != end);
  return channel & 1 ? (both - a) >> 8 : a;
}

// Outputs of up to four pixels, and what they were computed from.
struct ListedPixels {
  const uint32_t* columns;
  int32_t words;
  const uint32_t* weights;
  int32_t pitch;  // bytes from a pixel of y to the next
  int32_t count;
  int32_t pairs = 1;  // of a block of channels, whose words of weights alternate: one or two
};

inline int32_t listed_sum(const ListedPixels& pixels, int32_t k, int32_t channel) {
  return listed_sum(pixels.columns + k, pixels.words, pixels.weights, channel, pixels.pairs);
}

// Corrects the outputs of one channel, which begin at y. Cold: compiled for size.
template <class Pixels>
__attribute__((noinline, cold)) void correct_channel(const Pixels& pixels, const Exception& e,
                                                     int8_t* y) {
  for (int32_t k = 0; k < pixels.count; ++k, y += pixels.pitch) {
    if (*y == e.line() && listed_sum(pixels, k, e.channel()) == e.sum) *y = e.output();
  }
}

// Corrects all outputs that have the sum of an exception, and returns the first exception of the
// channels from `end` on. Shared by all layers; mostly no line gives one of its outputs.
template <class Pixels>
__attribute__((noinline)) const Exception* correct_pixels(const Pixels& pixels, const Exception* e,
                                                          int32_t end, int8_t* y) {
  const int32_t pitch = pixels.pitch, count = pixels.count;
  const int32_t second = count > 1 ? pitch : 0, third = count > 2 ? 2 * pitch : 0,
                fourth = count > 3 ? 3 * pitch : 0;
  for (; e->channel() < end; ++e) {
    int8_t* first = y + e->channel();
    const int32_t line = e->line();
    if (first[0] == line || first[second] == line || first[third] == line ||
        first[fourth] == line) {
      correct_channel(pixels, *e, first);
    }
  }
  return e;
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
  const Exception* exceptions = exceptions_of(p, tables.requantization);
  const int32_t channels = p.output_channels;
  const ListedPixels pixels = {columns, p.window / 2 * dsp::kPixels, weights, channels,
                               dsp::kPixels};
  const auto finish = [=, &pixels](const auto&, int8_t* y) {
    correct_pixels(pixels, exceptions, channels, y);
  };
  groups_of_pixels(p, in.x, tables, columns, scratch.rest, out.y, fill, finish);
}

}  // namespace opsmith::conv_2d::i8
