// Outputs of windows of 3x3 that are two columns apart, of int8 in planes of halfwords. Needs the
// DSP extension. In assembly, since GCC keeps weights in memory.
#pragma once

#include "ops/depthwise_conv_2d/dsp_own_channel.h"
#include "ops/depthwise_conv_2d/dsp_scaling.h"

namespace opsmith::depthwise_conv_2d {

// The inputs of N neighbours are in words from `at` on, each with half of the next one. `pair`
// multiplies the two weights in `w`; the third one is a half of `third`.
#define OPSMITH_LOAD(word, at) "ldr %[" word "], [%[top], #" at "]\n\t"
#define OPSMITH_FIRST(sum, word, w) "smuad %[" sum "], %[" word "], %[" w "]\n\t"
#define OPSMITH_NEXT(sum, word, w) "smlad %[" sum "], %[" word "], %[" w "], %[" sum "]\n\t"
#define OPSMITH_SUM(pair, sum, word, next, w, third, half) \
  pair(sum, word, w) "smlab" half " %[" sum "], %[" next "], %[" third "], %[" sum "]\n\t"
#define OPSMITH_ROW_1(pair, at, w, third, half) \
  OPSMITH_LOAD("a", at)                         \
  OPSMITH_LOAD("b", at " + 4")                  \
  OPSMITH_SUM(pair, "s0", "a", "b", w, third, half)
#define OPSMITH_ROW_2(pair, at, w, third, half)     \
  OPSMITH_LOAD("a", at)                             \
  OPSMITH_LOAD("b", at " + 4")                      \
  OPSMITH_LOAD("c", at " + 8")                      \
  OPSMITH_SUM(pair, "s0", "a", "b", w, third, half) \
  OPSMITH_SUM(pair, "s1", "b", "c", w, third, half)
#define OPSMITH_ROW_3(pair, at, w, third, half) \
  OPSMITH_LOAD("s3", at " + 12")                \
  OPSMITH_ROW_2(pair, at, w, third, half)       \
  OPSMITH_SUM(pair, "s2", "c", "s3", w, third, half)
#define OPSMITH_ROW_4(pair, at, w, third, half)     \
  OPSMITH_ROW_2(pair, at, w, third, half)           \
  OPSMITH_LOAD("a", at " + 12")                     \
  OPSMITH_LOAD("b", at " + 16")                     \
  OPSMITH_SUM(pair, "s2", "c", "a", w, third, half) \
  OPSMITH_SUM(pair, "s3", "a", "b", w, third, half)
#define OPSMITH_SUMS(row)                                                                    \
  row(OPSMITH_FIRST, "0", "w0", "m01", "b") row(OPSMITH_NEXT, "%c[pitch]", "w1", "m01", "t") \
      row(OPSMITH_NEXT, "2 * %c[pitch]", "w2", "m2", "b")
#define OPSMITH_OF_1(step, ...) step("s0", __VA_ARGS__)
#define OPSMITH_OF_2(step, ...) OPSMITH_OF_1(step, __VA_ARGS__) step("s1", __VA_ARGS__)
#define OPSMITH_OF_3(step, ...) OPSMITH_OF_2(step, __VA_ARGS__) step("s2", __VA_ARGS__)
#define OPSMITH_OF_4(step, ...) OPSMITH_OF_3(step, __VA_ARGS__) step("s3", __VA_ARGS__)
#define OPSMITH_BY_LINE(each)                                                                 \
  "ldrd %[a], %[b], %[first]\n\t" each(OPSMITH_STEP_LEFT, ) each(OPSMITH_STEP_LINE, "a", "b") \
      each(OPSMITH_STEP_RIGHT, )
#define OPSMITH_TWICE(each) "ldrd %[a], %[b], %[first]\n\t" OPSMITH_TWICE_FROM_FIRST(each)
#define OPSMITH_TWICE_FROM_FIRST(each)                                                          \
  "ldr %[c], %[offset]\n\t" each(OPSMITH_STEP_BIAS, "a") each(                                  \
      OPSMITH_STEP_ROUND, "b", "c", "a") "ldr %[b], %[shift]\n\t" each(OPSMITH_STEP_SHIFT, "b") \
      each(OPSMITH_STEP_BYTE, )
#define OPSMITH_STORE_1 "strb %[s0], [%[to]]\n\t"
#define OPSMITH_STORE_2 OPSMITH_STORE_1 "strb %[s1], [%[to], #%c[next]]\n\t"
#define OPSMITH_STORE_3 OPSMITH_STORE_2 "strb %[s2], [%[to], #2 * %c[next]]\n\t"
#define OPSMITH_STORE_4 OPSMITH_STORE_3 "strb %[s3], [%[to], #3 * %c[next]]\n\t"

// N rows of outputs of a channel, for a Params known at compile time. The third weight of the last
// row shares a register with the number of rows after the one at hand, in the highest byte, and of
// fours of outputs after that at hand, where they are a loop.
#define OPSMITH_HALF_ROWS(outputs, ...)                                                         \
  constexpr int32_t fours = P::output_width / 4, more = fours > 1 ? fours - 1 : 0;              \
  const int8_t* top = plane;                                                                    \
  int8_t* to = y;                                                                               \
  uint32_t m2 = dsp::pkhbt(w.third2, static_cast<uint32_t>((rows - 1) << 8 | more));            \
  int32_t s0, s1, s2, s3;                                                                       \
  uint32_t a, b, c;                                                                             \
  __asm volatile(                                                                               \
      "0:\n\t"                                                                                  \
      ".if %c[fours] > 0\n\t"                                                                   \
      "1:\n\t" OPSMITH_SUMS(OPSMITH_ROW_4) outputs(OPSMITH_OF_4) OPSMITH_STORE_4                \
      "add %[top], %[top], #16\n\t"                                                             \
      "add %[to], %[to], #4 * %c[next]\n\t"                                                     \
      ".if %c[fours] > 1\n\t"                                                                   \
      "sub %[m2], %[m2], #0x10000\n\t"                                                          \
      "tst %[m2], #0x800000\n\t"                                                                \
      "beq 1b\n\t"                                                                              \
      ".endif\n\t"                                                                              \
      ".endif\n\t"                                                                              \
      ".if %c[rest] == 1\n\t" OPSMITH_SUMS(OPSMITH_ROW_1) outputs(OPSMITH_OF_1) OPSMITH_STORE_1 \
      ".elseif %c[rest] == 2\n\t" OPSMITH_SUMS(OPSMITH_ROW_2) outputs(OPSMITH_OF_2)             \
          OPSMITH_STORE_2 ".elseif %c[rest] == 3\n\t" OPSMITH_SUMS(OPSMITH_ROW_3)               \
              outputs(OPSMITH_OF_3) OPSMITH_STORE_3                                             \
      ".endif\n\t"                                                                              \
      ".if %c[rest] > 0\n\t"                                                                    \
      "add %[to], %[to], #%c[rest] * %c[next]\n\t"                                              \
      ".endif\n\t"                                                                              \
      "add %[top], %[top], #%c[down]\n\t"                                                       \
      "subs %[m2], %[m2], #%c[row]\n\t"                                                         \
      "bpl 0b"                                                                                  \
      : [top] "+r"(top), [to] "+r"(to), [m2] "+r"(m2), [s0] "=&r"(s0), [s1] "=&r"(s1),          \
        [s2] "=&r"(s2), [s3] "=&r"(s3), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c)                \
      : [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2), [m01] "r"(w.third01),             \
        __VA_ARGS__, [next] "i"(P::input_channels), [pitch] "i"(P::plane_pitch),                \
        [down] "i"(P::stride_height * P::plane_pitch - 16 * fours), [fours] "i"(fours),         \
        [rest] "i"(P::output_width % 4), [row] "i"((256 - (more > 0 ? fours : 0)) << 16)        \
      : "cc", "memory")

template <class P>
__attribute__((always_inline)) inline void half_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                                     const dsp::Threshold& channel, int32_t rows,
                                                     int8_t* y) {
  const dsp::Threshold first = channel;
  OPSMITH_HALF_ROWS(OPSMITH_BY_LINE, [first] "m"(first), [before] "i"(P::left_shift),
                    [after] "i"(P::right_shift));
}

// The same with double rounding. One function for all channels.
template <class P>
__attribute__((noinline)) void half_rows(const int8_t* plane, const dsp::Weights3x3& w,
                                         const dsp::Rounding& channel, int32_t rows, int8_t* y) {
  const TwoWords first = {channel.bias, channel.multiplier};
  const int32_t offset = channel.offset(), shift = channel.shift();
  OPSMITH_HALF_ROWS(OPSMITH_TWICE, [first] "m"(first), [offset] "m"(offset), [shift] "m"(shift));
}
#undef OPSMITH_HALF_ROWS
#undef OPSMITH_STORE_4
#undef OPSMITH_STORE_3
#undef OPSMITH_STORE_2
#undef OPSMITH_STORE_1
#undef OPSMITH_TWICE
#undef OPSMITH_BY_LINE
#undef OPSMITH_OF_4
#undef OPSMITH_OF_3
#undef OPSMITH_SUMS
#undef OPSMITH_ROW_4
#undef OPSMITH_ROW_3

// Two outputs from two sums, which are shifted to the left and scaled; of Rounding that rounds
// twice, and of one that rounds once.
#define OPSMITH_BOTH(operation, rest) \
  operation " %[s0], %[s0]" rest "\n\t" operation " %[s1], %[s1]" rest "\n\t"
#define OPSMITH_SATURATED(bits) "ssat %[s0], #" bits ", %[s0]\n\tssat %[s1], #" bits ", %[s1]\n\t"
#define OPSMITH_ADD_TWICE "add %[s0], %[a], %[s0], lsl #1\n\tadd %[s1], %[a], %[s1], lsl #1\n\t"
#define OPSMITH_SECOND "ldrd %[a], %[b], %[second]\n\t"
#define OPSMITH_THRESHOLD                                                                       \
  "ldr %[c], %[second]\n\t" OPSMITH_BOTH("lsl", ", %[c]") OPSMITH_BOTH("smmla", ", %[a], %[b]") \
      OPSMITH_SECOND OPSMITH_BOTH("asr", ", %[b]") OPSMITH_SATURATED("8")
#define OPSMITH_TWICE OPSMITH_TWICE_FROM_FIRST(OPSMITH_OF_2)
#define OPSMITH_ONCE                                                                \
  OPSMITH_ADD_TWICE OPSMITH_SATURATED("17") OPSMITH_BOTH("lsl", ", %[b]")           \
      OPSMITH_SECOND OPSMITH_BOTH("smmulr", ", %[a]") OPSMITH_BOTH("add", ", %[b]") \
          OPSMITH_SATURATED("8")

#define OPSMITH_WINDOWS(row) \
  row(OPSMITH_FIRST, "0", "w0", "m01", "b")   \
  "add %[top], %[top], %[width]\n\t"          \
  row(OPSMITH_NEXT, "0", "w1", "m01", "t")    \
  "add %[top], %[top], %[width]\n\t"          \
  row(OPSMITH_NEXT, "0", "w2", "m2", "b")     \
  "sub %[top], %[top], %[width], lsl #1\n\t"  \
  "ldrd %[a], %[b], %[first]\n\t"
#define OPSMITH_PAIRS(scaled)                                                                    \
  __asm volatile("1:\n\t" OPSMITH_WINDOWS(OPSMITH_ROW_2) scaled                                  \
                 "ldr %[c], %[next]\n\t"                                                         \
                 "add %[top], %[top], #8\n\t"                                                    \
                 "strb %[s1], [%[to], %[c]]\n\t"                                                 \
                 "strb %[s0], [%[to]]\n\t"                                                       \
                 "add %[to], %[to], %[c], lsl #1\n\t"                                            \
                 "sub %[m2], %[m2], #0x10000\n\t"                                                \
                 "tst %[m2], #0x800000\n\t"                                                      \
                 "beq 1b\n\t"                                                                    \
                 "ldr %[c], %[odd]\n\t"                                                          \
                 "cmp %[c], #0\n\t"                                                              \
                 "beq 2f\n\t" OPSMITH_WINDOWS(OPSMITH_ROW_1) scaled                              \
                 "ldr %[c], %[next]\n\t"                                                         \
                 "strb %[s0], [%[to]]\n\t"                                                       \
                 "add %[to], %[to], %[c]\n\t"                                                    \
                 "2:\n\t"                                                                        \
                 "ldr %[a], %[down]\n\t"                                                         \
                 "ldr %[b], %[again]\n\t"                                                        \
                 "ldr %[c], %[behind]\n\t"                                                       \
                 "add %[top], %[top], %[a]\n\t"                                                  \
                 "add %[to], %[to], %[c]\n\t"                                                    \
                 "subs %[m2], %[m2], %[b]\n\t"                                                   \
                 "bpl 1b"                                                                        \
                 : [top] "+r"(top), [to] "+r"(y), [m2] "+r"(m2), [s0] "=&r"(s0), [s1] "=&r"(s1), \
                   [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c)                                      \
                 : [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2), [m01] "r"(w.third01),   \
                   [width] "r"(at.width), [next] "m"(next), [first] "m"(first),                  \
                   [second] "m"(second), [offset] "m"(second.a), [shift] "m"(second.b),          \
                   [odd] "m"(odd), [down] "m"(down), [again] "m"(again), [behind] "m"(behind)    \
                 : "cc", "memory")

enum class Scaled { kThreshold, kTwice, kOnce };

// All outputs of a channel, two at a time. The third weight of the last row shares a register with
// the numbers of rows and of pairs after those at hand. Where rows have one output, the second of a
// pair is written first, and then over.
template <Scaled kScaled>
__attribute__((noinline)) void half_pairs(const WindowsOfPlane& at, const int8_t* plane,
                                          const dsp::Weights3x3& w, const Scaling& constants,
                                          int8_t* y) {
  const bool one = at.columns == 1;
  const int32_t pairs = one ? 1 : at.columns / 2, odd = one ? 0 : at.columns & 1;
  const int32_t next = one ? 0 : at.next, behind = one ? at.pitch : 0;
  const int32_t down = at.down - 8 * pairs, again = (256 - pairs) << 16;
  const TwoWords first = constants.first, second = constants.second;
  const int8_t* top = plane;
  uint32_t m2 = dsp::pkhbt(w.third2, static_cast<uint32_t>((at.rows - 1) << 8 | (pairs - 1)));
  int32_t s0, s1;
  uint32_t a, b, c;
  __asm volatile("" ::: "memory");
  if constexpr (kScaled == Scaled::kThreshold) {
    OPSMITH_PAIRS(OPSMITH_THRESHOLD);
  } else if constexpr (kScaled == Scaled::kTwice) {
    OPSMITH_PAIRS(OPSMITH_TWICE);
  } else {
    OPSMITH_PAIRS(OPSMITH_ONCE);
  }
}
#undef OPSMITH_PAIRS
#undef OPSMITH_WINDOWS
#undef OPSMITH_ONCE
#undef OPSMITH_TWICE
#undef OPSMITH_THRESHOLD
#undef OPSMITH_SECOND
#undef OPSMITH_ADD_TWICE
#undef OPSMITH_SATURATED
#undef OPSMITH_BOTH
#undef OPSMITH_TWICE_FROM_FIRST
#undef OPSMITH_OF_2
#undef OPSMITH_OF_1
#undef OPSMITH_ROW_2
#undef OPSMITH_ROW_1
#undef OPSMITH_SUM
#undef OPSMITH_NEXT
#undef OPSMITH_FIRST
#undef OPSMITH_LOAD

// All outputs of a channel by its constants. `shifts` are those of thresholds.
inline void half_channel(const WindowsOfPlane& at, const int8_t* plane, const dsp::Weights3x3& w,
                         const dsp::Threshold& t, const dsp::Outputs& shifts, int8_t* y) {
  const Scaling k = {{t.multiplier, t.offset}, {shifts.left_shift, shifts.right_shift}};
  half_pairs<Scaled::kThreshold>(at, plane, w, k, y);
}
inline void half_channel(const WindowsOfPlane& at, const int8_t* plane, const dsp::Weights3x3& w,
                         const dsp::Rounding& r, const dsp::Outputs& /*shifts*/, int8_t* y) {
  if (r.rounds_once()) {
    const Scaling k = {{r.bias, r.left()}, {r.multiplier, r.zero_point()}};
    half_pairs<Scaled::kOnce>(at, plane, w, k, y);
  } else {
    const Scaling k = {{r.bias, r.multiplier}, {r.offset(), r.shift()}};
    half_pairs<Scaled::kTwice>(at, plane, w, k, y);
  }
}

}  // namespace opsmith::depthwise_conv_2d
