// Double precision by integers, since GPUs need not have it: the bits of a double are a ulong.
// Operations round to nearest even, as a CPU does. Operands are zero or normal; so is what they
// give.

// 1 in front of the fraction, at bit 63.
INLINE ulong significand64(ulong x) { return x << 11 | 1ul << 63; }

INLINE int exponent64(ulong x) { return (int)(x >> 52 & 0x7ff) - 1023; }

INLINE ulong sign64(ulong x) { return x & 1ul << 63; }

INLINE bool is_zero64(ulong x) { return x << 1 == 0; }

INLINE ulong negated64(ulong x) { return x ^ 1ul << 63; }

// significand * 2^(exponent - 63), rounded; the significand has bit 63, and its lowest bit is also
// set for bits that are lost.
INLINE ulong rounded64(ulong sign, int exponent, ulong significand) {
  const ulong kept = significand >> 11;
  const ulong rest = significand & 0x7ff;
  const ulong up = rest > 0x400 || (rest == 0x400 && (kept & 1));
  return sign | (((ulong)(exponent + 1022) << 52) + kept + up);
}

// x * y / 2^64, with its lowest bit also set for lost bits, and bit 63; `exponent` falls by 1 where
// the product has to be shifted for that.
INLINE ulong product_of_significands(ulong x, ulong y, int* exponent) {
  const ulong high = mul_hi(x, y);
  const ulong low = x * y;
  if (high >> 63) return high | (low != 0);
  *exponent -= 1;
  return high << 1 | (low != 0);
}

NOINLINE ulong product64(ulong a, ulong b) {
  const ulong sign = sign64(a ^ b);
  if (is_zero64(a) || is_zero64(b)) return sign;
  int exponent = exponent64(a) + exponent64(b) + 1;
  const ulong found = product_of_significands(significand64(a), significand64(b), &exponent);
  return rounded64(sign, exponent, found);
}

NOINLINE ulong sum64(ulong a, ulong b) {
  if (is_zero64(a) && is_zero64(b)) return a & b;
  const bool swapped = a << 1 < b << 1;
  const ulong large = swapped ? b : a;
  const ulong small = swapped ? a : b;
  if (is_zero64(small)) return large;
  const int distance = min(exponent64(large) - exponent64(small), 63);
  const ulong upper = significand64(large) >> 1;
  const ulong whole = significand64(small) >> 1;
  const ulong lower = whole >> distance | ((whole & ((1ul << distance) - 1)) != 0);
  const ulong found = sign64(large ^ small) ? upper - lower : upper + lower;
  if (found == 0) return 0;
  const int zeros = clz(found);
  return rounded64(sign64(large), exponent64(large) + 1 - zeros, found << zeros);
}

INLINE ulong difference64(ulong a, ulong b) { return sum64(a, negated64(b)); }

INLINE bool less64(ulong a, ulong b) {
  const ulong difference = difference64(a, b);
  return sign64(difference) && !is_zero64(difference);
}

// b is not zero.
NOINLINE ulong quotient64(ulong a, ulong b) {
  const ulong sign = sign64(a ^ b);
  if (is_zero64(a)) return sign;
  const ulong divisor = significand64(b) >> 11;
  ulong rest = significand64(a) >> 11;
  int exponent = exponent64(a) - exponent64(b);
  if (rest < divisor) {
    rest <<= 1;
    exponent -= 1;
  }
  ulong found = 0;
  for (int i = 0; i < 56; ++i, rest <<= 1) {
    const bool fits = rest >= divisor;
    found = found << 1 | fits;
    rest -= fits ? divisor : 0;
  }
  return rounded64(sign, exponent, found << 8 | (rest != 0));
}

INLINE ulong from_int64(long x) {
  if (x == 0) return 0;
  const ulong magnitude = abs(x);
  const int zeros = clz(magnitude);
  return rounded64(x < 0 ? 1ul << 63 : 0, 63 - zeros, magnitude << zeros);
}

// x is finite.
INLINE ulong from_float64(float x) {
  const uint bits = as_uint(x);
  const ulong sign = (ulong)(bits >> 31) << 63;
  if (bits << 1 == 0) return sign;
  const uint fraction = bits & 0x7fffff;
  if ((bits >> 23 & 0xff) != 0) return sign | (((ulong)(bits & 0x7fffffff) << 29) + (896ul << 52));
  const int zeros = clz(fraction);
  return rounded64(sign, -118 - zeros, (ulong)fraction << (32 + zeros));
}

// The nearest float, which may be infinite or subnormal.
INLINE float to_float64(ulong x) {
  const uint sign = (uint)(x >> 63) << 31;
  const int exponent = exponent64(x);
  if (exponent > 127) return as_float(sign | 0x7f800000);
  const int lost = exponent < -126 ? -86 - exponent : 40;
  if (is_zero64(x) || lost > 64) return as_float(sign);
  const ulong significand = significand64(x);
  const ulong rest = significand << (64 - lost);
  const uint kept = lost < 64 ? (uint)(significand >> lost) : 0;
  const uint up = rest > 1ul << 63 || (rest == 1ul << 63 && (kept & 1));
  const uint base = exponent < -126 ? 0 : (uint)(exponent + 126) << 23;
  return as_float(sign | (base + kept + up));
}

// x without its fraction; |x| is below 2^31.
INLINE int truncated64(ulong x) {
  const int exponent = exponent64(x);
  if (exponent < 0) return 0;
  const int magnitude = (int)(significand64(x) >> (63 - exponent));
  return x >> 63 ? -magnitude : magnitude;
}

// The nearest integer, ties away from zero; |x| is below 2^31.
INLINE int round_half_away64(ulong x) {
  const int exponent = exponent64(x);
  if (exponent < -1) return 0;
  const int fraction_bits = 52 - exponent;
  const ulong half_unit = 1ul << (fraction_bits - 1);
  const int magnitude = (int)(((significand64(x) >> 11) + half_unit) >> fraction_bits);
  return x >> 63 ? -magnitude : magnitude;
}
