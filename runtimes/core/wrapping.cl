// Sums, differences and products of integers that wrap: wrapping.h in OpenCL C. Of floats they are
// what they are.

INLINE __attribute__((overloadable)) int wrapping_sum(int a, int b) {
  return (int)((uint)a + (uint)b);
}
INLINE __attribute__((overloadable)) long wrapping_sum(long a, long b) {
  return (long)((ulong)a + (ulong)b);
}
INLINE __attribute__((overloadable)) float wrapping_sum(float a, float b) { return a + b; }

INLINE __attribute__((overloadable)) int wrapping_difference(int a, int b) {
  return (int)((uint)a - (uint)b);
}
INLINE __attribute__((overloadable)) long wrapping_difference(long a, long b) {
  return (long)((ulong)a - (ulong)b);
}
INLINE __attribute__((overloadable)) float wrapping_difference(float a, float b) { return a - b; }

INLINE __attribute__((overloadable)) int wrapping_product(int a, int b) {
  return (int)((uint)a * (uint)b);
}
INLINE __attribute__((overloadable)) uint wrapping_product(uint a, uint b) { return a * b; }
INLINE __attribute__((overloadable)) long wrapping_product(long a, long b) {
  return (long)((ulong)a * (ulong)b);
}
INLINE __attribute__((overloadable)) float wrapping_product(float a, float b) { return a * b; }

INLINE __attribute__((overloadable)) int squared_difference(int a, int b) {
  return wrapping_product(wrapping_difference(a, b), wrapping_difference(a, b));
}
INLINE __attribute__((overloadable)) float squared_difference(float a, float b) {
  return (a - b) * (a - b);
}
