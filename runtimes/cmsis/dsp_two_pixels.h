// All channels of two pixels, for kernels that require `dsp`. Fast because each pair of inputs that
// is loaded serves four output channels: eight sums stay in registers as in dsp_pixels.h, and all
// loads of a step are in a row, since weights are unpacked in place.
#pragma once

#include "runtimes/cmsis/dsp_columns.h"

namespace opsmith::dsp {

constexpr int32_t kTwoPixelStepBytes = 56;
constexpr int32_t kTwoPixelSteps = 8;  // of a turn of the loop; the first turn leaves out some

// The products of two inputs with four channels of two pixels. Halfwords of weights are 256 * b +
// a, with two channels' weights, as in dsp_pixels.h, and 256 * d + c.
#define OPSMITH_STEP(multiply, last)                                                    \
  "ldr %[w], [%[weights]], #4\n\t"                                                      \
  "ldr %[v], [%[weights]], #4\n\t"                                                      \
  "ldr %[x], [%[columns]], #16\n\t"                                                     \
  "ldr %[next], [%[columns], #-12]\n\t" multiply " %[b0], %[w], %[x]" last(b0) multiply \
      " %[b1], %[w], %[next]" last(b1) "sxtb16 %[w], %[w]\n\t" multiply                 \
                                       " %[d0], %[v], %[x]" last(d0) multiply           \
      " %[d1], %[v], %[next]" last(d1) "sxtb16 %[v], %[v]\n\t" multiply                 \
                                       " %[a0], %[w], %[x]" last(a0) multiply           \
      " %[a1], %[w], %[next]" last(a1) multiply " %[c0], %[v], %[x]" last(c0) multiply  \
      " %[c1], %[v], %[next]" last(c1)
#define OPSMITH_NOTHING(sum) "\n\t"
#define OPSMITH_SUM(sum) ", %[" #sum "]\n\t"
#define OPSMITH_ADD OPSMITH_STEP("smlad", OPSMITH_SUM)

// All sums of the next four channels; the first step sets them. Those of channels b and d come 256
// times too large.
#define OPSMITH_MULTIPLY \
  "0:\n\t"                                                                         \
  "ldr %[columns], %[filled]\n\t" OPSMITH_STEP("smuad", OPSMITH_NOTHING)         \
  "ldr %[w], %[skipped]\n\t"                                                     \
  "add pc, %[w]\n\t"                                                               \
  "nop\n"                                                                          \
  "1:\n\t" OPSMITH_ADD OPSMITH_ADD OPSMITH_ADD OPSMITH_ADD OPSMITH_ADD OPSMITH_ADD \
      OPSMITH_ADD OPSMITH_ADD                                                      \
  "ldr %[w], %[end]\n\t"                                                           \
  "cmp %[columns], %[w]\n\t"                                                       \
  "bne 1b\n\t"                                                                     \
  "sub %[b0], %[b0], %[a0]\n\t"                                                    \
  "sub %[b1], %[b1], %[a1]\n\t"                                                    \
  "sub %[d0], %[d0], %[c0]\n\t"                                                    \
  "sub %[d1], %[d1], %[c1]\n\t"

// Writes four channels of both pixels and goes on with the next ones, or writes as many as are
// left, in another subsection. The first pixel comes last: it is what a single one keeps.
#define OPSMITH_STORE                \
  "str %[columns], %[constants]\n\t" \
  "ldr %[x], %[y]\n\t"               \
  "ldr %[next], %[pitch]\n\t"        \
  "ldr %[w], %[limit]\n\t"           \
  "add %[columns], %[x], #4\n\t"     \
  "str %[columns], %[y]\n\t"         \
  "add %[next], %[next], %[x]\n\t"   \
  "subs %[w], %[w], %[columns]\n\t"  \
  "blt 2f\n\t"                       \
  "strb %[a1], [%[next]]\n\t"        \
  "strb %[a0], [%[x]]\n\t"           \
  "strb %[b1], [%[next], #1]\n\t"    \
  "strb %[b0], [%[x], #1]\n\t"       \
  "strb %[c1], [%[next], #2]\n\t"    \
  "strb %[c0], [%[x], #2]\n\t"       \
  "strb %[d1], [%[next], #3]\n\t"    \
  "strb %[d0], [%[x], #3]\n\t"       \
  "bgt 0b\n"                         \
  "3:\n\t"                           \
  ".subsection 1\n"                  \
  "2:\n\t"                           \
  "strb %[a1], [%[next]]\n\t"        \
  "strb %[a0], [%[x]]\n\t"           \
  "cmn %[w], #2\n\t"                 \
  "blt 3b\n\t"                       \
  "strb %[b1], [%[next], #1]\n\t"    \
  "strb %[b0], [%[x], #1]\n\t"       \
  "beq 3b\n\t"                       \
  "strb %[c1], [%[next], #2]\n\t"    \
  "strb %[c0], [%[x], #2]\n\t"       \
  "b 3b\n\t"                         \
  ".subsection 0\n\t"

#define OPSMITH_REGISTERS                                                                         \
  [a0] "=&r"(a0), [a1] "=&r"(a1), [b0] "=&r"(b0), [b1] "=&r"(b1), [c0] "=&r"(c0), [c1] "=&r"(c1), \
      [d0] "=&r"(d0), [d1] "=&r"(d1), [columns] "=&r"(columns), [weights] "+r"(weights),          \
      [w] "=&r"(w), [v] "=&r"(v), [x] "=&r"(x), [next] "=&r"(next), [y] "+m"(y),                  \
      [constants] "+m"(constants)
#define OPSMITH_OPERANDS                                                            \
  [filled] "m"(filled), [skipped] "m"(skipped), [end] "m"(end), [pitch] "m"(pitch), \
      [limit] "m"(limit)

// Bytes of the loop that are jumped over to take all steps but the first.
constexpr int32_t skipped_of_two(int32_t words) {
  return ((1 - (words >> 2)) & (kTwoPixelSteps - 1)) * kTwoPixelStepBytes;
}

// What is alike for all pixels of a layer: weights, and Threshold or Rounding of each channel.
struct TwoPixels {
  const uint32_t* weights;
  const void* constants;
  int32_t words;  // of the columns of four pixels
  int32_t channels;
  int32_t skipped = skipped_of_two(words);
};

// Sums of a channel as outputs, by this multiplier and offset; less: of its shift. No result is
// used by the next instruction, which some cores would wait for.
#define OPSMITH_LINE(channel, multiplier, offset, less)                  \
  "lsl %[" channel "0], %[" channel "0], %[before]" less                 \
  "\n\t"                                                                 \
  "lsl %[" channel "1], %[" channel "1], %[before]" less                 \
  "\n\t"                                                                 \
  "smmla %[" channel "0], %[" channel "0], %[" multiplier "], %[" offset \
  "]\n\t"                                                                \
  "smmla %[" channel "1], %[" channel "1], %[" multiplier "], %[" offset \
  "]\n\t"                                                                \
  "ssat %[" channel "0], #8, %[" channel                                 \
  "0], asr %[after]\n\t"                                                 \
  "ssat %[" channel "1], #8, %[" channel "1], asr %[after]\n\t"
#define OPSMITH_LINES_OF_TWO(first, second)                             \
  "ldr %[w], [%[columns]], #4\n\t"                                      \
  "ldr %[v], [%[columns]], #4\n\t"                                      \
  "ldr %[x], [%[columns]], #4\n\t"                                      \
  "ldr %[next], [%[columns]], #4\n\t" OPSMITH_LINE(first, "w", "v", "") \
      OPSMITH_LINE(second, "x", "next", " - 8")

// All channels of up to four pixels, two at a time, whose columns of N words are filled, for
// thresholds known at compile time. Shared by all layers that requantise alike: with -O3, GCC would
// clone it for layers of equal sizes.
template <int32_t kLeft, int32_t kRight>
__attribute__((noinline, noclone)) void two_by_thresholds(const TwoPixels& layer,
                                                          const uint32_t* filled, int32_t count,
                                                          int8_t* y) {
  const auto [packed, table, words, channels, skipped] = layer;
  do {
    const uint32_t *end = filled + words, *weights = packed, *columns;
    int8_t* const limit = y + channels;  // of the first pixel
    int32_t a0, a1, b0, b1, c0, c1, d0, d1;
    const int32_t pitch = count > 1 ? channels : 0;
    const void* constants = table;
    uint32_t w, v, x, next;
    __asm volatile(OPSMITH_MULTIPLY "ldr %[columns], %[constants]\n\t" OPSMITH_LINES_OF_TWO(
                       "a", "b") OPSMITH_LINES_OF_TWO("c", "d") OPSMITH_STORE
                   : OPSMITH_REGISTERS
                   : OPSMITH_OPERANDS, [before] "i"(kLeft), [after] "i"(kRight)
                   : "cc", "memory");
    filled += 2;
    y = limit + channels;
  } while ((count -= 2) > 0);
}

// The same with shifts in registers, which are x and next.
#define OPSMITH_SHIFT(sum)   \
  "lsl %[" sum "], %[" sum   \
  "], %[x]\n\t"              \
  "smmla %[" sum "], %[" sum \
  "], %[w], %[v]\n\t"        \
  "asr %[" sum "], %[" sum   \
  "], %[next]\n\t"           \
  "ssat %[" sum "], #8, %[" sum "]\n\t"
#define OPSMITH_LINE_OF_TWO(channel, at) \
  "ldr %[w], [%[columns], #" at          \
  "]\n\t"                                \
  "ldr %[v], [%[columns], #" at " + 4]\n\t" OPSMITH_SHIFT(channel "0") OPSMITH_SHIFT(channel "1")

__attribute__((noinline, noclone)) inline void two_by_any_thresholds(const TwoPixels& layer,
                                                                     int32_t before, int32_t after,
                                                                     const uint32_t* filled,
                                                                     int32_t count, int8_t* y) {
  const auto [packed, table, words, channels, skipped] = layer;
  do {
    const uint32_t *end = filled + words, *weights = packed, *columns;
    int8_t* const limit = y + channels;  // of the first pixel
    int32_t a0, a1, b0, b1, c0, c1, d0, d1;
    const int32_t pitch = count > 1 ? channels : 0;
    const void* constants = table;
    uint32_t w, v, x, next;
    __asm volatile(
        OPSMITH_MULTIPLY
        "ldr %[columns], %[constants]\n\t"
        "ldr %[x], %[before]\n\t"
        "ldr %[next], %[after]\n\t" OPSMITH_LINE_OF_TWO("a", "0")
            OPSMITH_LINE_OF_TWO("c", "16") "sub %[x], %[x], #8\n\t" OPSMITH_LINE_OF_TWO("b", "8")
                OPSMITH_LINE_OF_TWO("d", "24") "add %[columns], %[columns], #32\n\t" OPSMITH_STORE
        : OPSMITH_REGISTERS
        : OPSMITH_OPERANDS, [before] "m"(before), [after] "m"(after)
        : "cc", "memory");
    filled += 2;
    y = limit + channels;
  } while ((count -= 2) > 0);
}

// Sums of a channel as outputs with double rounding, where w is twice the bias of its channel, v
// the multiplier, next the shift less one and x what is added before the last bit is shifted out.
#define OPSMITH_ROUND_TWO(channel, twice)              \
  "ldr %[w], [%[columns]], #4\n\t"                     \
  "ldr %[v], [%[columns]], #4\n\t"                     \
  "ldr %[next], [%[columns]], #4\n\t"                  \
  "add %[" channel "0], %[w], %[" channel "0], " twice \
  "\n\t"                                               \
  "add %[" channel "1], %[w], %[" channel "1], " twice \
  "\n\t"                                               \
  "smmulr %[" channel "0], %[" channel                 \
  "0], %[v]\n\t"                                       \
  "smmulr %[" channel "1], %[" channel                 \
  "1], %[v]\n\t"                                       \
  "asr %[x], %[next], #8\n\t"                          \
  "add %[" channel "0], %[" channel "0], %[" channel   \
  "0], asr #31\n\t"                                    \
  "add %[" channel "1], %[" channel "1], %[" channel   \
  "1], asr #31\n\t"                                    \
  "asr %[" channel "0], %[" channel                    \
  "0], %[next]\n\t"                                    \
  "asr %[" channel "1], %[" channel                    \
  "1], %[next]\n\t"                                    \
  "add %[" channel "0], %[" channel                    \
  "0], %[x]\n\t"                                       \
  "add %[" channel "1], %[" channel                    \
  "1], %[x]\n\t"                                       \
  "ssat %[" channel "0], #8, %[" channel               \
  "0], asr #1\n\t"                                     \
  "ssat %[" channel "1], #8, %[" channel "1], asr #1\n\t"

// The same with double rounding, whose constants are `halved`.
__attribute__((noinline, noclone)) inline void two_by_rounding(const TwoPixels& layer,
                                                               const uint32_t* filled,
                                                               int32_t count, int8_t* y) {
  const auto [packed, table, words, channels, skipped] = layer;
  do {
    const uint32_t *end = filled + words, *weights = packed, *columns;
    int8_t* const limit = y + channels;  // of the first pixel
    int32_t a0, a1, b0, b1, c0, c1, d0, d1;
    const int32_t pitch = count > 1 ? channels : 0;
    const void* constants = table;
    uint32_t w, v, x, next;
    __asm volatile(OPSMITH_MULTIPLY
                   "ldr %[columns], %[constants]\n\t" OPSMITH_ROUND_TWO("a", "lsl #1")
                       OPSMITH_ROUND_TWO("b", "asr #7") OPSMITH_ROUND_TWO("c", "lsl #1")
                           OPSMITH_ROUND_TWO("d", "asr #7") OPSMITH_STORE
                   : OPSMITH_REGISTERS
                   : OPSMITH_OPERANDS
                   : "cc", "memory");
    filled += 2;
    y = limit + channels;
  } while ((count -= 2) > 0);
}
#undef OPSMITH_ROUND_TWO
#undef OPSMITH_LINE_OF_TWO
#undef OPSMITH_SHIFT
#undef OPSMITH_LINES_OF_TWO
#undef OPSMITH_LINE
#undef OPSMITH_OPERANDS
#undef OPSMITH_REGISTERS
#undef OPSMITH_STORE
#undef OPSMITH_MULTIPLY
#undef OPSMITH_ADD
#undef OPSMITH_SUM
#undef OPSMITH_NOTHING
#undef OPSMITH_STEP

// All outputs of up to four pixels, by a type of bounds and shifts; clamped where saturation alone
// does not. kOnce: constants are Threshold.
template <bool kOnce, int32_t kLeft, int32_t kRight, int32_t kMin, int32_t kMax>
__attribute__((always_inline)) inline void each_two_pixels(
    const StaticOutputs<kLeft, kRight, kMin, kMax>&, const TwoPixels& layer,
    const uint32_t* columns, int32_t count, int8_t* y) {
  if constexpr (kOnce) {
    two_by_thresholds<kLeft, kRight>(layer, columns, count, y);
  } else {
    two_by_rounding(layer, columns, count, y);
  }
  clamp_outputs(OutputsOf<int8_t>{{kLeft, kRight, kMin, kMax}}, count * layer.channels, 1, y);
}

// For a Params read at run time.
template <bool kOnce>
void each_two_pixels(const OutputsOf<int8_t>& o, const TwoPixels& layer, const uint32_t* columns,
                     int32_t count, int8_t* y) {
  if constexpr (kOnce) {
    two_by_any_thresholds(layer, o.left_shift, o.right_shift, columns, count, y);
  } else {
    two_by_rounding(layer, columns, count, y);
  }
  clamp_outputs(o, count * layer.channels, 1, y);
}

}  // namespace opsmith::dsp
