// The walk of mve.h through a convolution, strip by strip, for int8 and uint8.
#pragma once

#include "runtimes/cmsis/mve_strips.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d {

template <bool kLinear, bool kUnsigned, class G>
inline __attribute__((noinline)) void convolve(const G& g, bool reversed, const int8_t* x,
                                               int8_t* y, const int32_t* blocks, int8_t* strip) {
  const mve::Spread by = mve::spread(g.input_channels, g.filter_height * g.input_channels);
  const int32_t groups = (g.output_width + g.group - 1) / g.group;
  for (int32_t i = 0; i < g.batches; ++i) {
    const int32_t b = nth(i, g.batches, reversed);
    const int8_t* image = x + b * g.input_height * g.input_width * g.input_channels;
    for (int32_t j = 0; j < g.output_height; ++j) {
      const int32_t oy = nth(j, g.output_height, reversed);
      int8_t* row = y + (b * g.output_height + oy) * g.output_width * g.output_channels;
      for (int32_t k = 0; k < groups; ++k) {
        const int32_t first = nth(k, groups, reversed) * g.group;
        const int32_t end = first + g.group < g.output_width ? first + g.group : g.output_width;
        mve::group_of_pixels<kLinear, kUnsigned>(g, by, blocks, image, oy, first, end, strip,
                                                 row + first * g.output_channels);
      }
    }
  }
}

}  // namespace opsmith::conv_2d
