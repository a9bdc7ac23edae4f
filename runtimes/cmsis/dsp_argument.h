// Where the best element of a row of bytes is, by the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::dsp {

// The index of the best of every p.depth neighbours, four or more, the first of equal ones: of the
// elements ^ kMask, which are int8, the greatest. The last word may overlap the one before it.
template <uint32_t kMask, class P, class X, class Y>
void argument(const P& p, const X* x, Y* y) {
  constexpr uint32_t each = 0x01010101;
  const int32_t depth = p.depth, last = depth - 4;
  for (int32_t rows = p.outer; rows > 0; --rows, x += depth) {
    uint32_t found = load_word(x + last) ^ kMask;
#pragma GCC unroll 2
    for (int32_t i = 0; i < last; i += 4)
      found = larger_of<int8_t>(found, load_word(x + i) ^ kMask);
    found = larger_of<int8_t>(found, found << 16);
    found = larger_of<int8_t>(found, found << 8);
    const uint32_t best = (found >> 24) * each ^ kMask;
    uint32_t equal = 0;  // the lowest bit that is set is of the first byte that is the best
    int32_t i = -4;
    while (equal == 0) {
      i = min(i + 4, last);
      const uint32_t differs = load_word(x + i) ^ best;
      equal = (differs - each) & ~differs & 0x80 * each;
    }
    *y++ = i + (__builtin_ctz(equal) >> 3);
  }
}

}  // namespace opsmith::dsp
