// Windows of pooling by the DSP extension: the channels of a word of each pixel.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/families/pooling.h"

namespace opsmith::dsp {

// Calls take(first) for the first of these channels of some pixels next to each other.
template <class P, class T, class Take>
__attribute__((always_inline)) inline void for_each_column(const P& p, const T* x, int32_t columns,
                                                           Take& take) {
#pragma GCC unroll 4
  for (int32_t j = 0; j < columns; ++j) take(x + j * p.channels);
}

// Whether a window lies inside the image, as a type.
template <bool kWhole>
struct WholeWindow {
  static constexpr bool value = kWhole;
};

// f(WholeWindow<…>{}) of a window, so that loops over channels are made for those inside the image,
// whose sizes P may know.
template <class P, class T, class F>
__attribute__((always_inline)) inline void with_window(const P& p, const Window<T>& window, F f) {
  constexpr bool known = is_known(&P::window_height);
  if (known && window.rows == p.window_height && window.columns == p.window_width) {
    f(WholeWindow<known>{});
  } else {
    f(WholeWindow<false>{});
  }
}

// Calls take(first) for each pixel of a window, of channels from `c` on. Whole windows are as large
// as P says, which unrolls their rows, and those of others with all columns, where it is known.
template <class P, class T, class Whole, class Take>
__attribute__((always_inline)) inline void for_each_tap(const P& p, const Window<T>& window, Whole,
                                                        int32_t c, Take take) {
  const T* x = window.pixels + c;
  const int32_t pitch = p.input_width * p.channels;
  if constexpr (Whole::value) {
#pragma GCC unroll 3
    for (int32_t i = 0; i < p.window_height; ++i) {
      for_each_column(p, x + i * pitch, p.window_width, take);
    }
  } else if (is_known(&P::window_height) && window.columns == p.window_width) {
    for (int32_t i = 0; i < window.rows; ++i, x += pitch) {
      for_each_column(p, x, p.window_width, take);
    }
  } else {
    for (int32_t i = 0; i < window.rows; ++i, x += pitch) {
      for_each_column(p, x, window.columns, take);
    }
  }
}

}  // namespace opsmith::dsp
