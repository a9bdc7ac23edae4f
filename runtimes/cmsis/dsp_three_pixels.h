// All channels of three pixels, for kernels that require `dsp`: the last groups of an image of
// which groups of four leave a rest. Columns, weights and constants are those of dsp_pixels.h. As
// fast for each pixel, because six sums leave registers for all loads of a step, in a row.
#pragma once

#include "runtimes/cmsis/dsp_pixels.h"

namespace opsmith::dsp {

constexpr int32_t kThreePixelStepBytes = 44;  // four more where weights are apart

// The products of two inputs with two channels of three pixels. Of four columns, three are read.
#define OPSMITH_STEP(multiply, last) \
  "ldr %[w], [%[weights]], #4\n\t"        \
  "ldr %[x], [%[columns]], #16\n\t"       \
  "ldr %[next], [%[columns], #-12]\n\t"   \
  "ldr %[pair], [%[columns], #-8]\n\t"    \
  ".if %c[apart]\n\t"                     \
  "sxtb16 %[of_a], %[w]\n\t"              \
  "sxtb16 %[w], %[w], ror #8\n\t"         \
  ".endif\n\t"                            \
  multiply " %[both0], %[w], %[x]" last(both0)    \
  multiply " %[both1], %[w], %[next]" last(both1) \
  multiply " %[both2], %[w], %[pair]" last(both2) \
  ".if %c[apart] == 0\n\t"                \
  "sxtb16 %[of_a], %[w]\n\t"              \
  ".endif\n\t"                            \
  multiply " %[a0], %[of_a], %[x]" last(a0)       \
  multiply " %[a1], %[of_a], %[next]" last(a1)    \
  multiply " %[a2], %[of_a], %[pair]" last(a2)
#define OPSMITH_NOTHING(sum) "\n\t"
#define OPSMITH_SUM(sum) ", %[" #sum "]\n\t"
#define OPSMITH_ADD OPSMITH_STEP("smlad", OPSMITH_SUM)

// All sums; the first step sets them. Those of the second channel come 256 times too large.
#define OPSMITH_MULTIPLY                                                           \
  OPSMITH_STEP("smuad", OPSMITH_NOTHING)                                           \
  "ldr %[w], %[skipped]\n\t"                                                       \
  "add pc, %[w]\n\t"                                                               \
  "nop\n"                                                                          \
  "1:\n\t" OPSMITH_ADD OPSMITH_ADD OPSMITH_ADD OPSMITH_ADD OPSMITH_ADD OPSMITH_ADD \
      OPSMITH_ADD OPSMITH_ADD                                                      \
  "cmp %[columns], %[end]\n\t"                                                     \
  "bne 1b\n\t"                                                                     \
  ".if %c[apart]\n\t"                                                              \
  "lsl %[both0], %[both0], #8\n\t"                                                 \
  "lsl %[both1], %[both1], #8\n\t"                                                 \
  "lsl %[both2], %[both2], #8\n\t"                                                 \
  ".else\n\t"                                                                      \
  "sub %[both0], %[both0], %[a0]\n\t"                                              \
  "sub %[both1], %[both1], %[a1]\n\t"                                              \
  "sub %[both2], %[both2], %[a2]\n\t"                                              \
  ".endif\n\t"
#define OPSMITH_REGISTERS                                                                     \
  [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [both0] "=&r"(both0), [both1] "=&r"(both1), \
      [both2] "=&r"(both2), [columns] "+r"(columns), [weights] "+r"(weights), [w] "=&r"(w),   \
      [x] "=&r"(x), [next] "=&r"(next), [pair] "=&r"(pair), [of_a] "=&r"(of_a)

// Bytes of the loop that are jumped over to take all steps but the first.
constexpr int32_t skipped_of_three(int32_t words, bool apart) {
  const int32_t step = kThreePixelStepBytes + (apart ? 4 : 0);
  return ((1 - (words >> 2)) & (kSteps - 1)) * step;
}

// All channels of three pixels whose columns of N words are filled, as four_pixels().
template <class O, class C, class W>
__attribute__((noinline, noclone)) void three_by_any(const O& o, const uint32_t* filled,
                                                     int32_t words, W from, const C* constants,
                                                     int32_t channels, int8_t* y) {
  const uint32_t* weights = first_of(from);
  const int32_t skipped = skipped_of_three(words, kApart<W>);
  const uint32_t* end = filled + words;
  for (int32_t c = 0; c < channels; c += 2, y += 2, constants += 2) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, both0, both1, both2;
    uint32_t w, x, next, pair, of_a;
    __asm volatile(OPSMITH_MULTIPLY
                   : OPSMITH_REGISTERS
                   : [skipped] "m"(skipped), [end] "r"(end), [apart] "i"(kApart<W>)
                   : "cc", "memory");
    const C a = constants[0];
    y[0] = requantize(o, a0, a);
    y[channels] = requantize(o, a1, a);
    y[2 * channels] = requantize(o, a2, a);
    if (c + 1 == channels) break;
    const C b = constants[1];
    y[1] = requantize(o, both0 >> 8, b);
    y[channels + 1] = requantize(o, both1 >> 8, b);
    y[2 * channels + 1] = requantize(o, both2 >> 8, b);
  }
}

#define OPSMITH_REQUANTIZE(sum, left)     \
  "lsl %[" #sum "], %[" #sum "], %[" left \
  "]\n\t"                                 \
  "smmla %[" #sum "], %[" #sum            \
  "], %[w], %[x]\n\t"                     \
  "ssat %[" #sum "], #8, %[" #sum "], asr %[right]\n\t"

// The same for thresholds known at compile time and an even number of channels, in assembly.
template <int32_t kLeft, int32_t kRight, class W>
__attribute__((noinline, noclone)) void three_by_thresholds(const uint32_t* filled, int32_t words,
                                                            W from, const Threshold* constants,
                                                            int32_t channels, int8_t* y) {
  const uint32_t* weights = first_of(from);
  const int32_t skipped = skipped_of_three(words, kApart<W>);
  const uint32_t* end = filled + words;
  for (int32_t pairs = channels / 2; pairs != 0; --pairs) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, both0, both1, both2;
    uint32_t w, x, next, pair, of_a;
    __asm volatile(
        OPSMITH_MULTIPLY
        "ldr %[next], %[y]\n\t"
        "ldr %[pair], %[constants]\n\t"
        "ldr %[columns], %[channels]\n\t"
        "ldrd %[w], %[x], [%[pair]], #8\n\t"  // multiplier and offset
        OPSMITH_REQUANTIZE(a0, "left") OPSMITH_REQUANTIZE(a1, "left") OPSMITH_REQUANTIZE(a2, "left")
        "ldrd %[w], %[x], [%[pair]], #8\n\t" OPSMITH_REQUANTIZE(both0, "left_of_b")
            OPSMITH_REQUANTIZE(both1, "left_of_b") OPSMITH_REQUANTIZE(both2, "left_of_b")
        "str %[pair], %[constants]\n\t"
        "strb %[both0], [%[next], #1]\n\t"
        "strb %[a0], [%[next]], #2\n\t"
        "str %[next], %[y]\n\t"
        "add %[next], %[next], %[columns]\n\t"
        "strb %[a1], [%[next], #-2]\n\t"
        "strb %[both1], [%[next], #-1]\n\t"
        "add %[next], %[next], %[columns]\n\t"
        "strb %[a2], [%[next], #-2]\n\t"
        "strb %[both2], [%[next], #-1]"
        : OPSMITH_REGISTERS, [y] "+m"(y), [constants] "+m"(constants)
        : [skipped] "m"(skipped), [end] "r"(end), [apart] "i"(kApart<W>), [channels] "m"(channels),
          [left] "i"(kLeft), [left_of_b] "i"(kLeft - 8), [right] "i"(kRight)
        : "cc", "memory");
  }
}
#undef OPSMITH_REQUANTIZE
#undef OPSMITH_REGISTERS
#undef OPSMITH_MULTIPLY
#undef OPSMITH_ADD
#undef OPSMITH_SUM
#undef OPSMITH_NOTHING
#undef OPSMITH_STEP

template <class O, class C, class W>
void three_pixels(const O& o, const uint32_t* filled, int32_t words, W weights, const C* constants,
                  int32_t channels, int8_t* y) {
  three_by_any(o, filled, words, weights, constants, channels, y);
}

template <int32_t kLeft, int32_t kRight, class W>
__attribute__((always_inline)) inline void three_pixels(
    const StaticOutputs<kLeft, kRight, -128, 127>& o, const uint32_t* filled, int32_t words,
    W weights, const Threshold* constants, int32_t channels, int8_t* y) {
  if (channels % 2 == 0) {
    three_by_thresholds<kLeft, kRight>(filled, words, weights, constants, channels, y);
  } else {
    three_by_any(o, filled, words, weights, constants, channels, y);
  }
}

}  // namespace opsmith::dsp
