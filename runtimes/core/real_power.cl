// x^y of float32, with the bits of glibc's powf on processors with FMA: real_power.h in OpenCL C.
#include "runtimes/core/fused_multiply_add.cl"
#include "runtimes/core/real_exponential.cl"
#include "runtimes/core/real_logarithm.cl"

// log2 of what reciprocals_and_logarithms has the reciprocals of.
__constant ulong binary_logarithms[16] = {
    0xbfdefec65b963019ul, 0xbfdb0b6832d4fca4ul, 0xbfd7418b0a1fb77bul, 0xbfd39de91a6dcf7bul,
    0xbfd01d9bf3f2b631ul, 0xbfc97c1d1b3b7af0ul, 0xbfc2f9e393af3c9ful, 0xbfb960cbbf788d5cul,
    0xbfaa6f9db6475fceul, 0x0000000000000000ul, 0x3fb338ca9f24f53dul, 0x3fc476a9543891baul,
    0x3fce840b4ac4e4d2ul, 0x3fd40645f0c6651cul, 0x3fd88e9c2c1b9ff8ul, 0x3fdce0a44eb17bccul,
};

// a * b + c, rounded once where it is fused, else twice.
INLINE ulong product_sum64(bool fused, ulong a, ulong b, ulong c) {
  return fused ? fused_multiply_add64(a, b, c) : sum64(product64(a, b), c);
}

// log2 of a positive float.
INLINE ulong binary_logarithm(float x, bool fused) {
  const bool subnormal = x < 0x1p-126f;
  const uint bits = as_uint(subnormal ? x * 0x1p23f : x);
  const uint from_least = bits - 0x3f330000u;  // the bits of 0.7
  const int i = from_least >> 19 & 15;
  const int power = ((int)from_least >> 23) - (subnormal ? 23 : 0);
  const ulong mantissa = from_float64(as_float(bits - (from_least & 0xff800000u)));
  const ulong reciprocal = reciprocals_and_logarithms[i][0];
  const ulong r = product_sum64(fused, mantissa, reciprocal, 0xbff0000000000000ul);
  const ulong square = product64(r, r);
  const ulong high = product_sum64(fused, 0x3fd27616c9496e0bul, r, 0xbfd71969a075c67aul);
  const ulong middle = product_sum64(fused, 0x3fdec70a6ca7baddul, r, 0xbfe7154748bef6c8ul);
  const ulong last = sum64(binary_logarithms[i], from_int64(power));
  const ulong low = product_sum64(fused, 0x3ff71547652ab82bul, r, last);
  return product_sum64(fused, high, product64(square, square),
                       product_sum64(fused, middle, square, low));
}

// x^y for x > 0, both finite and y not 0: any number beyond float32 where that has none.
NOINLINE ulong positive_power(float x, float y, bool fused) {
  const ulong shift = 0x42e8000000000000ul;  // to which adding leaves multiples of 1 / 32
  const ulong exponent = product64(from_float64(y), binary_logarithm(x, fused));
  if (less64(0x4060200000000000ul, exponent)) return 0x4800000000000000ul;
  if (less64(exponent, 0xc062e00000000000ul)) return 0;
  const ulong nearest = difference64(sum64(exponent, shift), shift);
  const ulong rest = difference64(exponent, nearest);
  const ulong cubic = product_sum64(fused, 0x3fac6af84b912394ul, rest, 0x3fcebfce50fac4f3ul);
  const ulong linear = product_sum64(fused, 0x3fe62e42ff0c52d6ul, rest, 0x3ff0000000000000ul);
  const ulong power = root_power_of_two(truncated64(product64(nearest, 0x4040000000000000ul)));
  return product64(product_sum64(fused, cubic, product64(rest, rest), linear), power);
}

// Products that are rounded before they are added change the double by less than 2^-32 of it, which
// gives another float only near the middle between two: there they are fused.
INLINE float real_positive_power(float x, float y) {
  const ulong found = positive_power(x, y, false);
  const float low = to_float64(product64(found, 0x3fefffffffe00000ul));
  const float high = to_float64(product64(found, 0x3ff0000000100000ul));
  return low == high ? low : to_float64(positive_power(x, y, true));
}

// 1 where y is odd, 2 where it is even or infinite, 0 where it is no integer.
INLINE int parity(float y) {
  const float size = fabs(y);
  if (size >= 0x1p24f) return 2;
  const int whole = (int)size;
  if ((float)whole != size) return 0;
  return (whole & 1) != 0 ? 1 : 2;
}

// x^y; of a negative number and no integer NaN with a sign, as x86 has it.
INLINE float real_power(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (isnan(y)) return x + y;
  const int kind = parity(y);
  if (isnan(x)) return kind == 1 ? fabs(x + y) : x + y;
  const float size = fabs(x);
  float found;
  if (size == 0.0f || isinf(size) || isinf(y)) {
    found = size == 1.0f ? 1.0f : (size > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
  } else {
    if (x < 0.0f && kind == 0) return as_float(0xffc00000u);
    found = real_positive_power(size, y);
  }
  return kind == 1 ? copysign(found, x) : found;
}
