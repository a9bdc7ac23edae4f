// x / 2^exponent, rounded; bits that C++ does not define, beyond 31, are as x86-64 has them.
INLINE int shifted(int x, int exponent) {
  const int mask = (int)((1ul << (exponent & 63)) - 1);
  const int threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> (exponent & 31)) + ((x & mask) > threshold ? 1 : 0);
}
