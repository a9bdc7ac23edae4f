// FloorMod of float32, by the definition in reference.h: long division, eight bits at a time.
#include "runtimes/core/broadcast.cl"
#include "runtimes/core/division.cl"

// Significands have bit 23; exponents say what that of 1 means: those of positive finite floats.
INLINE int shift_of_subnormal(uint bits) { return bits >> 23 != 0 ? 0 : (int)clz(bits) - 8; }

INLINE uint significand_of(uint bits) {
  const uint fraction = bits & 0x7fffff;
  return bits >> 23 != 0 ? fraction | 0x800000 : fraction << shift_of_subnormal(bits);
}

INLINE int exponent_of(uint bits) { return max((int)(bits >> 23), 1) - shift_of_subnormal(bits); }

// The bits of a float of a significand and an exponent; `rest` is not 0, and nothing is lost.
INLINE uint bits_of_rest(uint rest, int exponent) {
  const int up = min((int)clz(rest) - 8, exponent - 1);
  const uint significand = up >= 0 ? rest << up : rest >> -up;
  return significand + ((uint)(exponent - up - 1) << 23);
}

// What is left of a / b rounded towards zero.
INLINE float truncated_remainder(float a, float b) {
  const uint sign = as_uint(a) & 0x80000000u;
  const uint of_a = as_uint(a) & 0x7fffffff;
  const uint of_b = as_uint(b) & 0x7fffffff;
  if (of_a >= 0x7f800000 || of_b > 0x7f800000 || of_b == 0) return divided(a * b, a * b);  // NaN
  if (of_a < of_b) return a;
  const uint divisor = significand_of(of_b);
  uint rest = significand_of(of_a) % divisor;
  int left = exponent_of(of_a) - exponent_of(of_b);
  for (; left > 0; left -= 8) rest = (rest << min(left, 8)) % divisor;
  return as_float(rest == 0 ? sign : sign | bits_of_rest(rest, exponent_of(of_b)));
}

void gpu_floats(const Pairs p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const float a = in.a[BROADCAST(p, a_stride, i)];
  const float b = in.b[BROADCAST(p, b_stride, i)];
  const float rest = truncated_remainder(a, b);
  out.y[i] = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
