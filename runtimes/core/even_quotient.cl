// Integers nearest to quotients, halves to even: even_quotient.h in OpenCL C.

// n / d for d > 0, where |n| and d are below 2^30.
INLINE int even_quotient(int n, int d) {
  const int towards_zero = n / d;
  const int whole = towards_zero - (n < towards_zero * d ? 1 : 0);
  const int beyond = 2 * (n - whole * d) - d;
  return whole + (beyond > 0 || (beyond == 0 && (whole & 1) != 0) ? 1 : 0);
}
