// Windows of neighbouring channels of float32, tap by tap, for kernels that require `mve_float`.
// Fast because one instruction loads, multiplies or adds those of four channels, and what is found
// so far stays in registers. Vectors take subnormal numbers for zeros: mve_real_rows.h.
#pragma once

#include <arm_mve.h>

#include "runtimes/cmsis/mve_real_rows.h"
#include "runtimes/families/tap_steps.h"

namespace opsmith::mve::real {

constexpr int32_t kMostChannels = 4 * kLanes;  // that go together

// How many of the channels that are left go together: sixteen, or up to four.
constexpr int32_t together(int32_t left) {
  return left >= kMostChannels ? kMostChannels : left < kLanes ? left : kLanes;
}

// Goes through taps: `take` is done with each, and `next` after a row.
#define OPSMITH_WALK(take, next) \
  "cmp %[rows], #0\n\t"          \
  "beq 3f\n"                     \
  "1:\n\t"                       \
  "dls lr, %[columns]\n"         \
  "2:\n\t" take                  \
  "le lr, 2b\n\t"                \
  "add %[x], %[x_back]\n\t" next \
  "subs %[rows], #1\n\t"         \
  "bne 1b\n"                     \
  "3:\n\t"
// `take` joins each tap, which `load` loads, to what was found in those before, from `begin` to
// `end`.
#define OPSMITH_TAPS(begin, load, take, end)                                                      \
  int32_t rows = t.is_empty() ? 0 : t.rows;                                                       \
  __asm volatile(".arch_extension mve.fp\n\t" begin OPSMITH_WALK(load take, "") end               \
                 : [x] "+r"(x), [rows] "+r"(rows)                                                 \
                 : [channels] "r"(channels), [columns] "r"(t.columns), [x_step] "r"(t.x_bytes()), \
                   [x_back] "r"(t.x_back()), [start] "r"(start), [found] "r"(found)               \
                 : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "p0", "lr", "cc", "memory")
#define OPSMITH_BEGIN_FOUR      \
  "vldrw.32 q0, [%[start]]\n\t" \
  "vctp.32 %[channels]\n\t"
#define OPSMITH_END_FOUR "vstrw.32 q0, [%[found]]"
#define OPSMITH_BEGIN_SIXTEEN        \
  "vldrw.32 q0, [%[start]]\n\t"      \
  "vldrw.32 q1, [%[start], #16]\n\t" \
  "vldrw.32 q2, [%[start], #32]\n\t" \
  "vldrw.32 q3, [%[start], #48]\n\t"
#define OPSMITH_END_SIXTEEN          \
  "vstrw.32 q0, [%[found]]\n\t"      \
  "vstrw.32 q1, [%[found], #16]\n\t" \
  "vstrw.32 q2, [%[found], #32]\n\t" \
  "vstrw.32 q3, [%[found], #48]"
#define OPSMITH_LOAD_FOUR     \
  "vpst\n\t"                  \
  "vldrwt.u32 q4, [%[x]]\n\t" \
  "add %[x], %[x_step]\n\t"
#define OPSMITH_LOAD_SIXTEEN     \
  "vldrw.32 q4, [%[x]]\n\t"      \
  "vldrw.32 q5, [%[x], #16]\n\t" \
  "vldrw.32 q6, [%[x], #32]\n\t" \
  "vldrw.32 q7, [%[x], #48]\n\t" \
  "add %[x], %[x_step]\n\t"
#define OPSMITH_ADD(found, x) "vadd.f32 " found ", " found ", " x "\n\t"
#define OPSMITH_LARGER(found, x) \
  "vpt.f32 gt, " x ", " found    \
  "\n\t"                         \
  "vorrt " found ", " x ", " x "\n\t"
#define OPSMITH_SIXTEEN(take) take("q0", "q4") take("q1", "q5") take("q2", "q6") take("q3", "q7")
// The sums of x.
__attribute__((noinline)) inline void added_taps(const WindowTaps& t, const float* x,
                                                 int32_t channels, float* found) {
  const float* start = kZeros;
  if (channels == kMostChannels) {
    OPSMITH_TAPS(OPSMITH_BEGIN_SIXTEEN, OPSMITH_LOAD_SIXTEEN, OPSMITH_SIXTEEN(OPSMITH_ADD),
                 OPSMITH_END_SIXTEEN);
  } else {
    OPSMITH_TAPS(OPSMITH_BEGIN_FOUR, OPSMITH_LOAD_FOUR, OPSMITH_ADD("q0", "q4"), OPSMITH_END_FOUR);
  }
}

// The largest of `found` and x; a NaN in x never is, by GT.
__attribute__((noinline)) inline void larger_taps(const WindowTaps& t, const float* x,
                                                  int32_t channels, float* found) {
  const float* start = found;
  if (channels == kMostChannels) {
    OPSMITH_TAPS(OPSMITH_BEGIN_SIXTEEN, OPSMITH_LOAD_SIXTEEN, OPSMITH_SIXTEEN(OPSMITH_LARGER),
                 OPSMITH_END_SIXTEEN);
  } else {
    OPSMITH_TAPS("vldrw.32 q0, [%[start]]\n\t", "vctp.32 %[channels]\n\t" OPSMITH_LOAD_FOUR,
                 OPSMITH_LARGER("q0", "q4"), OPSMITH_END_FOUR);
  }
}
#undef OPSMITH_SIXTEEN
#undef OPSMITH_LARGER
#undef OPSMITH_ADD
#undef OPSMITH_LOAD_SIXTEEN
#undef OPSMITH_LOAD_FOUR
#undef OPSMITH_END_SIXTEEN
#undef OPSMITH_BEGIN_SIXTEEN
#undef OPSMITH_END_FOUR
#undef OPSMITH_BEGIN_FOUR
#undef OPSMITH_TAPS

// What outputs are clamped to.
struct Bounds {
  float low, high;
};

// Loads and products take two cycles each, so they alternate.
#define OPSMITH_PRODUCTS(offset, between)                                       \
  "vldrw.32 q4, [%[x], #" offset "]\n\t" between "vldrw.32 q5, [%[w], #" offset \
  "]\n\t"                                                                       \
  "vmul.f32 q6, q4, q5\n\t"
#define OPSMITH_ADD(sums, x) "vadd.f32 " sums ", " sums ", " x "\n\t"
#define OPSMITH_BIAS(sums, offset) "vldrw.32 q5, [%[bias], #" offset "]\n\t" OPSMITH_ADD(sums, "q5")
// NaN and the sign of zero stay as they are.
#define OPSMITH_CLAMP(sums) \
  "vpt.f32 gt, q4, " sums   \
  "\n\t"                    \
  "vmovt " sums             \
  ", q4\n\t"                \
  "vpt.f32 gt, " sums       \
  ", q5\n\t"                \
  "vmovt " sums ", q5\n\t"
#define OPSMITH_OUTPUTS(begin, take, add_bias, clamp, store)                                 \
  int32_t rows = t.is_empty() ? 0 : t.rows;                                                  \
  weights -= t.weight_step;                                                                  \
  __asm volatile(                                                                            \
      ".arch_extension mve.fp\n\t" begin OPSMITH_WALK(take "add %[x], %[x_step]\n\t",        \
                                                      "add %[w], %[w_back]\n\t") add_bias    \
      "ldr %[rows], [%[bounds]]\n\t"                                                         \
      "vdup.32 q4, %[rows]\n\t"                                                              \
      "ldr %[rows], [%[bounds], #4]\n\t"                                                     \
      "vdup.32 q5, %[rows]\n\t" clamp                                                        \
      "vmrs %[rows], fpscr\n\t"                                                              \
      "ands %[rows], %[rows], #0x88\n\t"                                                     \
      "bne 4f\n\t" store "4:"                                                                \
      : [x] "+r"(x), [w] "+r"(weights), [rows] "+r"(rows)                                    \
      : [columns] "r"(t.columns), [x_step] "r"(t.x_bytes()), [w_step] "r"(t.weight_bytes()), \
        [x_back] "r"(t.x_back()), [w_back] "r"(t.weights_back()), [bias] "r"(bias),          \
        [bounds] "r"(&bounds), [y] "r"(y), [some] "r"(some)                                  \
      : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "p0", "lr", "cc", "memory");               \
  return rows == 0

// y of N channels, sixteen or up to four: the sums of x times weights, every product rounded before
// it is added as LiteRT's reference kernel does, plus biases, within bounds. Returns whether y is
// written: it is not where vectors met subnormal numbers.
__attribute__((noinline)) inline bool put_products(const WindowTaps& t, const float* x,
                                                   const float* weights, int32_t channels,
                                                   const float* bias, const Bounds& bounds,
                                                   float* y) {
  const uint32_t some = vctp32q(static_cast<uint32_t>(channels));
  if (channels == kMostChannels) {
    OPSMITH_OUTPUTS(
        "vmov.i32 q0, #0\n\t"
        "vmov.i32 q1, #0\n\t"
        "vmov.i32 q2, #0\n\t"
        "vmov.i32 q3, #0\n\t",
        OPSMITH_PRODUCTS("0", "add %[w], %[w_step]\n\t") OPSMITH_PRODUCTS(
            "16", OPSMITH_ADD("q0", "q6")) OPSMITH_PRODUCTS("32", OPSMITH_ADD("q1", "q6"))
            OPSMITH_PRODUCTS("48", OPSMITH_ADD("q2", "q6")) OPSMITH_ADD("q3", "q6"),
        OPSMITH_BIAS("q0", "0") OPSMITH_BIAS("q1", "16") OPSMITH_BIAS("q2", "32")
            OPSMITH_BIAS("q3", "48"),
        OPSMITH_CLAMP("q0") OPSMITH_CLAMP("q1") OPSMITH_CLAMP("q2") OPSMITH_CLAMP("q3"),
        "vstrw.32 q0, [%[y]]\n\t"
        "vstrw.32 q1, [%[y], #16]\n\t"
        "vstrw.32 q2, [%[y], #32]\n\t"
        "vstrw.32 q3, [%[y], #48]\n");
  }
  OPSMITH_OUTPUTS(
      "vmov.i32 q0, #0\n\t"
      "vmsr p0, %[some]\n\t",
      "add %[w], %[w_step]\n\t"
      "vpstt\n\t"
      "vldrwt.u32 q4, [%[x]]\n\t"
      "vldrwt.u32 q5, [%[w]]\n\t"
      "vmul.f32 q6, q4, q5\n\t" OPSMITH_ADD("q0", "q6"),
      "vpst\n\t"
      "vldrwt.u32 q5, [%[bias]]\n\t" OPSMITH_ADD("q0", "q5"),
      OPSMITH_CLAMP("q0"),
      "vmsr p0, %[some]\n\t"
      "vpst\n\t"
      "vstrwt.32 q0, [%[y]]\n");
}
#undef OPSMITH_OUTPUTS
#undef OPSMITH_CLAMP
#undef OPSMITH_BIAS
#undef OPSMITH_ADD
#undef OPSMITH_PRODUCTS
#undef OPSMITH_WALK

}  // namespace opsmith::mve::real
