// Windows of eight neighbouring channels of float32, tap by tap, for kernels that require `fpu`.
// Fast because what is found so far stays in registers, and one instruction loads eight channels.
#pragma once

#include "runtimes/cmsis/fpu_rows.h"
#include "runtimes/families/tap_steps.h"

namespace opsmith::fpu {

constexpr int32_t kChannels = 8;

// Goes through taps: `take` joins s8 to s15, a tap of x, to s0 to s7, which begin as `start` is and
// end in `found`. `load` and `next` are for weights, those of a tap and of a row.
#define OPSMITH_TAPS(load, take, next)                                                             \
  int32_t rows = t.is_empty() ? 0 : t.rows, columns;                                               \
  __asm volatile(                                                                                  \
      "vldmia %[start], {s0-s7}\n\t"                                                               \
      "cmp %[rows], #0\n\t"                                                                        \
      "beq 3f\n"                                                                                   \
      "1:\n\t"                                                                                     \
      "mov %[columns], %[width]\n"                                                                 \
      "2:\n\t"                                                                                     \
      "vldmia %[x], {s8-s15}\n\t"                                                                  \
      "add %[x], %[x_step]\n\t" load take                                                          \
      "subs %[columns], #1\n\t"                                                                    \
      "bne 2b\n\t"                                                                                 \
      "add %[x], %[x_back]\n\t" next                                                               \
      "subs %[rows], #1\n\t"                                                                       \
      "bne 1b\n"                                                                                   \
      "3:\n\t"                                                                                     \
      "vstmia %[found], {s0-s7}"                                                                   \
      : [x] "+r"(x), [w] "+r"(weights), [rows] "+r"(rows), [columns] "=&r"(columns)                \
      : [found] "r"(found), [start] "r"(start), [width] "r"(t.columns), [x_step] "r"(t.x_bytes()), \
        [w_step] "r"(t.weight_bytes()), [x_back] "r"(t.x_back()), [w_back] "r"(t.weights_back())   \
      : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",    \
        "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "cc", "memory")
#define OPSMITH_EIGHT(each)                                                      \
  each("s0", "s8", "s16") each("s1", "s9", "s17") each("s2", "s10", "s18")       \
      each("s3", "s11", "s19") each("s4", "s12", "s20") each("s5", "s13", "s21") \
          each("s6", "s14", "s22") each("s7", "s15", "s23")
#define OPSMITH_MULTIPLY(found, x, w) "vmul.f32 " x ", " x ", " w "\n\t"
#define OPSMITH_ADD(found, x, w) "vadd.f32 " found ", " found ", " x "\n\t"
#define OPSMITH_LARGER(found, x, w) \
  "vcmp.f32 " found ", " x          \
  "\n\t"                            \
  "vmrs APSR_nzcv, fpscr\n\t"       \
  "it mi\n\t"                       \
  "vmovmi.f32 " found ", " x "\n\t"

// The sums of x times weights, every product rounded before it is added: as LiteRT's reference
// kernel does. Without taps they are zeros.
__attribute__((noinline)) inline void multiplied_taps(const WindowTaps& t, const float* x,
                                                      const float* weights, float* found) {
  const float* start = kZeros;
  OPSMITH_TAPS(
      "vldmia %[w], {s16-s23}\n\t"
      "add %[w], %[w_step]\n\t",
      OPSMITH_EIGHT(OPSMITH_MULTIPLY) OPSMITH_EIGHT(OPSMITH_ADD), "add %[w], %[w_back]\n\t");
}

// The sums of x.
__attribute__((noinline)) inline void added_taps(const WindowTaps& t, const float* x,
                                                 float* found) {
  const float *start = kZeros, *weights = nullptr;
  OPSMITH_TAPS("", OPSMITH_EIGHT(OPSMITH_ADD), "");
}

// The largest of `found` and x; a NaN in x never is.
__attribute__((noinline)) inline void larger_taps(const WindowTaps& t, const float* x,
                                                  float* found) {
  const float *start = found, *weights = nullptr;
  OPSMITH_TAPS("", OPSMITH_EIGHT(OPSMITH_LARGER), "");
}
#undef OPSMITH_LARGER
#undef OPSMITH_ADD
#undef OPSMITH_MULTIPLY
#undef OPSMITH_EIGHT
#undef OPSMITH_TAPS

// Calls f(first) for every eight of N channels; the last ones may be computed again.
template <class F>
void for_each_eight(int32_t channels, F f) {
  for (int32_t c = 0; c < channels; c += kChannels) {
    f(c + kChannels > channels ? channels - kChannels : c);
  }
}

}  // namespace opsmith::fpu
