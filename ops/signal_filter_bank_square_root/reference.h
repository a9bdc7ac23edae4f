// SignalFilterBankSquareRoot, the definition.
#pragma once

#include "signal_filter_bank_square_root.op.h"

namespace opsmith::signal_filter_bank_square_root {

// The integer nearest to the root of x, one binary digit after the other, from the top. T holds x,
// Root the result; where the nearest is one more than Root holds it is the greatest.
template <class T, class Root>
Root nearest_root(T x) {
  T root = 0;
  T digit = T{1} << (8 * sizeof(T) - 2);
  while (digit > x) digit >>= 2;
  for (; digit != 0; digit >>= 2) {
    if (x >= root + digit) {
      x -= root + digit;
      root = (root >> 1) + digit;
    } else {
      root >>= 1;
    }
  }
  // what is left of x is more than root where x is beyond the middle, root^2 + root + 1/4
  const bool up = x > root && root != static_cast<Root>(~Root{0});
  return static_cast<Root>(root + (up ? 1 : 0));
}

// Numbers below 2^32 go by 32 bits, which is quicker, and why theirs end at 65535.
inline uint32_t root(uint64_t x) {
  if (x >> 32 == 0) return nearest_root<uint32_t, uint16_t>(static_cast<uint32_t>(x));
  return nearest_root<uint64_t, uint32_t>(x);
}

template <class P>
void signal_filter_bank_square_root_reference(const P& p, const In& in, const Out& out) {
  const int32_t bits = *in.bits;
  const bool defined = bits >= 0 && bits < 32;
  for (int32_t i = 0; i < p.elements; ++i) out.y[i] = defined ? root(in.x[i]) >> bits : 0;
}

}  // namespace opsmith::signal_filter_bank_square_root
