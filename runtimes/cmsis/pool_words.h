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

// The same for each pixel of a window, of channels from `c` on. Windows inside the image are as
// large as P says, which unrolls their rows where it is known.
template <class P, class T, class Take>
__attribute__((always_inline)) inline void for_each_tap(const P& p, const Window<T>& window,
                                                        int32_t c, Take take) {
  const T* x = window.pixels + c;
  const int32_t pitch = p.input_width * p.channels;
  if (window.columns == p.window_width) {
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
