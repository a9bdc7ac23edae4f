// log(x) of float32, with the bits of glibc's logf: real_logarithm.h in OpenCL C.
#include "runtimes/core/binary64.cl"

// Bits of doubles: near the middle of each sixteenth of [0.7, 1.4), a reciprocal, and log of what
// it is the reciprocal of.
__constant ulong reciprocals_and_logarithms[16][2] = {
    {0x3ff661ec79f8f3beul, 0xbfd57bf7808caadeul}, {0x3ff571ed4aaf883dul, 0xbfd2bef0a7c06ddbul},
    {0x3ff49539f0f010b0ul, 0xbfd01eae7f513a67ul}, {0x3ff3c995b0b80385ul, 0xbfcb31d8a68224e9ul},
    {0x3ff30d190c8864a5ul, 0xbfc6574f0ac07758ul}, {0x3ff25e227b0b8ea0ul, 0xbfc1aa2bc79c8100ul},
    {0x3ff1bb4a4a1a343ful, 0xbfba4e76ce8c0e5eul}, {0x3ff12358f08ae5baul, 0xbfb1973c5a611cccul},
    {0x3ff0953f419900a7ul, 0xbfa252f438e10c1eul}, {0x3ff0000000000000ul, 0x0000000000000000ul},
    {0x3fee608cfd9a47acul, 0x3faaa5aa5df25984ul}, {0x3feca4b31f026aa0ul, 0x3fbc5e53aa362eb4ul},
    {0x3feb2036576afce6ul, 0x3fc526e57720db08ul}, {0x3fe9c2d163a1aa2dul, 0x3fcbc2860d224770ul},
    {0x3fe886e6037841edul, 0x3fd1058bc8a07ee1ul}, {0x3fe767dcf5534862ul, 0x3fd4043057b6ee09ul},
};

// log(x); of negative numbers NaN with a sign, as x86 has it.
INLINE float real_logarithm(float x) {
  if (!(x > 0.0f) || isinf(x)) {
    return x < 0.0f ? as_float(0xffc00000u) : x == 0.0f ? -INFINITY : x + x;
  }
  const bool subnormal = x < 0x1p-126f;
  const uint bits = as_uint(subnormal ? x * 0x1p23f : x);
  const uint from_least = bits - 0x3f330000u;  // the bits of 0.7
  const ulong mantissa = from_float64(as_float(bits - (from_least & 0xff800000u)));
  const uint sixteenth = from_least >> 19 & 15;
  const ulong reciprocal = reciprocals_and_logarithms[sixteenth][0];
  const ulong r = difference64(product64(mantissa, reciprocal), 0x3ff0000000000000ul);
  const int powers = ((int)from_least >> 23) - (subnormal ? 23 : 0);
  const ulong power = sum64(reciprocals_and_logarithms[sixteenth][1],
                            product64(from_int64(powers), 0x3fe62e42fefa39eful));  // ln(2)
  const ulong square = product64(r, r);
  const ulong low = sum64(product64(0x3fd5575b0be00b6aul, r), 0xbfdffffef20a4123ul);
  const ulong high = sum64(product64(0xbfd00ea348b88334ul, square), low);
  return to_float64(sum64(product64(high, square), sum64(power, r)));
}
