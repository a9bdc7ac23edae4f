// Needs the DSP extension. Fast as lanes.h, with SXTAB16 or UXTAB16, which extends and adds two
// channels, and SMLAWB or SMMULR, which multiply by the reciprocal.
#pragma once

#include "average_pool_2d.op.h"
#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/cmsis/pool_words.h"
#include "runtimes/families/lane_pools.h"

namespace opsmith::average_pool_2d {

// As opsmith::Mean, and of int16, too.
template <class T>
struct DspMean {
  static constexpr int32_t kMostPixels = sizeof(T) == 1 ? kLanePixels : 180;

  int32_t count;
  int32_t factor;

  explicit DspMean(int32_t pixels) : count(pixels), factor(reciprocal(pixels)) {}

  int32_t operator()(int32_t sum) const {
    if (count <= kMostPixels) return dsp::smmulr(2 * sum, factor);
    return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
  }
};

// Calls put(channel, mean) for four channels from c on, of their sums.
template <class T, class Put>
__attribute__((always_inline)) inline void put_means(const dsp::Lanes<T>& lanes,
                                                     const DspMean<T>& mean, int32_t pixels,
                                                     int32_t c, Put put) {
  int32_t sums[4] = {};
  lanes.drain(pixels, sums);
  for (int32_t i = 0; i < 4; ++i) put(c + i, mean(sums[i]));
}

// The same of int8, whose sums fit halfwords: SMLAWB and SMLAWT multiply one by 2^31 / pixels, drop
// 16 bits, and add half of what is shifted out then.
template <class Put>
__attribute__((always_inline)) inline void put_means(const dsp::Lanes<int8_t>& lanes,
                                                     const DspMean<int8_t>& mean, int32_t,
                                                     int32_t c, Put put) {
  constexpr int32_t half = 1 << 14;
  put(c, dsp::smlawb(mean.factor, lanes.even, half) >> 15);
  put(c + 1, dsp::smlawb(mean.factor, lanes.odd, half) >> 15);
  put(c + 2, dsp::smlawt(mean.factor, lanes.even, half) >> 15);
  put(c + 3, dsp::smlawt(mean.factor, lanes.odd, half) >> 15);
}

template <class P, class T>
void dsp(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_window(p, in.x, out.y, [&p](const Window<T>& window, T* y) {
    const auto put = [&p, y](int32_t c, int32_t found) {
      y[c] = static_cast<T>(clamp(dsp::Word{found}, p.activation_min, p.activation_max).value);
    };
    dsp::with_window(p, window, [&p, &window, put](auto whole) {
      const int32_t pixels =
          whole.value ? p.window_height * p.window_width : window.rows * window.columns;
      const DspMean<T> mean(pixels);
      int32_t c = 0;
      for (; c + 4 <= p.channels; c += 4) {
        dsp::Lanes<T> lanes;
        dsp::for_each_tap(p, window, whole, c, [&lanes](const T* x) { lanes.add_four(x); });
        put_means(lanes, mean, pixels, c, put);
      }
      for (; c < p.channels; ++c) {
        put(c, mean(sum_one(p, window.pixels + c, window.rows, window.columns)));
      }
    });
  });
}

}  // namespace opsmith::average_pool_2d
