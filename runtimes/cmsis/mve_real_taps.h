// Windows of neighbouring channels of float32, tap by tap, for kernels that require `mve_float`.
// Fast because one instruction loads, multiplies or adds those of four channels, and what is found
// so far stays in registers. Vectors take subnormal numbers for zeros: mve_real_rows.h.
#pragma once

#include "runtimes/cmsis/mve_real_rows.h"
#include "runtimes/families/tap_steps.h"

namespace opsmith::mve::real {

constexpr int32_t kMostChannels = 4 * kLanes;  // that go together

// How many of the channels that are left go together: sixteen, or up to four.
constexpr int32_t together(int32_t left) {
  return left >= kMostChannels ? kMostChannels : left < kLanes ? left : kLanes;
}

// Goes through taps: `take` joins each, which `load` loads, to what was found in those before, from
// `begin` to `end`. `next` is for weights after a row.
#define OPSMITH_TAPS(begin, load, take, next, end)                                                \
  int32_t rows = t.is_empty() ? 0 : t.rows;                                                       \
  __asm volatile(".arch_extension mve.fp\n\t" begin                                               \
                 "cmp %[rows], #0\n\t"                                                            \
                 "beq 3f\n"                                                                       \
                 "1:\n\t"                                                                         \
                 "dls lr, %[columns]\n"                                                           \
                 "2:\n\t" load take                                                               \
                 "le lr, 2b\n\t"                                                                  \
                 "add %[x], %[x_back]\n\t" next                                                   \
                 "subs %[rows], #1\n\t"                                                           \
                 "bne 1b\n"                                                                       \
                 "3:\n\t" end                                                                     \
                 : [x] "+r"(x), [w] "+r"(weights), [rows] "+r"(rows)                              \
                 : [channels] "r"(channels), [columns] "r"(t.columns), [x_step] "r"(t.x_bytes()), \
                   [w_step] "r"(t.weight_bytes()), [x_back] "r"(t.x_back()),                      \
                   [w_back] "r"(t.weights_back()), [start] "r"(start), [found] "r"(found)         \
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
#define OPSMITH_PRODUCTS(offset, offset_after, sums, sums_after) \
  "vldrw.32 q4, [%[x], #" offset                                 \
  "]\n\t"                                                        \
  "vldrw.32 q5, [%[w], #" offset                                 \
  "]\n\t"                                                        \
  "vldrw.32 q6, [%[x], #" offset_after                           \
  "]\n\t"                                                        \
  "vldrw.32 q7, [%[w], #" offset_after                           \
  "]\n\t"                                                        \
  "vmul.f32 q4, q4, q5\n\t"                                      \
  "vmul.f32 q6, q6, q7\n\t" OPSMITH_ADD(sums, "q4") OPSMITH_ADD(sums_after, "q6")

// The sums of x times weights of N channels, sixteen or up to four, every product rounded
// before it is added: as LiteRT's reference kernel does. Without taps they are zeros.
__attribute__((noinline)) inline void multiplied_taps(const WindowTaps& t, const float* x,
                                                      const float* weights, int32_t channels,
                                                      float* found) {
  const float* start = kZeros;
  if (channels == kMostChannels) {
    OPSMITH_TAPS(OPSMITH_BEGIN_SIXTEEN,
                 OPSMITH_PRODUCTS("0", "16", "q0", "q1") OPSMITH_PRODUCTS("32", "48", "q2", "q3"),
                 "add %[x], %[x_step]\n\t"
                 "add %[w], %[w_step]\n\t",
                 "add %[w], %[w_back]\n\t", OPSMITH_END_SIXTEEN);
  } else {
    OPSMITH_TAPS(OPSMITH_BEGIN_FOUR,
                 "vpstt\n\t"
                 "vldrwt.u32 q4, [%[x]]\n\t"
                 "vldrwt.u32 q5, [%[w]]\n\t"
                 "add %[x], %[x_step]\n\t"
                 "add %[w], %[w_step]\n\t",
                 "vmul.f32 q4, q4, q5\n\t" OPSMITH_ADD("q0", "q4"), "add %[w], %[w_back]\n\t",
                 OPSMITH_END_FOUR);
  }
}

// The sums of x.
__attribute__((noinline)) inline void added_taps(const WindowTaps& t, const float* x,
                                                 int32_t channels, float* found) {
  const float *start = kZeros, *weights = nullptr;
  if (channels == kMostChannels) {
    OPSMITH_TAPS(OPSMITH_BEGIN_SIXTEEN, OPSMITH_LOAD_SIXTEEN, OPSMITH_SIXTEEN(OPSMITH_ADD), "",
                 OPSMITH_END_SIXTEEN);
  } else {
    OPSMITH_TAPS(OPSMITH_BEGIN_FOUR, OPSMITH_LOAD_FOUR, OPSMITH_ADD("q0", "q4"), "",
                 OPSMITH_END_FOUR);
  }
}

// The largest of `found` and x; a NaN in x never is, by GT.
__attribute__((noinline)) inline void larger_taps(const WindowTaps& t, const float* x,
                                                  int32_t channels, float* found) {
  const float *start = found, *weights = nullptr;
  if (channels == kMostChannels) {
    OPSMITH_TAPS(OPSMITH_BEGIN_SIXTEEN, OPSMITH_LOAD_SIXTEEN, OPSMITH_SIXTEEN(OPSMITH_LARGER), "",
                 OPSMITH_END_SIXTEEN);
  } else {
    OPSMITH_TAPS("vldrw.32 q0, [%[start]]\n\t", "vctp.32 %[channels]\n\t" OPSMITH_LOAD_FOUR,
                 OPSMITH_LARGER("q0", "q4"), "", OPSMITH_END_FOUR);
  }
}
#undef OPSMITH_PRODUCTS
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

// Sums plus biases within bounds; NaN and the sign of zero stay as they are.
inline void clamp_channels(float* sums, int32_t channels, const float* bias, float low,
                           float high) {
  __asm volatile(
      ".arch_extension mve.fp\n\t"
      "vdup.32 q2, %[low]\n\t"
      "dlstp.32 lr, %[channels]\n"
      "1:\n\t"
      "vldrw.u32 q0, [%[sums]]\n\t"
      "vldrw.u32 q1, [%[bias]], #16\n\t"
      "vadd.f32 q0, q0, q1\n\t"
      "vpt.f32 gt, q2, q0\n\t"
      "vmovt q0, q2\n\t"
      "vpt.f32 gt, q0, %[high]\n\t"
      "vdupt.32 q0, %[high]\n\t"
      "vstrw.32 q0, [%[sums]], #16\n\t"
      "letp lr, 1b"
      : [sums] "+r"(sums), [bias] "+r"(bias)
      : [channels] "r"(channels), [low] "r"(low), [high] "r"(high)
      : "q0", "q1", "q2", "p0", "lr", "cc", "memory");
}

inline void put_channels(const float* found, int32_t channels, float* y) {
  __asm volatile(
      "dlstp.32 lr, %[channels]\n"
      "1:\n\t"
      "vldrw.u32 q0, [%[found]], #16\n\t"
      "vstrw.32 q0, [%[y]], #16\n\t"
      "letp lr, 1b"
      : [found] "+r"(found), [y] "+r"(y)
      : [channels] "r"(channels)
      : "q0", "lr", "cc", "memory");
}

}  // namespace opsmith::mve::real
