// How the sums of a layer become integers, before the zero point of y is added: rescaling.py in
// OpenCL C.
#include "runtimes/core/binary64.cl"
#include "runtimes/core/fixed_point.cl"

// By a Q31 multiplier, rounded twice; shifts are positive to the left.
INLINE int by_fixed_point(long sum, long multiplier, int shift) {
  return multiply_by_quantized_multiplier((int)sum, (int)multiplier, shift);
}

// By a multiplier of 16 bits, rounded once, ties up; shifts are to the right, at least 1.
INLINE int by_halfword(long sum, long multiplier, int shift) {
  return (int)((sum * multiplier + (1l << (shift - 1))) >> shift);
}

// By the bits of a double, rounded to the nearest integer, halves away from zero.
INLINE int by_double(long sum, ulong bits) {
  return round_half_away64(product64(from_int64(sum), bits));
}

// By the bits of a float, in single precision, rounded to the nearest integer, halves to even; far
// beyond all elements it saturates.
INLINE int by_single(long sum, uint bits) {
  const float scaled = (float)sum * as_float(bits);
  return (int)rint(clamp(scaled, -0x1p30f, 0x1p30f));
}

enum Rescaling { FIXED_POINT, HALFWORD, DOUBLE, SINGLE };

// By one of these.
INLINE int rescaled_sum(int kind, long sum, long multiplier, int shift) {
  return kind == FIXED_POINT ? by_fixed_point(sum, multiplier, shift)
         : kind == HALFWORD  ? by_halfword(sum, multiplier, shift)
         : kind == DOUBLE    ? by_double(sum, multiplier)
                             : by_single(sum, (uint)multiplier);
}
