// Needs the DSP extension. Fast because SSUB8 and SEL compare four channels at once, or SSUB16 two.
#pragma once

#include "max_pool_2d.op.h"
#include "ops/max_pool_2d/reference.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/cmsis/pool_words.h"

namespace opsmith::max_pool_2d {

// An element in each place of a word.
template <class T>
constexpr uint32_t in_each_place(int32_t element) {
  return sizeof(T) == 1 ? static_cast<uint8_t>(element) * 0x01010101u
                        : static_cast<uint16_t>(element) * 0x00010001u;
}

template <class P, class T>
void dsp(const P& p, const In<T>& in, const Out<T>& out) {
  constexpr int32_t kChannels = 4 / sizeof(T);
  const uint32_t least = in_each_place<T>(p.activation_min);
  const uint32_t most = in_each_place<T>(p.activation_max);
  const bool bounded = p.activation_max < Limits<T>::kHigh;
  for_each_window(p, in.x, out.y, [=, &p](const Window<T>& window, T* y) {
    int32_t c = 0;
    dsp::with_window(p, window, [=, &p, &c](auto whole) {
      for (; c + kChannels <= p.channels; c += kChannels) {
        uint32_t largest = least;
        dsp::for_each_tap(p, window, whole, c, [&largest](const T* x) {
          largest = dsp::larger_of<T>(dsp::load_word(x), largest);
        });
        dsp::store_word(y + c, bounded ? dsp::smaller_of<T>(largest, most) : largest);
      }
    });
    for (; c < p.channels; ++c) {
      const int32_t largest = pooled(p, window, c, p.activation_min, Greater{});
      y[c] = static_cast<T>(min(largest, p.activation_max));
    }
  });
}

}  // namespace opsmith::max_pool_2d
