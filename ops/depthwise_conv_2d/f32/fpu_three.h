// Needs an FPU and the DSP extension. Fast because sums of three neighbours in a row of y, four
// channels each, stay in registers with the weights of a row of the filter, so that an element of x
// is loaded once for it.
#pragma once

#include "ops/depthwise_conv_2d/f32/fpu_strips.h"

namespace opsmith::depthwise_conv_2d::f32 {

#define OPSMITH_LINE(text) text "\n\t"
#define OPSMITH_TAP(s0, s1, s2, s3, w0, w1, w2, w3) \
  OPSMITH_LINE("vmul.f32 s12, s28, " w0)            \
  OPSMITH_LINE("vmul.f32 s13, s29, " w1)            \
  OPSMITH_LINE("vmul.f32 s14, s30, " w2)            \
  OPSMITH_LINE("vmul.f32 s15, s31, " w3)            \
  OPSMITH_LINE("vadd.f32 " s0 ", " s0 ", s12")      \
  OPSMITH_LINE("vadd.f32 " s1 ", " s1 ", s13")      \
  OPSMITH_LINE("vadd.f32 " s2 ", " s2 ", s14")      \
  OPSMITH_LINE("vadd.f32 " s3 ", " s3 ", s15")
#define OPSMITH_SUMS_0 "s0", "s1", "s2", "s3"
#define OPSMITH_SUMS_1 "s4", "s5", "s6", "s7"
#define OPSMITH_SUMS_2 "s8", "s9", "s10", "s11"
#define OPSMITH_WEIGHTS_0 "s16", "s17", "s18", "s19"
#define OPSMITH_WEIGHTS_1 "s20", "s21", "s22", "s23"
#define OPSMITH_WEIGHTS_2 "s24", "s25", "s26", "s27"
#define OPSMITH_CALL(f, ...) f(__VA_ARGS__)
// Products of the column of x with a weight, for pixel N of the strip.
#define OPSMITH_MEET(pixel, weight) \
  OPSMITH_CALL(OPSMITH_TAP, OPSMITH_SUMS_##pixel, OPSMITH_WEIGHTS_##weight)
#define OPSMITH_LOAD() OPSMITH_LINE("vldmia %[x], {s28-s31}")
#define OPSMITH_STEP() OPSMITH_LINE("add %[x], %[pixel]")
// Ends the row where x has N columns.
#define OPSMITH_END(columns)                \
  OPSMITH_LINE("cmp %[columns], #" columns) \
  OPSMITH_LINE("beq 3f")                    \
  OPSMITH_STEP()                            \
  OPSMITH_LOAD()
#define OPSMITH_STRIDE_1() \
  OPSMITH_LOAD()           \
  OPSMITH_MEET(0, 1)       \
  OPSMITH_MEET(1, 0)       \
  OPSMITH_END("2")         \
  OPSMITH_MEET(0, 2)       \
  OPSMITH_MEET(1, 1)       \
  OPSMITH_MEET(2, 0)       \
  OPSMITH_END("3")         \
  OPSMITH_MEET(1, 2)       \
  OPSMITH_MEET(2, 1)       \
  OPSMITH_END("4")         \
  OPSMITH_MEET(2, 2)
#define OPSMITH_STRIDE_2() \
  OPSMITH_LOAD()           \
  OPSMITH_MEET(0, 1)       \
  OPSMITH_END("2")         \
  OPSMITH_MEET(0, 2)       \
  OPSMITH_MEET(1, 0)       \
  OPSMITH_END("3")         \
  OPSMITH_MEET(1, 1)       \
  OPSMITH_END("4")         \
  OPSMITH_MEET(1, 2)       \
  OPSMITH_MEET(2, 0)       \
  OPSMITH_END("5")         \
  OPSMITH_MEET(2, 1)       \
  OPSMITH_END("6")         \
  OPSMITH_MEET(2, 2)
#define OPSMITH_WEIGHTS(registers)             \
  OPSMITH_LINE("vldmia %[w], {" registers "}") \
  OPSMITH_LINE("add %[w], %[pixel]")
#define OPSMITH_BIAS(s0, s1, s2, s3)           \
  OPSMITH_LINE("vadd.f32 " s0 ", " s0 ", s16") \
  OPSMITH_LINE("vadd.f32 " s1 ", " s1 ", s17") \
  OPSMITH_LINE("vadd.f32 " s2 ", " s2 ", s18") \
  OPSMITH_LINE("vadd.f32 " s3 ", " s3 ", s19")
#define OPSMITH_SUM(to, a, b) OPSMITH_LINE("vadd.f32 " to ", " a ", " b)
// A positive float is the larger the larger its bits are; a negative one becomes zero.
#define OPSMITH_CLAMPED(sum, to)                \
  OPSMITH_LINE("vmov %[x], " sum)               \
  OPSMITH_LINE("bic %[x], %[x], %[x], asr #31") \
  OPSMITH_LINE("qadd %[x], %[x], %[columns]")   \
  OPSMITH_LINE("sub %[x], %[columns]")          \
  OPSMITH_LINE("str %[x], [%[w], #" to "]")
#define OPSMITH_PUT_CLAMPED(s0, s1, s2, s3) \
  OPSMITH_CLAMPED(s0, "0")                  \
  OPSMITH_CLAMPED(s1, "4")                  \
  OPSMITH_CLAMPED(s2, "8")                  \
  OPSMITH_CLAMPED(s3, "12")
#define OPSMITH_NEXT()               \
  OPSMITH_LINE("add %[w], %[pixel]") \
  OPSMITH_LINE("subs %[left], #1")   \
  OPSMITH_LINE("beq 6f")

// Begins and ends a row of the filter that lies inside the image.
#define OPSMITH_BEGIN()                     \
  OPSMITH_LINE("vldmia %[check], {s0-s11}") \
  OPSMITH_LINE("cmp %[rows], #0")           \
  OPSMITH_LINE("ble 4f")                    \
  OPSMITH_LINE("1:")                        \
  OPSMITH_WEIGHTS("s16-s19")                \
  OPSMITH_WEIGHTS("s20-s23")                \
  OPSMITH_WEIGHTS("s24-s27")                \
  OPSMITH_LINE("cmp %[left], #0")           \
  OPSMITH_LINE("bne 2f")                    \
  OPSMITH_LOAD()                            \
  OPSMITH_MEET(0, 0)                        \
  OPSMITH_STEP()                            \
  OPSMITH_LINE("2:")
#define OPSMITH_REPEAT()              \
  OPSMITH_LINE("3:")                  \
  OPSMITH_LINE("add %[x], %[x_back]") \
  OPSMITH_LINE("subs %[rows], #1")    \
  OPSMITH_LINE("bne 1b")              \
  OPSMITH_LINE("4:")
// Adds the biases; `check` is the difference of the sum of all outputs from itself.
#define OPSMITH_BIASES()                      \
  OPSMITH_LINE("ldr %[x], [%[t], #28]")       \
  OPSMITH_LINE("ldr %[w], [%[t], #32]")       \
  OPSMITH_LINE("ldr %[columns], [%[t], #20]") \
  OPSMITH_LINE("ldr %[left], [%[t], #24]")    \
  OPSMITH_LINE("vldmia %[x], {s16-s19}")      \
  OPSMITH_CALL(OPSMITH_BIAS, OPSMITH_SUMS_0)  \
  OPSMITH_CALL(OPSMITH_BIAS, OPSMITH_SUMS_1)  \
  OPSMITH_CALL(OPSMITH_BIAS, OPSMITH_SUMS_2)  \
  OPSMITH_SUM("s12", "s0", "s1")              \
  OPSMITH_SUM("s13", "s2", "s3")              \
  OPSMITH_SUM("s14", "s4", "s5")              \
  OPSMITH_SUM("s15", "s6", "s7")              \
  OPSMITH_SUM("s16", "s8", "s9")              \
  OPSMITH_SUM("s17", "s10", "s11")            \
  OPSMITH_SUM("s12", "s12", "s13")            \
  OPSMITH_SUM("s14", "s14", "s15")            \
  OPSMITH_SUM("s16", "s16", "s17")            \
  OPSMITH_SUM("s12", "s12", "s14")            \
  OPSMITH_SUM("s12", "s12", "s16")            \
  OPSMITH_LINE("vsub.f32 s12, s12, s12")      \
  OPSMITH_LINE("vmov %[check], s12")
// Writes the pixels: clamped where there is headroom and all outputs are finite.
#define OPSMITH_PIXELS()                            \
  OPSMITH_LINE("cmp %[columns], #0")                \
  OPSMITH_LINE("beq 5f")                            \
  OPSMITH_LINE("cmp %[check], #0")                  \
  OPSMITH_LINE("bne 5f")                            \
  OPSMITH_CALL(OPSMITH_PUT_CLAMPED, OPSMITH_SUMS_0) \
  OPSMITH_NEXT()                                    \
  OPSMITH_CALL(OPSMITH_PUT_CLAMPED, OPSMITH_SUMS_1) \
  OPSMITH_NEXT()                                    \
  OPSMITH_CALL(OPSMITH_PUT_CLAMPED, OPSMITH_SUMS_2) \
  OPSMITH_LINE("b 6f")                              \
  OPSMITH_LINE("5:")                                \
  OPSMITH_LINE("vstmia %[w], {s0-s3}")              \
  OPSMITH_NEXT()                                    \
  OPSMITH_LINE("vstmia %[w], {s4-s7}")              \
  OPSMITH_NEXT()                                    \
  OPSMITH_LINE("vstmia %[w], {s8-s11}")             \
  OPSMITH_LINE("6:")

// Writes four sums of products of x with weights, plus biases, for each pixel; not 0 where one of
// them may be infinite or NaN. Else they are clamped as the headroom says.
#define OPSMITH_STRIP(columns_of_row)                                                              \
  int32_t rows = strip.rows, columns = strip.columns, left = strip.is_left;                        \
  uintptr_t check = reinterpret_cast<uintptr_t>(fpu::kZeros);                                      \
  __asm volatile(OPSMITH_BEGIN() columns_of_row() OPSMITH_REPEAT() OPSMITH_BIASES()                \
                     OPSMITH_PIXELS()                                                              \
                 : [x] "+r"(x), [w] "+r"(weights), [rows] "+r"(rows), [columns] "+r"(columns),     \
                   [left] "+r"(left), [check] "+r"(check)                                          \
                 : [x_back] "r"(strip.x_back), [pixel] "r"(strip.pixel), [t] "r"(&strip)           \
                 : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",       \
                   "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22",    \
                   "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31", "cc", "memory"); \
  return check

template <int32_t kStride>
__attribute__((always_inline)) inline uintptr_t put_strip(const Strip& strip, const float* x,
                                                          const float* weights) {
  if constexpr (kStride == 1) {
    OPSMITH_STRIP(OPSMITH_STRIDE_1);
  } else {
    OPSMITH_STRIP(OPSMITH_STRIDE_2);
  }
}
#undef OPSMITH_STRIP
#undef OPSMITH_PIXELS
#undef OPSMITH_BIASES
#undef OPSMITH_REPEAT
#undef OPSMITH_BEGIN
#undef OPSMITH_NEXT
#undef OPSMITH_PUT_CLAMPED
#undef OPSMITH_CLAMPED
#undef OPSMITH_SUM
#undef OPSMITH_BIAS
#undef OPSMITH_WEIGHTS
#undef OPSMITH_STRIDE_2
#undef OPSMITH_STRIDE_1
#undef OPSMITH_END
#undef OPSMITH_STEP
#undef OPSMITH_LOAD
#undef OPSMITH_MEET
#undef OPSMITH_CALL
#undef OPSMITH_WEIGHTS_2
#undef OPSMITH_WEIGHTS_1
#undef OPSMITH_WEIGHTS_0
#undef OPSMITH_SUMS_2
#undef OPSMITH_SUMS_1
#undef OPSMITH_SUMS_0
#undef OPSMITH_TAP
#undef OPSMITH_LINE

template <class P>
void fpu_three(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  const fpu::Bounds bounds(p);
  const int32_t headroom = headroom_of(bounds), channels = p.input_channels;
  const bool is_clamped = headroom != 0 || bounds.are_widest();
  for_each_strip<kThree>(p, in.x, tables.bias, out.y, [&](Strip& strip, const float* x, int row) {
    const float* weights = tables.filter + row * kThree * channels;
    strip.headroom = headroom;
    for (int32_t left = channels; left > 0; left -= fpu::kRows) {
      const int32_t back = left < fpu::kRows ? fpu::kRows - left : 0;
      x -= back, weights -= back, strip.bias -= back, strip.y -= back;
      const uintptr_t check =
          p.stride_width == 1 ? put_strip<1>(strip, x, weights) : put_strip<2>(strip, x, weights);
      if (check != 0 || !is_clamped) clamp_strip(strip, bounds, fpu::kRows);
      x += fpu::kRows, weights += fpu::kRows, strip.bias += fpu::kRows, strip.y += fpu::kRows;
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d::f32
