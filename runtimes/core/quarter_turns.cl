// Angles of any size as quarters of a turn, by integers: quarter_turns.h in OpenCL C.

__constant uint two_over_pi[8] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                  0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

// 32 bits of 2 / pi from this bit on.
INLINE ulong bits_of_two_over_pi(uint first) {
  const ulong two = (ulong)two_over_pi[first / 32] << 32 | two_over_pi[first / 32 + 1];
  return two << first % 32 >> 32;
}

// |x| / (pi / 2), modulo 4, for |x| from 2^-7 on: the nearest integer, and what is left, Q62.
INLINE long2 quarter_turns(float x) {
  const uint bits = as_uint(x);
  const uint exponent = bits >> 23 & 255;
  const ulong significand = ((bits & 0x007fffffu) | 0x00800000u) << (exponent & 7);
  const uint first = (exponent & ~7u) - 120;
  const ulong product = (significand * bits_of_two_over_pi(first) << 32) +
                        significand * bits_of_two_over_pi(first + 32) +
                        (significand * bits_of_two_over_pi(first + 64) >> 32);
  return (long2)((long)((product + (1ul << 61)) >> 62), (long)(product << 2) >> 2);
}
