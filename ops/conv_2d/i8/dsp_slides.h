// Needs the DSP extension. Fast because of four pixels of a line two are a tap further than the
// other two, and share what they load. For filters of nine taps, of stride 2, or stride 1 and at
// most every other pixel, channels of x in units of 4, and an even number of y's.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp_slides.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {
namespace slides {

using namespace dsp::slides;

constexpr int32_t kPixels = 4;

// The columns of four pixels of y. Sums of the second are those of the first for an input further
// on by p.beside pixels of y; those of the third and fourth, a tap further. Inlined, where
// the caller's pointers take registers, GCC keeps words that it has loaded on the stack.
template <class P>
__attribute__((noinline)) void fill(const P& p, const int8_t* image, int32_t first,
                                    uint32_t* columns) {
  const int32_t origin = first * p.stride - p.padding, channels = p.input_channels;
  uint32_t* to = columns;
  for (int32_t part = 0; part < 2; ++part) {
    // For stride 2, the parts are the taps of even and of odd number.
    const int32_t begin = part * (p.stride == 2 ? 1 : kParts[0]);
    for (int32_t tap = 0; tap <= kParts[part]; ++tap) {
      const int32_t x = origin + (begin + tap * p.stride) * p.dilation;
      for (int32_t side = 0; side < 2; ++side, ++to) {
        const int32_t at = x + side * p.beside * p.stride;
        if (at >= 0 && at < p.input_length) {
          dsp::slides::spread(image + at * channels, channels, to);
        } else {
          spread_border(p.input_zero_point, channels, to);
        }
      }
    }
  }
}

// All channels of four pixels, to bytes that are consecutive.
template <class P, class C>
void outputs(const P& p, const uint32_t* columns, const Packed& tables, const C* constants,
             int8_t* y) {
  const int32_t channels = p.output_channels;
  // a tap is `beside` pixels of y away where that is not 1
  const Order order = {p.beside * channels, (p.beside == 1 ? 1 : -1) * channels};
  four_pixels(p, columns, p.input_channels / 2 * kWords,
              reinterpret_cast<const uint32_t*>(tables.filter), constants, channels, order, y);
  const dsp::OutputsOf<int8_t> bounds = {
      {p.left_shift, p.right_shift, p.activation_min, p.activation_max}};
  dsp::clamp_outputs(bounds, kPixels * channels, 1, y);
}

// The sum of a channel for pixel k in Order, whose columns of N inputs are filled.
inline int32_t listed_sum(const uint32_t* columns, int32_t inputs, const uint32_t* weights,
                          int32_t channel, int32_t k) {
  int32_t a = 0, both = 0;
  weights += (channel >> 1) * (inputs / 2) * (kParts[0] + kParts[1]);
  const uint32_t* x = columns + k;  // two words are a tap, and pixels 2 and 3 a tap further
  for (int32_t i = 0; i < inputs; i += 2, x += kWords) {
    for (int32_t tap = 0; tap < kParts[0] + kParts[1]; ++tap) {
      const uint32_t pair = *weights++, value = x[2 * (tap < kParts[0] ? tap : tap + 1)];
      a = dsp::smlad(dsp::sxtb16(pair), value, a);
      both = dsp::smlad(pair, value, both);
    }
  }
  return channel & 1 ? (both - a) >> 8 : a;
}

// Corrects outputs of four pixels that have the sum of an exception. Shared by all layers.
__attribute__((noinline)) inline void correct_pixels(const Exception* e, const uint32_t* columns,
                                                     int32_t inputs, const uint32_t* weights,
                                                     int32_t channels, int32_t beside, int8_t* y) {
  for (; e->channel() < channels; ++e) {
    for (int32_t k = 0; k < kPixels; ++k) {
      const int32_t pixel = beside == 1 ? k : (k & 1) * beside + (k >> 1);
      int8_t& found = y[pixel * channels + e->channel()];
      if (found != e->line()) continue;
      if (listed_sum(columns, inputs, weights, e->channel(), k) == e->sum) found = e->output();
    }
  }
}

}  // namespace slides

template <class P, class S>
void dsp_slides(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                const S& scratch) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t length = p.output_length;
  const int32_t groups = (length + slides::kPixels - 1) / slides::kPixels;
  for (int32_t i = 0; i < groups; ++i) {
    const int32_t first = nth(i, groups, p.reversed) * slides::kPixels;
    slides::fill(p, in.x, first, columns);
    int8_t* y = out.y + first * p.output_channels;
    const bool full = first + slides::kPixels <= length;
    int8_t* to = full ? y : scratch.rest;
    if (p.right_shift != 0) {
      const auto* t = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
      slides::outputs(p, columns, tables, t, to);
      if constexpr (is_listed(static_cast<const P*>(nullptr))) {
        slides::correct_pixels(exceptions_of(p, tables.requantization), columns, p.input_channels,
                               reinterpret_cast<const uint32_t*>(tables.filter), p.output_channels,
                               p.beside, to);
      }
    } else {
      const auto* t = reinterpret_cast<const dsp::Rounding*>(tables.requantization);
      slides::outputs(p, columns, tables, t, to);
    }
    if (!full) memcpy(y, to, static_cast<size_t>((length - first) * p.output_channels));
  }
}

}  // namespace opsmith::conv_2d::i8
