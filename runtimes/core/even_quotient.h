// Integers nearest to quotients, halves to even. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// n / d for d > 0, where |n| and d are below 2^30.
constexpr int32_t even_quotient(int32_t n, int32_t d) {
  int32_t whole = n / d;
  int32_t rest = n - whole * d;
  if (rest < 0) --whole, rest += d;
  const int32_t beyond = 2 * rest - d;
  return whole + (beyond > 0 || (beyond == 0 && (whole & 1) != 0) ? 1 : 0);
}

}  // namespace opsmith
