// Dot products of four bytes, which most GPUs have an instruction for.

// sum + a[0] * b[0] + … + a[3] * b[3], of the bytes of words. Sums of 32 bits wrap.
INLINE int dot4(int a, int b, int sum) {
#if defined(__NVPTX__)
  int found;
  __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(found) : "r"(a), "r"(b), "r"(sum));
  return found;
#elif defined(__opencl_c_integer_dot_product_input_4x8bit)
  return sum + dot(as_char4(a), as_char4(b));
#else
  const int4 products = convert_int4(as_char4(a)) * convert_int4(as_char4(b));
  return sum + products.x + products.y + products.z + products.w;
#endif
}
