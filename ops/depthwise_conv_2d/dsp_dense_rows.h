// Rows of outputs of windows of 3x3 that overlap in both directions, for a Params known at compile
// time. Needs the DSP extension. In assembly, which keeps weights in registers where GCC has them
// in memory, and as functions of their own, which have all registers.
#pragma once

#include "ops/depthwise_conv_2d/dsp_scaling.h"
#include "ops/depthwise_conv_2d/dsp_sparse_rows.h"

namespace opsmith::depthwise_conv_2d {

// Whether there are blocks of 2x2, and instructions can have all distances as they are.
template <class P>
constexpr bool has_near_blocks() {
  return P::output_width > 1 && P::output_height > 1 && 3 * P::plane_width <= kLargestOffset &&
         row_pitches(P{}, P::output_width).row + next_output<P>() <= kLargestOffset;
}

// The sums of a block, which the next one follows, and of one column.
#define OPSMITH_BLOCK_SUMS                       \
  "ldr %[odd], [%[top]], #2\n\t"                 \
  "sxtb16 %[even], %[odd]\n\t"                   \
  "sxtb16 %[odd], %[odd], ror #8\n\t"            \
  "smuad %[ul], %[even], %[w0]\n\t"              \
  "smuad %[ur], %[odd], %[w0]\n\t"               \
  "smlabb %[ul], %[odd], %[m01], %[ul]\n\t"      \
  "smlatb %[ur], %[even], %[m01], %[ur]\n\t"     \
  "ldr %[odd], [%[top], #%c[width] - 2]\n\t"     \
  "sxtb16 %[even], %[odd]\n\t"                   \
  "sxtb16 %[odd], %[odd], ror #8\n\t"            \
  "smlad %[ul], %[even], %[w1], %[ul]\n\t"       \
  "smlad %[ur], %[odd], %[w1], %[ur]\n\t"        \
  "smlabt %[ul], %[odd], %[m01], %[ul]\n\t"      \
  "smlatt %[ur], %[even], %[m01], %[ur]\n\t"     \
  "smuad %[ll], %[even], %[w0]\n\t"              \
  "smuad %[lr], %[odd], %[w0]\n\t"               \
  "smlabb %[ll], %[odd], %[m01], %[ll]\n\t"      \
  "smlatb %[lr], %[even], %[m01], %[lr]\n\t"     \
  "ldr %[odd], [%[top], #2 * %c[width] - 2]\n\t" \
  "sxtb16 %[even], %[odd]\n\t"                   \
  "sxtb16 %[odd], %[odd], ror #8\n\t"            \
  "smlad %[ul], %[even], %[w2], %[ul]\n\t"       \
  "smlad %[ur], %[odd], %[w2], %[ur]\n\t"        \
  "smlabb %[ul], %[odd], %[m2], %[ul]\n\t"       \
  "smlatb %[ur], %[even], %[m2], %[ur]\n\t"      \
  "smlad %[ll], %[even], %[w1], %[ll]\n\t"       \
  "smlad %[lr], %[odd], %[w1], %[lr]\n\t"        \
  "smlabt %[ll], %[odd], %[m01], %[ll]\n\t"      \
  "smlatt %[lr], %[even], %[m01], %[lr]\n\t"     \
  "ldr %[odd], [%[top], #3 * %c[width] - 2]\n\t" \
  "sxtb16 %[even], %[odd]\n\t"                   \
  "sxtb16 %[odd], %[odd], ror #8\n\t"            \
  "smlad %[ll], %[even], %[w2], %[ll]\n\t"       \
  "smlad %[lr], %[odd], %[w2], %[lr]\n\t"        \
  "smlabb %[ll], %[odd], %[m2], %[ll]\n\t"       \
  "smlatb %[lr], %[even], %[m2], %[lr]\n\t"
#define OPSMITH_COLUMN_SUMS                  \
  "ldr %[odd], [%[top]]\n\t"                 \
  "sxtb16 %[even], %[odd]\n\t"               \
  "sxtb16 %[odd], %[odd], ror #8\n\t"        \
  "smuad %[ul], %[even], %[w0]\n\t"          \
  "smlabb %[ul], %[odd], %[m01], %[ul]\n\t"  \
  "ldr %[odd], [%[top], #%c[width]]\n\t"     \
  "sxtb16 %[even], %[odd]\n\t"               \
  "sxtb16 %[odd], %[odd], ror #8\n\t"        \
  "smlad %[ul], %[even], %[w1], %[ul]\n\t"   \
  "smlabt %[ul], %[odd], %[m01], %[ul]\n\t"  \
  "smuad %[ll], %[even], %[w0]\n\t"          \
  "smlabb %[ll], %[odd], %[m01], %[ll]\n\t"  \
  "ldr %[odd], [%[top], #2 * %c[width]]\n\t" \
  "sxtb16 %[even], %[odd]\n\t"               \
  "sxtb16 %[odd], %[odd], ror #8\n\t"        \
  "smlad %[ul], %[even], %[w2], %[ul]\n\t"   \
  "smlabb %[ul], %[odd], %[m2], %[ul]\n\t"   \
  "smlad %[ll], %[even], %[w1], %[ll]\n\t"   \
  "smlabt %[ll], %[odd], %[m01], %[ll]\n\t"  \
  "ldr %[odd], [%[top], #3 * %c[width]]\n\t" \
  "sxtb16 %[even], %[odd]\n\t"               \
  "sxtb16 %[odd], %[odd], ror #8\n\t"        \
  "smlad %[ll], %[even], %[w2], %[ll]\n\t"   \
  "smlabb %[ll], %[odd], %[m2], %[ll]\n\t"

// Outputs of the sums that each(step, ...) takes through a step.
#define OPSMITH_BLOCK(step, ...) \
  step("ul", __VA_ARGS__) step("ur", __VA_ARGS__) step("ll", __VA_ARGS__) step("lr", __VA_ARGS__)
#define OPSMITH_COLUMN(step, ...) step("ul", __VA_ARGS__) step("ll", __VA_ARGS__)
#define OPSMITH_BLOCK_FLOATS(step) OPSMITH_COLUMN_FLOATS(step) step("ur", "s2") step("lr", "s3")
#define OPSMITH_COLUMN_FLOATS(step) step("ul", "s0") step("ll", "s1")
#define OPSMITH_BY_LINE(each)                                        \
  "ldrd %[even], %[odd], %[constants]\n\t" each(OPSMITH_STEP_LEFT, ) \
      each(OPSMITH_STEP_LINE, "even", "odd") each(OPSMITH_STEP_RIGHT, )
#define OPSMITH_TWICE(each)                                                                  \
  "ldrd %[even], %[odd], %[constants]\n\t" each(OPSMITH_STEP_BIAS, "even")                   \
      each(OPSMITH_STEP_ROUND, "multiplier", "odd", "even") "ldr %[odd], %[shift]\n\t" each( \
          OPSMITH_STEP_SHIFT, "odd") each(OPSMITH_STEP_BYTE, )
#define OPSMITH_IN_SINGLE(each) \
  "ldrd %[even], %[odd], %[constants]\n\t" OPSMITH_STEPS_SINGLE(each, each##_FLOATS, "even", "odd")
#define OPSMITH_BY_LINE_CLOBBERS
#define OPSMITH_TWICE_CLOBBERS
#define OPSMITH_IN_SINGLE_CLOBBERS , "s0", "s1", "s2", "s3"

#define OPSMITH_BLOCKS(outputs, ...) \
  __asm volatile("1:\n\t" OPSMITH_BLOCK_SUMS outputs(OPSMITH_BLOCK)                      \
        "strb %[ul], [%[to]]\n\t"                                                        \
        "strb %[ur], [%[to], #%c[next]]\n\t"                                             \
        "strb %[ll], [%[to], #%c[pitch]]\n\t"                                            \
        "strb %[lr], [%[to], #%c[pitch] + %c[next]]\n\t"                                 \
        "add %[to], %[to], #2 * %c[next]\n\t"                                            \
        "subs %[m2], %[m2], #0x10000\n\t"                                                \
        "bpl 1b"                                                                         \
        : [top] "+r"(top), [to] "+r"(to), [m2] "+r"(m2), [ul] "=&r"(ul), [ur] "=&r"(ur), \
          [ll] "=&r"(ll), [lr] "=&r"(lr), [even] "=&r"(even), [odd] "=&r"(odd)           \
        : OPSMITH_OPERANDS, __VA_ARGS__                                                  \
        : "cc" outputs##_CLOBBERS)
#define OPSMITH_LAST_COLUMN(outputs, ...) \
  __asm volatile(OPSMITH_COLUMN_SUMS outputs(OPSMITH_COLUMN)                     \
          "strb %[ul], [%[to]]\n\t"                                              \
          "strb %[ll], [%[to], #%c[pitch]]"                                      \
          : [ul] "=&r"(ul), [ll] "=&r"(ll), [even] "=&r"(even), [odd] "=&r"(odd) \
          : [top] "r"(top), [to] "r"(to), [m2] "r"(m2), OPSMITH_OPERANDS, __VA_ARGS__ \
          : "cc" outputs##_CLOBBERS)
#define OPSMITH_OPERANDS                                                                        \
  [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2), [m01] "r"(w.third01), [next] "i"(next), \
      [pitch] "i"(pitch), [width] "i"(P::plane_width)

// Blocks of two rows and two columns, and of one column where that is left; an odd last row is in a
// block with the one before. The third weight of the last row shares a register with the number of
// blocks after the one at hand.
#define OPSMITH_DENSE_ROWS(outputs, ...)                                                    \
  constexpr int32_t pitch = row_pitches(P{}, P::output_width).row, next = next_output<P>(); \
  constexpr int32_t last = P::output_height - 2;                                            \
  __asm volatile("" ::: "memory");                                                          \
  for (int32_t row = 0;; row = row + 2 < last ? row + 2 : last) {                           \
    const int8_t* top = plane + row * P::plane_width;                                       \
    int8_t* to = y + row * pitch;                                                           \
    uint32_t m2 = dsp::pkhbt(w.third2, P::output_width / 2 - 1);                            \
    int32_t ul, ur, ll, lr;                                                                 \
    uint32_t even, odd;                                                                     \
    OPSMITH_BLOCKS(outputs, __VA_ARGS__);                                                   \
    if constexpr (P::output_width % 2 != 0) OPSMITH_LAST_COLUMN(outputs, __VA_ARGS__);      \
    if (row == last) break;                                                                 \
  }                                                                                         \
  __asm volatile("" ::: "memory")

template <class P>
__attribute__((noinline)) void dense_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                          const dsp::Threshold& channel, int8_t* y) {
  const TwoWords constants = {channel.multiplier, channel.offset};
  OPSMITH_DENSE_ROWS(OPSMITH_BY_LINE, [constants] "m"(constants), [before] "i"(P::left_shift),
                     [after] "i"(P::right_shift));
}

template <class P>
__attribute__((noinline)) void dense_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                          const dsp::Rounding& channel, int8_t* y) {
  const TwoWords constants = {channel.bias, channel.offset()};
  const int32_t multiplier = channel.multiplier, shift = channel.shift();
  OPSMITH_DENSE_ROWS(
      OPSMITH_TWICE, [constants] "m"(constants), [shift] "m"(shift), [multiplier] "r"(multiplier));
}

template <class P>
__attribute__((noinline)) void dense_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                          const Single& channel, int8_t* y) {
  const TwoWords constants = {channel.bias, channel.zero_point};
  const float factor = channel.factor;
  OPSMITH_DENSE_ROWS(OPSMITH_IN_SINGLE, [constants] "m"(constants), [factor] "t"(factor));
}
#undef OPSMITH_DENSE_ROWS
#undef OPSMITH_OPERANDS
#undef OPSMITH_LAST_COLUMN
#undef OPSMITH_BLOCKS
#undef OPSMITH_IN_SINGLE_CLOBBERS
#undef OPSMITH_TWICE_CLOBBERS
#undef OPSMITH_BY_LINE_CLOBBERS
#undef OPSMITH_IN_SINGLE
#undef OPSMITH_TWICE
#undef OPSMITH_BY_LINE
#undef OPSMITH_COLUMN_FLOATS
#undef OPSMITH_BLOCK_FLOATS
#undef OPSMITH_COLUMN
#undef OPSMITH_BLOCK
#undef OPSMITH_COLUMN_SUMS
#undef OPSMITH_BLOCK_SUMS

}  // namespace opsmith::depthwise_conv_2d
