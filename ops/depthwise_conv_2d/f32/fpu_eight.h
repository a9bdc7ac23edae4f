// Needs an FPU and the DSP extension. Fast because sums of eight neighbours in a row of y, two
// channels each, stay in registers with the weights of a row of the filter, so that an element of x
// is loaded once for it.
#pragma once

#include "ops/depthwise_conv_2d/f32/fpu_strips.h"

namespace opsmith::depthwise_conv_2d::f32 {

inline constexpr int32_t kEight = 8;  // pixels of y that go together
inline constexpr int32_t kPair = 2;   // channels that go together

#define OPSMITH_LINE(text) text "\n\t"
// Products of two channels of a column of x with weights in front of, below and after a pixel.
#define OPSMITH_FIRST()                  \
  OPSMITH_LINE("vmul.f32 s24, s22, s16") \
  OPSMITH_LINE("vmul.f32 s25, s23, s17")
#define OPSMITH_SECOND()                 \
  OPSMITH_LINE("vmul.f32 s26, s22, s18") \
  OPSMITH_LINE("vmul.f32 s27, s23, s19")
#define OPSMITH_THIRD()                  \
  OPSMITH_LINE("vmul.f32 s28, s22, s20") \
  OPSMITH_LINE("vmul.f32 s29, s23, s21")
#define OPSMITH_ADD(sum, other, a, b)           \
  OPSMITH_LINE("vadd.f32 " sum ", " sum ", " a) \
  OPSMITH_LINE("vadd.f32 " other ", " other ", " b)
#define OPSMITH_ADD_FIRST(sum, other) OPSMITH_ADD(sum, other, "s24", "s25")
#define OPSMITH_ADD_SECOND(sum, other) OPSMITH_ADD(sum, other, "s26", "s27")
#define OPSMITH_ADD_THIRD(sum, other) OPSMITH_ADD(sum, other, "s28", "s29")
#define OPSMITH_LOAD() OPSMITH_LINE("vldmia %[x], {s22-s23}")
#define OPSMITH_COLUMN() OPSMITH_LINE("add %[x], %[pixel]") OPSMITH_LOAD()
// A column that three pixels meet.
#define OPSMITH_INNER(a, b, c, d, e, f) \
  OPSMITH_COLUMN()                      \
  OPSMITH_THIRD()                       \
  OPSMITH_SECOND()                      \
  OPSMITH_FIRST()                       \
  OPSMITH_ADD_THIRD(a, b)               \
  OPSMITH_ADD_SECOND(c, d)              \
  OPSMITH_ADD_FIRST(e, f)
#define OPSMITH_COLUMNS()                                 \
  OPSMITH_LOAD()                                          \
  OPSMITH_SECOND()                                        \
  OPSMITH_FIRST()                                         \
  OPSMITH_ADD_SECOND("s0", "s1")                          \
  OPSMITH_ADD_FIRST("s2", "s3")                           \
  OPSMITH_INNER("s0", "s1", "s2", "s3", "s4", "s5")       \
  OPSMITH_INNER("s2", "s3", "s4", "s5", "s6", "s7")       \
  OPSMITH_INNER("s4", "s5", "s6", "s7", "s8", "s9")       \
  OPSMITH_INNER("s6", "s7", "s8", "s9", "s10", "s11")     \
  OPSMITH_INNER("s8", "s9", "s10", "s11", "s12", "s13")   \
  OPSMITH_INNER("s10", "s11", "s12", "s13", "s14", "s15") \
  OPSMITH_COLUMN()                                        \
  OPSMITH_THIRD()                                         \
  OPSMITH_SECOND()                                        \
  OPSMITH_ADD_THIRD("s12", "s13")                         \
  OPSMITH_ADD_SECOND("s14", "s15")                        \
  OPSMITH_LINE("cmp %[columns], #9")                      \
  OPSMITH_LINE("beq 3f")                                  \
  OPSMITH_COLUMN()                                        \
  OPSMITH_THIRD()                                         \
  OPSMITH_ADD_THIRD("s14", "s15")
// Begins and ends a row of the filter that lies inside the image.
#define OPSMITH_BEGIN()                     \
  OPSMITH_LINE("vldmia %[check], {s0-s15}") \
  OPSMITH_LINE("cmp %[rows], #0")           \
  OPSMITH_LINE("ble 4f")                    \
  OPSMITH_LINE("1:")                        \
  OPSMITH_LINE("vldmia %[w]!, {s16-s21}")   \
  OPSMITH_LINE("cmp %[left], #0")           \
  OPSMITH_LINE("bne 2f")                    \
  OPSMITH_LOAD()                            \
  OPSMITH_FIRST()                           \
  OPSMITH_ADD_FIRST("s0", "s1")             \
  OPSMITH_LINE("add %[x], %[pixel]")        \
  OPSMITH_LINE("2:")
#define OPSMITH_REPEAT()              \
  OPSMITH_LINE("3:")                  \
  OPSMITH_LINE("add %[x], %[x_back]") \
  OPSMITH_LINE("subs %[rows], #1")    \
  OPSMITH_LINE("bne 1b")              \
  OPSMITH_LINE("4:")
#define OPSMITH_SUM(to, a, b) OPSMITH_LINE("vadd.f32 " to ", " a ", " b)
#define OPSMITH_BIAS(s0, s1) OPSMITH_ADD(s0, s1, "s16", "s17")
// Adds the biases; `check` is the difference of the sum of all outputs from itself.
#define OPSMITH_BIASES()                      \
  OPSMITH_LINE("ldr %[x], [%[t], #28]")       \
  OPSMITH_LINE("ldr %[w], [%[t], #32]")       \
  OPSMITH_LINE("ldr %[columns], [%[t], #20]") \
  OPSMITH_LINE("vldmia %[x], {s16-s17}")      \
  OPSMITH_BIAS("s0", "s1")                    \
  OPSMITH_BIAS("s2", "s3")                    \
  OPSMITH_BIAS("s4", "s5")                    \
  OPSMITH_BIAS("s6", "s7")                    \
  OPSMITH_BIAS("s8", "s9")                    \
  OPSMITH_BIAS("s10", "s11")                  \
  OPSMITH_BIAS("s12", "s13")                  \
  OPSMITH_BIAS("s14", "s15")                  \
  OPSMITH_SUM("s16", "s0", "s1")              \
  OPSMITH_SUM("s17", "s2", "s3")              \
  OPSMITH_SUM("s18", "s4", "s5")              \
  OPSMITH_SUM("s19", "s6", "s7")              \
  OPSMITH_SUM("s20", "s8", "s9")              \
  OPSMITH_SUM("s21", "s10", "s11")            \
  OPSMITH_SUM("s22", "s12", "s13")            \
  OPSMITH_SUM("s23", "s14", "s15")            \
  OPSMITH_SUM("s16", "s16", "s17")            \
  OPSMITH_SUM("s18", "s18", "s19")            \
  OPSMITH_SUM("s20", "s20", "s21")            \
  OPSMITH_SUM("s22", "s22", "s23")            \
  OPSMITH_SUM("s16", "s16", "s18")            \
  OPSMITH_SUM("s20", "s20", "s22")            \
  OPSMITH_SUM("s16", "s16", "s20")            \
  OPSMITH_LINE("vsub.f32 s16, s16, s16")      \
  OPSMITH_LINE("vmov %[check], s16")
// A positive float is the larger the larger its bits are; a negative one becomes zero.
#define OPSMITH_CLAMPED(sum, to)                \
  OPSMITH_LINE("vmov %[x], " sum)               \
  OPSMITH_LINE("bic %[x], %[x], %[x], asr #31") \
  OPSMITH_LINE("qadd %[x], %[x], %[columns]")   \
  OPSMITH_LINE("sub %[x], %[columns]")          \
  OPSMITH_LINE("str %[x], [%[w], #" to "]")
#define OPSMITH_NEXT() OPSMITH_LINE("add %[w], %[pixel]")
#define OPSMITH_PUT_CLAMPED(s0, s1) OPSMITH_CLAMPED(s0, "0") OPSMITH_CLAMPED(s1, "4") OPSMITH_NEXT()
#define OPSMITH_PUT(s0, s1) OPSMITH_LINE("vstmia %[w], {" s0 "-" s1 "}") OPSMITH_NEXT()
#define OPSMITH_EACH_PIXEL(put)                                                   \
  put("s0", "s1") put("s2", "s3") put("s4", "s5") put("s6", "s7") put("s8", "s9") \
      put("s10", "s11") put("s12", "s13") put("s14", "s15")
// Writes the pixels: clamped where there is headroom and all outputs are finite.
#define OPSMITH_PIXELS()                  \
  OPSMITH_LINE("cmp %[columns], #0")      \
  OPSMITH_LINE("beq 5f")                  \
  OPSMITH_LINE("cmp %[check], #0")        \
  OPSMITH_LINE("bne 5f")                  \
  OPSMITH_EACH_PIXEL(OPSMITH_PUT_CLAMPED) \
  OPSMITH_LINE("b 6f")                    \
  OPSMITH_LINE("5:")                      \
  OPSMITH_EACH_PIXEL(OPSMITH_PUT)         \
  OPSMITH_LINE("6:")

// Writes two sums of products of x with weights, plus biases, for each pixel; not 0 where one of
// them may be infinite or NaN. Else they are clamped as the headroom says.
__attribute__((always_inline)) inline uintptr_t put_eight(const Strip& strip, const float* x,
                                                          const float* weights) {
  int32_t rows = strip.rows, columns = strip.columns;
  uintptr_t check = reinterpret_cast<uintptr_t>(fpu::kZeros);
  __asm volatile(OPSMITH_BEGIN() OPSMITH_COLUMNS() OPSMITH_REPEAT() OPSMITH_BIASES()
                     OPSMITH_PIXELS()
                 : [x] "+r"(x), [w] "+r"(weights), [rows] "+r"(rows), [columns] "+r"(columns),
                   [check] "+r"(check)
                 : [left] "r"(strip.is_left), [x_back] "r"(strip.x_back), [pixel] "r"(strip.pixel),
                   [t] "r"(&strip)
                 : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12",
                   "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23",
                   "s24", "s25", "s26", "s27", "s28", "s29", "cc", "memory");
  return check;
}
#undef OPSMITH_PIXELS
#undef OPSMITH_EACH_PIXEL
#undef OPSMITH_NEXT
#undef OPSMITH_PUT
#undef OPSMITH_PUT_CLAMPED
#undef OPSMITH_CLAMPED
#undef OPSMITH_BIASES
#undef OPSMITH_BIAS
#undef OPSMITH_SUM
#undef OPSMITH_REPEAT
#undef OPSMITH_BEGIN
#undef OPSMITH_COLUMNS
#undef OPSMITH_INNER
#undef OPSMITH_COLUMN
#undef OPSMITH_LOAD
#undef OPSMITH_ADD_THIRD
#undef OPSMITH_ADD_SECOND
#undef OPSMITH_ADD_FIRST
#undef OPSMITH_ADD
#undef OPSMITH_THIRD
#undef OPSMITH_SECOND
#undef OPSMITH_FIRST
#undef OPSMITH_LINE

template <class P>
void fpu_eight(const P& p, const In<float>& in, const Out<float>& out, const WeightPairs& tables) {
  const fpu::Bounds bounds(p);
  const int32_t headroom = headroom_of(bounds), channels = p.input_channels;
  const bool is_clamped = headroom != 0 || bounds.are_widest();
  for_each_strip<kEight>(p, in.x, tables.bias, out.y, [&](Strip& strip, const float* x, int row) {
    const float* weights = tables.filter + row * kThree * kPair;
    strip.headroom = headroom;
    for (int32_t left = channels; left > 0; left -= kPair, weights += kThree * kThree * kPair) {
      const int32_t back = left < kPair ? kPair - left : 0;
      x -= back, strip.bias -= back, strip.y -= back;
      const uintptr_t check = put_eight(strip, x, weights);
      if (check != 0 || !is_clamped) clamp_strip(strip, bounds, kPair);
      x += kPair, strip.bias += kPair, strip.y += kPair;
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d::f32
