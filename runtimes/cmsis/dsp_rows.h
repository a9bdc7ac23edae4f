// Sums of one row by eight rows of weights, for kernels that require `dsp`. Fast because each four
// inputs that are loaded serve eight output channels, SMLAD adds two products at once, only every
// other channel's weights are unpacked, and one SMLAD has four of their products, as Winograd's
// inner products do: (x0 + w1) (x1 + w0) is x0 w0 + x1 w1, and x0 x1, which is the same for all
// channels, and w0 w1, which is constant. SXTAB16 adds what SXTB16 would unpack alone.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/dsp_outputs.h"

namespace opsmith::dsp {

#define OPSMITH_NEIGHBOURS              \
  "ldr %[word], [%[x]], #4\n\t"         \
  "sxtb16 %[even], %[word]\n\t"         \
  "sxtb16 %[word], %[word], ror #8\n\t" \
  "smlad %[sum], %[even], %[word], %[sum]\n\t"

// The sum of the products of neighbours, of a row from x to end that is whole words. A turn is two
// of them; of an odd number the first turn begins with its second.
__attribute__((noinline)) inline int32_t neighbours(const int8_t* x, const int8_t* end) {
  int32_t sum = 0;
  uint32_t word, even;
  __asm volatile(
      "sub %[word], %[end], %[x]\n\t"
      "lsls %[word], %[word], #29\n\t"
      "bmi 2f\n"
      "1:\n\t" OPSMITH_NEIGHBOURS "2:\n\t" OPSMITH_NEIGHBOURS
      "cmp %[x], %[end]\n\t"
      "bne 1b"
      : [x] "+r"(x), [sum] "+r"(sum), [word] "=&r"(word), [even] "=&r"(even)
      : [end] "r"(end)
      : "cc", "memory");
  return sum;
}
#undef OPSMITH_NEIGHBOURS

// Four inputs by the weights of two channels. A halfword of these is 256 * b + a, with channel a's
// weight and channel b's. Its product with an input gives both at once: 256 times b's sum is the
// sum of all of these less a's, which needs a's weights alone. Loads in a row take less time than
// loads apart.
#define OPSMITH_LOAD               \
  "ldr %[w], [%[weights]], #4\n\t" \
  "ldr %[v], [%[weights]], #4\n\t"
#define OPSMITH_PAIR(number)                              \
  "smlad %[both" number "], %[w], %[even], %[both" number \
  "]\n\t"                                                 \
  "sxtab16 %[w], %[odd], %[w]\n\t"                        \
  "smlad %[both" number "], %[v], %[odd], %[both" number  \
  "]\n\t"                                                 \
  "sxtab16 %[v], %[even], %[v]\n\t"                       \
  "smlad %[a" number "], %[w], %[v], %[a" number "]\n\t"
#define OPSMITH_PAIRS                                                                  \
  "sxtb16 %[even], %[odd]\n\t"                                                         \
  "sxtb16 %[odd], %[odd], ror #8\n\t" OPSMITH_PAIR("0") OPSMITH_LOAD OPSMITH_PAIR("1") \
      OPSMITH_LOAD OPSMITH_PAIR("2") OPSMITH_LOAD OPSMITH_PAIR("3")
#define OPSMITH_STEP "ldr %[odd], [%[x]], #4\n\t" OPSMITH_LOAD OPSMITH_PAIRS
constexpr int32_t kRowStepBytes = 4 * (3 + 4 * 7);
constexpr int32_t kRowSteps = 4;  // of a turn

// How eight sums become outputs that are clamped to all of int8, and where these are.
struct EightOutputs {
  int32_t left_shift;
  int32_t right_shift;
  const Threshold* channels;
  int8_t* y;

  int8_t of(int32_t channel, int32_t sum) const {
    const SaturatedOutputs o = {left_shift, right_shift};
    return requantize(o, sum, channels[channel]);
  }
};

// The sums of eight channels over the inputs from x to end, a multiple of four, of which `products`
// are those of neighbours; or, where `outputs` is given, their outputs. What sums are more than
// those of products is constant: dsp_packing.py. Shared by all layers; returns the weights of the
// next channels.
__attribute__((noinline)) inline const uint32_t* eight_channels(const int8_t* x, const int8_t* end,
                                                                const uint32_t* weights,
                                                                int32_t products, int32_t* sums,
                                                                const EightOutputs* outputs) {
  int32_t a0 = -products, a1 = a0, a2 = a0, a3 = a0, both0 = 0, both1 = 0, both2 = 0, both3 = 0;
  // of the first turn; a step takes four inputs
  uint32_t w = ((x - end) & (4 * kRowSteps - 1)) * (kRowStepBytes / 4);
  uint32_t even, odd, v;
  __asm volatile(
      "add pc, %[w]\n\t"
      "nop\n"
      "1:\n\t" OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP
      "ldr %[even], %[end]\n\t"
      "ldr %[odd], [%[x]], #4\n\t" OPSMITH_LOAD "cmp %[x], %[even]\n\t" OPSMITH_PAIRS "bne 1b"
      : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [both0] "+r"(both0),
        [both1] "+r"(both1), [both2] "+r"(both2), [both3] "+r"(both3), [x] "+r"(x),
        [weights] "+r"(weights), [even] "=&r"(even), [odd] "=&r"(odd), [w] "+r"(w), [v] "=&r"(v)
      : [end] "m"(end)
      : "cc", "memory");
  const int32_t b0 = (both0 - a0) >> 8, b1 = (both1 - a1) >> 8;
  const int32_t b2 = (both2 - a2) >> 8, b3 = (both3 - a3) >> 8;
  if (outputs != nullptr) {
    const EightOutputs o = *outputs;
    o.y[0] = o.of(0, a0);
    o.y[1] = o.of(1, b0);
    o.y[2] = o.of(2, a1);
    o.y[3] = o.of(3, b1);
    o.y[4] = o.of(4, a2);
    o.y[5] = o.of(5, b2);
    o.y[6] = o.of(6, a3);
    o.y[7] = o.of(7, b3);
  } else {
    sums[0] = a0;
    sums[1] = b0;
    sums[2] = a1;
    sums[3] = b1;
    sums[4] = a2;
    sums[5] = b2;
    sums[6] = a3;
    sums[7] = b3;
  }
  return weights;
}
#undef OPSMITH_STEP
#undef OPSMITH_PAIRS

// The same sums of two channels. Shared by all layers.
__attribute__((noinline)) inline const uint32_t* two_channels(const int8_t* x, const int8_t* end,
                                                              const uint32_t* weights,
                                                              int32_t products, int32_t* sums) {
  int32_t a = -products, both = 0;
  uint32_t even, odd, w, v;
  __asm volatile(
      "1:\n\t"
      "ldr %[odd], [%[x]], #4\n\t" OPSMITH_LOAD
      "cmp %[x], %[end]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t" OPSMITH_PAIR("") "bne 1b"
      : [a] "+r"(a), [both] "+r"(both), [x] "+r"(x), [weights] "+r"(weights), [even] "=&r"(even),
        [odd] "=&r"(odd), [w] "=&r"(w), [v] "=&r"(v)
      : [end] "r"(end)
      : "cc", "memory");
  sums[0] = a;
  sums[1] = (both - a) >> 8;
  return weights;
}
#undef OPSMITH_PAIR
#undef OPSMITH_LOAD
constexpr int32_t kFew = 4;  // of a last block of eight, which then are by pairs

// All outputs of a row from x to end, which N channels have. Shared by all layers.
__attribute__((noinline)) inline void row_of_outputs(const int8_t* x, const int8_t* end,
                                                     const uint32_t* weights, int32_t channels,
                                                     EightOutputs& eight) {
  const int32_t products = neighbours(x, end);
  for (; channels >= 8; channels -= 8) {
    weights = eight_channels(x, end, weights, products, nullptr, &eight);
    eight.channels += 8;
    eight.y += 8;
  }
  if (channels == 0) return;
  int32_t sums[8];
  if (channels > kFew) {
    eight_channels(x, end, weights, products, sums, nullptr);
  } else {
    for (int32_t i = 0; i < channels; i += 2)
      weights = two_channels(x, end, weights, products, sums + i);
  }
  int32_t i = 0;
  do {
    eight.y[i] = eight.of(i, sums[i]);
  } while (++i < channels);
}

// Subtracts the inputs of weights of channel b of a pair that are -128 and were packed as -127
// because they did not fit, and returns the weights of the next channels. After those of eight
// channels follow how many these are, and for each 4 * input + pair.
template <class P>
inline const uint32_t* after_unpaired(const P& /*p*/, const int8_t* x, const uint32_t* weights,
                                      int32_t (&sums)[8]) {
  if constexpr (has_unpaired(static_cast<const P*>(nullptr))) {
    for (uint32_t left = *weights++; left != 0; --left, ++weights)
      sums[2 * (*weights & 3) + 1] -= x[*weights >> 2];
  }
  return weights;
}

// The sums of the next eight channels, or of the last N, where weights of P may fit in no pair.
template <class P>
inline const uint32_t* eight_channels(const P& p, const int8_t* x, const int8_t* end,
                                      int32_t channels, const uint32_t* weights, int32_t products,
                                      int32_t (&sums)[8]) {
  if (channels > kFew) {
    weights = eight_channels(x, end, weights, products, sums, nullptr);
  } else {
    weights = two_channels(x, end, weights, products, sums);
    if (channels > 2) weights = two_channels(x, end, weights, products, sums + 2);
  }
  return after_unpaired(p, x, weights, sums);
}

// The products of neighbours of N inputs, those of each `part`. One part has them in `whole`,
// several have them in `parts`.
inline const int32_t* neighbours_of_parts(const int8_t* x, int32_t inputs, int32_t part,
                                          int32_t& whole, int32_t* parts) {
  if (inputs <= part) {
    whole = neighbours(x, x + inputs);
    return &whole;
  }
  for (int32_t i = 0; i * part < inputs; ++i) {
    const int32_t left = inputs - i * part;
    parts[i] = neighbours(x + i * part, x + i * part + (left < part ? left : part));
  }
  return parts;
}

// The same sums of N inputs, a multiple of four. Those of each `part` of them fit 24 bits.
template <class P>
inline const uint32_t* eight_sums(const P& p, const int8_t* x, int32_t inputs, int32_t part,
                                  const int32_t* products, const uint32_t* weights,
                                  int32_t (&sums)[8]) {
  const int8_t* const first = x;
  const int8_t* const end = x + inputs;
  const int8_t* until = inputs < part ? end : x + part;
  weights = eight_channels(x, until, weights, *products, sums, nullptr);
  while (until != end) {
    x = until;
    until = end - x < part ? end : x + part;
    int32_t of_part[8];
    weights = eight_channels(x, until, weights, *++products, of_part, nullptr);
    for (int32_t i = 0; i < 8; ++i) sums[i] += of_part[i];
  }
  return after_unpaired(p, first, weights, sums);
}

}  // namespace opsmith::dsp
