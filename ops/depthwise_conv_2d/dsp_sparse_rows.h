// Rows of outputs of windows of 3x3 that do not overlap in both directions, of int8, of a Params
// known at compile time. Needs the DSP extension. In assembly, since GCC keeps weights in memory.
// As functions of their own, which have all registers; what is in memory does not change between
// rows, which would take one of them.
#pragma once

#include "ops/depthwise_conv_2d/dsp_scaling.h"
#include "ops/depthwise_conv_2d/pitches.h"
#include "runtimes/cmsis/dsp_3x3.h"

namespace opsmith::depthwise_conv_2d {

constexpr int32_t kLargestOffset = 4095;  // of a load or an addition
constexpr int32_t kMostTurns = 128;       // of the loops of a row, and of rows

// Bytes from an output to the next.
template <class P>
constexpr int32_t next_output() {
  return row_pitches(P{}, P::output_width).pixel;
}

// Whether outputs are computed by twos.
template <class P>
constexpr bool has_pairs() {
  return P::stride_width == 2 && P::output_width > 1;
}

// Turns of the loop of a row.
template <class P>
constexpr int32_t turns_of_row() {
  return has_pairs<P>() ? P::output_width / 2 : P::output_width;
}

// Bytes of a plane from behind the last window, or pair of them, to the next row.
template <class P>
constexpr int32_t to_next_row() {
  const int32_t passed = turns_of_row<P>() * (has_pairs<P>() ? 2 : 1);
  return P::stride_height * P::plane_width - passed * P::stride_width;
}

// Whether instructions can have all distances as they are, and a byte the number of turns.
template <class P>
constexpr bool has_near_rows() {
  constexpr int32_t down = to_next_row<P>();
  return 2 * P::plane_width + 2 <= kLargestOffset && P::stride_width <= kLargestOffset &&
         2 * next_output<P>() <= kLargestOffset && down <= kLargestOffset &&
         -down <= kLargestOffset && turns_of_row<P>() <= kMostTurns;
}

// The sum of a window, and of two that are two columns of inputs apart.
#define OPSMITH_WINDOW(sum, even)                \
  "ldr %[odd], [%[top]]\n\t"                     \
  "sxtb16 %[" even                               \
  "], %[odd]\n\t"                                \
  "sxtb16 %[odd], %[odd], ror #8\n\t"            \
  "smuad %[" sum "], %[" even                    \
  "], %[w0]\n\t"                                 \
  "smlabb %[" sum "], %[odd], %[m01], %[" sum    \
  "]\n\t"                                        \
  "ldr %[odd], [%[top], #%c[width]]\n\t"         \
  "sxtb16 %[" even                               \
  "], %[odd]\n\t"                                \
  "sxtb16 %[odd], %[odd], ror #8\n\t"            \
  "smlad %[" sum "], %[" even "], %[w1], %[" sum \
  "]\n\t"                                        \
  "smlabt %[" sum "], %[odd], %[m01], %[" sum    \
  "]\n\t"                                        \
  "ldr %[odd], [%[top], #2 * %c[width]]\n\t"     \
  "sxtb16 %[" even                               \
  "], %[odd]\n\t"                                \
  "sxtb16 %[odd], %[odd], ror #8\n\t"            \
  "smlad %[" sum "], %[" even "], %[w2], %[" sum \
  "]\n\t"                                        \
  "smlabb %[" sum "], %[odd], %[m2], %[" sum "]\n\t"
#define OPSMITH_TWO_WINDOWS                        \
  "ldr %[odd], [%[top], #2 * %c[width]]\n\t"       \
  "ldr %[even1], [%[top], #2 * %c[width] + 2]\n\t" \
  "sxtb16 %[even0], %[odd]\n\t"                    \
  "sxtb16 %[odd], %[odd], ror #8\n\t"              \
  "sxtb16 %[even1], %[even1]\n\t"                  \
  "smuad %[sum0], %[even0], %[w2]\n\t"             \
  "smuad %[sum1], %[even1], %[w2]\n\t"             \
  "smlabb %[sum0], %[odd], %[m2], %[sum0]\n\t"     \
  "smlatb %[sum1], %[odd], %[m2], %[sum1]\n\t"     \
  "ldr %[odd], [%[top], #%c[width]]\n\t"           \
  "ldr %[even1], [%[top], #%c[width] + 2]\n\t"     \
  "sxtb16 %[even0], %[odd]\n\t"                    \
  "sxtb16 %[odd], %[odd], ror #8\n\t"              \
  "sxtb16 %[even1], %[even1]\n\t"                  \
  "smlad %[sum0], %[even0], %[w1], %[sum0]\n\t"    \
  "smlad %[sum1], %[even1], %[w1], %[sum1]\n\t"    \
  "smlabt %[sum0], %[odd], %[m01], %[sum0]\n\t"    \
  "smlatt %[sum1], %[odd], %[m01], %[sum1]\n\t"    \
  "ldr %[even1], [%[top], #2]\n\t"                 \
  "ldr %[odd], [%[top]], #4\n\t"                   \
  "sxtb16 %[even1], %[even1]\n\t"                  \
  "sxtb16 %[even0], %[odd]\n\t"                    \
  "sxtb16 %[odd], %[odd], ror #8\n\t"              \
  "smlad %[sum0], %[even0], %[w0], %[sum0]\n\t"    \
  "smlad %[sum1], %[even1], %[w0], %[sum1]\n\t"    \
  "smlabb %[sum0], %[odd], %[m01], %[sum0]\n\t"    \
  "smlatb %[sum1], %[odd], %[m01], %[sum1]\n\t"

// Outputs of the sums that each(step, ...) takes through a step; a and b are free.
#define OPSMITH_FIRST(step, ...) step("sum0", __VA_ARGS__)
#define OPSMITH_BOTH(step, ...) OPSMITH_FIRST(step, __VA_ARGS__) step("sum1", __VA_ARGS__)
#define OPSMITH_BY_LINE(each, a, b)                                         \
  each(OPSMITH_STEP_LEFT, ) each(OPSMITH_STEP_LINE, "multiplier", "offset") \
      each(OPSMITH_STEP_RIGHT, )
#define OPSMITH_TWICE(each, a, b)                                                     \
  "ldrd %[" a "], %[" b "], %[constants]\n\t" each(OPSMITH_STEP_BIAS, a)              \
      each(OPSMITH_STEP_ROUND, "multiplier", "offset", a) each(OPSMITH_STEP_SHIFT, b) \
          each(OPSMITH_STEP_BYTE, )
#define OPSMITH_FIRST_FLOATS(step) step("sum0", "s0")
#define OPSMITH_BOTH_FLOATS(step) OPSMITH_FIRST_FLOATS(step) step("sum1", "s1")
#define OPSMITH_IN_SINGLE(each, a, b) \
  "ldrd %[" a "], %[" b "], %[constants]\n\t" OPSMITH_STEPS_SINGLE(each, each##_FLOATS, a, b)
// Rows of N turns of `loop`, and what comes after them. The third weight of the last row shares a
// register with the numbers of rows and, in the highest byte, of turns after the one at hand.
#define OPSMITH_ROWS(loop, after_turns)    \
  "1:\n\t" loop                            \
  ".if %c[turns] > 1\n\t"                  \
  "subs %[m2], %[m2], #0x1000000\n\t"      \
  "bpl 1b\n\t"                             \
  "add %[m2], %[m2], #%c[turns] << 24\n\t" \
  ".endif\n\t" after_turns                 \
  "add %[top], %[top], #%c[down]\n\t"      \
  "sub %[m2], %[m2], #0x10000\n\t"         \
  "tst %[m2], #0x800000\n\t"               \
  "beq 1b"
#define OPSMITH_EACH_ROW(floats, text, ...)                                                      \
  constexpr int32_t turns = turns_of_row<P>(), next = next_output<P>();                          \
  const int8_t* top = plane;                                                                     \
  int8_t* to = y;                                                                                \
  int32_t sum0, sum1;                                                                            \
  uint32_t even0, even1, odd;                                                                    \
  for (int32_t left = P::output_height; left > 0; left -= kMostTurns) {                          \
    const int32_t rows = left < kMostTurns ? left : kMostTurns;                                  \
    uint32_t m2 = dsp::pkhbt(w.third2, static_cast<uint32_t>((turns - 1) << 8 | (rows - 1)));    \
    __asm volatile(                                                                              \
        text                                                                                     \
        : [top] "+r"(top), [to] "+r"(to), [m2] "+r"(m2), [sum0] "=&r"(sum0), [sum1] "=&r"(sum1), \
          [even0] "=&r"(even0), [even1] "=&r"(even1), [odd] "=&r"(odd)                           \
        : OPSMITH_OPERANDS, __VA_ARGS__                                                          \
        : "cc", "memory" floats);                                                                \
  }
#define OPSMITH_OPERANDS                                                                        \
  [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2), [m01] "r"(w.third01), [next] "i"(next), \
      [width] "i"(P::plane_width), [right] "i"(P::stride_width), [turns] "i"(turns),            \
      [odd_one] "i"(P::output_width % 2), [down] "i"(to_next_row<P>())

// One output at a time.
#define OPSMITH_SINGLE(outputs)   \
  OPSMITH_WINDOW("sum0", "even0") \
  "add %[top], %[top], #%c[right]\n\t" outputs(OPSMITH_FIRST, "even0", "even1") \
  "strb %[sum0], [%[to]]\n\t" \
  "add %[to], %[to], #%c[next]\n\t"

// Two outputs at a time, two columns of inputs apart: a word of each row of the plane is taken
// apart for both.
#define OPSMITH_PAIR(outputs) \
  OPSMITH_TWO_WINDOWS outputs(OPSMITH_BOTH, "even0", "even1") \
  "strb %[sum0], [%[to]]\n\t" \
  "strb %[sum1], [%[to], #%c[next]]\n\t" \
  "add %[to], %[to], #2 * %c[next]\n\t"
#define OPSMITH_ODD_ONE(outputs) \
  ".if %c[odd_one]\n\t" OPSMITH_WINDOW("sum0", "even0") outputs(OPSMITH_FIRST, "even0", "even1") \
  "strb %[sum0], [%[to]]\n\t" \
  "add %[to], %[to], #%c[next]\n\t" \
  ".endif\n\t"

// Operands of thresholds, and of double rounding with its bias and shift in memory.
#define OPSMITH_LINE_OPERANDS                                                                      \
  [multiplier] "r"(channel.multiplier), [offset] "r"(channel.offset), [before] "i"(P::left_shift), \
      [after] "i"(P::right_shift)
#define OPSMITH_TWICE_OPERANDS \
  [multiplier] "r"(multiplier), [offset] "r"(offset), [constants] "m"(constants)
#define OPSMITH_SINGLE_OPERANDS [factor] "t"(factor), [constants] "m"(constants)
#define OPSMITH_FLOATS , "s0", "s1"

// Rows of a channel of thresholds, of Rounding or of Single.
template <class P>
__attribute__((noinline)) void sparse_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                           const dsp::Threshold& channel, int8_t* y) {
  if constexpr (has_pairs<P>()) {
    OPSMITH_EACH_ROW(,
                     OPSMITH_ROWS(OPSMITH_PAIR(OPSMITH_BY_LINE), OPSMITH_ODD_ONE(OPSMITH_BY_LINE)),
                     OPSMITH_LINE_OPERANDS);
  } else {
    OPSMITH_EACH_ROW(, OPSMITH_ROWS(OPSMITH_SINGLE(OPSMITH_BY_LINE), ), OPSMITH_LINE_OPERANDS);
  }
}
template <class P>
__attribute__((noinline)) void sparse_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                           const dsp::Rounding& channel, int8_t* y) {
  const TwoWords constants = {channel.bias, channel.shift()};
  const int32_t multiplier = channel.multiplier, offset = channel.offset();
  if constexpr (has_pairs<P>()) {
    OPSMITH_EACH_ROW(, OPSMITH_ROWS(OPSMITH_PAIR(OPSMITH_TWICE), OPSMITH_ODD_ONE(OPSMITH_TWICE)),
                     OPSMITH_TWICE_OPERANDS);
  } else {
    OPSMITH_EACH_ROW(, OPSMITH_ROWS(OPSMITH_SINGLE(OPSMITH_TWICE), ), OPSMITH_TWICE_OPERANDS);
  }
}
template <class P>
__attribute__((noinline)) void sparse_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                           const Single& channel, int8_t* y) {
  const TwoWords constants = {channel.bias, channel.zero_point};
  const float factor = channel.factor;
  if constexpr (has_pairs<P>()) {
    OPSMITH_EACH_ROW(
        OPSMITH_FLOATS,
        OPSMITH_ROWS(OPSMITH_PAIR(OPSMITH_IN_SINGLE), OPSMITH_ODD_ONE(OPSMITH_IN_SINGLE)),
        OPSMITH_SINGLE_OPERANDS);
  } else {
    OPSMITH_EACH_ROW(OPSMITH_FLOATS, OPSMITH_ROWS(OPSMITH_SINGLE(OPSMITH_IN_SINGLE), ),
                     OPSMITH_SINGLE_OPERANDS);
  }
}
#undef OPSMITH_FLOATS
#undef OPSMITH_SINGLE_OPERANDS
#undef OPSMITH_TWICE_OPERANDS
#undef OPSMITH_LINE_OPERANDS
#undef OPSMITH_ODD_ONE
#undef OPSMITH_PAIR
#undef OPSMITH_SINGLE
#undef OPSMITH_OPERANDS
#undef OPSMITH_EACH_ROW
#undef OPSMITH_ROWS
#undef OPSMITH_IN_SINGLE
#undef OPSMITH_BOTH_FLOATS
#undef OPSMITH_FIRST_FLOATS
#undef OPSMITH_TWICE
#undef OPSMITH_BY_LINE
#undef OPSMITH_BOTH
#undef OPSMITH_FIRST
#undef OPSMITH_TWO_WINDOWS
#undef OPSMITH_WINDOW

}  // namespace opsmith::depthwise_conv_2d
