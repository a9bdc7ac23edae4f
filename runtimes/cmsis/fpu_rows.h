// Sums of products of rows of float32, for kernels that require `fpu`. Fast because sixteen sums
// stay in registers, so that each input and each weight that is loaded serves four products.
//
// Each sum adds its products in the order of the row, every one rounded before: as LiteRT's
// reference kernels do.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_clamp.h"

namespace opsmith::fpu {

// How many rows of inputs, and of weights, go together.
constexpr int32_t kRows = 4;

// What sums start from.
inline constexpr float kZeros[kRows * kRows] = {};

// Products of a weight with an input of each row.
#define OPSMITH_COLUMN(weight, x0, x1, x2, x3, sum0, sum1, sum2, sum3) \
  "vmul.f32 s28, " x0 ", " weight                                      \
  "\n\t"                                                               \
  "vmul.f32 s29, " x1 ", " weight                                      \
  "\n\t"                                                               \
  "vmul.f32 s30, " x2 ", " weight                                      \
  "\n\t"                                                               \
  "vmul.f32 s31, " x3 ", " weight                                      \
  "\n\t"                                                               \
  "vadd.f32 " sum0 ", " sum0                                           \
  ", s28\n\t"                                                          \
  "vadd.f32 " sum1 ", " sum1                                           \
  ", s29\n\t"                                                          \
  "vadd.f32 " sum2 ", " sum2                                           \
  ", s30\n\t"                                                          \
  "vadd.f32 " sum3 ", " sum3 ", s31\n\t"

// The same of two neighbouring weights.
#define OPSMITH_TWO(weights, ...)                                                    \
  "vldmia %[" weights                                                                \
  "]!, {s24-s25}\n\t" OPSMITH_COLUMN("s24", "s16", "s18", "s20", "s22", __VA_ARGS__) \
      OPSMITH_COLUMN("s25", "s17", "s19", "s21", "s23", __VA_ARGS__)
#define OPSMITH_ONE(weights, ...) \
  "vldmia %[" weights "]!, {s24}\n\t" OPSMITH_COLUMN("s24", "s16", "s18", "s20", "s22", __VA_ARGS__)
#define OPSMITH_CHANNELS(step)                                          \
  step("w0", "s0", "s1", "s2", "s3") step("w1", "s4", "s5", "s6", "s7") \
      step("w2", "s8", "s9", "s10", "s11") step("w3", "s12", "s13", "s14", "s15")

// sums[4 * j + i] = from[4 * j + i] plus the products of `count` inputs of row i, which is i *
// x_step after x, with those of weights of row j.
__attribute__((noinline)) inline void add_four_by_four(const float* x, int32_t x_step,
                                                       const float* weights, int32_t weight_step,
                                                       int32_t count, const float* from,
                                                       float* sums) {
  const float *x1 = x + x_step, *x2 = x1 + x_step, *x3 = x2 + x_step;
  const float *w1 = weights + weight_step, *w2 = w1 + weight_step, *w3 = w2 + weight_step;
  __asm volatile(
      "vldmia %[from], {s0-s15}\n\t"
      "subs %[count], #2\n\t"
      "blt 2f\n"
      "1:\n\t"
      "vldmia %[x0]!, {s16-s17}\n\t"
      "vldmia %[x1]!, {s18-s19}\n\t"
      "vldmia %[x2]!, {s20-s21}\n\t"
      "vldmia %[x3]!, {s22-s23}\n\t"
      OPSMITH_CHANNELS(OPSMITH_TWO)
      "subs %[count], #2\n\t"
      "bge 1b\n"
      "2:\n\t"
      "adds %[count], #1\n\t"
      "blt 3f\n\t"
      "vldmia %[x0]!, {s16}\n\t"
      "vldmia %[x1]!, {s18}\n\t"
      "vldmia %[x2]!, {s20}\n\t"
      "vldmia %[x3]!, {s22}\n\t"
      OPSMITH_CHANNELS(OPSMITH_ONE)
      "3:\n\t"
      "vstmia %[sums], {s0-s15}"
      : [x0] "+r"(x), [x1] "+r"(x1), [x2] "+r"(x2), [x3] "+r"(x3), [w0] "+r"(weights),
        [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3), [count] "+r"(count)
      : [from] "r"(from), [sums] "r"(sums)
      : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",
        "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s28",
        "s29", "s30", "s31", "cc", "memory");
}
#undef OPSMITH_CHANNELS
#undef OPSMITH_ONE
#undef OPSMITH_TWO
#undef OPSMITH_COLUMN

// Adds products i of the four channels to their sums.
#define OPSMITH_ADD(i, w0, w1, w2, w3) \
  "vmul.f32 " w0 ", " w0 ", s" i       \
  "\n\t"                               \
  "vmul.f32 " w1 ", " w1 ", s" i       \
  "\n\t"                               \
  "vmul.f32 " w2 ", " w2 ", s" i       \
  "\n\t"                               \
  "vmul.f32 " w3 ", " w3 ", s" i       \
  "\n\t"                               \
  "vadd.f32 s0, s0, " w0               \
  "\n\t"                               \
  "vadd.f32 s1, s1, " w1               \
  "\n\t"                               \
  "vadd.f32 s2, s2, " w2               \
  "\n\t"                               \
  "vadd.f32 s3, s3, " w3 "\n\t"

// sums[j] = from[j] plus the products of `count` inputs of one row with those of weights of row j.
__attribute__((noinline)) inline void add_one_by_four(const float* x, const float* weights,
                                                      int32_t weight_step, int32_t count,
                                                      const float* from, float* sums) {
  const float *w1 = weights + weight_step, *w2 = w1 + weight_step, *w3 = w2 + weight_step;
  __asm volatile(
      "vldmia %[from], {s0-s3}\n\t"
      "subs %[count], #4\n\t"
      "blt 2f\n"
      "1:\n\t"
      "vldmia %[x]!, {s4-s7}\n\t"
      "vldmia %[w0]!, {s8-s11}\n\t"
      "vldmia %[w1]!, {s12-s15}\n\t"
      "vldmia %[w2]!, {s16-s19}\n\t"
      "vldmia %[w3]!, {s20-s23}\n\t"
      OPSMITH_ADD("4", "s8", "s12", "s16", "s20")
      OPSMITH_ADD("5", "s9", "s13", "s17", "s21")
      OPSMITH_ADD("6", "s10", "s14", "s18", "s22")
      OPSMITH_ADD("7", "s11", "s15", "s19", "s23")
      "subs %[count], #4\n\t"
      "bge 1b\n"
      "2:\n\t"
      "adds %[count], #4\n\t"
      "beq 4f\n"
      "3:\n\t"
      "vldmia %[x]!, {s4}\n\t"
      "vldmia %[w0]!, {s8}\n\t"
      "vldmia %[w1]!, {s12}\n\t"
      "vldmia %[w2]!, {s16}\n\t"
      "vldmia %[w3]!, {s20}\n\t"
      OPSMITH_ADD("4", "s8", "s12", "s16", "s20")
      "subs %[count], #1\n\t"
      "bne 3b\n"
      "4:\n\t"
      "vstmia %[sums], {s0-s3}"
      : [x] "+r"(x), [w0] "+r"(weights), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3),
        [count] "+r"(count)
      : [from] "r"(from), [sums] "r"(sums)
      : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",
        "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "cc", "memory");
}
#undef OPSMITH_ADD

// Calls f(first) for every four of N channels; the last ones may be computed again.
template <class F>
void for_each_four(int32_t channels, F f) {
  for (int32_t c = 0; c < channels; c += kRows) f(c + kRows > channels ? channels - kRows : c);
}

// Four channels of each of N rows of y, which are y_step apart; P has the bounds.
template <class P>
void put_outputs(const P& p, const float* sums, const float* bias, int32_t rows, float* y,
                 int32_t y_step) {
  for (int32_t j = 0; j < kRows; ++j) {
    for (int32_t i = 0; i < rows; ++i) {
      y[i * y_step + j] = real_clamp(*sums++ + bias[j], p.real_min, p.real_max);
    }
  }
}

// All channels of up to four rows of x, `depth` inputs each, by as long rows of weights.
template <class P>
void multiply_rows(const P& p, const float* x, int32_t rows, int32_t depth, const float* weights,
                   const float* bias, int32_t channels, float* y) {
  const int32_t together = rows == kRows ? kRows : 1;
  for_each_four(channels, [&](int32_t c) {
    const float* of_four = weights + c * depth;
    for (int32_t row = 0; row < rows; row += together) {
      float sums[kRows * kRows];
      if (together == 1) {
        add_one_by_four(x + row * depth, of_four, depth, depth, kZeros, sums);
      } else {
        add_four_by_four(x, depth, of_four, depth, depth, kZeros, sums);
      }
      put_outputs(p, sums, bias + c, together, y + row * channels + c, channels);
    }
  });
}

}  // namespace opsmith::fpu
