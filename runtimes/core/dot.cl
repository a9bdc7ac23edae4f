// Dot products of four bytes, which most GPUs have an instruction for.

#if defined(OPSMITH_ARM_DOT)
#pragma OPENCL EXTENSION cl_arm_integer_dot_product_accumulate_int8 : enable
#endif

// sum + a[0] * b[0] + … + a[3] * b[3], of the bytes of words. Sums of 32 bits wrap.
INLINE int dot4(int a, int b, int sum) {
#if defined(__NVPTX__)
  int found;
  __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(found) : "r"(a), "r"(b), "r"(sum));
  return found;
#elif defined(OPSMITH_KHR_DOT)
  return sum + dot_4x8packed_ss_int(as_uint(a), as_uint(b));  // of char4, not all devices have it
#elif defined(OPSMITH_ARM_DOT)
  return arm_dot_acc(as_char4(a), as_char4(b), sum);
#else
  const int4 products = convert_int4(as_char4(a)) * convert_int4(as_char4(b));
  return sum + products.x + products.y + products.z + products.w;
#endif
}

// The same of 16 bytes.
INLINE int dot16(int4 a, int4 b, int sum) {
  return dot4(a.s3, b.s3, dot4(a.s2, b.s2, dot4(a.s1, b.s1, dot4(a.s0, b.s0, sum))));
}

#if defined(__NVPTX__)
// Two bytes of a and two of b: each digit of `which`, the last one first, is one of a's 0 to 3, or
// one of b's 4 to 7.
INLINE int bytes_of(int a, int b, int which) {
  int found;
  __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(found) : "r"(a), "r"(b), "n"(which));
  return found;
}
#endif

// The bytes of four words, turned: word n has byte n of each.
INLINE int4 turned(int4 words) {
#if defined(__NVPTX__)
  const int low = bytes_of(words.s0, words.s1, 0x5140);
  const int low_next = bytes_of(words.s2, words.s3, 0x5140);
  const int high = bytes_of(words.s0, words.s1, 0x7362);
  const int high_next = bytes_of(words.s2, words.s3, 0x7362);
  return (int4)(bytes_of(low, low_next, 0x5410), bytes_of(low, low_next, 0x7632),
                bytes_of(high, high_next, 0x5410), bytes_of(high, high_next, 0x7632));
#else
  const char4 a = as_char4(words.s0), b = as_char4(words.s1);
  const char4 c = as_char4(words.s2), d = as_char4(words.s3);
  return (int4)(as_int((char4)(a.s0, b.s0, c.s0, d.s0)), as_int((char4)(a.s1, b.s1, c.s1, d.s1)),
                as_int((char4)(a.s2, b.s2, c.s2, d.s2)), as_int((char4)(a.s3, b.s3, c.s3, d.s3)));
#endif
}

#if defined(__NVPTX__)
#define OPSMITH_MATRICES  // 32 work-items, side by side in a group, multiply matrices together

// The sums of an 8x8 matrix, each plus 16 products: row `lane / 4`, columns 2 * (lane % 4) and the
// next. The work-item has bytes 4 * (lane % 4) to the next three of row `lane / 4` of the left
// matrix, and of column `lane / 4` of the right one.
INLINE int2 dot16_of_matrices(int left, int right, int2 sums) {
  int2 found;
  __asm__ volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
                   : "=r"(found.x), "=r"(found.y)
                   : "r"(left), "r"(right), "r"(sums.x), "r"(sums.y));
  return found;
}
#endif
