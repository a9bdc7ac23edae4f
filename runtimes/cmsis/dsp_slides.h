// All channels of four pixels of a line, by filters of nine taps, for kernels that require `dsp`.
// Fast because pixels of which one's window is a tap further than the other's share what they load:
// a step that multiplies as much as one of dsp_pixels.h has two loads fewer.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/dsp_output_steps.h"

namespace opsmith::dsp::slides {

// Each two inputs have 22 words: of taps in two parts, the inputs of two pixels for each tap, and
// for the tap after the last.
constexpr int32_t kParts[2] = {5, 4};
constexpr int32_t kWords = 22;

// Bytes from outputs of the first pixel of y to those of the second, from these to the third, and
// as far again to the fourth, which the sums of channels have in this order.
struct Order {
  int32_t near;
  int32_t far;
};

// Spreads a pixel to words of one tap; `channels` are a multiple of four.
inline void spread(const int8_t* inputs, int32_t channels, uint32_t* to) {
  for (; channels >= 16; channels -= 16, inputs += 16, to += 8 * kWords) {
    const uint32_t word0 = load_word(inputs), word1 = load_word(inputs + 4),
                   word2 = load_word(inputs + 8), word3 = load_word(inputs + 12);
    to[0] = sxtb16(word0), to[kWords] = sxtb16_ror8(word0);
    to[2 * kWords] = sxtb16(word1), to[3 * kWords] = sxtb16_ror8(word1);
    to[4 * kWords] = sxtb16(word2), to[5 * kWords] = sxtb16_ror8(word2);
    to[6 * kWords] = sxtb16(word3), to[7 * kWords] = sxtb16_ror8(word3);
  }
  for (; channels > 0; channels -= 4, inputs += 4, to += 2 * kWords) {
    const uint32_t word = load_word(inputs);
    to[0] = sxtb16(word), to[kWords] = sxtb16_ror8(word);
  }
}

inline void spread_border(int32_t zero_point, int32_t channels, uint32_t* to) {
  const uint32_t half = static_cast<uint16_t>(zero_point);
  for (; channels > 0; channels -= 2, to += kWords) *to = half << 16 | half;
}

// A tap: the products of two inputs of two pixels, and, with what the next tap begins with, of the
// other two.
#define OPSMITH_SLIDE                           \
  "ldr %[w], [%[weights]], #4\n\t"              \
  "sxtb16 %[pair], %[w]\n\t"                    \
  "smlad %[a0], %[pair], %[x], %[a0]\n\t"       \
  "smlad %[both0], %[w], %[x], %[both0]\n\t"    \
  "smlad %[a1], %[pair], %[next], %[a1]\n\t"    \
  "smlad %[both1], %[w], %[next], %[both1]\n\t" \
  "ldr %[x], [%[columns]], #4\n\t"              \
  "ldr %[next], [%[columns]], #4\n\t"           \
  "smlad %[a2], %[pair], %[x], %[a2]\n\t"       \
  "smlad %[both2], %[w], %[x], %[both2]\n\t"    \
  "smlad %[a3], %[pair], %[next], %[a3]\n\t"    \
  "smlad %[both3], %[w], %[next], %[both3]\n\t"
#define OPSMITH_FIRST              \
  "ldr %[x], [%[columns]], #4\n\t" \
  "ldr %[next], [%[columns]], #4\n\t"

// All sums; those of the second channel come 256 times too large.
#define OPSMITH_MULTIPLY                                                                       \
  "mov %[a0], #0\n\t"                                                                          \
  "mov %[a1], #0\n\t"                                                                          \
  "mov %[a2], #0\n\t"                                                                          \
  "mov %[a3], #0\n\t"                                                                          \
  "mov %[both0], #0\n\t"                                                                       \
  "mov %[both1], #0\n\t"                                                                       \
  "mov %[both2], #0\n\t"                                                                       \
  "mov %[both3], #0\n"                                                                         \
  "1:\n\t" OPSMITH_FIRST OPSMITH_SLIDE OPSMITH_SLIDE OPSMITH_SLIDE OPSMITH_SLIDE OPSMITH_SLIDE \
      OPSMITH_FIRST OPSMITH_SLIDE OPSMITH_SLIDE OPSMITH_SLIDE OPSMITH_SLIDE                    \
  "ldr %[w], %[end]\n\t"                                                                       \
  "cmp %[columns], %[w]\n\t"                                                                   \
  "bne 1b\n\t"                                                                                 \
  "sub %[both0], %[both0], %[a0]\n\t"                                                          \
  "sub %[both1], %[both1], %[a1]\n\t"                                                          \
  "sub %[both2], %[both2], %[a2]\n\t"                                                          \
  "sub %[both3], %[both3], %[a3]\n\t"

#define OPSMITH_STORE_IN_ORDER    \
  "ldr %[x], %[y]\n\t"            \
  "ldr %[next], %[near]\n\t"      \
  "ldr %[w], %[far]\n\t"          \
  "add %[columns], %[x], #2\n\t"  \
  "str %[columns], %[y]\n\t"      \
  "strb %[a0], [%[x]]\n\t"        \
  "strb %[both0], [%[x], #1]\n\t" \
  "add %[x], %[x], %[next]\n\t"   \
  "strb %[a1], [%[x]]\n\t"        \
  "strb %[both1], [%[x], #1]\n\t" \
  "add %[x], %[x], %[w]\n\t"      \
  "strb %[a2], [%[x]]\n\t"        \
  "strb %[both2], [%[x], #1]\n\t" \
  "add %[x], %[x], %[next]\n\t"   \
  "strb %[a3], [%[x]]\n\t"        \
  "strb %[both3], [%[x], #1]\n\t"

#define OPSMITH_OPERANDS                                                                           \
  [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3), [both0] "=&r"(both0),            \
      [both1] "=&r"(both1), [both2] "=&r"(both2), [both3] "=&r"(both3), [columns] "+r"(columns),   \
      [weights] "+r"(weights), [w] "=&r"(w), [x] "=&r"(x), [next] "=&r"(next), [pair] "=&r"(pair), \
      [y] "+m"(y), [constants] "+m"(constants)

// All channels, an even number, of four pixels whose columns of N words are filled.
__attribute__((noinline)) inline void by_thresholds(int32_t left, int32_t right,
                                                    const uint32_t* filled, int32_t words,
                                                    const uint32_t* weights,
                                                    const Threshold* constants, int32_t channels,
                                                    const Order& order, int8_t* y) {
  const uint32_t* end = filled + words;
  const int32_t near = order.near, far = order.far;
  for (int32_t pairs = channels / 2; pairs != 0; --pairs) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, a3, both0, both1, both2, both3;
    uint32_t w, x, next, pair;
    __asm volatile(OPSMITH_MULTIPLY
                   "ldr %[pair], %[constants]\n\t"
                   "ldr %[x], %[left]\n\t"
                   "ldr %[next], %[right]\n\t"
                   "ldrd %[w], %[columns], [%[pair]], #8\n\t"
                   OPSMITH_SHIFT("a0") OPSMITH_SHIFT("a1") OPSMITH_SHIFT("a2") OPSMITH_SHIFT("a3")
                   "ldrd %[w], %[columns], [%[pair]], #8\n\t"
                   "sub %[x], %[x], #8\n\t"
                   OPSMITH_SHIFT("both0") OPSMITH_SHIFT("both1") OPSMITH_SHIFT("both2")
                   OPSMITH_SHIFT("both3")
                   "str %[pair], %[constants]\n\t" OPSMITH_STORE_IN_ORDER
                   : OPSMITH_OPERANDS
                   : [end] "m"(end), [near] "m"(near), [far] "m"(far), [left] "m"(left),
                     [right] "m"(right), [own] "i"(0)
                   : "cc", "memory");
  }
}

// The same with double rounding. kOwn: channels may round once.
template <bool kOwn>
__attribute__((noinline)) void by_rounding(const uint32_t* filled, int32_t words,
                                           const uint32_t* weights, const Rounding* constants,
                                           int32_t channels, const Order& order, int8_t* y) {
  const uint32_t* end = filled + words;
  const int32_t near = order.near, far = order.far;
  for (int32_t pairs = channels / 2; pairs != 0; --pairs) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, a3, both0, both1, both2, both3;
    uint32_t w, x, next, pair;
    __asm volatile(
        OPSMITH_MULTIPLY
        "ldr %[x], %[constants]\n\t" OPSMITH_ROUND_FOUR("a0", "a1", "a2", "a3", "lsl #1")
            OPSMITH_ROUND_FOUR("both0", "both1", "both2", "both3",
                               "asr #7") "str %[x], %[constants]\n\t" OPSMITH_STORE_IN_ORDER
        : OPSMITH_OPERANDS
        : [end] "m"(end), [near] "m"(near), [far] "m"(far), [own] "i"(kOwn)
        : "cc", "memory");
  }
}

template <class P>
void four_pixels(const P& p, const uint32_t* filled, int32_t words, const uint32_t* weights,
                 const Threshold* constants, int32_t channels, const Order& order, int8_t* y) {
  by_thresholds(p.left_shift, p.right_shift, filled, words, weights, constants, channels, order, y);
}

template <class P>
void four_pixels(const P&, const uint32_t* filled, int32_t words, const uint32_t* weights,
                 const Rounding* constants, int32_t channels, const Order& order, int8_t* y) {
  by_rounding<has_own(static_cast<const P*>(nullptr))>(filled, words, weights, constants, channels,
                                                       order, y);
}
#undef OPSMITH_OPERANDS
#undef OPSMITH_STORE_IN_ORDER
#undef OPSMITH_MULTIPLY
#undef OPSMITH_FIRST
#undef OPSMITH_SLIDE
#undef OPSMITH_OWN_PAIR
#undef OPSMITH_LONG_FOUR
#undef OPSMITH_LONG
#undef OPSMITH_ROUND_FOUR
#undef OPSMITH_ROUND_FOUR_IN
#undef OPSMITH_ROUND_ONCE
#undef OPSMITH_ROUND
#undef OPSMITH_SHIFT
#undef OPSMITH_REQUANTIZE

}  // namespace opsmith::dsp::slides
