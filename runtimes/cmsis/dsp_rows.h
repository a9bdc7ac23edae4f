// Sums of one row by eight rows of weights, for kernels that require `dsp`. Fast because each four
// inputs that are loaded serve eight output channels, SMLAD adds two products at once, and only
// every other channel's weights are unpacked.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/dsp_outputs.h"

namespace opsmith::dsp {

// A halfword of weights is 256 * b + a, with channel a's weight and channel b's. Its product with
// an input gives both at once: 256 times b's sum is the sum of all of these less a's, which needs
// a's weights alone.
struct EightSums {
  int32_t a[4];
  int32_t both[4];

  // That of one of the eight channels.
  constexpr int32_t of(int32_t channel) const {
    const int32_t pair = channel / 2;
    return channel % 2 == 0 ? a[pair] : (both[pair] - a[pair]) >> 8;
  }
};

// What b's sums, which come 256 times too large, are requantised with.
template <class O>
constexpr Outputs of_b(const O& o) {
  return {o.left_shift - 8, o.right_shift, o.activation_min, o.activation_max};
}

// Products of two inputs with four channels, whose weights are loaded. Loads in a row take less
// time than loads apart.
#define OPSMITH_LOAD               \
  "ldr %[w], [%[weights]], #4\n\t" \
  "ldr %[v], [%[weights]], #4\n\t"
#define OPSMITH_PAIRS(inputs, first, second)                    \
  "smlad %[both" first "], %[w], %[" inputs "], %[both" first   \
  "]\n\t"                                                       \
  "sxtb16 %[w], %[w]\n\t"                                       \
  "smlad %[both" second "], %[v], %[" inputs "], %[both" second \
  "]\n\t"                                                       \
  "sxtb16 %[v], %[v]\n\t"                                       \
  "smlad %[a" first "], %[w], %[" inputs "], %[a" first         \
  "]\n\t"                                                       \
  "smlad %[a" second "], %[v], %[" inputs "], %[a" second "]\n\t"
#define OPSMITH_STEP                                                                           \
  "ldr %[odd], [%[x]], #4\n\t" OPSMITH_LOAD                                                    \
  "sxtb16 %[even], %[odd]\n\t"                                                                 \
  "sxtb16 %[odd], %[odd], ror #8\n\t" OPSMITH_PAIRS("even", "0", "1")                          \
      OPSMITH_LOAD OPSMITH_PAIRS("even", "2", "3") OPSMITH_LOAD OPSMITH_PAIRS("odd", "0", "1") \
          OPSMITH_LOAD OPSMITH_PAIRS("odd", "2", "3")
constexpr int32_t kRowStepBytes = 4 * (3 + 8 * 4);
constexpr int32_t kRowSteps = 4;  // of a turn

// The sums of eight channels over the inputs from x to end, a multiple of four. Shared by all
// layers; returns the weights of the next channels.
__attribute__((noinline)) inline const uint32_t* eight_channels(const int8_t* x, const int8_t* end,
                                                                const uint32_t* weights,
                                                                EightSums& sums) {
  int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, both0 = 0, both1 = 0, both2 = 0, both3 = 0;
  // of the first turn; a step takes four inputs
  const int32_t skipped = ((x - end) & (4 * kRowSteps - 1)) * (kRowStepBytes / 4);
  uint32_t even, odd, w, v;
  __asm volatile(
      "ldr %[w], %[skipped]\n\t"
      "add pc, %[w]\n\t"
      "nop\n"
      "1:\n\t" OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP
      "ldr %[w], %[end]\n\t"
      "cmp %[x], %[w]\n\t"
      "bne 1b"
      : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [both0] "+r"(both0),
        [both1] "+r"(both1), [both2] "+r"(both2), [both3] "+r"(both3), [x] "+r"(x),
        [weights] "+r"(weights), [even] "=&r"(even), [odd] "=&r"(odd), [w] "=&r"(w), [v] "=&r"(v)
      : [skipped] "m"(skipped), [end] "m"(end)
      : "cc", "memory");
  sums = {{a0, a1, a2, a3}, {both0, both1, both2, both3}};
  return weights;
}
#undef OPSMITH_STEP
#undef OPSMITH_PAIRS
#undef OPSMITH_LOAD

// Calls less(pair, input) for each weight of channel b of a pair that is -128 and was packed as
// -127 because it did not fit, and returns the weights of the next channels. After those of eight
// channels follow how many these are, and for each 4 * input + pair.
template <class P, class Less>
inline const uint32_t* after_unpaired(const P& /*p*/, const uint32_t* weights, Less less) {
  if constexpr (has_unpaired(static_cast<const P*>(nullptr))) {
    for (uint32_t left = *weights++; left != 0; --left, ++weights)
      less(*weights & 3, *weights >> 2);
  }
  return weights;
}

// The sums of eight channels where weights of P may fit in no pair.
template <class P>
inline const uint32_t* eight_channels(const P& p, const int8_t* x, const int8_t* end,
                                      const uint32_t* weights, EightSums& sums) {
  weights = eight_channels(x, end, weights, sums);
  return after_unpaired(p, weights,
                        [&](uint32_t pair, uint32_t i) { sums.both[pair] -= 256 * x[i]; });
}

// The same sums of N inputs, a multiple of four. Those of each `part` of them fit EightSums.
template <class P>
inline const uint32_t* eight_sums(const P& p, const int8_t* x, int32_t inputs, int32_t part,
                                  const uint32_t* weights, int32_t (&sums)[8]) {
  const int8_t* const first = x;
  const int8_t* const end = x + inputs;
  const int8_t* until = inputs < part ? end : x + part;
  EightSums of_part;
  weights = eight_channels(x, until, weights, of_part);
  for (int32_t i = 0; i < 8; ++i) sums[i] = of_part.of(i);
  while (until != end) {
    x = until;
    until = end - x < part ? end : x + part;
    weights = eight_channels(x, until, weights, of_part);
    for (int32_t i = 0; i < 8; ++i) sums[i] += of_part.of(i);
  }
  return after_unpaired(p, weights,
                        [&](uint32_t pair, uint32_t i) { sums[2 * pair + 1] -= first[i]; });
}

}  // namespace opsmith::dsp
