// Needs the DSP extension. Fast because SSUB8 and SEL compare four channels at once, or SSUB16 two.
#pragma once

#include "max_pool_2d.op.h"
#include "ops/max_pool_2d/reference.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/families/pooling.h"

namespace opsmith::max_pool_2d {

// The largest elements of the channels of a word; `x` is the first in the window's first pixel.
template <class P, class T>
uint32_t max_word(const P& p, const T* x, int32_t rows, int32_t columns) {
  constexpr uint32_t kOnes = sizeof(T) == 1 ? 0x01010101u : 0x00010001u;
  uint32_t largest = static_cast<uint32_t>(-int32_t{Limits<T>::kLow}) * kOnes;
  for (int32_t i = 0; i < rows; ++i, x += p.input_width * p.channels) {
    const T* pixel = x;
    for (int32_t j = 0; j < columns; ++j, pixel += p.channels) {
      largest = dsp::larger_of<T>(dsp::load_word(pixel), largest);
    }
  }
  return largest;
}

template <class P, class T>
void dsp(const P& p, const In<T>& in, const Out<T>& out) {
  constexpr int32_t kBits = 8 * sizeof(T), kChannels = 32 / kBits;
  for_each_window(p, in.x, out.y, [&p](const Window<T>& window, T* y) {
    const auto put = [&p, y](int32_t c, int32_t largest) {
      y[c] = static_cast<T>(clamp(largest, p.activation_min, p.activation_max));
    };
    int32_t c = 0;
    for (; c + kChannels <= p.channels; c += kChannels) {
      const uint32_t largest = max_word(p, window.pixels + c, window.rows, window.columns);
      for (int32_t i = 0; i < kChannels; ++i) put(c + i, static_cast<T>(largest >> (kBits * i)));
    }
    for (; c < p.channels; ++c) put(c, pooled(p, window, c, int32_t{Limits<T>::kLow}, Greater{}));
  });
}

}  // namespace opsmith::max_pool_2d
