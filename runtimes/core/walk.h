// The order in which a kernel goes through output pixels. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// The i-th of `count` things, or where `reversed` the i-th from the end.
constexpr int32_t nth(int32_t i, int32_t count, bool reversed) {
  return reversed ? count - 1 - i : i;
}

// Calls f(batch, row, column, number) for every output pixel, or where S says `reversed` from the
// last to the first; number counts pixels from the start of y. A plan that puts y over x relies on
// this order.
template <class P, class F>
void for_each_pixel(const P& p, F f) {
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    for (int32_t j = 0; j < p.output_height; ++j) {
      const int32_t oy = nth(j, p.output_height, p.reversed);
      const int32_t row = (b * p.output_height + oy) * p.output_width;
      for (int32_t k = 0; k < p.output_width; ++k) {
        const int32_t ox = nth(k, p.output_width, p.reversed);
        f(b, oy, ox, row + ox);
      }
    }
  }
}

}  // namespace opsmith
