// Floats quantised at run time, as dynamic_range.h of runtimes/core does, for kernels that require
// `fpu`. Fast because bits of floats compare as integers do, and a conversion in units of 2^-16
// leaves an addition and a saturating shift to round.
#pragma once

#include <string.h>

#include "runtimes/core/dynamic_range.h"

namespace opsmith::fpu {

inline constexpr uint32_t kInfinite = 0x7f800000, kNegative = 0x80000000;

inline float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#define OPSMITH_LOAD_FOUR    \
  "1:\n\t"                   \
  "ldr %[a], [%[x]], #4\n\t" \
  "ldr %[b], [%[x]], #4\n\t" \
  "ldr %[c], [%[x]], #4\n\t" \
  "ldr %[d], [%[x]], #4\n\t"
#define OPSMITH_EACH(f) f("a") f("b") f("c") f("d")
#define OPSMITH_NEXT_FOUR \
  "subs %[fours], #1\n\t" \
  "bne 1b"

// Twice the bits of the largest magnitude of N times four floats, without signs.
inline uint32_t largest_of_fours(const float* x, int32_t fours) {
  uint32_t largest = 0, a, b, c, d;
#define OPSMITH_LARGER(r) \
  "cmp %[largest], %[" r  \
  "], lsl #1\n\t"         \
  "it lo\n\t"             \
  "lsllo %[largest], %[" r "], #1\n\t"
  __asm volatile(OPSMITH_LOAD_FOUR OPSMITH_EACH(OPSMITH_LARGER) OPSMITH_NEXT_FOUR
                 : [x] "+r"(x), [fours] "+r"(fours), [largest] "+r"(largest), [a] "=&r"(a),
                   [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
                 :
                 : "cc", "memory");
#undef OPSMITH_LARGER
  return largest;
}

// The bits of the greatest float above 0 and of the least below -0, or those zeros.
struct Ends {
  int32_t high;
  uint32_t low;
};
inline Ends ends_of_fours(const float* x, int32_t fours) {
  Ends found = {0, kNegative};
  uint32_t a, b, c, d;
#define OPSMITH_FARTHER(r) \
  "cmp %[high], %[" r      \
  "]\n\t"                  \
  "it lt\n\t"              \
  "movlt %[high], %[" r    \
  "]\n\t"                  \
  "cmp %[low], %[" r       \
  "]\n\t"                  \
  "it lo\n\t"              \
  "movlo %[low], %[" r "]\n\t"
  __asm volatile(OPSMITH_LOAD_FOUR OPSMITH_EACH(OPSMITH_FARTHER) OPSMITH_NEXT_FOUR
                 : [x] "+r"(x), [fours] "+r"(fours), [high] "+r"(found.high), [low] "+r"(found.low),
                   [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
                 :
                 : "cc", "memory");
#undef OPSMITH_FARTHER
  return found;
}
#undef OPSMITH_NEXT_FOUR
#undef OPSMITH_EACH
#undef OPSMITH_LOAD_FOUR

// The extent of N times four floats, of which `both` ends count or the larger magnitude, as `high`.
// False where one is infinite or NaN.
inline bool extent_of_fours(const float* x, int32_t fours, bool both, Extent& found) {
  if (!both) {
    const uint32_t largest = largest_of_fours(x, fours) >> 1;
    found = {0, float_of(largest)};
    return largest < kInfinite;
  }
  const Ends ends = ends_of_fours(x, fours);
  found = {ends.low == kNegative ? 0 : float_of(ends.low),
           float_of(static_cast<uint32_t>(ends.high))};
  return static_cast<uint32_t>(ends.high) < kInfinite && ends.low < (kNegative | kInfinite);
}

// Quantises N times four floats, whose products with by.inverse are below 2^9.
inline void quantize_fours(const Quantiser& by, const float* x, int32_t fours, int8_t* q) {
  const int32_t offset = by.range.zero_point * (1 << 16) + (1 << 15);
  uint32_t a, b, c, d;
#define OPSMITH_UNITS(s) "vmul.f32 " s ", " s ", s4\n\t"
#define OPSMITH_FIXED(s) "vcvt.s32.f32 " s ", " s ", #16\n\t"
#define OPSMITH_ROUND(r)         \
  "add %[" r "], %[" r "], %[" r \
  "], asr #31\n\t"               \
  "add %[" r                     \
  "], %[offset]\n\t"             \
  "ssat %[" r "], #8, %[" r "], asr #16\n\t"
#define OPSMITH_FOUR(f) f("s0") f("s1") f("s2") f("s3")
  __asm volatile(
      "vmov s4, %[inverse]\n"
      "1:\n\t"
      "vldmia %[x]!, {s0-s3}\n\t" OPSMITH_FOUR(OPSMITH_UNITS) OPSMITH_FOUR(OPSMITH_FIXED)
      "vmov %[a], s0\n\t"
      "vmov %[b], s1\n\t"
      "vmov %[c], s2\n\t"
      "vmov %[d], s3\n\t" OPSMITH_ROUND("a") OPSMITH_ROUND("b") OPSMITH_ROUND("c")
          OPSMITH_ROUND("d")
      "subs %[fours], #1\n\t"
      "strb %[b], [%[q], #1]\n\t"
      "strb %[c], [%[q], #2]\n\t"
      "strb %[d], [%[q], #3]\n\t"
      "strb %[a], [%[q]], #4\n\t"
      "bne 1b"
      : [x] "+r"(x), [fours] "+r"(fours), [q] "+r"(q), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c),
        [d] "=&r"(d)
      : [offset] "r"(offset), [inverse] "r"(by.inverse)
      : "s0", "s1", "s2", "s3", "s4", "cc", "memory");
#undef OPSMITH_FOUR
#undef OPSMITH_ROUND
#undef OPSMITH_FIXED
#undef OPSMITH_UNITS
}

// Quantises floats, by fours where all are finite.
__attribute__((noinline)) inline void quantize(const Quantiser& by, bool finite, const float* x,
                                               int32_t size, int8_t* q) {
  const int32_t fours = size / 4;
  const int32_t done = finite && by.inverse <= __FLT_MAX__ ? 4 * fours : 0;
  if (done != 0) quantize_fours(by, x, fours, q);
  quantize_by(by, x + done, size - done, q + done);
}

// As quantized_by_range does for one kind of range: only zero points need doubles.
template <bool kAsymmetric>
__attribute__((noinline)) DynamicRange quantized(const float* x, int32_t size, int8_t* q) {
  const int32_t fours = size / 4, rest = size & 3;
  Extent extent = {0, 0};
  bool finite = fours == 0 || extent_of_fours(x, fours, kAsymmetric, extent);
  for (int32_t i = size - rest; i < size; ++i) {
    finite = finite && x[i] - x[i] == 0;
    if (x[i] < extent.low) extent.low = x[i];
    if (x[i] > extent.high) extent.high = x[i];
  }
  if (!finite) extent = opsmith::extent_of(x, size);
  const Quantiser by = kAsymmetric ? asymmetric_quantiser(extent) : symmetric_quantiser(extent);
  quantize(by, finite, x, size, q);
  return by.range;
}

// Finds the range of floats, from their least to their greatest if it is `asymmetric`, and
// quantises them. Shared by all layers.
inline DynamicRange quantized_by_range(const float* x, int32_t size, bool asymmetric, int8_t* q) {
  return asymmetric ? quantized<true>(x, size, q) : quantized<false>(x, size, q);
}

}  // namespace opsmith::fpu
