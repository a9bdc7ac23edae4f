// The sum of a product and a double, rounded once: fused_multiply_add.h in OpenCL C. Of pairs the
// first is a double, the second what rounding took from it.
#include "runtimes/core/binary64.cl"

INLINE ulong2 exact_sum64(ulong a, ulong b) {
  const ulong sum = sum64(a, b);
  const ulong of_b = difference64(sum, a);
  const ulong rest = sum64(difference64(a, difference64(sum, of_b)), difference64(b, of_b));
  return (ulong2)(sum, rest);
}

// The 26 upper bits of the significand, and the lower ones.
INLINE ulong2 halves64(ulong x) {
  const ulong moved = product64(x, 0x41a0000002000000ul);  // 2^27 + 1
  const ulong high = difference64(moved, difference64(moved, x));
  return (ulong2)(high, difference64(x, high));
}

INLINE ulong2 exact_product64(ulong a, ulong b) {
  const ulong product = product64(a, b);
  const ulong2 x = halves64(a), y = halves64(b);
  const ulong first = difference64(product64(x.s0, y.s0), product);
  const ulong second = sum64(first, product64(x.s0, y.s1));
  const ulong third = sum64(second, product64(x.s1, y.s0));
  return (ulong2)(product, sum64(third, product64(x.s1, y.s1)));
}

// a + b, of both neighbours of an inexact sum the one whose last bit is set.
INLINE ulong odd_sum64(ulong a, ulong b) {
  const ulong2 sum = exact_sum64(a, b);
  if (is_zero64(sum.s1) || (sum.s0 & 1) != 0) return sum.s0;
  return sign64(sum.s1) == sign64(sum.s0) ? sum.s0 + 1 : sum.s0 - 1;
}

// a * b + c
NOINLINE ulong fused_multiply_add64(ulong a, ulong b, ulong c) {
  const ulong2 product = exact_product64(a, b);
  const ulong2 low = exact_sum64(c, product.s1);
  const ulong2 high = exact_sum64(product.s0, low.s0);
  return sum64(high.s0, odd_sum64(low.s1, high.s1));
}
