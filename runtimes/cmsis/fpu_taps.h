// Windows of eight neighbouring channels of float32, tap by tap, for kernels that require `fpu`.
// Fast because what is found so far stays in registers, and one instruction loads eight channels.
#pragma once

#include "runtimes/cmsis/fpu_rows.h"
#include "runtimes/families/tap_steps.h"

namespace opsmith::fpu {

constexpr int32_t kChannels = 8;

// Goes through taps: `take` joins s8 to s15, a tap of x, to s0 to s7, which begin as `start` is and
// end in `found`.
#define OPSMITH_TAPS(take)                                                                         \
  int32_t rows = t.is_empty() ? 0 : t.rows, columns;                                               \
  __asm volatile(                                                                                  \
      "vldmia %[start], {s0-s7}\n\t"                                                               \
      "cmp %[rows], #0\n\t"                                                                        \
      "beq 3f\n"                                                                                   \
      "1:\n\t"                                                                                     \
      "mov %[columns], %[width]\n"                                                                 \
      "2:\n\t"                                                                                     \
      "vldmia %[x], {s8-s15}\n\t"                                                                  \
      "add %[x], %[x_step]\n\t" take                                                               \
      "subs %[columns], #1\n\t"                                                                    \
      "bne 2b\n\t"                                                                                 \
      "add %[x], %[x_back]\n\t"                                                                    \
      "subs %[rows], #1\n\t"                                                                       \
      "bne 1b\n"                                                                                   \
      "3:\n\t"                                                                                     \
      "vstmia %[found], {s0-s7}"                                                                   \
      : [x] "+r"(x), [rows] "+r"(rows), [columns] "=&r"(columns)                                   \
      : [found] "r"(found), [start] "r"(start), [width] "r"(t.columns), [x_step] "r"(t.x_bytes()), \
        [x_back] "r"(t.x_back())                                                                   \
      : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",    \
        "s14", "s15", "cc", "memory")
#define OPSMITH_EIGHT(each)                                                               \
  each("s0", "s8") each("s1", "s9") each("s2", "s10") each("s3", "s11") each("s4", "s12") \
      each("s5", "s13") each("s6", "s14") each("s7", "s15")
#define OPSMITH_ADD(found, x) "vadd.f32 " found ", " found ", " x "\n\t"
#define OPSMITH_LARGER(found, x) \
  "vcmp.f32 " found ", " x       \
  "\n\t"                         \
  "vmrs APSR_nzcv, fpscr\n\t"    \
  "it mi\n\t"                    \
  "vmovmi.f32 " found ", " x "\n\t"

// The sums of x.
__attribute__((noinline)) inline void added_taps(const WindowTaps& t, const float* x,
                                                 float* found) {
  const float* start = kZeros;
  OPSMITH_TAPS(OPSMITH_EIGHT(OPSMITH_ADD));
}

// The largest of `found` and x; a NaN in x never is.
__attribute__((noinline)) inline void larger_taps(const WindowTaps& t, const float* x,
                                                  float* found) {
  const float* start = found;
  OPSMITH_TAPS(OPSMITH_EIGHT(OPSMITH_LARGER));
}
#undef OPSMITH_LARGER
#undef OPSMITH_ADD
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
