// Needs the DSP extension. Fast because where y is one pixel there is nothing to stage: a word of
// four channels of each tap is multiplied where it lies.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp.h"

namespace opsmith::depthwise_conv_2d::i8 {

// The outputs of four channels from c on, whose inputs begin at `x` and whose weights are words by
// tap.
template <class P, class C>
void four_channels(const P& p, const int8_t* x, const uint32_t* weights, C& channels, int32_t c,
                   int8_t* y) {
  int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  for (int32_t fy = 0; fy < p.filter_height; ++fy, x += p.row_pitch) {
    const int8_t* tap = x;
    for (int32_t fx = 0; fx < p.filter_width; ++fx, tap += p.tap_pitch) {
      const uint32_t word = dsp::load_word(tap), four = *weights++;
      const uint32_t even = dsp::sxtb16(word), odd = dsp::sxtb16_ror8(word);
      const uint32_t even_weights = dsp::sxtb16(four), odd_weights = dsp::sxtb16_ror8(four);
      sum0 = dsp::smlabb(even, even_weights, sum0);
      sum1 = dsp::smlabb(odd, odd_weights, sum1);
      sum2 = dsp::smlatt(even, even_weights, sum2);
      sum3 = dsp::smlatt(odd, odd_weights, sum3);
    }
  }
  y[0] = dsp::requantize(p, sum0, channels[c]);
  y[1] = dsp::requantize(p, sum1, channels[c + 1]);
  y[2] = dsp::requantize(p, sum2, channels[c + 2]);
  y[3] = dsp::requantize(p, sum3, channels[c + 3]);
}

template <class P>
void dsp_window(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables) {
  const int32_t taps = p.filter_height * p.filter_width;
  for (int32_t b = 0; b < p.batches; ++b) {
    const int8_t* x = in.x + b * p.input_bytes;
    int8_t* y = out.y + b * p.channels;
    const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
    with_constants(p, tables.requantization, [&](auto constants) {
      for (int32_t c = 0; c < p.channels; c += 4, weights += taps) {
        four_channels(p, x + c, weights, constants, c, y + c);
      }
    });
  }
}

}  // namespace opsmith::depthwise_conv_2d::i8
