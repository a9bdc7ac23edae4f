// Channels of a pixel of y of a depthwise convolution of float32, for kernels that require `fpu`.
// Fast because what is found so far of eight channels stays in registers, and one instruction loads
// their inputs, another their weights.
//
// Each sum adds its products in their order, every one rounded before, and a bias at the end: as
// LiteRT's reference kernels do.
#pragma once

#include <stddef.h>

#include "runtimes/cmsis/fpu_rows.h"
#include "runtimes/families/tap_steps.h"

namespace opsmith::fpu {

constexpr int32_t kFilters = 8;  // that go together

// The taps of a window and where eight sums go; assembly knows the members by their offsets.
struct Filters {
  int32_t rows, columns;         // of taps that lie inside the image
  int32_t x_back, weights_back;  // bytes from the end of a row of taps to the next one
  const float* bias;
  float* y;
};
static_assert(offsetof(Filters, x_back) == 8 && offsetof(Filters, y) == 20);

#define OPSMITH_LINE(text) text "\n\t"
#define OPSMITH_EIGHT(f, x0, x1, x2, x3, x4, x5, x6, x7)                                         \
  f("s0", x0, "s16") f("s1", x1, "s17") f("s2", x2, "s18") f("s3", x3, "s19") f("s4", x4, "s20") \
      f("s5", x5, "s21") f("s6", x6, "s22") f("s7", x7, "s23")
#define OPSMITH_MULTIPLY(sum, x, w) OPSMITH_LINE("vmul.f32 " w ", " w ", " x)
#define OPSMITH_ADD(sum, x, w) OPSMITH_LINE("vadd.f32 " sum ", " sum ", " w)
#define OPSMITH_SUM(to, a, b) OPSMITH_LINE("vadd.f32 " to ", " a ", " b)

// All taps, of which each loads `inputs`; after them each input that a filter reads.
#define OPSMITH_TAPS(inputs, ...)                   \
  OPSMITH_LINE("vldmia %[d], {s0-s7}")              \
  OPSMITH_LINE("ldr %[rows], [%[t]]")               \
  OPSMITH_LINE("cmp %[rows], #0")                   \
  OPSMITH_LINE("beq 3f")                            \
  OPSMITH_LINE("1:")                                \
  OPSMITH_LINE("ldr %[columns], [%[t], #4]")        \
  OPSMITH_LINE("2:")                                \
  OPSMITH_LINE("vldmia %[x], {" inputs "}")         \
  OPSMITH_LINE("add %[x], %[x_step]")               \
  OPSMITH_LINE("vldmia %[w], {s16-s23}")            \
  OPSMITH_LINE("add %[w], %[w_step]")               \
  OPSMITH_EIGHT(OPSMITH_MULTIPLY, __VA_ARGS__)      \
  OPSMITH_EIGHT(OPSMITH_ADD, __VA_ARGS__)           \
  OPSMITH_LINE("subs %[columns], #1")               \
  OPSMITH_LINE("bne 2b")                            \
  OPSMITH_LINE("ldrd %[d], %[columns], [%[t], #8]") \
  OPSMITH_LINE("add %[x], %[d]")                    \
  OPSMITH_LINE("add %[w], %[columns]")              \
  OPSMITH_LINE("subs %[rows], #1")                  \
  OPSMITH_LINE("bne 1b")                            \
  OPSMITH_LINE("3:")
#define OPSMITH_OUTPUTS(inputs, ...)                 \
  OPSMITH_LINE("ldrd %[d], %[columns], [%[t], #16]") \
  OPSMITH_LINE("vldmia %[d], {s16-s23}")             \
  OPSMITH_EIGHT(OPSMITH_ADD, __VA_ARGS__)            \
  OPSMITH_SUM("s8", "s0", "s1")                      \
  OPSMITH_SUM("s9", "s2", "s3")                      \
  OPSMITH_SUM("s10", "s4", "s5")                     \
  OPSMITH_SUM("s11", "s6", "s7")                     \
  OPSMITH_SUM("s8", "s8", "s9")                      \
  OPSMITH_SUM("s10", "s10", "s11")                   \
  OPSMITH_SUM("s8", "s8", "s10")                     \
  OPSMITH_LINE("vsub.f32 s8, s8, s8")                \
  OPSMITH_LINE("vstmia %[columns], {s0-s7}")         \
  OPSMITH_LINE("vmov %[d], s8")

// Writes eight sums of products of x with weights, plus biases; 0 where all are finite.
#define OPSMITH_PUT_FILTERS(name, ...)                                                            \
  __attribute__((always_inline)) inline uintptr_t name(const Filters& t, const float* x,          \
                                                       int32_t x_step, const float* weights,      \
                                                       int32_t weight_step) {                     \
    uintptr_t d = reinterpret_cast<uintptr_t>(kZeros);                                            \
    int32_t rows, columns;                                                                        \
    __asm volatile(OPSMITH_TAPS(__VA_ARGS__) OPSMITH_OUTPUTS(__VA_ARGS__)                         \
                   : [x] "+r"(x), [w] "+r"(weights), [d] "+r"(d), [rows] "=&r"(rows),             \
                     [columns] "=&r"(columns)                                                     \
                   : [t] "r"(&t), [x_step] "r"(x_step), [w_step] "r"(weight_step)                 \
                   : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",    \
                     "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", \
                     "s23", "cc", "memory");                                                      \
    return d;                                                                                     \
  }
OPSMITH_PUT_FILTERS(put_filters, "s8-s15", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15")
OPSMITH_PUT_FILTERS(put_pairs, "s8-s11", "s8", "s8", "s9", "s9", "s10", "s10", "s11", "s11")
#undef OPSMITH_PUT_FILTERS
#undef OPSMITH_OUTPUTS
#undef OPSMITH_TAPS
#undef OPSMITH_SUM
#undef OPSMITH_ADD
#undef OPSMITH_MULTIPLY
#undef OPSMITH_EIGHT
#undef OPSMITH_LINE

// All channels of a pixel of y, of which one or two read a channel of x, within the bounds; the
// last ones may be computed again.
template <int32_t kOfChannel>
__attribute__((noinline)) void put_pixel(const WindowTaps& w, const float* x, const float* weights,
                                         const float* bias, const Bounds& bounds, int32_t channels,
                                         float* y) {
  const bool are_widest = bounds.are_widest(), are_positive = bounds.are_positive();
  const int32_t x_step = w.x_bytes(), weight_step = w.weight_bytes();
  Filters t = {w.is_empty() ? 0 : w.rows, w.columns, w.x_back(), w.weights_back(), bias, y};
  for (int32_t left = channels; left > 0; left -= kFilters) {
    if (__builtin_expect(left < kFilters, 0)) {
      const int32_t back = kFilters - left;
      x -= back / kOfChannel, weights -= back, t.bias -= back, t.y -= back;
    }
    const uintptr_t check = kOfChannel == 1 ? put_filters(t, x, x_step, weights, weight_step)
                                            : put_pairs(t, x, x_step, weights, weight_step);
    if (check || !(are_widest || are_positive)) {
      clamp_fours(t.y, bounds, kFilters / kRows);
    } else if (are_positive) {
      rectify_four(t.y, bounds.high);
      rectify_four(t.y + kRows, bounds.high);
    }
    x += kFilters / kOfChannel, weights += kFilters, t.bias += kFilters, t.y += kFilters;
  }
}

}  // namespace opsmith::fpu
