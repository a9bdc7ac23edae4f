// Needs Helium. Fast because four exponentials are gathered from the table at once, and rescaled
// together.
#pragma once

#include "ops/softmax/reference.h"
#include "runtimes/cmsis/mve_elements.h"
#include "runtimes/cmsis/mve_lookup.h"
#include "runtimes/cmsis/mve_words.h"

namespace opsmith::softmax {

// The largest of `depth` elements.
inline int32_t largest_of(const int8_t* x, int32_t depth) {
  int32_t largest = INT8_MIN;
  __asm volatile(
      "wlstp.8 lr, %[depth], 2f\n"
      "1:\n\t"
      "vldrb.8 q0, [%[x]], #16\n\t"
      "vmaxv.s8 %[largest], q0\n\t"
      "letp lr, 1b\n"
      "2:"
      : [x] "+r"(x), [largest] "+r"(largest)
      : [depth] "r"(depth)
      : "q0", "lr", "cc", "memory");
  return largest;
}

// The exponentials of one row, by differences from the largest element.
struct Differences {
  int32_t largest;
  int32_t farthest;
  const int32_t* exponential;
};

// The sum of `depth` exponentials, each rounded to Q12.19; none is negative.
inline int32_t sum_of(const int8_t* x, int32_t depth, const Differences& of) {
  int32_t sum = 0;
  __asm volatile(
      "vdup.32 q1, %[largest]\n\t"
      "vdup.32 q3, %[farthest]\n\t"
      "wlstp.32 lr, %[depth], 2f\n"
      "1:\n\t"
      "vldrb.s32 q0, [%[x]], #4\n\t"
      "vsub.i32 q0, q1, q0\n\t"
      "vmin.s32 q0, q0, q3\n\t"
      "vldrw.u32 q2, [%[table], q0, uxtw #2]\n\t"
      "vrshr.u32 q0, q2, %[bits]\n\t"
      "vaddva.u32 %[sum], q0\n\t"
      "letp lr, 1b\n"
      "2:"
      : [x] "+l"(x), [sum] "+Te"(sum)
      : [depth] "r"(depth), [largest] "r"(of.largest), [farthest] "r"(of.farthest),
        [table] "r"(of.exponential), [bits] "i"(kSumBits)
      : "q0", "q1", "q2", "q3", "lr", "cc", "memory");
  return sum;
}

// y of `depth` elements. Shifted by more than 31 every share rounds to zero.
inline void put_shares(const int8_t* x, int8_t* y, int32_t depth, const Differences& of,
                       const Scale& scale) {
  __asm volatile(
      "vdup.32 q1, %[largest]\n\t"
      "vmov.i32 q2, #127\n\t"
      "vdup.32 q4, %[farthest]\n\t"
      "wlstp.32 lr, %[depth], 2f\n"
      "1:\n\t"
      "vldrb.s32 q0, [%[x]], #4\n\t"
      "vsub.i32 q0, q1, q0\n\t"
      "vmin.s32 q0, q0, q4\n\t"
      "vldrw.u32 q3, [%[table], q0, uxtw #2]\n\t"
      "vqrdmulh.s32 q0, q3, %[multiplier]\n\t"
      "vrshl.s32 q0, %[shift]\n\t"
      "vadd.i32 q0, q0, %[least]\n\t"
      "vmin.s32 q0, q0, q2\n\t"
      "vstrb.32 q0, [%[y]], #4\n\t"
      "letp lr, 1b\n"
      "2:"
      : [x] "+l"(x), [y] "+l"(y)
      : [depth] "r"(depth), [largest] "r"(of.largest), [farthest] "r"(of.farthest),
        [table] "r"(of.exponential), [multiplier] "r"(scale.multiplier),
        [shift] "r"(-scale.exponent), [least] "r"(INT8_MIN)
      : "q0", "q1", "q2", "q3", "q4", "lr", "cc", "memory");
}

template <class P>
void mve(const P& p, const In<int8_t, int8_t>& in, const Out<int8_t, int8_t>& out,
         const Tables& tables) {
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t i = 0; i < p.rows; ++i, x += p.depth, y += p.depth) {
    const Differences of{largest_of(x, p.depth), p.farthest, tables.exponential};
    const int32_t sum = sum_of(x, p.depth, of);
    put_shares(x, y, p.depth, of, scale_of<int8_t>(sum));
  }
}

// Exponentials of eight int16.
template <class P>
int16x8_t exponentials(const P& p, int16x8_t x, int32_t largest, const int16_t* exponential) {
  const auto place = [&p, largest](int32x4_t of_x) {
    const mve::Words difference = mve::Words{of_x} - largest;
    const mve::Words scaled = multiply_by_quantized_multiplier(difference, p.multiplier, p.shift);
    return (clamp(scaled, INT16_MIN - INT16_MAX, 0) + INT16_MAX).value;
  };
  const int16x8_t even = vmovnbq_s32(vuninitializedq_s16(), place(vmovlbq_s16(x)));
  return mve::interpolated(vmovntq_s32(even, place(vmovltq_s16(x))), exponential);
}

// One row of int16.
template <class P>
void row(const P& p, const int16_t* x, int16_t* y, const Lines& lines, int32_t depth) {
  int32_t largest = INT16_MIN;
  for (int32_t i = 0; i < depth; i += 8) {
    const mve_pred16_t some = vctp16q(static_cast<uint32_t>(depth - i));
    largest = vmaxvq_p_s16(static_cast<int16_t>(largest), vldrhq_z_s16(x + i, some), some);
  }
  int32_t sum = 0;
  for (int32_t i = 0; i < depth; i += 8) {
    const mve_pred16_t some = vctp16q(static_cast<uint32_t>(depth - i));
    const int16x8_t found = exponentials(p, vldrhq_z_s16(x + i, some), largest, lines.exponential);
    sum = vaddvaq_p_s16(sum, found, some);
    vstrhq_p_s16(y + i, found, some);
  }
  const Scale scale = scale_by_lines(sum, lines.reciprocal);
  const int16x8_t factor = vdupq_n_s16(static_cast<int16_t>(scale.multiplier));
  for (int32_t i = 0; i < depth; i += 8) {
    const mve_pred16_t some = vctp16q(static_cast<uint32_t>(depth - i));
    const int16x8_t found = vldrhq_z_s16(y + i, some);
    const int32x4_t even = vrshlq_n_s32(vmullbq_int_s16(found, factor), -scale.exponent);
    const int32x4_t odd = vrshlq_n_s32(vmulltq_int_s16(found, factor), -scale.exponent);
    vstrhq_p_s16(y + i, mve::halves(even, odd), some);
  }
}

template <class P>
void mve(const P& p, const In<int16_t, int16_t>& in, const Out<int16_t, int16_t>& out,
         const Lines& tables) {
  for (int32_t i = 0; i < p.rows; ++i) {
    row(p, in.x + i * p.depth, out.y + i * p.depth, tables, p.depth);
  }
}

}  // namespace opsmith::softmax
