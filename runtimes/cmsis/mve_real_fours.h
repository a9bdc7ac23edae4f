// All channels of rows of float32 by Helium, for kernels that require `mve_float`: sums, as those
// of mve_real_rows.h, become outputs before they leave registers.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtimes/cmsis/mve_real_rows.h"

namespace opsmith::mve::real {

// Products of two inputs of a row, in r6 and r7, with weights in q4 and q5. Products and sums take
// two cycles each: loads are between them, of the second weights and of the inputs that follow.
#define OPSMITH_ROW(sums, weights, inputs)                     \
  "vmul.f32 q6, q4, r6\n\t" weights "vadd.f32 " sums ", " sums \
  ", q6\n\t"                                                   \
  "vmul.f32 q7, q5, r7\n\t" inputs "vadd.f32 " sums ", " sums ", q7\n\t"
// Products of the last input of a row, in r6, with weights in q4.
#define OPSMITH_LAST(sums, x) \
  "ldr r6, [" x               \
  "]\n\t"                     \
  "vmul.f32 q6, q4, r6\n\t"   \
  "vadd.f32 " sums ", " sums ", q6\n\t"
// Within bounds, which are in q5 and q6.
#define OPSMITH_CLAMP(sums) \
  "vpt.f32 gt, q5, " sums   \
  "\n\t"                    \
  "vmovt " sums             \
  ", q5\n\t"                \
  "vpt.f32 gt, " sums       \
  ", q6\n\t"                \
  "vmovt " sums ", q6\n\t"

// What the assembly below keeps in memory, where r11 points.
struct FourRows {
  const float* x[kRows];
  int32_t pairs;  // of inputs of a row
  int32_t odd;    // the input after these, 1 or 0
  const float* weights;
  const float* bias;
  float* y;
  int32_t step;      // bytes from row to row of y
  int32_t channels;  // that are left
  float low, high;
};

// Outputs of four rows, four channels after the others: their sums, as add_four_rows() makes them,
// plus biases, within bounds; NaN and the sign of zero stay as they are. Comparisons are by GT,
// which no NaN meets; LT is met by every NaN. Returns how many channels are left: some are where
// vectors met subnormal numbers, of which none is written.
__attribute__((noinline)) inline int32_t put_four_rows(FourRows& rows) {
  register FourRows* frame __asm("r11") = &rows;
  __asm volatile(
      ".arch_extension mve.fp\n\t"
      "ldrd r4, r9, [r11, #%c[weights]]\n\t"
      "ldrd r8, r5, [r11, #%c[y]]\n\t"
      "ldr r10, [r11, #%c[channels]]\n"
      "1:\n\t"
      "ldm r11, {r0, r1, r2, r3, r12}\n\t"
      "vmov.i32 q0, #0\n\t"
      "vmov.i32 q1, #0\n\t"
      "vmov.i32 q2, #0\n\t"
      "vmov.i32 q3, #0\n\t"
      "wls lr, r12, 3f\n"
      "2:\n\t"
      "ldrd r6, r7, [r0], #8\n\t"
      "vldrw.32 q4, [r4], #16\n\t"
      OPSMITH_ROW("q0", "vldrw.32 q5, [r4], #16\n\t", "ldrd r6, r7, [r1], #8\n\t")
      OPSMITH_ROW("q1", "", "ldrd r6, r7, [r2], #8\n\t")
      OPSMITH_ROW("q2", "", "ldrd r6, r7, [r3], #8\n\t")
      OPSMITH_ROW("q3", "", "")
      "le lr, 2b\n"
      "3:\n\t"
      "ldr r6, [r11, #%c[odd]]\n\t"
      "cbz r6, 4f\n\t"
      "vldrw.32 q4, [r4], #16\n\t"
      OPSMITH_LAST("q0", "r0") OPSMITH_LAST("q1", "r1")
      OPSMITH_LAST("q2", "r2") OPSMITH_LAST("q3", "r3")
      "4:\n\t"
      "vctp.32 r10\n\t"
      "vpst\n\t"
      "vldrwt.u32 q4, [r9], #16\n\t"
      "ldrd r6, r7, [r11, #%c[low]]\n\t"
      "vadd.f32 q0, q0, q4\n\t"
      "vdup.32 q5, r6\n\t"
      "vadd.f32 q1, q1, q4\n\t"
      "vdup.32 q6, r7\n\t"
      "vadd.f32 q2, q2, q4\n\t"
      "add r0, r8, r5\n\t"
      "vadd.f32 q3, q3, q4\n\t"
      "add r1, r0, r5\n\t"
      OPSMITH_CLAMP("q0") OPSMITH_CLAMP("q1") OPSMITH_CLAMP("q2") OPSMITH_CLAMP("q3")
      "vmrs r12, fpscr\n\t"
      "add r2, r1, r5\n\t"
      "tst r12, #0x88\n\t"
      "bne 5f\n\t"
      "vctp.32 r10\n\t"
      "vpstttt\n\t"
      "vstrwt.32 q0, [r8], #16\n\t"
      "vstrwt.32 q1, [r0]\n\t"
      "vstrwt.32 q2, [r1]\n\t"
      "vstrwt.32 q3, [r2]\n\t"
      "subs r10, #4\n\t"
      "bgt 1b\n"
      "5:\n\t"
      "str r10, [r11, #%c[channels]]"
      : [frame] "+r"(frame)
      : [weights] "i"(offsetof(FourRows, weights)), [y] "i"(offsetof(FourRows, y)),
        [channels] "i"(offsetof(FourRows, channels)), [odd] "i"(offsetof(FourRows, odd)),
        [low] "i"(offsetof(FourRows, low))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q4", "q5", "q6", "q7", "p0", "cc", "memory");
  return rows.channels;
}

#undef OPSMITH_CLAMP
#undef OPSMITH_LAST
#undef OPSMITH_ROW

// All channels of up to four rows of x, `depth` inputs each, which are x_step apart.
template <class P, class T>
void multiply_rows(const P& p, const float* x, int32_t x_step, int32_t rows, int32_t depth,
                   const T& tables, int32_t channels, float* y) {
  for (int32_t c = 0; c < channels; c += kLanes) {
    const float* weights = tables.blocks + c * depth;
    if (rows == kRows) {
      FourRows all = {{x, x + x_step, x + 2 * x_step, x + 3 * x_step},
                      depth / 2,
                      depth % 2,
                      weights,
                      tables.bias + c,
                      y + c,
                      channels * int32_t{sizeof(float)},
                      channels - c,
                      static_cast<float>(p.real_min),
                      static_cast<float>(p.real_max)};
      const int32_t left = put_four_rows(all);
      if (left <= 0) return;
      c = channels - left;
      weights = tables.blocks + c * depth;
    }
    const auto add = [&](auto add_rows, float* sums) {
      add_rows(x, x_step, rows, weights, depth, kZeros, sums);
      return sums;
    };
    put_outputs(p, add, tables.bias + c, rows, channels - c, y + c, channels);
  }
}

}  // namespace opsmith::mve::real
