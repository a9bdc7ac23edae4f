// Dot products of four int8 in a word: by the device's instruction where it has one.

// sum + a.0 * b.0 + a.1 * b.1 + a.2 * b.2 + a.3 * b.3
#if defined(__NVPTX__) || defined(__NV_CL_C_VERSION)
INLINE int dot4(int a, int b, int sum) {
  int found;
  __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(found) : "r"(a), "r"(b), "r"(sum));
  return found;
}
#elif defined(__opencl_c_integer_dot_product_input_4x8bit_packed)
INLINE int dot4(int a, int b, int sum) {
  return sum + dot_4x8packed_ss_int(as_uint(a), as_uint(b));
}
#else
INLINE int dot4(int a, int b, int sum) {
  const int4 products = convert_int4(as_char4(a)) * convert_int4(as_char4(b));
  return sum + products.x + products.y + products.z + products.w;
}
#endif
