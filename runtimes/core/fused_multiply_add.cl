// The sum of a product and a double, rounded once: fused_multiply_add.h in OpenCL C.
#include "runtimes/core/binary64.cl"

// The sum, and what rounding took from it.
INLINE ulong exact_sum64(ulong a, ulong b, ulong* rest) {
  const ulong sum = sum64(a, b);
  const ulong of_b = difference64(sum, a);
  *rest = sum64(difference64(a, difference64(sum, of_b)), difference64(b, of_b));
  return sum;
}

// The 26 upper bits of the significand, and the lower ones.
INLINE ulong halves64(ulong x, ulong* rest) {
  const ulong moved = product64(x, 0x41a0000002000000ul);  // 2^27 + 1
  const ulong high = difference64(moved, difference64(moved, x));
  *rest = difference64(x, high);
  return high;
}

INLINE ulong exact_product64(ulong a, ulong b, ulong* rest) {
  const ulong product = product64(a, b);
  ulong a_low, b_low;
  const ulong a_high = halves64(a, &a_low), b_high = halves64(b, &b_low);
  const ulong first = difference64(product64(a_high, b_high), product);
  const ulong second = sum64(first, product64(a_high, b_low));
  const ulong third = sum64(second, product64(a_low, b_high));
  *rest = sum64(third, product64(a_low, b_low));
  return product;
}

// a + b, of both neighbours of an inexact sum the one whose last bit is set.
INLINE ulong odd_sum64(ulong a, ulong b) {
  ulong rest;
  const ulong sum = exact_sum64(a, b, &rest);
  if (is_zero64(rest) || (sum & 1) != 0) return sum;
  return sign64(rest) == sign64(sum) ? sum + 1 : sum - 1;
}

// a * b + c
NOINLINE ulong fused_multiply_add64(ulong a, ulong b, ulong c) {
  ulong product_rest, low_rest, high_rest;
  const ulong product = exact_product64(a, b, &product_rest);
  const ulong low = exact_sum64(c, product_rest, &low_rest);
  const ulong high = exact_sum64(product, low, &high_rest);
  return sum64(high, odd_sum64(low_rest, high_rest));
}
